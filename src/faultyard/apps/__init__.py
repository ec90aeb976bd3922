"""Applications: finding their folders and deploying them."""
