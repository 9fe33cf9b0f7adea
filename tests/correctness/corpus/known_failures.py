"""What is known to fail, and why. Each is run all the same: one that passes fails the run, so that
it is taken from this list."""
import re

# (configuration, file/case, reason): expressions that match the whole name.
KNOWN = []


def known_failure(way, case):
    """The reason, or ""."""
    for configuration, name, reason in KNOWN:
        if re.fullmatch(configuration, way.name) and re.fullmatch(name, f"{case.file}/{case.name}"):
            return reason
    return ""
