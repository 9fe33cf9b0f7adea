"""same-target.py DEVICE.json TRIPLE.json: does a device have just what a named target claims?

A name claims the extensions that bring its features, a device lists all of its own; the name leaves
the size of one buffer at Vulkan's minimum.
"""
import json
import sys

device, triple = (json.load(open(path)) for path in sys.argv[1:])
problems = []
for key in ("features", "cooperativeMatrixPropertiesKHR"):
    if set(device[key]) != set(triple[key]):
        problems.append(f"{key}: {sorted(set(device[key]) ^ set(triple[key]))}")
if missing := set(triple["extensions"]) - set(device["extensions"]):
    problems.append(f"extensions that the device lacks: {sorted(missing)}")
for name, value in triple["limits"].items():
    if device["limits"][name] != value and name != "maxBufferSize":
        problems.append(f"{name}: {device['limits'][name]} and {value}")
sys.exit("\n".join(problems) or 0)
