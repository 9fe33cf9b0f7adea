"""Writes packs: the plans that a model uses, with kernels for several targets (`packs` reads them)."""
from __future__ import annotations

import copy
import json
import os
import pathlib
import tempfile
import zipfile
from collections.abc import Callable, Iterable
from typing import Any

import torch
from torch.utils import _pytree as pytree

import pumice

from .packs import DESCRIPTION, FORMAT, kind_of, maker, packs

# The named targets that are CPUs.
_CPUS = ("cpu", "x86-64-v2", "x86-64-v3", "x86-64-v4", "aarch64")
_Target = dict[str, str]  # its name, kind and architecture, and what `pumice.compile` takes


def pack(model: Callable[..., Any], inputs: Any, path: str | os.PathLike[str], targets: Iterable[Any] | None = None,
         backward: bool = False) -> dict[str, Any]:
    """Runs a model on vk, and writes the plans and kernels that it uses to a file.

    A process that loads the file (`load_pack`, or PUMICE_VK_PACKS) compiles nothing for this model. The model runs as the
    caller's mode says, and without gradients.

    Args:
        model: A module, or any function that runs one, such as a step of training. A module on another device is
            copied to vk.
        inputs: The model's arguments: a tensor, a tuple of arguments, or a dictionary of them by name. Tensors are copied
            to the model's device.
        path: The file, which is overwritten.
        targets: Devices to compile for in addition to that of the model: anything that `pumice.compile` takes, such as
            "rdna3".
        backward: Whether to compute gradients, too. Those of the parameters stay as they were.

    Returns:
        The description that the pack has.

    Raises:
        RuntimeError: If PyTorch does not know vk, or plans are turned off, or the model uses no plan.
        ValueError: If a kernel cannot be compiled for a target.
    """
    if not hasattr(torch, "vk"):
        raise RuntimeError("PyTorch does not know the device vk; see python -m pumice.doctor")
    if os.environ.get("PUMICE_VK_PLANS") == "0":
        raise RuntimeError("expected plans, but PUMICE_VK_PLANS=0 turns them off; unset it to make a pack")
    model, device = _on_vk(model)
    files = _record(model, inputs, device, backward)
    if not files:
        raise RuntimeError("the model has run no operator on vk by a plan, so there is nothing to pack")
    own = pumice.device(torch.ops.pumice_vk.device_id(device.index))
    others = [targets] if isinstance(targets, (str, os.PathLike)) else list(targets or ())
    described = [_described(own), *map(_described, others)]
    plans: dict[str, bytes] = {}
    for number, target in enumerate(described):
        kernels = _Kernels(target)
        for name, data in files.items():
            plans[f"plans/{number}/{name}"] = kernels.compile_again(name, data)
        plans[f"samples/{number}.pumice"] = kernels.largest()
    about = {"format": FORMAT, **maker(), "model": getattr(model, "__qualname__", type(model).__qualname__),
             "inputs": [f"{one.dtype} {list(one.shape)}" for one in pytree.tree_leaves(inputs) if isinstance(one, torch.Tensor)],
             "backward": backward, "made_on": f"{own.info['name']}, driver {own.info['driver_version']}",
             "targets": [{key: value for key, value in target.items() if key != "taken"} for target in described],
             "plans": len(files)}
    _write(pathlib.Path(path), about, plans)
    return about


def _on_vk(model: Callable[..., Any]) -> tuple[Callable[..., Any], torch.device]:
    """Returns the model, or a copy of it on vk, and the device."""
    current = torch.device("vk", torch.vk.current_device())
    if not isinstance(model, torch.nn.Module):
        return model, current
    devices = {one.device for one in [*model.parameters(), *model.buffers()]}
    found = [one for one in devices if one.type == "vk"]
    if len(found) > 1:
        raise ValueError(f"expected a model on one device, got {', '.join(sorted(map(str, devices)))}; pack its parts")
    if found and len(devices) == 1:
        return model, found[0]
    return (copy.deepcopy(model).to(current) if devices else model), current


def _record(model: Callable[..., Any], inputs: Any, device: torch.device, backward: bool) -> dict[str, bytes]:
    """Runs a model. Returns the plans that it has used, by their names in a pack."""
    given = pytree.tree_map(lambda one: one.to(device) if isinstance(one, torch.Tensor) else one, inputs)

    def run() -> Any:
        if isinstance(given, dict):
            return model(**given)
        return model(*given) if isinstance(given, (tuple, list)) else model(given)

    torch.ops.pumice_vk.record_plans(True)
    try:
        with torch.vk.device(device.index):
            with torch.no_grad():
                if isinstance(model, torch.nn.Module):
                    run()
            if backward:
                with torch.enable_grad():
                    _differentiate(model, run)
            else:
                run()
            torch.vk.synchronize(device.index)
        origins = torch.ops.pumice_vk.recorded_plans(device.index)
    finally:
        torch.ops.pumice_vk.record_plans(False)
    counts: dict[str, int] = {}
    made = {}
    for origin in origins:
        is_packed = "!" in origin and not os.path.exists(origin)
        place = "/".join(pathlib.PurePath(origin.rpartition("!")[2] if is_packed else origin).parts[-2:]).rpartition("-")[0]
        number = counts[place] = counts.get(place, -1) + 1
        made[f"{place}-{number}.plan"] = packs.read(origin) if is_packed else pathlib.Path(origin).read_bytes()
    return made


def _differentiate(model: Callable[..., Any], run: Callable[[], Any]) -> None:
    """Runs a model forward and backward. Puts back the gradients that its parameters had."""
    parameters = list(model.parameters()) if isinstance(model, torch.nn.Module) else []
    before = [one.grad for one in parameters]
    for one in parameters:
        one.grad = None
    try:
        results = [one for one in pytree.tree_leaves(run()) if isinstance(one, torch.Tensor) and one.requires_grad]
        if not results:
            raise ValueError("expected results with gradients, got none; pack with backward=False")
        torch.autograd.backward(results, [torch.ones_like(one) for one in results])
    finally:
        for one, gradient in zip(parameters, before):
            one.grad = gradient


def _described(target: Any) -> _Target:
    """Describes a target. A pack has native code for CPUs, so that these compile nothing either."""
    if isinstance(target, pumice.Device):
        text = json.loads(target.target)
        level = str(text.get("architecture", ""))
        if level:
            text["nativeCode"] = [level]
        return {"name": target.info["name"], "kind": kind_of(target.id), "architecture": level, "taken": json.dumps(text)}
    text = os.fspath(target)
    level = text if text in _CPUS else str(json.loads(text).get("architecture", "")) if text.lstrip().startswith("{") else ""
    name = str(json.loads(text).get("deviceName", "described by JSON")) if text.lstrip().startswith("{") else text
    return {"name": name, "kind": "cpu" if level else "vulkan", "architecture": level, "taken": text}


class _Kernels:
    """Compiles the kernels of plans for a target."""

    def __init__(self, target: _Target) -> None:
        self._target = target
        self._made: dict[tuple[str, str], bytes] = {}

    def largest(self) -> bytes:
        """Returns the largest executable. A device that takes it takes the others most likely, too."""
        return max(self._made.values(), key=len, default=b"")

    def compile_again(self, name: str, data: bytes) -> bytes:
        """Returns the file of a plan with kernels for the target."""
        from .plans import file
        start = data.find(b"\ntensors ")
        if start < 0:
            return data  # there is no plan for the key, which is worth knowing, too
        try:
            kernels = file.kernels_of(data[start:])
        except ValueError:
            raise ValueError(f"{name} comes from a pack, which has no texts of kernels; make this pack in a process without "
                             "PUMICE_VK_PACKS") from None
        made = file.with_codes(data[start:], [self._compile(one.text, one.name, name) for one in kernels])
        return file.with_checksum(data[data.index(b"\n") + 1:start] + made)

    def _compile(self, text: str, kernel: str, plan: str) -> bytes:
        if (text, kernel) not in self._made:
            try:
                self._made[text, kernel] = pumice.compile(text, [self._target["taken"]], name=kernel).data
            except pumice.Error as error:
                operator = plan.split("/")[0].rstrip(".")
                raise ValueError(f"expected targets that run the model, got '{self._target['name']}': the kernel {kernel} of "
                                 f"{operator} cannot be compiled for it: {error}; leave this target out") from error
        return self._made[text, kernel]


def _write(path: pathlib.Path, about: dict[str, Any], plans: dict[str, bytes]) -> None:
    """Writes a pack, which other processes see as a whole. The same plans make the same bytes."""
    handle, part = tempfile.mkstemp(dir=path.parent or ".", prefix=f".{path.name}.")
    try:
        with os.fdopen(handle, "wb") as file, zipfile.ZipFile(file, "w", zipfile.ZIP_DEFLATED) as made:
            for name, data in [(DESCRIPTION, json.dumps(about, indent=2).encode()), *sorted(plans.items())]:
                info = zipfile.ZipInfo(name)
                info.compress_type, info.external_attr = zipfile.ZIP_DEFLATED, 0o644 << 16
                made.writestr(info, data)
        os.chmod(part, 0o644)
        os.replace(part, path)
    except BaseException:
        pathlib.Path(part).unlink(missing_ok=True)
        raise
