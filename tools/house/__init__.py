"""The rules of the house: a module per subject, a function per rule (see tools/check-house.py)."""
