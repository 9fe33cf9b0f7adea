"""Checked mode: kernels report what they do wrong.

    with pumice.check() as report:
        kernel[grid](x, y, n)
    print(report)

PUMICE_CHECK=1 checks all kernels of a process, and writes the findings to `sys.stderr`.
"""
from __future__ import annotations

import atexit
import contextlib
import ctypes
import dataclasses
import functools
import numbers
import os
import sys
import threading
import types
import weakref
from collections.abc import Callable, Sequence
from typing import TYPE_CHECKING, Any

import numpy as np

from . import _native

if TYPE_CHECKING:
    import numpy.typing as npt

KINDS = ("bounds", "race", "unwritten", "overflow", "division", "misaligned")


class CheckError(RuntimeError):
    """Reports that kernels did something wrong.

    Attributes:
        findings: The list of faults: one `Finding` for each operation.
    """

    def __init__(self, report: Report) -> None:
        super().__init__(str(report))
        self.findings = report.findings


@dataclasses.dataclass
class Finding:
    """A mistake of one operation of a kernel, and how often it occurred."""
    kind: str  # one of KINDS
    kernel: str
    place: str  # "kernel.py:12"
    text: str  # describes the first occurrence
    program: tuple[int, ...]  # the first program that did it
    element: tuple[int, ...]  # the first element of the block
    argument: str = ""  # "" if it concerns no argument
    times: int = 1
    is_counted: bool = True  # False if a launch had more findings than it can record

    @property
    def line(self) -> int | None:
        """The line's number in the kernel's file, or None if it is not known."""
        line = self.place.rpartition(":")[2]
        return int(line) if line.isdigit() else None

    def __str__(self) -> str:
        where = f"{self.place}: " if self.place else ""
        more = self.times - 1
        least = "" if self.is_counted else "at least "
        times = f" (and {least}{more:,} more element{'s' * (more > 1)})" if more else ""
        at = f"program {self.program}" + (f", element {list(self.element)} of the block" if self.element else "")
        return f"{where}{self.text}; kernel '{self.kernel}', {at}{times}"


class Report:
    """Findings in the order in which they first occurred, one for each operation and argument.

    Attributes:
        findings: The findings.
    """

    def __init__(self, most: int = 20) -> None:
        self.findings: list[Finding] = []
        self._known: dict[tuple[str, ...], Finding] = {}
        self._most, self._lock = most, threading.Lock()

    def add(self, finding: Finding) -> bool:
        """Adds a finding, and returns whether it is a new one."""
        key = finding.kind, finding.kernel, finding.place, finding.argument
        with self._lock:
            known = self._known.get(key)
            if known is not None:
                known.times += finding.times
                known.is_counted &= finding.is_counted
                return False
            self._known[key] = finding
            self.findings.append(finding)
            return True

    def __bool__(self) -> bool:
        return bool(self.findings)

    def __len__(self) -> int:
        return len(self.findings)

    def __str__(self) -> str:
        if not self.findings:
            return "no findings"
        shown = [str(finding) for finding in self.findings[:self._most]]
        more = len(self.findings) - self._most
        if more > 0:
            shown.append(f"and {more} more finding{'s' if more > 1 else ''}")
        return "\n".join(shown)


# The values of PUMICE_CHECK, and what the process then does with findings.
_WAYS = {"": "off", "0": "off", "off": "off", "1": "tell", "on": "tell", "raise": "raise", "exit": "exit"}


def _way() -> str:
    """Returns what PUMICE_CHECK asks for.

    Raises:
        ValueError: If its value is not known.
    """
    said = os.environ.get("PUMICE_CHECK", "")
    if said not in _WAYS:
        raise ValueError(f"PUMICE_CHECK is '{said}'; expected '1' or 'on', 'raise', 'exit', or '0' or 'off'")
    return _WAYS[said]


class _Mode:
    """Who receives findings: reports of `check`, the innermost last, or the process."""

    def __init__(self) -> None:
        self.reports: list[Report] = []
        self.process: Report | None = None
        self.way = _way()
        self.whole = self.way != "off"
        self.watches = False  # whether the process watches tensors

    def update(self) -> None:
        """Turns checking on or off in the library."""
        _native.set_checking(self.whole or bool(self.reports))


_mode = _Mode()


class check(contextlib.ContextDecorator):
    """Checks the kernels that are launched in its block, on any thread.

    The block receives a `Report` of what they do wrong. Blocks may be nested: the innermost one receives the findings.
    One object serves any number of blocks, and each block has its own report.

    Args:
        raises: Whether the block ends with a `CheckError` if there are findings.
        most: How many findings the report shows.

    Raises:
        CheckError: At the end of the block.
        ValueError: If `most` is not a number of 0 or more.
    """

    def __init__(self, raises: bool = True, most: int = 20) -> None:
        given: Any = most
        if not isinstance(given, numbers.Integral) or given < 0:
            raise ValueError(f"most: expected the number of findings to show, 0 or more; got {most!r}")
        self._raises, self._most = raises, int(most)
        self._blocks = threading.local()  # `entered`: (report, whether tensors are watched), the innermost last

    def __enter__(self) -> Report:
        report = Report(self._most)
        is_watching = unwritten.begin()
        self._blocks.__dict__.setdefault("entered", []).append((report, is_watching))
        _mode.reports.append(report)
        _mode.update()
        return report

    def __exit__(self, kind: type[BaseException] | None, error: BaseException | None, trace: types.TracebackType | None) -> None:
        report, is_watching = self._blocks.entered.pop()
        if is_watching:
            unwritten.end()
        _mode.reports.remove(report)
        _mode.update()
        if kind is None and self._raises and report:
            raise CheckError(report)


class Unwritten:
    """Keeps track of the bytes of PyTorch's tensors that nothing has written.

    The tensors are those that `torch.empty` and similar functions make while kernels are checked. They are filled with
    a pattern. PyTorch, NumPy, C code, or a kernel whose check misses a write may change the pattern. Then the whole
    tensor counts as written.
    """

    _MAKERS = ("empty", "empty_like", "empty_strided")
    _PATTERN = np.uint64(0xC3A55A7E81E7183C)
    _REST = np.array([_PATTERN]).view(np.uint8)

    def __init__(self) -> None:
        self._known: dict[int, Any] = {}  # by the storage's address: (its weak reference, the tensor's version, memory, bytes)
        self._before: dict[tuple[Any, str], Callable[..., Any]] = {}
        self._watching, self._lock = 0, threading.Lock()

    def begin(self) -> bool:
        """Replaces the functions that make tensors, if PyTorch is imported. Returns whether it is."""
        torch: Any = sys.modules.get("torch")
        if not hasattr(torch, "Tensor"):
            return False
        with self._lock:
            self._watching += 1
            if self._watching > 1:
                return True
            self._before = {(owner, name): getattr(owner, name)
                            for owner, names in ((torch, self._MAKERS), (torch.Tensor, ("new_empty",)))
                            for name in names}
            for (owner, name), make in self._before.items():
                setattr(owner, name, self._remembering(make, torch))
        return True

    def end(self) -> None:
        """Restores the functions, if this was the last block that watched them."""
        with self._lock:
            self._watching -= 1
            if self._watching == 0:
                for (owner, name), make in self._before.items():
                    setattr(owner, name, make)

    def _remembering(self, make: Callable[..., Any], torch: Any) -> Callable[..., Any]:
        """Returns a function that makes tensors, and adds them."""
        @functools.wraps(make)
        def made(*given: Any, **named: Any) -> Any:
            if torch.compiler.is_compiling() or named.get("out") is not None:
                return make(*given, **named)
            tensor = make(*given, **named)
            try:
                self._add(tensor)
            except (AttributeError, NotImplementedError, RuntimeError):
                pass  # the tensor has no host memory: it is fake, sparse, or of another device
            return tensor
        if make.__name__ in self._MAKERS:
            try:  # registers the operator's name for torch.jit.script
                torch.jit._builtins._register_builtin(made, f"aten::{make.__name__}")
            except AttributeError:
                pass
        return made

    def _add(self, tensor: Any) -> None:
        """Fills a new tensor with the pattern."""
        if type(tensor).__name__ != "Tensor":  # PyTorch's fake ones warn when they are asked for memory
            return
        storage = tensor.untyped_storage()
        size = storage.nbytes()
        if tensor.device.type != "cpu" or size < 4:  # fewer bytes of the pattern may be an ordinary number
            return
        place, version = storage.data_ptr(), tensor._version
        memory = np.frombuffer((ctypes.c_ubyte * size).from_address(place), np.uint8)
        words, rest = self._parts(memory)
        words.fill(self._PATTERN)
        rest[:] = self._REST[:len(rest)]
        reference = weakref.ref(storage, lambda gone: self._forget(place, gone))
        self._known[place] = reference, version, memory, np.ones(size, np.bool_)

    def _forget(self, place: int, gone: Any) -> None:
        """Removes a storage that was freed."""
        if place in self._known and self._known[place][0] is gone:
            del self._known[place]

    def of(self, tensor: Any) -> npt.NDArray[np.bool_] | None:
        """Returns whether each byte of the tensor's storage is unwritten, or None if all of it may be read."""
        if not self._known or not hasattr(tensor, "untyped_storage"):
            return None
        place = tensor.untyped_storage().data_ptr()
        entry = self._known.get(place)
        if entry is None:
            return None
        _, version, memory, never = entry
        if version != tensor._version or not never.any() or self._is_changed(memory, never):
            self._known.pop(place, None)
            return None
        return never

    @staticmethod
    def _parts(memory: npt.NDArray[Any]) -> tuple[npt.NDArray[np.uint64], npt.NDArray[Any]]:
        """Returns the words of 8 bytes, and the bytes after them."""
        whole = len(memory) // 8 * 8
        return memory[:whole].view(np.uint64), memory[whole:]

    def _is_changed(self, memory: npt.NDArray[Any], never: npt.NDArray[Any]) -> bool:
        """Returns whether unknown code has written the memory.

        Words whose bytes are all unwritten must still have the pattern.
        """
        (words, rest), (never_words, never_rest) = self._parts(memory), self._parts(never.view(np.uint8))
        if never_rest.all() and (rest != self._REST[:len(rest)]).any():
            return True
        changed = words != self._PATTERN
        return bool(changed.any() and (never_words[changed] == np.uint64(0x0101010101010101)).any())


unwritten = Unwritten()


def watch_process() -> None:
    """Watches tensors if PUMICE_CHECK asks for it, once PyTorch is imported."""
    if _mode.whole and not _mode.watches:
        _mode.watches = unwritten.begin()


def is_checking() -> bool:
    """Returns whether kernels are checked."""
    return _mode.whole or bool(_mode.reports)


def found(findings: Sequence[Finding]) -> None:
    """Takes what one launch did wrong.

    Raises:
        CheckError: If PUMICE_CHECK is "raise".
    """
    if _mode.reports:
        for finding in findings:
            _mode.reports[-1].add(finding)
        return
    if _mode.process is None:
        _mode.process = Report()
        atexit.register(_sum_up)
    fresh = [finding for finding in findings if _mode.process.add(finding)]
    if _mode.way == "raise" and findings:
        report = Report()
        for finding in findings:
            report.add(finding)
        raise CheckError(report)
    shown = len(_mode.process) - len(fresh)
    for finding in fresh[:max(0, 20 - shown)]:
        print(f"pumice: {finding}", file=sys.stderr)
    if _mode.way == "exit" and findings:
        sys.stderr.flush()
        os._exit(1)


def _sum_up() -> None:
    """Prints how many findings the process had, when it ends."""
    if _mode.process:
        elements, count = sum(finding.times for finding in _mode.process.findings), len(_mode.process)
        least = "" if all(finding.is_counted for finding in _mode.process.findings) else "at least "
        print(f"pumice: {count} finding{'s' * (count > 1)}, {least}{elements:,} element{'s' * (elements > 1)} in all "
              "(PUMICE_CHECK)", file=sys.stderr)


_mode.update()
watch_process()
