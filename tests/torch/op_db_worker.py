"""Runs entries of PyTorch's table of operators on vk and on the CPU, and compares them. `op_db.py` starts it."""
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
from comparing import Mover, first_line, tensors_in

# Tensors among the arguments of these are of the CPU on every device.
ON_CPU = {"tensor_split"}
# The elements of these results are any.
UNDEFINED = {"empty", "empty_like", "empty_strided", "empty_permuted", "new_empty", "new_empty_strided"}
# Places of elements, which differ if elements are equal: which result has them.
PLACES = {"argsort": 0, "kthvalue": 1, "median": 1, "mode": 1, "nanmedian": 1, "sort": 1, "topk": 1}


@functools.cache
def entries():
    """Returns {name: entry}. Entries with the same name differ by their variant."""
    from torch.testing._internal.common_methods_invocations import op_db
    return {entry.name + (f".{entry.variant_test_name}" if entry.variant_test_name else ""): entry for entry in op_db}


def all_jobs(types):
    """Returns the names "ENTRY/TYPE" for the types that the CPU supports."""
    return [f"{name}/{kind}" for kind in types for name, entry in entries().items()
            if entry.supports_dtype(getattr(torch, kind), "cpu")]


class Job:
    """An entry, a type, and what came of them."""

    def __init__(self, name, given):
        self.name, self.given = name, given
        title, kind = name.rsplit("/", 1)
        self.entry, self.dtype = entries()[title], getattr(torch, kind)
        self.with_grad = given.grad and self.dtype == torch.float32 and self.entry.supports_autograd
        self.seed = (zlib.crc32(name.encode()) ^ given.seed) & 0x7fffffff
        self.result = {"ok": True, "samples": 0, "skipped": 0, "widened": 0, "random": 0, "reason": "", "strides": "",
                       "grad": "", "fallbacks": {}, "reasons": {}}

    def run(self):
        """Runs all samples until one fails, and returns the result."""
        torch.manual_seed(self.seed)
        samples = self.entry.sample_inputs("cpu", self.dtype, requires_grad=self.with_grad)
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

    def _call(self, arguments, sample):
        """Returns (results, gradients) for arguments on one device."""
        torch.manual_seed(self.seed)
        given, positional, named = arguments
        out = self.entry.op(given, *positional, **named)
        results = tensors_in(out)
        if not self.with_grad:
            return results, []
        ends = [end for end in tensors_in(sample.output_process_fn_grad(out)) if end.requires_grad]
        leaves = [leaf for leaf in tensors_in(arguments) if leaf.requires_grad]
        if not ends or not leaves:
            return results, []
        torch.manual_seed(self.seed + 1)
        weights = [torch.randn(end.shape, dtype=torch.complex64 if end.is_complex() else torch.float32)
                   .to(dtype=end.dtype, device=end.device) for end in ends]
        gradients = torch.autograd.grad(ends, leaves, weights, allow_unused=True, materialize_grads=True)
        return results, list(gradients)

    def _sample(self, sample):
        """Returns how a sample failed, or nothing."""
        given = sample.input, sample.args, sample.kwargs
        try:
            mover = Mover("vk")
            ours_given = mover.move(given)
            if self.entry.name in ON_CPU:
                ours_given = ours_given[0], sample.args, sample.kwargs
        except NotImplementedError:
            self.result["skipped"] += 1
            return ""
        try:
            theirs = self._call(Mover("cpu").move(given), sample)
        except Exception:  # noqa: BLE001 - a sample that the CPU cannot run says nothing
            self.result["skipped"] += 1
            return ""
        self.result["samples"] += 1
        try:
            ours = self._call(ours_given, sample)
            torch.vk.synchronize()
        except Exception as error:  # noqa: BLE001
            if self.given.here:
                traceback.print_exc()
            return f"raised: {first_line(error)}"
        values = self.entry.name not in UNDEFINED and not self._is_random(given, sample, theirs)
        self.result["random"] += not values
        if self._has_places_of_equals(sample):
            place = PLACES[self.entry.name]
            ours, theirs = ((results[:place] + results[place + 1:], gradients) for results, gradients in (ours, theirs))
        self.result["strides"] = self.result["strides"] or comparing.layout_difference(ours[0], theirs[0])
        for what, one, other in zip(("", "gradient: "), ours, theirs):
            said = comparing.difference(one, other, self.entry, values=values, device="vk")
            if said.startswith("value") and self._is_as_close(given, sample, ours, theirs):
                self.result["widened"] += 1
                continue
            if said:
                return what + said
        return ""

    def _has_places_of_equals(self, sample):
        """Returns whether results have places of elements that other places equal. A stable sort has one order."""
        return (self.entry.name in PLACES and not sample.kwargs.get("stable")
                and sample.input.detach().unique().numel() < sample.input.numel())

    def _is_random(self, given, sample, first):
        """Returns whether another seed gives other results on the CPU."""
        seed = torch.manual_seed  # entries of the table call it, too
        with_grad, self.with_grad = self.with_grad, False
        torch.manual_seed = lambda given: seed(int(given) ^ 0x5555)
        try:
            again = self._call(Mover("cpu").move(given), sample)
        finally:
            torch.manual_seed, self.with_grad = seed, with_grad
        return any(one.layout == torch.strided and not comparing.equal(one, other)
                   for one, other in zip(again[0], first[0]))

    def _is_as_close(self, given, sample, ours, theirs):
        """Returns whether the results are about as close to those of wide types as the CPU's own."""
        try:
            exact = self._call(comparing.widened(Mover("cpu").move(given)), sample)
        except Exception:  # noqa: BLE001 - not every operator takes wide types
            return False
        return all(comparing.is_as_close(*each) for each in zip(ours, theirs, exact))


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
            result = Job(name, given).run()
        except Exception as error:  # noqa: BLE001
            if given.here:
                traceback.print_exc()
            result = {"ok": False, "reason": f"harness: {first_line(error)}"}
        end(name, result | {"seconds": round(time.monotonic() - start, 2)})
        sys.stdout.flush()
