"""Load on an application: the generator's process and the file that it writes, as it grows."""
