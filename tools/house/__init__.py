"""The rules for the tree: a module per subject, and a function per rule (see tools/check-house.py)."""
