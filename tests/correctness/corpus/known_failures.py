"""Known failures with their reasons. They run all the same. If one passes, the run fails, so that its entry is
removed here."""
import re

# (configuration, file/case, reason). The first two are regular expressions for the whole name.
KNOWN = [
    ("pocl-.*", "memory.mlir/moving_view",
     "PoCL 6.0 computes wrong positions for a view that a loop carries"),
    # LLVM's backend recognizes additions with a carry.
    ("pocl-llvm-.*", r".*/((a?sin|cos|tan|atan2|sincos)_(bf16|f16|f32)|extended_i\d+|whole_f32_i32)",
     "PoCL 6.0 does not link code with OpIAddCarry"),
]


def known_failure(way, case):
    """Returns the reason, or ""."""
    for configuration, name, reason in KNOWN:
        if re.fullmatch(configuration, way.name) and re.fullmatch(name, f"{case.file}/{case.name}"):
            return reason
    return ""
