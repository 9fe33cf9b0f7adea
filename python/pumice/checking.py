"""Checked mode: kernels that report what they do wrong.

    with pumice.check() as report:
        kernel[grid](x, y, n)
    print(report)

PUMICE_CHECK=1 checks all kernels of a process, and writes what it finds to `sys.stderr`.
"""
import atexit
import contextlib
import dataclasses
import os
import sys
import threading
import weakref

import numpy as np

from . import _native

KINDS = ("bounds", "race", "unwritten", "overflow", "division", "misaligned")


class CheckError(RuntimeError):
    """Kernels did something wrong. `findings` has it, piece by piece."""

    def __init__(self, report):
        super().__init__(str(report))
        self.findings = report.findings


@dataclasses.dataclass
class Finding:
    """What one operation of a kernel did wrong, as often as it did."""
    kind: str  # one of KINDS
    kernel: str
    place: str  # "kernel.py:12"
    text: str  # of the first time
    program: tuple  # the first one that did it
    element: tuple  # of the block, likewise
    argument: str = ""  # "" where it is of no argument
    times: int = 1

    @property
    def line(self):
        """The number of the line in the kernel's file; None where it is not known."""
        line = self.place.rpartition(":")[2]
        return int(line) if line.isdigit() else None

    def __str__(self):
        where = f"{self.place}: " if self.place else ""
        times = f" (and {self.times - 1:,} more elements)" if self.times > 1 else ""
        at = f"program {self.program}" + (f", element {list(self.element)} of the block" if self.element else "")
        return f"{where}{self.text}; kernel '{self.kernel}', {at}{times}"


class Report:
    """What was found, in the order of the first times; one entry for each operation and argument."""

    def __init__(self, most=20):
        self.findings, self._most, self._known, self._lock = [], most, {}, threading.Lock()

    def add(self, finding):
        """Returns whether it is a new one."""
        key = finding.kind, finding.kernel, finding.place, finding.argument
        with self._lock:
            known = self._known.get(key)
            if known is not None:
                known.times += finding.times
                return False
            self._known[key] = finding
            self.findings.append(finding)
            return True

    def __bool__(self):
        return bool(self.findings)

    def __len__(self):
        return len(self.findings)

    def __str__(self):
        if not self.findings:
            return "no findings"
        shown = [str(finding) for finding in self.findings[:self._most]]
        if len(self.findings) > self._most:
            shown.append(f"and {len(self.findings) - self._most} more findings")
        return "\n".join(shown)


class _Mode:
    """Who is told of findings: reports of `check`, the innermost last, or the process."""

    def __init__(self):
        self.reports, self.process = [], None
        self.whole = os.environ.get("PUMICE_CHECK", "") not in ("", "0")

    def update(self):
        _native.set_checking(self.whole or bool(self.reports))


_mode = _Mode()


@contextlib.contextmanager
def check(raises=True, most=20):
    """Checks the kernels that are launched in its block, on any thread. What they do wrong is in the
    `Report` that it gives; with `raises` the block ends by a `CheckError` if there is anything. `most`
    findings are shown."""
    report = Report(most)
    _mode.reports.append(report)
    _mode.update()
    try:
        with unwritten.watch():
            yield report
    finally:
        _mode.reports.remove(report)
        _mode.update()
    if raises and report:
        raise CheckError(report)


class Unwritten:
    """Which bytes of PyTorch's tensors nothing has written: those that `torch.empty` and its like have made
    while kernels were checked. A tensor's version tells when PyTorch itself has written it."""

    _MAKERS = ("empty", "empty_like", "empty_strided")

    def __init__(self):
        self._known = {}  # by the storage's address: (the tensor's weak reference, its version, bytes)

    @contextlib.contextmanager
    def watch(self):
        torch = sys.modules.get("torch")
        if torch is None:
            yield
            return
        before = {(owner, name): getattr(owner, name)
                  for owner, names in ((torch, self._MAKERS), (torch.Tensor, ("new_empty",))) for name in names}
        for (owner, name), make in before.items():
            setattr(owner, name, self._remembering(make))
        try:
            yield
        finally:
            for (owner, name), make in before.items():
                setattr(owner, name, make)

    def _remembering(self, make):
        def made(*given, **named):
            tensor = make(*given, **named)
            try:
                self._add(tensor)
            except (AttributeError, NotImplementedError, RuntimeError):
                pass  # a tensor without memory of its own: fake, sparse, of another device
            return tensor
        return made

    def _add(self, tensor):
        if type(tensor).__name__ != "Tensor":  # PyTorch's fake ones warn when they are asked for memory
            return
        storage = tensor.untyped_storage()
        if tensor.device.type != "cpu" or storage.nbytes() == 0:
            return
        place = storage.data_ptr()
        reference = weakref.ref(tensor, lambda gone: self._forget(place, gone))
        self._known[place] = reference, tensor._version, np.ones(storage.nbytes(), np.bool_)

    def _forget(self, place, gone):
        if place in self._known and self._known[place][0] is gone:
            del self._known[place]

    def of(self, tensor):
        """A truth value for each byte of the tensor's storage; None where all of it may be read."""
        if not self._known or not hasattr(tensor, "untyped_storage"):
            return None
        place = tensor.untyped_storage().data_ptr()
        entry = self._known.get(place)
        if entry is not None and entry[1] != tensor._version:
            del self._known[place]
            return None
        return entry[2] if entry else None


unwritten = Unwritten()


def is_checking():
    return _mode.whole or bool(_mode.reports)


def found(findings):
    """Takes what one launch did wrong. Raises it, where PUMICE_CHECK=raise asks for that."""
    if _mode.reports:
        for finding in findings:
            _mode.reports[-1].add(finding)
        return
    if _mode.process is None:
        _mode.process = Report()
        atexit.register(_sum_up)
    fresh = [finding for finding in findings if _mode.process.add(finding)]
    how = os.environ.get("PUMICE_CHECK", "")
    if how == "raise" and findings:
        report = Report()
        for finding in findings:
            report.add(finding)
        raise CheckError(report)
    shown = len(_mode.process) - len(fresh)
    for finding in fresh[:max(0, 20 - shown)]:
        print(f"pumice: {finding}", file=sys.stderr)
    if how == "exit" and findings:
        sys.stderr.flush()
        os._exit(1)


def _sum_up():
    if _mode.process:
        elements, count = sum(finding.times for finding in _mode.process.findings), len(_mode.process)
        print(f"pumice: {count} finding{'s' * (count > 1)}, {elements:,} element{'s' * (elements > 1)} in all "
              "(PUMICE_CHECK)", file=sys.stderr)


_mode.update()
