"""Commands in the form of Triton's: `python -m pumice.tools.compile` and `python -m pumice.tools.link`."""
