"""Runs generated kernels: worker.py FOLDER DEVICE. DEVICE is one of Pumice's, or `interpreter`.

FOLDER/kernels.py holds the kernels, FOLDER/kernels.json their arguments. Results go to FOLDER/DEVICE.npz, errors to
FOLDER/DEVICE.json.
"""
import importlib.util
import json
import os
import pathlib
import sys

folder, device = pathlib.Path(sys.argv[1]), sys.argv[2]
if device == "interpreter":
    os.environ["TRITON_INTERPRET"] = "1"

import numpy as np  # noqa: E402
import torch  # noqa: E402


def inputs(dtype, elements):
    generator = np.random.default_rng(sum(map(ord, dtype)))
    if dtype.startswith("float"):
        return (generator.integers(-64, 65, elements) / 8).astype(dtype)
    limits = np.iinfo(dtype)
    return generator.integers(limits.min, limits.max, elements, dtype, endpoint=True)


def main():
    if device != "interpreter":
        import pumice
        pumice.use(device)
    spec = importlib.util.spec_from_file_location("kernels", folder / "kernels.py")
    kernels = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(kernels)
    np.seterr(all="ignore")
    results, errors = {}, {}
    for name, kernel in json.loads((folder / "kernels.json").read_text()).items():
        given = [torch.from_numpy(inputs(dtype, kernel["elements"])) for dtype in kernel["inputs"]]
        memories = [torch.from_numpy(inputs(dtype, kernel["span"])) for dtype in kernel["memories"]]
        made = [torch.from_numpy(np.zeros(count, "int8" if dtype == "int1" else dtype))
                for dtype, count in kernel["outputs"]]
        try:
            own = {} if device == "interpreter" else {"layout_seed": kernel["layout_seed"]}
            getattr(kernels, name)[(kernel["programs"],)](*given, *memories, *made, num_warps=kernel["warps"], **own)
        except Exception as error:  # noqa: BLE001 - an error of any kind is a result
            errors[name] = str(error).strip()[-600:] or repr(error)
            continue
        for i, each in enumerate(made):
            results[f"{name}/result {i}"] = each.numpy()
        for dtype, each in zip(kernel["memories"], memories):
            results[f"{name}/io_{dtype}"] = each.numpy()
    np.savez(folder / f"{device}.npz", **results)
    (folder / f"{device}.json").write_text(json.dumps(errors))


main()
