"""Runs entries of PyTorch's tables on vk and on the CPU, and compares them. `tables.py` starts it."""
import contextlib
import ctypes
import functools
import itertools
import signal
import sys
import time
import traceback
import zlib

import comparing
import torch
from comparing import Mover, Unmovable, first_line, tensors_in

# Tensors among the arguments of these are of the CPU on every device.
ON_CPU = {"tensor_split"}
# The elements of these results are any.
UNDEFINED = {"empty", "empty_like", "empty_strided", "empty_permuted", "new_empty", "new_empty_strided"}
# Places of elements, which differ if elements are equal: which result has them.
PLACES = {"argsort": 0, "kthvalue": 1, "median": 1, "mode": 1, "nanmedian": 1, "sort": 1, "topk": 1}


class Job:
    """An entry, a type, and what came of them. Each kind of entry has a class of its own.

    `samples` yields values that `call` runs on either device.
    """

    def __init__(self, name, entry, given):
        self.name, self.entry, self.given = name, entry, given
        self.dtype = getattr(torch, name.rsplit("/", 1)[1])
        self.seed = (zlib.crc32(name.encode()) ^ given.seed) & 0x7fffffff
        self.result = {"ok": True, "samples": 0, "skipped": 0, "widened": 0, "random": 0, "reason": "", "strides": "",
                       "fallbacks": {}, "reasons": {}}

    def run(self):
        """Runs all samples until one fails, and returns the result."""
        torch.manual_seed(self.seed)
        samples = self.samples()
        if self.given.samples:
            samples = itertools.islice(samples, self.given.samples)
        torch.vk.reset_fallbacks()
        for number, sample in enumerate(samples):
            failed = self._sample(sample)
            if failed:
                self.result |= {"ok": False, "reason": f"{failed} (sample {number})"}
                break
        self.result["fallbacks"] = torch.vk.fallbacks()
        known = dict(line.split(" ", 1) for line in torch.ops.pumice_vk.reasons_without_plan())
        self.result["reasons"] = {name: known[name] for name in self.result["fallbacks"] if name in known}
        return self.result

    def samples(self):
        """Yields the samples."""
        raise NotImplementedError

    def call(self, mover, sample, *, with_grad=True, wide=False):
        """Returns (results, gradients) of a sample on the mover's device, with wide types if the caller says so."""
        raise NotImplementedError

    def compared(self, sample, results):
        """Returns those results that have one right value."""
        return results

    def has_values(self, sample, theirs):
        """Returns whether the elements of the results are the same in each run."""
        return not self._is_random(sample, theirs)

    def gradients(self, ends, leaves):
        """Returns the gradients of a random sum of results."""
        ends = [end for end in ends if end.requires_grad]
        leaves = [leaf for leaf in leaves if leaf.requires_grad]
        if not ends or not leaves:
            return []
        torch.manual_seed(self.seed + 1)
        weights = [torch.randn(end.shape, dtype=torch.complex64 if end.is_complex() else torch.float32)
                   .to(dtype=end.dtype, device=end.device) for end in ends]
        return list(torch.autograd.grad(ends, leaves, weights, allow_unused=True, materialize_grads=True))

    def _sample(self, sample):
        """Returns how a sample failed, or nothing."""
        try:
            theirs = self.call(Mover("cpu"), sample)
        except Exception:  # noqa: BLE001 - a sample that the CPU cannot run says nothing
            self.result["skipped"] += 1
            return ""
        try:
            ours = self.call(Mover("vk"), sample)
            torch.vk.synchronize()
        except Unmovable:
            self.result["skipped"] += 1
            return ""
        except Exception as error:  # noqa: BLE001
            self.result["samples"] += 1
            if self.given.here:
                traceback.print_exc()
            return f"raised: {first_line(error)}"
        self.result["samples"] += 1
        values = self.has_values(sample, theirs)
        self.result["random"] += not values
        ours, theirs = ((self.compared(sample, results), gradients) for results, gradients in (ours, theirs))
        self.result["strides"] = self.result["strides"] or comparing.layout_difference(ours[0], theirs[0])
        for what, one, other in zip(("", "gradient: "), ours, theirs):
            said = comparing.difference(one, other, self.entry, values=values, device="vk")
            if said.startswith("value") and self._is_as_close(sample, ours, theirs):
                self.result["widened"] += 1
                continue
            if said:
                return what + said
        return ""

    def _is_random(self, sample, first):
        """Returns whether another seed gives other results on the CPU."""
        seed = torch.manual_seed  # entries of the table call it, too
        torch.manual_seed = lambda given: seed(int(given) ^ 0x5555)
        try:
            again = self.call(Mover("cpu"), sample, with_grad=False)
        finally:
            torch.manual_seed = seed
        return any(one.layout == torch.strided and not comparing.equal(one, other)
                   for one, other in zip(again[0], first[0]))

    def _is_as_close(self, sample, ours, theirs):
        """Returns whether the results are about as close to those of wide types as the CPU's own."""
        try:
            results, gradients = self.call(Mover("cpu"), sample, wide=True)
        except Exception:  # noqa: BLE001 - not every operator takes wide types
            return False
        exact = self.compared(sample, results), gradients
        return all(comparing.is_as_close(*each) for each in zip(ours, theirs, exact))


class OperatorJob(Job):
    """Runs an operator of PyTorch, or PyTorch's definition of one in Python (a "reference")."""

    def samples(self):
        return self.entry.sample_inputs("cpu", self.dtype, requires_grad=self._has_grad())

    def _title(self):
        """Returns the name of the operator, also if the entry is its definition in Python."""
        return self.entry.name.removeprefix("_refs.")

    def _has_grad(self):
        return self.given.grad and self.dtype == torch.float32 and self.entry.supports_autograd

    def call(self, mover, sample, *, with_grad=True, wide=False):
        moved = mover.move((sample.input, sample.args, sample.kwargs))
        if self._title() in ON_CPU:
            moved = moved[0], sample.args, sample.kwargs
        given, positional, named = comparing.widened(moved) if wide else moved
        torch.manual_seed(self.seed)
        # Without a tensor or a device among the arguments, results are made on the default device.
        place = contextlib.nullcontext() if mover.has_moved else torch.device(mover.device)
        with place:
            out = self.entry.op(given, *positional, **named)
        if not with_grad or not self._has_grad():
            return tensors_in(out), []
        return tensors_in(out), self.gradients(tensors_in(sample.output_process_fn_grad(out)), tensors_in(moved))

    def has_values(self, sample, theirs):
        return self._title() not in UNDEFINED and super().has_values(sample, theirs)

    def compared(self, sample, results):
        """Leaves out the places of elements that other elements equal. A stable sort has one order."""
        name = self._title()
        if (name not in PLACES or sample.kwargs.get("stable")
                or sample.input.detach().unique().numel() == sample.input.numel()):
            return results
        return results[:PLACES[name]] + results[PLACES[name] + 1:]


class Table:
    """A table of PyTorch's: its entries by name, and the class that runs one."""

    def __init__(self, entries, job, types_of):
        self._entries, self._job, self._types_of = entries, job, types_of

    def jobs(self, types):
        """Returns the names "ENTRY/TYPE" for the types that the CPU supports."""
        return [f"{name}/{kind}" for kind in types for name, entry in self._entries.items()
                if self._types_of(entry, getattr(torch, kind))]

    def job(self, name, given):
        """Returns the job with this name."""
        return self._job(name, self._entries[name.rsplit("/", 1)[0]], given)


@functools.cache
def table_of(name):
    """Returns one of PyTorch's tables. They take seconds to import."""
    if name in ("operators", "references"):
        from torch.testing._internal import common_methods_invocations as tables
        found = tables.op_db if name == "operators" else tables.python_ref_db
        entries = {entry.name + (f".{entry.variant_test_name}" if entry.variant_test_name else ""): entry
                   for entry in found}  # entries with the same name differ by their variant
        return Table(entries, OperatorJob, lambda entry, dtype: entry.supports_dtype(dtype, "cpu"))
    import module_jobs
    if name == "modules":
        from torch.testing._internal.common_modules import module_db
        return Table({entry.name: entry for entry in module_db}, module_jobs.ModuleJob,
                     lambda entry, dtype: dtype in entry.dtypes or dtype.itemsize == 2 and dtype.is_floating_point)
    from torch.testing._internal.common_optimizers import optim_db
    return Table({entry.name: entry for entry in optim_db}, module_jobs.OptimizerJob,
                 lambda entry, dtype: dtype in module_jobs.OPTIMIZER_TYPES)


def end_with_parent():
    """Has this process end when the one that started it does."""
    ctypes.CDLL(None).prctl(1, signal.SIGKILL)  # PR_SET_PDEATHSIG


def run(names, given, begin, end):
    """Runs jobs, and calls `begin(name)` and `end(name, result)` for each."""
    torch.set_num_threads(1)
    if not given.here:
        end_with_parent()
    for name in names:
        begin(name)
        start = time.monotonic()
        try:
            result = table_of(given.table).job(name, given).run()
        except Exception as error:  # noqa: BLE001
            if given.here:
                traceback.print_exc()
            result = {"ok": False, "reason": f"harness: {first_line(error)}"}
        end(name, result | {"seconds": round(time.monotonic() - start, 2)})
        sys.stdout.flush()
