"""Reads packs: files with the plans of a model, so that a process which runs the model compiles nothing.

A pack is a zip file. `pack.json` describes it, and `plans/TARGET/OPERATOR/HASH-NUMBER.plan` are the plans: TARGET is the
place of a target in the description. `packing` writes it.
The first operator reads it, so this module imports nothing large.
"""
from __future__ import annotations

import ctypes
import functools
import hashlib
import json
import os
import pathlib
import re
import threading
import warnings
from typing import TYPE_CHECKING, Any

import torch

from .. import build
from . import library

if TYPE_CHECKING:
    import zipfile

    import pumice

VARIABLE = "PUMICE_VK_PACKS"
FORMAT = 1
DESCRIPTION = "pack.json"
_PLAN = re.compile(r"plans/(\d{1,4})/(\w+\.\w*/[0-9a-f]{32})-(\d{1,4})\.plan")
# Larger files are damaged, or were made to fill the memory.
_MOST_FILES, _MOST_BYTES, _MOST_BYTES_OF_ALL = 100_000, 1 << 28, 1 << 32

_Find = ctypes.CFUNCTYPE(ctypes.c_int, ctypes.c_int64, ctypes.c_char_p, ctypes.c_int64, ctypes.c_void_p)


class Mismatch(Exception):
    """Reports that a pack cannot be used, and why."""


@functools.cache
def maker() -> dict[str, str]:
    """Returns what must be the same where a pack is made and where it is used.

    The build is known by the contents of its sources, since times of files differ between machines.
    """
    package = pathlib.Path(__file__).parents[2]
    sources = build.sources()
    header = next((path.read_text() for path in sources if path.name == "pumice.h"), "")
    numbers = [re.search(rf"VERSION_{part} (\d+)", header) for part in ("MAJOR", "MINOR", "PATCH")]
    digest = hashlib.sha256()
    for path in sorted([*sources, *package.glob("pumice_torch/vk/**/*.py"), *package.glob("pumice_triton/*.py")]):
        if path.exists():
            digest.update(f"{path.relative_to(package)}\n".encode())
            digest.update(path.read_bytes())
    return {"pumice": ".".join(found[1] if found else "?" for found in numbers), "build": digest.hexdigest()[:16],
            "torch": build.minor(torch.__version__)}


def kind_of(device_id: str) -> str:
    """Returns "cpu" or "vulkan", for a device's id."""
    return device_id.partition(":")[0]


class Pack:
    """An open pack."""

    def __init__(self, path: str) -> None:
        """Opens a pack, and checks that it was made by this build for this PyTorch.

        Raises:
            Mismatch: If it cannot be used.
        """
        import zipfile
        self.path = path
        try:
            self._zip = zipfile.ZipFile(path)
            self.about: dict[str, Any] = json.loads(self._read_checked(self._zip.getinfo(DESCRIPTION)))
            self._plans = self._list_plans(self._zip.infolist())
            self.targets = _targets_of(self.about)
        except (OSError, zipfile.BadZipFile, KeyError, ValueError, RuntimeError, NotImplementedError, EOFError) as error:
            raise Mismatch(f"expected a pack, got a file that cannot be read ({_text(error)})") from error
        self._check_maker()

    def _check_maker(self) -> None:
        about = self.about if isinstance(self.about, dict) else {}
        if about.get("format") != FORMAT:
            raise Mismatch(f"expected a pack of format {FORMAT}, got {about.get('format')}")
        for key, name in (("pumice", "Pumice"), ("torch", "PyTorch"), ("build", "a build of Pumice with sources")):
            if about.get(key) != maker()[key]:
                raise Mismatch(f"expected {name} {maker()[key]}, got a pack for {about.get(key)}")

    def _read_checked(self, info: zipfile.ZipInfo) -> bytes:
        if info.file_size > _MOST_BYTES:
            raise ValueError(f"{info.filename} has {info.file_size} bytes, and the limit is {_MOST_BYTES}")
        with self._zip.open(info) as file:
            return file.read(_MOST_BYTES)

    def _list_plans(self, files: list[zipfile.ZipInfo]) -> dict[tuple[int, str], list[zipfile.ZipInfo]]:
        if len(files) > _MOST_FILES or sum(info.file_size for info in files) > _MOST_BYTES_OF_ALL:
            raise ValueError(f"it has more than {_MOST_FILES} files, or {_MOST_BYTES_OF_ALL} bytes")
        made: dict[tuple[int, str], list[tuple[int, zipfile.ZipInfo]]] = {}
        for info in files:
            found = _PLAN.fullmatch(info.filename)
            if found:
                made.setdefault((int(found[1]), found[2]), []).append((int(found[3]), info))
        return {place: [info for _, info in sorted(parts, key=lambda part: part[0])] for place, parts in made.items()}

    @functools.cache  # noqa: B019 - packs live as long as the process
    def target_for(self, device: int) -> int | None:
        """Returns which target's plans a device takes. If there is none, warns once."""
        got = str(torch.ops.pumice_vk.device_id(device))
        found = [number for number, target in enumerate(self.targets) if target["kind"] == kind_of(got)]
        if len(found) > 1:
            found = self._best(found, got)
        if found:
            return found[0]
        names = ", ".join(target["name"] for target in self.targets)
        _warn(self.path, f"expected a device like one of its targets ({names}), got {got}")
        return None

    def _best(self, numbers: list[int], device_id: str) -> list[int]:
        """Returns those of several targets that a device can run, the best one first.

        A target that describes the device comes first, and then those whose kernels the device takes.
        """
        import pumice
        device = pumice.device(device_id)
        level = json.loads(device.target).get("architecture", "")

        def rank(number: int) -> tuple[bool, int]:
            target = self.targets[number]
            is_same = target["architecture"] == level if level else target["name"] == device.info["name"]
            # A description of the machine that made the pack comes after targets with a name.
            return not is_same, number or len(self.targets)

        ranked = sorted(numbers, key=rank)
        return [one for one in ranked if not rank(one)[0] or self._runs(one, device)]

    def _runs(self, target: int, device: pumice.Device) -> bool:
        """Returns whether a device takes the kernel of a target that is its sample."""
        import pumice
        try:
            executable = device._handle.load(self._read_checked(self._zip.getinfo(f"samples/{target}.pumice")))
            (entry,) = executable.entry_points()
            executable.kernel(entry["name"], (0, 0, 0), 0, {})
        except (pumice.Error, KeyError, ValueError):
            return False
        return True

    def count(self, target: int, place: str) -> int:
        """Returns how many plans there are for a place: an operator and the hash of a key."""
        return len(self._plans.get((target, place), ()))

    def has(self, place: str) -> bool:
        """Returns whether some target has plans for a place. The first one has all."""
        return (0, place) in self._plans

    def read(self, target: int, place: str, number: int) -> tuple[bytes, str]:
        """Returns a plan, and its name in the pack.

        Raises:
            Mismatch: If it is damaged.
        """
        import zipfile
        import zlib
        info = self._plans[target, place][number]
        try:
            return self._read_checked(info), info.filename
        except (OSError, zipfile.BadZipFile, ValueError, RuntimeError, NotImplementedError, EOFError, zlib.error) as error:
            raise Mismatch(f"expected a plan in {info.filename}, got damaged data ({_text(error)})") from error

    def drop(self) -> None:
        """Uses the pack no more."""
        self._plans = {}


def _targets_of(about: Any) -> list[dict[str, str]]:
    """Returns the targets of a description.

    Raises:
        ValueError: If the description has a wrong form.
    """
    targets = about.get("targets") if isinstance(about, dict) else None
    keys = ("name", "kind", "architecture")
    if not isinstance(targets, list) or not all(isinstance(one, dict) and all(isinstance(one.get(key), str) for key in keys)
                                                for one in targets):
        raise ValueError(f"{DESCRIPTION} has no list of targets with {', '.join(keys)}")
    return targets


def _text(error: BaseException) -> str:
    return f"{type(error).__name__}: {error}"


def _warn(path: str, why: str) -> None:
    warnings.warn(f"the pack {path} is not used: {why}; operators are compiled as without it. Pack the model again by "
                  "pumice.torch.pack", stacklevel=3)


class _Packs:
    """The packs of this process, in the order in which they are searched."""

    def __init__(self) -> None:
        self._lock = threading.Lock()
        self._pending = [path for path in os.environ.get(VARIABLE, "").split(os.pathsep) if path]
        self._open: list[Pack] = []

    def announced(self) -> bool:
        """Returns whether there are packs."""
        return bool(self._pending or self._open)

    def add(self, path: str) -> bool:
        """Opens a pack. If it cannot be used, warns and returns False."""
        try:
            pack = Pack(path)
        except Mismatch as error:
            _warn(path, str(error))
            return False
        with self._lock:
            self._open.append(pack)
        return True

    def all(self) -> list[Pack]:
        """Returns the open packs, after opening those that the environment variable names."""
        while self._pending:
            with self._lock:
                path = self._pending.pop(0) if self._pending else None
            if path:
                self.add(path)
        return self._open

    def find(self, device: int, place: str, number: int) -> tuple[bytes, str] | None:
        """Returns plan `number` of those that all packs have for a place, and where it is."""
        for pack in self.all():
            target = pack.target_for(device) if pack.has(place) else None
            if target is None:
                continue
            count = pack.count(target, place)
            if number < count:
                try:
                    data, name = pack.read(target, place, number)
                except Mismatch as error:
                    pack.drop()
                    _warn(pack.path, str(error))
                    return self.find(device, place, number)
                return data, f"{pack.path}!{name}"
            number -= count
        return None

    def read(self, origin: str) -> bytes:
        """Returns the plan that `find` has found before."""
        path, _, name = origin.rpartition("!")
        found = _PLAN.fullmatch(name)
        for pack in self._open:
            if found and pack.path == path:
                for number in range(pack.count(int(found[1]), found[2])):
                    data, known = pack.read(int(found[1]), found[2], number)
                    if known == name:
                        return data
        raise Mismatch(f"the pack {path} has no {name} any more")


packs = _Packs()


def _find(device: int, place: bytes, number: int, into: int) -> int:
    """Hands a plan of a pack to the library. The library calls this."""
    try:
        found = packs.find(device, place.decode(), number)
    except Exception as error:  # noqa: BLE001 - the caller is C++, which goes on without the pack
        if os.environ.get("PUMICE_VK_PLANS_DEBUG"):
            print("pumice: packs:", _text(error), flush=True)
        return 0
    loaded = library.load()
    if found is None or loaded is None:
        return 0
    data, origin = found
    loaded.pumice_vk_give_plan(ctypes.c_void_p(into), data, ctypes.c_uint64(len(data)), os.fsencode(origin))
    return 1


_callback = _Find(_find)  # lives as long as the library may call it


def connect() -> None:
    """Lets the library of vk find plans in packs, if there are any."""
    loaded = library.load()
    if loaded is not None and packs.announced():
        loaded.pumice_vk_set_pack_reader(_callback)


def load_pack(path: str | os.PathLike[str]) -> bool:
    """Uses the plans of a pack in this process, before those on disk. Call it before the model runs.

    A pack has code: use only packs whose origin you trust, as you would for a library.

    Args:
        path: The file that `pack` wrote.

    Returns:
        True if the pack is used. A pack that is damaged, or made for another PyTorch or Pumice, gives a warning.
        Operators are then compiled as without it.
    """
    if not packs.add(os.fspath(path)):
        return False
    connect()
    return True
