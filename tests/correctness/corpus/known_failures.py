"""What is known to fail, and why. Each is run all the same: one that passes fails the run, so that
it is taken from this list."""
import re

# (configuration, file/case, reason): expressions that match the whole name.
KNOWN = [
    ("swiftshader-physical",
     r"vectors\.mlir/(transfer_1d|transfer_2d|contract|gather_scatter|rearrange|scan_and_outer"
     r"|carried)|lengths/vector_\d+_(i32|f32)|memory\.mlir/vector3_elements",
     "SwiftShader stops at an OpBitcast from a pointer to an element to a pointer to a vector, by "
     "which vectors are loaded and stored through addresses"),
]


def known_failure(way, case):
    """The reason, or ""."""
    for configuration, name, reason in KNOWN:
        if re.fullmatch(configuration, way.name) and re.fullmatch(name, f"{case.file}/{case.name}"):
            return reason
    return ""
