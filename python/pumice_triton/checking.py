"""Supports launches of checked kernels: what they need to know about their arguments, and what their records mean."""
from __future__ import annotations

import bisect
import ctypes
import gc
import mmap
import pathlib
import platform
import re
import sys
import threading
import weakref
from typing import TYPE_CHECKING, Any

import numpy as np

from pumice.arrays import Array
from pumice.checking import Finding, found, unwritten

from . import output
from .arguments import host_span

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence

    import numpy.typing as npt

    from pumice.devices import Device

# The mistakes that a kernel looks for, as bits. compiler/import/triton/distribute/Checks.h has the same values.
RACES = 8
USUAL = 1 | 2 | 4 | RACES | 32
UNWRITTEN = 16  # if an argument has memory that nothing has written
LANES = 64  # if stored values can be compared, bit for bit
SHARED = 128  # if arguments have memory in common

# Values of an entry in a history that name no program.
NEVER, UPDATED = -1, -3

# The compiler's marks around records, and between their parts.
MARK, PART = "\x1d", "\x1f"

_VERBS = {"tt.load": "tl.load reads", "tt.store": "tl.store writes", "tt.atomic_cas": "tl.atomic_cas updates",
          "tt.atomic_load": "tl.atomic_load reads", "tt.atomic_store": "tl.atomic_store writes"}
# Python's names of atomic operations, by their names in Triton's IR, if these differ.
_ATOMICS = {"fadd": "add", "umax": "max", "umin": "min", "exch": "xchg"}

# The address of host memory on another device, which is not known before the launch.
_NOWHERE = -1

# The numbers for an argument on another device whose storage is not known. They make every access in bounds.
_UNKNOWN = (1 << 60, 1 << 61, _NOWHERE)

# (the first address that a process's memory can have, the number of bytes that follow). The processor itself rejects
# other addresses, and does not report some of them.
_POSSIBLE = (1 << 16, (1 << (47 if platform.machine() in ("x86_64", "AMD64") else 48)) - (1 << 16))


def what_to_look_for(storages: Sequence[Storage], written: Sequence[bool], device: Device) -> int:
    """Returns the mistakes that a kernel looks for in a launch, as bits.

    Args:
        storages: The storages of the arguments.
        written: Whether the kernel writes each of them.
        device: What the kernel runs on.
    """
    on_host = device.info["driver"] == "cpu"
    which = USUAL | (LANES if on_host else 0)
    # This needs histories of all arguments. Drivers of GPUs take minutes to compile code that uses them.
    if on_host and any(unwritten.of(each.value) is not None for each in storages):
        which |= UNWRITTEN
    if not all(each.has_extent for each in storages):
        which &= ~(RACES | UNWRITTEN)  # the length of a history is not known
    known = [each.start for each in storages]
    shared = any(is_written and each.start is not None and known.count(each.start) > 1
                 for each, is_written in zip(storages, written))
    return which | (SHARED if shared else 0)


class Storage:
    """The storage of an argument: the numbers that the kernel takes, and the names of its elements.

    Arguments in the same storage have the same `start`. It is None for an argument without a storage.
    """

    def __init__(self, name: str, value: Any, device: Device) -> None:
        self.start: int | None
        self.name, self.value, self.start, self.has_extent = name, value, None, True
        self.before, self.bytes, self.address = self._numbers(value, device)

    def _numbers(self, value: Any, device: Device) -> tuple[int, int, int]:
        """Returns (bytes before the argument, bytes of the storage, address)."""
        if value is None:
            return 0, 0, 0
        if isinstance(value, Array):
            buffer, first, _ = value._argument()[:3]
            self.start = id(buffer)
            return first, buffer.bytes, value.data_ptr()
        on_host = device.info["driver"] == "cpu"
        try:
            address, self.start, size, _ = host_span(value)
        except TypeError:
            self.has_extent = False
            return self._mapped(value) if on_host else _UNKNOWN
        # The address of host memory on another device is not known yet.
        return address - self.start, size, address if on_host else _NOWHERE

    @staticmethod
    def _mapped(value: Any) -> tuple[int, int, int]:
        """Returns the numbers of an argument that has only an address.

        The storage is then the memory that the process has around the address, which is more than the argument.
        """
        address = value if isinstance(value, int) else value.data_ptr()
        first, size = next(_around([address]), (address, 0)) if _has_mappings() else _POSSIBLE
        return address - first, size, address

    def index(self, place: int) -> tuple[list[int], tuple[int, ...]] | None:
        """Returns (the index of the element at byte `place` of the storage, the shape), or None if there is none."""
        shape = getattr(self.value, "shape", None)
        strides, item = _strides(self.value)
        at = place - self.before
        if shape is None or strides is None or not item or at < 0:
            return None
        index, rest = [0] * len(strides), at // item
        for axis in sorted(range(len(strides)), key=lambda axis: -strides[axis]):
            if strides[axis] > 0:
                index[axis], rest = divmod(rest, strides[axis])
        return index, tuple(shape)


def _strides(value: Any) -> tuple[list[int] | None, int]:
    """Returns (the strides in elements, the bytes of an element)."""
    if isinstance(value, np.ndarray):
        item = value.itemsize
        return [stride // item for stride in value.strides], item
    if hasattr(value, "element_size"):  # torch's
        return list(value.stride()), value.element_size()
    if isinstance(value, Array):
        item = value.nbytes // max(value.size, 1)
        return list(np.cumprod([1, *value.shape[:0:-1]])[::-1]), item
    return None, 0


_EVERYWHERE = (0, 1 << 62)


def table_of(storages: Sequence[Storage], loads_pointers: bool = True, device: Device | None = None,
             integers: Iterable[int] = ()) -> npt.NDArray[np.int64]:
    """Returns the table of memory that a checked kernel may access.

    Args:
        storages: The storages of the arguments.
        loads_pointers: Whether the kernel takes pointers from elsewhere than its arguments. The table then has the
            storages that such pointers lead to.
        device: What the kernel runs on; None for the host. If it has its own memory, any address there may be valid.
        integers: The kernel's integer arguments, which may be addresses.
    """
    on_host = device is None or device.info["driver"] == "cpu"
    numbers: list[int] = []
    for each in storages:
        numbers += each.before, each.bytes, each.address
    others = [] if not loads_pointers else _others(storages, integers) if on_host else [_EVERYWHERE]
    numbers += _POSSIBLE if on_host else _EVERYWHERE
    return np.array(numbers + [len(others)] + [number for other in others for number in other], np.int64)


def loads_pointers(ttir: str) -> bool:
    """Returns whether a kernel takes pointers from elsewhere than its arguments, by its text."""
    return "int_to_ptr" in ttir or "!tt.ptr<!tt.ptr" in ttir


_DEEPEST = 4  # levels of tables that hold addresses of tables


def _others(storages: Sequence[Storage], integers: Iterable[int]) -> list[tuple[int, int]]:
    """Finds memory that integers of 64 bits are addresses of.

    The integers are the kernel's own, those in the arguments' memory, and those in the tables that these lead to.

    Returns:
        (address, bytes) of each piece of memory.
    """
    found: set[tuple[int, int]]
    values: list[Any]
    found, values = set(), [_integers(each.value) for each in storages]
    values.append(np.array([each % (1 << 64) for each in integers], np.uint64).view(np.int64))
    for _ in range(_DEEPEST):
        values = [each for each in values if each is not None]
        addresses = np.unique(np.concatenate(values)) if values else np.zeros(0, np.int64)
        addresses = addresses[(addresses >= _POSSIBLE[0]) & (addresses < sum(_POSSIBLE))]
        if not len(addresses):
            break
        tensors, rest = _live.tensors_at(addresses)
        values = [_integers(tensor) for span, tensor in tensors.items() if span not in found]
        found.update(tensors, _around(rest))
    return sorted(found)


class _Live:
    """The memory of PyTorch's tensors, as it was when addresses were last looked up."""

    def __init__(self) -> None:
        self._starts: npt.NDArray[np.int64]
        self._spans: list[tuple[int, int]]
        self._tensors: list[Any]  # weak references
        self._starts, self._spans, self._tensors, self._lock = np.zeros(0, np.int64), [], [], threading.Lock()

    def tensors_at(self, addresses: npt.NDArray[np.int64]) -> tuple[dict[tuple[int, int], Any], npt.NDArray[np.int64]]:
        """Finds the tensors that these addresses lead to.

        Returns:
            (the tensors by the (address, bytes) of their memory, the addresses that lead to other memory).
        """
        with self._lock:
            inside, rest = self._look_for(addresses)
            rest = _mapped(rest)
            if len(rest):  # there may be new tensors
                self._find_all()
                inside, rest = self._look_for(addresses)
                rest = _mapped(rest)
            return inside, rest

    def _look_for(self, addresses: npt.NDArray[np.int64]) -> tuple[dict[tuple[int, int], Any], npt.NDArray[np.int64]]:
        """Returns the known tensors at these addresses, and the addresses without one."""
        if not self._spans:
            return {}, addresses
        at = np.searchsorted(self._starts, addresses, side="right") - 1
        inside, dead = {}, []
        for i in set(at.tolist()) - {-1}:
            tensor = self._tensors[i]()
            if tensor is not None and _span(tensor) == self._spans[i]:
                inside[self._spans[i]] = tensor
            else:
                dead.append(i)
        sizes = np.array([size for _, size in self._spans])
        is_inside = (at >= 0) & (addresses < self._starts[at] + sizes[at]) & ~np.isin(at, dead)
        used = set(at[is_inside].tolist())
        return {self._spans[i]: inside[self._spans[i]] for i in used}, addresses[~is_inside]

    def _find_all(self) -> None:
        """Finds all of PyTorch's tensors."""
        torch, found = sys.modules.get("torch"), {}
        if torch is not None:
            for each in gc.get_objects():
                if issubclass(type(each), torch.Tensor) and each.device.type == "cpu" and each.layout == torch.strided:
                    span = _span(each)
                    if span and span[1]:
                        found[span] = weakref.ref(each)
        self._spans = sorted(found)
        self._tensors = [found[span] for span in self._spans]
        self._starts = np.array([start for start, _ in self._spans], np.int64)


_live = _Live()


def _span(tensor: Any) -> tuple[int, int] | None:
    """Returns (address, bytes) of a tensor's storage, or None for a tensor without memory."""
    if "FakeTensor" in (kind.__name__ for kind in type(tensor).__mro__):  # a request for its memory would cause a warning
        return None
    try:
        storage = tensor.untyped_storage()
        return storage.data_ptr(), storage.nbytes()
    except (RuntimeError, NotImplementedError):
        return None


_MOST_POINTERS = 1 << 20


def _integers(value: Any) -> npt.NDArray[np.int64] | None:
    """Returns the numbers of an argument that may hold addresses, whole or in parts, or None for other arguments."""
    if hasattr(value, "untyped_storage"):
        if value.dtype.is_floating_point or value.dtype.is_complex or value.device.type != "cpu":
            return None
        value = value.detach()
        memory = value.reshape(-1).numpy() if value.numel() * value.element_size() <= 8 * _MOST_POINTERS else None
    else:
        is_known = isinstance(value, np.ndarray) and value.dtype.kind in "iu" and value.nbytes <= 8 * _MOST_POINTERS
        memory = value.reshape(-1) if is_known else None
    if memory is None or memory.dtype == np.bool_:
        return None
    whole = memory.nbytes // 8 * (8 // memory.itemsize)
    return memory[:whole].view(np.int64)


_mincore = getattr(ctypes.CDLL(None), "mincore", None)


def _mapped(addresses: npt.NDArray[np.int64]) -> npt.NDArray[np.int64]:
    """Returns the addresses at which the process has memory of any kind, according to a quick check.

    Most of the numbers are not addresses, and looking for tensors takes long.
    """
    pages = np.unique(addresses // mmap.PAGESIZE)
    if _mincore is None or len(pages) > 4096:
        return addresses
    resident = (ctypes.c_ubyte * 1)()
    there = [page for page in pages.tolist()
             if _mincore(ctypes.c_void_p(page * mmap.PAGESIZE), ctypes.c_size_t(1), resident) == 0]
    return addresses[np.isin(addresses // mmap.PAGESIZE, there)]


_MAPPINGS = pathlib.Path("/proc/self/maps")


def _has_mappings() -> bool:
    """Returns whether the system lists the process's memory."""
    return _MAPPINGS.exists()


def _around(addresses: Any) -> Iterator[tuple[int, int]]:
    """Yields (address, bytes) of each contiguous piece of readable memory that holds some of these addresses.

    The system does not say which object the memory belongs to.
    """
    if not len(addresses) or not _has_mappings():
        return
    starts: list[int]
    ends: list[int]
    starts, ends = [], []
    for line in _MAPPINGS.read_text().splitlines():
        span, allowed = line.split()[:2]
        first, end = (int(number, 16) for number in span.split("-"))
        if allowed[0] != "r":
            continue
        if ends and ends[-1] == first:
            ends[-1] = end
        else:
            starts.append(first)
            ends.append(end)
    for i in sorted({bisect.bisect_right(starts, int(address)) - 1 for address in addresses} - {-1}):
        if any(starts[i] <= address < ends[i] for address in addresses):
            yield starts[i], ends[i] - starts[i]


class _Pool:
    """Arrays of zeros that are reused: a new one costs a page fault for each 4 KiB."""

    MOST = 256 << 20  # bytes that are kept

    def __init__(self) -> None:
        self._free: dict[int, list[npt.NDArray[np.int32]]]
        self._free, self._bytes, self._lock = {}, 0, threading.Lock()

    def take(self, count: int) -> npt.NDArray[np.int32]:
        """Returns an array of zeros."""
        with self._lock:
            free = self._free.get(count)
            array = free.pop() if free else None
            self._bytes -= array.nbytes if array is not None else 0
        if array is None:
            return np.zeros(count, np.int32)
        array.fill(0)
        return array

    def give(self, array: npt.NDArray[np.int32]) -> None:
        """Takes back an array that no launch uses."""
        with self._lock:
            if self._bytes + array.nbytes <= self.MOST:
                self._bytes += array.nbytes
                self._free.setdefault(len(array), []).append(array)


_pool = _Pool()


class Histories:
    """Records which program last wrote and read each element of the arguments' storages, in one launch.

    Arguments that share a storage share its history.
    """

    def __init__(self, storages: Sequence[Storage]) -> None:
        self._made: dict[Any, list[Any]]  # [writers, readers, never written, bytes of an element] of a storage
        self._storages, self._made = storages, {}

    def arguments(self, names: Iterable[str]) -> list[Any]:
        """Returns the writers' array, then the readers' array, of each argument with these names."""
        by_name = {each.name: each for each in self._storages}
        taken, seen = [], set()
        for name in names:
            storage = by_name[name]
            first = name not in seen
            seen.add(name)
            taken.append(self._of(storage, first))
        return taken

    def _of(self, storage: Storage, is_writers: bool) -> Any:
        """Returns the writers' or the readers' array of a storage, from the argument's first element on."""
        item = max(_strides(storage.value)[1], 1)
        key = storage.start, storage.bytes, item
        if key not in self._made:
            count = min(storage.bytes, 1 << 40) // item + 1
            writers, readers = _pool.take(count), None
            never = unwritten.of(storage.value) if self._has_one_size(storage) else None
            if never is not None:
                whole = len(never) // item
                writers[:whole][never[:whole * item].reshape(whole, item).any(1)] = NEVER
            self._made[key] = [writers, readers, never, item]
        entry = self._made[key]
        if not is_writers and entry[1] is None:
            entry[1] = _pool.take(len(entry[0]))
        return entry[0 if is_writers else 1][storage.before // item:]

    def _has_one_size(self, storage: Storage) -> bool:
        """Returns whether all arguments in the storage have elements of the same size."""
        return len({_strides(each.value)[1] for each in self._storages if each.start == storage.start}) == 1

    def finish(self) -> None:
        """Marks what the launch has written as written from now on, and takes back the arrays."""
        for writers, readers, never, item in self._made.values():
            if never is not None:
                whole = len(never) // item
                is_written = (writers[:whole] != 0) & (writers[:whole] != NEVER)
                never[:whole * item].reshape(whole, item)[is_written] = False
            for array in (writers, readers):
                if array is not None:
                    _pool.give(array)
        self._made.clear()


def report(records: Sequence[str], kernel: str, storages: Sequence[Storage],
           fault: BaseException | None = None) -> None:
    """Reports what the records of one launch say.

    The findings of an operation are sorted by program, which is not the order in which programs run.

    Args:
        records: What the kernel recorded.
        kernel: The kernel's name.
        storages: The storages of the arguments.
        fault: The error of an access that the hardware rejected.
    """
    groups: dict[Any, list[Finding]]
    by_name, groups = {each.name: each for each in storages}, {}
    findings = [_finding(record, kernel, by_name) for record in records if record != output.LOST]
    if output.LOST in records:
        for finding in findings:
            finding.is_counted = False
    if fault is not None:
        _add_fault(findings, str(fault), kernel)
    for finding in findings:
        groups.setdefault((finding.kind, finding.place, finding.argument), []).append(finding)
    for group in groups.values():
        group.sort(key=lambda finding: (finding.program[::-1], finding.element))
    found([finding for group in groups.values() for finding in group])


# The form that runtime/drivers/cpu/ArgumentMap.cpp writes.
_FAULT = re.compile(r"kernel '.*?': (?:(?P<place>\S.*?:\d+):\d+: )?(?:program \((?P<program>[\d, ]+)\): )?"
                    r"(?P<what>.*?); (?P<end>the launch was ended there.*)", re.DOTALL)


def _add_fault(findings: list[Finding], error: str, kernel: str) -> None:
    """Adds an access that the hardware rejected, unless its program has reported that access before."""
    parts = _FAULT.search(error)
    program: tuple[int, ...]
    program, place = (), ""
    what = end = error
    if parts:
        place, what, end = parts["place"] or "", parts["what"], parts["end"]
        program = tuple(int(number) for number in (parts["program"] or "").split(",") if number)
    strays = [each for each in findings if each.kind == "bounds" and not each.argument]
    told = [each for each in strays if each.program == program]
    if told:
        for each in strays:
            if each.place == told[-1].place:
                each.text += f"; {end}"
    else:
        findings.append(Finding("bounds", kernel, place, f"{what}; {end}" if parts else what, program, ()))


def _finding(record: str, kernel: str, storages: Mapping[str, Storage]) -> Finding:
    """Returns what a record says."""
    program: Any
    kind, operation, place, subject, program, shape, element, value = record.split(PART)
    subject, _, sites = subject.partition("\x1e")
    program = tuple(int(number) for number in program.split(","))
    sizes = [int(size) for size in shape.split(",") if size]
    coordinates = [int(number) for number in np.unravel_index(int(element), sizes)] if sizes else []
    text = _TEXTS[kind](operation, storages.get(subject), int(value), sites)
    return Finding(_KINDS.get(kind, kind), kernel, place, text, program,
                   () if sizes in ([], [1]) else tuple(coordinates), subject)


def _verb(operation: str) -> str:
    """Returns "tl.atomic_add updates" for "tt.atomic_rmw add"."""
    name, _, kind = operation.partition(" ")
    return f"tl.atomic_{_ATOMICS.get(kind, kind)} updates" if kind else _VERBS.get(name, name)


def _bounds(operation: str, storage: Storage | None, place: int, sites: str) -> str:
    """Describes an access out of bounds. `place` counts in units of `sites` bytes."""
    verb, place = _verb(operation), place * int(sites)
    if storage is None:
        return f"{verb} at address {place % (1 << 64):#x}, which is in no argument's memory"
    whose = f"its storage of {storage.bytes:,} bytes"
    wraps = "" if -1 << 63 <= place < 1 << 63 else "; its address wraps in 64 bits"
    if not storage.has_extent:
        address = (storage.address - storage.before + place) % (1 << 64)
        return (f"{verb} '{storage.name}' at address {address:#x}, outside the memory that the process has around "
                f"it{wraps}")
    indexed = storage.index(place)
    at = f" at {indexed[0]} of shape {indexed[1]}" if indexed else ""
    if 0 <= place < storage.bytes:
        return f"{verb} '{storage.name}'{at}, which reaches past the end of {whose}"
    distance = f"{-place:,} bytes before" if place < 0 else f"{place - storage.bytes:,} bytes past the end of"
    return f"{verb} '{storage.name}'{at}, {distance} {whose}{wraps}"


def _overflow(operation: str, storage: Storage | None, value: int, sites: str) -> str:
    return (f"an offset of {_verb(operation).split()[0]} wrapped: it does not fit in 32 bits; "
            "compute it with 64, for example with .to(tl.int64)")


def _division(operation: str, storage: Storage | None, value: int, sites: str) -> str:
    return "an integer division by zero: the result is undefined"


def _race(operation: str, storage: Storage | None, who: int, sites: str) -> str:
    verb, name = _verb(operation), storage.name if storage else "memory"
    if who < 0:
        done = "updated by atomic operations" if who == UPDATED else "read"
        return f"{verb} '{name}', which several programs have {done}: a race"
    other = dict(site.split("=", 1) for site in sites.split(";")).get(str(who >> 20), "another line")
    return f"{verb} '{name}', which program number {(who & 0xfffff) - 1} accesses at {other}: a race"


def _lanes(operation: str, storage: Storage | None, value: int, sites: str) -> str:
    of = f"element of '{storage.name}'" if storage else "place in memory"
    return (f"{_verb(operation).split()[0]} writes one {of} from several elements of the block, "
            "with different values: a race")


def _misaligned(operation: str, storage: Storage | None, unit: int, sites: str) -> str:
    return f"{_verb(operation)} at an address that is not a multiple of {unit} bytes"


def _unwritten(operation: str, storage: Storage, value: int, sites: str) -> str:
    return f"{_verb(operation)} '{storage.name}' where nothing has written it"


_TEXTS: dict[str, Callable[..., str]] = {
    "race": _race, "lanes": _lanes, "unwritten": _unwritten, "bounds": _bounds, "overflow": _overflow,
    "division": _division, "misaligned": _misaligned}
_KINDS = {"lanes": "race"}  # kinds of findings, for kinds of records that have other names


def records_of_this_thread() -> list[str]:
    """Returns the records of checked kernels that this thread launched since the last call."""
    return output.take_records()
