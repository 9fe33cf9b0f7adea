"""The entry point of `python -m pumice.doctor`; pumice_triton/doctor.py does the work.

This is the only module of `pumice` that imports `pumice_triton`.
"""
import sys

from pumice_triton.doctor import main

__all__ = ["main"]

if __name__ == "__main__":
    sys.exit(main())
