"""Launches of checked kernels: what they need to know of their arguments, and what their records mean."""
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

import numpy as np

from pumice.arrays import Array
from pumice.checking import Finding, found, unwritten

from . import output
from .arguments import host_span

# What a kernel looks for, as bits: compiler/import/triton/distribute/Checks.h has the same.
RACES = 8
USUAL = 1 | 2 | 4 | RACES | 32
UNWRITTEN = 16  # where an argument has memory that nothing has written
LANES = 64  # where what is stored can be compared, bit for bit
SHARED = 128  # where arguments have memory in common

# Of an entry in a history, besides who it names.
NEVER, UPDATED = -1, -3

# As the compiler marks records, and their parts.
MARK, PART = "\x1d", "\x1f"

_VERBS = {"tt.load": "tl.load reads", "tt.store": "tl.store writes", "tt.atomic_cas": "tl.atomic_cas updates",
          "tt.atomic_load": "tl.atomic_load reads", "tt.atomic_store": "tl.atomic_store writes"}
# How Triton's IR calls atomic operations that have another name in Python.
_ATOMICS = {"fadd": "add", "umax": "max", "umin": "min", "exch": "xchg"}

# Of memory of the host on another device: where that puts it.
_NOWHERE = -1

# Of an argument on another device whose storage cannot be told: nothing is outside.
_UNKNOWN = (1 << 60, 1 << 61, _NOWHERE)

# (the first address that a process's memory can have, how many bytes follow that can): other addresses are
# refused by the processor itself, some without their number.
_POSSIBLE = (1 << 16, (1 << (47 if platform.machine() in ("x86_64", "AMD64") else 48)) - (1 << 16))


def what_to_look_for(storages, written, device):
    """What the kernel is to look for in a launch with arguments in these storages, of which it writes those that
    `written` says."""
    on_host = device.info["driver"] == "cpu"
    which = USUAL | (LANES if on_host else 0)
    # Histories of all arguments: drivers of GPUs take minutes to compile what looks at them.
    if on_host and any(unwritten.of(each.value) is not None for each in storages):
        which |= UNWRITTEN
    if not all(each.has_extent for each in storages):
        which &= ~(RACES | UNWRITTEN)  # nobody knows how long a history has to be
    known = [each.start for each in storages]
    shared = any(is_written and each.start is not None and known.count(each.start) > 1
                 for each, is_written in zip(storages, written))
    return which | (SHARED if shared else 0)


class Storage:
    """An argument of a launch: the numbers that the kernel takes, and what its elements are called. `start`
    names the storage: arguments that share one have the same; None of what has none."""

    def __init__(self, name, value, device):
        self.name, self.value, self.start, self.has_extent = name, value, None, True
        self.before, self.bytes, self.address = self._numbers(value, device)

    def _numbers(self, value, device):
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
        # Where memory of the host lies on a device of its own is not known yet.
        return address - self.start, size, address if on_host else _NOWHERE

    @staticmethod
    def _mapped(value):
        """Of what tells its address only: the memory that the process has there, which is more than is meant."""
        address = value if isinstance(value, int) else value.data_ptr()
        first, size = next(_around([address]), (address, 0)) if _has_mappings() else _POSSIBLE
        return address - first, size, address

    def index(self, place):
        """(the index of the element at byte `place` of the storage, the shape); None where it has none."""
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


def _strides(value):
    """In elements, and an element's bytes."""
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


def table_of(storages, loads_pointers=True, device=None, integers=()):
    """The numbers of each argument, and the other storages that pointers in their memory lead to, and the kernel's
    `integers`, if it makes pointers of such. What lies at addresses of a device with memory of its own, nobody tells."""
    on_host = device is None or device.info["driver"] == "cpu"
    numbers = []
    for each in storages:
        numbers += each.before, each.bytes, each.address
    others = [] if not loads_pointers else _others(storages, integers) if on_host else [_EVERYWHERE]
    numbers += _POSSIBLE if on_host else _EVERYWHERE
    return np.array(numbers + [len(others)] + [number for other in others for number in other], np.int64)


def loads_pointers(ttir):
    """Whether a kernel takes pointers from elsewhere than its arguments, by its text."""
    return "int_to_ptr" in ttir or "!tt.ptr<!tt.ptr" in ttir


_DEEPEST = 4  # tables of tables of tables


def _others(storages, integers):
    """(address, bytes) of memory that integers of 64 bits are addresses of: the kernel's own, those in the arguments'
    memory, and those in the tables that these lead to."""
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
    """The memory of PyTorch's tensors, as it was when addresses were last looked for."""

    def __init__(self):
        self._starts, self._spans, self._tensors, self._lock = np.zeros(0, np.int64), [], [], threading.Lock()

    def tensors_at(self, addresses):
        """(the tensors that these lead to, by the (address, bytes) of their memory, the addresses that lead to other
        memory of the process)."""
        with self._lock:
            inside, rest = self._look_for(addresses)
            rest = _mapped(rest)
            if len(rest):  # tensors may be new
                self._find_all()
                inside, rest = self._look_for(addresses)
                rest = _mapped(rest)
            return inside, rest

    def _look_for(self, addresses):
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

    def _find_all(self):
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


def _span(tensor):
    """(address, bytes) of its storage; None of a tensor without memory."""
    if "FakeTensor" in (kind.__name__ for kind in type(tensor).__mro__):  # asking one is a warning
        return None
    try:
        storage = tensor.untyped_storage()
        return storage.data_ptr(), storage.nbytes()
    except (RuntimeError, NotImplementedError):
        return None


_MOST_POINTERS = 1 << 20


def _integers(value):
    """The numbers of an argument that may hold addresses, whole or in parts; None of others."""
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


def _mapped(addresses):
    """Those at which the process has memory, of any kind, as far as the system says so soon: other numbers than
    addresses are among them, and to look for tensors takes long."""
    pages = np.unique(addresses // mmap.PAGESIZE)
    if _mincore is None or len(pages) > 4096:
        return addresses
    resident = (ctypes.c_ubyte * 1)()
    there = [page for page in pages.tolist()
             if _mincore(ctypes.c_void_p(page * mmap.PAGESIZE), ctypes.c_size_t(1), resident) == 0]
    return addresses[np.isin(addresses // mmap.PAGESIZE, there)]


_MAPPINGS = pathlib.Path("/proc/self/maps")


def _has_mappings():
    return _MAPPINGS.exists()


def _around(addresses):
    """(address, bytes) of the process's readable memory that holds these, as far as it is in one piece: whose it is,
    nobody tells."""
    if not len(addresses) or not _has_mappings():
        return
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
    """Arrays of zeros that are used again: fresh ones cost a page fault for each 4 KiB."""

    MOST = 256 << 20  # bytes that are kept

    def __init__(self):
        self._free, self._bytes, self._lock = {}, 0, threading.Lock()

    def take(self, count):
        with self._lock:
            free = self._free.get(count)
            array = free.pop() if free else None
            self._bytes -= array.nbytes if array is not None else 0
        if array is None:
            return np.zeros(count, np.int32)
        array.fill(0)
        return array

    def give(self, array):
        with self._lock:
            if self._bytes + array.nbytes <= self.MOST:
                self._bytes += array.nbytes
                self._free.setdefault(len(array), []).append(array)


_pool = _Pool()


class Histories:
    """Of one launch: who wrote each element of an argument's storage last, and who read it. Arguments that
    share a storage share these."""

    def __init__(self, storages):
        self._storages, self._made = storages, {}

    def arguments(self, names):
        """What the kernel takes for the arguments with these names: of each the writers' array, then the
        readers'."""
        by_name = {each.name: each for each in self._storages}
        taken, seen = [], set()
        for name in names:
            storage = by_name[name]
            first = name not in seen
            seen.add(name)
            taken.append(self._of(storage, first))
        return taken

    def _of(self, storage, is_writers):
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

    def _has_one_size(self, storage):
        """Whether all arguments in the storage have elements of one size: what one writes is written in all."""
        return len({_strides(each.value)[1] for each in self._storages if each.start == storage.start}) == 1

    def finish(self):
        """What the launch has written is written from now on."""
        for writers, readers, never, item in self._made.values():
            if never is not None:
                whole = len(never) // item
                is_written = (writers[:whole] != 0) & (writers[:whole] != NEVER)
                never[:whole * item].reshape(whole, item)[is_written] = False
            for array in (writers, readers):
                if array is not None:
                    _pool.give(array)
        self._made.clear()


def report(records, kernel, storages, fault=None):
    """What the records of one launch say, told to whoever checks: of each operation, the first program first,
    which is not the order in which programs run. `fault` is the error of an access that the hardware refused."""
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


# As runtime/drivers/cpu/ArgumentMap.cpp writes it.
_FAULT = re.compile(r"kernel '.*?': (?:(?P<place>\S.*?:\d+):\d+: )?(?:program \((?P<program>[\d, ]+)\): )?"
                    r"(?P<what>.*?); (?P<end>the launch was ended there.*)", re.DOTALL)


def _add_fault(findings, error, kernel):
    """Adds what the hardware refused, unless its program has told of that access before."""
    parts = _FAULT.search(error)
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


def _finding(record, kernel, storages):
    kind, operation, place, subject, program, shape, element, value = record.split(PART)
    subject, _, sites = subject.partition("\x1e")
    program = tuple(int(number) for number in program.split(","))
    sizes = [int(size) for size in shape.split(",") if size]
    coordinates = [int(number) for number in np.unravel_index(int(element), sizes)] if sizes else []
    text = _TEXTS[kind](operation, storages.get(subject), int(value), sites)
    return Finding(_KINDS.get(kind, kind), kernel, place, text, program,
                   () if sizes in ([], [1]) else tuple(coordinates), subject)


def _verb(operation):
    """Returns "tl.atomic_add updates" for "tt.atomic_rmw add"."""
    name, _, kind = operation.partition(" ")
    return f"tl.atomic_{_ATOMICS.get(kind, kind)} updates" if kind else _VERBS.get(name, name)


def _bounds(operation, storage, place, sites):
    """`sites`: how many bytes the units have that `place` counts."""
    verb, place = _verb(operation), place * int(sites)
    if storage is None:
        return f"{verb} at address {place % (1 << 64):#x}, which no argument's memory has"
    whose = f"its storage of {storage.bytes:,} bytes"
    wraps = "" if -1 << 63 <= place < 1 << 63 else "; its address wraps in 64 bits"
    if not storage.has_extent:
        address = (storage.address - storage.before + place) % (1 << 64)
        return (f"{verb} '{storage.name}' at address {address:#x}, outside of the memory that the process has around "
                f"it{wraps}")
    indexed = storage.index(place)
    at = f" at {indexed[0]} of shape {indexed[1]}" if indexed else ""
    if 0 <= place < storage.bytes:
        return f"{verb} '{storage.name}'{at}, which ends behind {whose}"
    distance = f"{-place:,} bytes before" if place < 0 else f"{place - storage.bytes:,} bytes behind"
    return f"{verb} '{storage.name}'{at}, {distance} {whose}{wraps}"


def _overflow(operation, storage, value, sites):
    return (f"an offset of {_verb(operation).split()[0]} wrapped: 32 bits do not hold it; "
            "compute it with 64, as by .to(tl.int64)")


def _division(operation, storage, value, sites):
    return "an integer division by zero: the result is any number"


def _race(operation, storage, who, sites):
    verb, name = _verb(operation), storage.name if storage else "memory"
    if who < 0:
        done = "updated by atomic operations" if who == UPDATED else "read"
        return f"{verb} '{name}', which several programs have {done}: a race"
    other = dict(site.split("=", 1) for site in sites.split(";")).get(str(who >> 20), "another line")
    return f"{verb} '{name}', which program number {(who & 0xfffff) - 1} accesses at {other}: a race"


def _lanes(operation, storage, value, sites):
    of = f"element of '{storage.name}'" if storage else "place in memory"
    return (f"{_verb(operation).split()[0]} writes one {of} from several elements of the block, "
            "with different values: a race")


def _misaligned(operation, storage, unit, sites):
    return f"{_verb(operation)} at an address that is not a multiple of {unit} bytes"


def _unwritten(operation, storage, value, sites):
    return f"{_verb(operation)} '{storage.name}' where nothing has written it"


_TEXTS = {"race": _race, "lanes": _lanes, "unwritten": _unwritten, "bounds": _bounds, "overflow": _overflow,
          "division": _division, "misaligned": _misaligned}
_KINDS = {"lanes": "race"}  # of findings, where records tell more


def records_of_this_thread():
    """What checked kernels that this thread launched have said since."""
    return output.take_records()
