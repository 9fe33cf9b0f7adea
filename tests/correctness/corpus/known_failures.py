"""Known failures with their reasons. They run all the same. If one passes, the run fails, so that its entry is
removed here."""
import re

# (configuration, file/case, reason). The first two are regular expressions for the whole name.
KNOWN = [
    ("pocl-.*", "memory.mlir/moving_view",
     "PoCL 6.0 computes wrong positions for a view that a loop carries"),
]


def known_failure(way, case):
    """Returns the reason, or ""."""
    for configuration, name, reason in KNOWN:
        if re.fullmatch(configuration, way.name) and re.fullmatch(name, f"{case.file}/{case.name}"):
            return reason
    return ""
