"""Describes cases in the JSON that `pumice run --launch` reads."""
import numpy as np

from harness import values


def numbers(array):
    """Returns the numbers for JSON, with infinities and NaN as strings."""
    if not np.issubdtype(array.dtype, np.floating):
        return array.ravel().tolist()
    with np.errstate(invalid="ignore"):
        wide = array.ravel().astype(np.float64).tolist()
    return [x if np.isfinite(x) else "nan" if np.isnan(x) else "inf" if x > 0 else "-inf"
            for x in wide]


def describe(case, module, label):
    buffers = {}
    for buffer in case.buffers:
        described = {"type": values.NAMES[values.parse_type(buffer.type)[0]],
                     "set": buffer.place[0], "binding": buffer.place[1],
                     "data": numbers(buffer.initial)}
        if buffer.place[2]:
            described["element"] = buffer.place[2]
        if buffer.expected is not None:
            described["expect"] = numbers(buffer.expected)
        if buffer.tolerance:
            described["tolerance"] = buffer.tolerance
        buffers[buffer.name] = described
    launch = {"name": label, "module": str(module), "groups": list(case.groups), "buffers": buffers}
    if case.push:
        # The runner replaces names of buffers by their addresses.
        launch["push_constants"] = {
            name: {"address": value} if isinstance(value, str) else value
            for name, value in case.push.items()}
    if case.constants:
        launch["specialization"] = {key: np.asarray(value).item()
                                    for key, value in case.constants.items()}
    if case.subgroup:
        launch["subgroup_size"] = case.subgroup
    if case.full:
        launch["full_subgroups"] = True
    return launch
