"""Every example of examples/triton, at its own sizes, on a device: `examples.py DEVICE [--resident]`."""
import importlib
import pathlib
import sys

FOLDER = pathlib.Path(__file__).parents[2] / "examples" / "triton"
sys.path.append(str(FOLDER))

import example  # noqa: E402

memory = example.DeviceMemory if "--resident" in sys.argv else example.HostMemory
names = sorted(path.stem for path in FOLDER.glob("*.py") if path.stem != "example")
right = [example.run(importlib.import_module(name).problem, sys.argv[1], memory, {})
         for name in names]
print(f"{sum(right)} of {len(names)} examples are right")
raise SystemExit(0 if all(right) else 1)
