"""`python -m faultyard`."""

from faultyard.cli.main import main

main()
