"""same-target.py DEVICE.json TRIPLE.json: checks that a device has what a named target claims.

A named target lists only the extensions that provide its features, while a device lists all of its
extensions. The named target keeps Vulkan's minimum for the size of a buffer. A target for several
kinds of processors leaves out their differences: subgroup size, amount of memory, and shapes for
narrow registers.
"""
import json
import sys

device, triple = (json.load(open(path)) for path in sys.argv[1:])
problems, shapes = [], "cooperativeMatrixPropertiesKHR"
processors, left_open = "nativeCode" in triple, {"maxBufferSize"}
if processors:
    left_open |= {"subgroupSize", "maxMemoryAllocationSize"}
    device[shapes] = [shape for shape in device[shapes] if shape in triple[shapes]]
for key in ("features", shapes):
    if set(device[key]) != set(triple[key]):
        problems.append(f"{key}: {sorted(set(device[key]) ^ set(triple[key]))}")
if missing := set(triple["extensions"]) - set(device["extensions"]):
    problems.append(f"extensions that the device lacks: {sorted(missing)}")
for name, value in triple["limits"].items():
    if device["limits"][name] != value and name not in left_open:
        problems.append(f"{name}: {device['limits'][name]} and {value}")
sys.exit("\n".join(problems) or 0)
