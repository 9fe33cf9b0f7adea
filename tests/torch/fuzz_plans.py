#!/usr/bin/env python3
"""Calls random operators on the device vk, and compares with the CPU.

A case is a call: an operator as a function, in place or with an out argument, of tensors in random layouts. They may
share memory, be broadcast, have one element or none. Numbers are of every kind. Cases come in groups of --variants
with the same operator, types and layouts, and other sizes and values: later ones reuse plans, or must refuse to.

Results must have the types, sizes and values of the CPU's, and so must all memory after the call. If the CPU raises an
error, so must vk. The first line says the seed; a case depends on nothing but the seed, its number and --variants.
For each wrong case it prints a script that repeats it. It needs PyTorch and the package `pumice_torch` (PYTHONPATH).
"""
import argparse
import os
import pathlib
import queue
import random
import sys
import threading

HERE = pathlib.Path(__file__).resolve().parent
sys.path[:0] = [str(HERE), str(HERE.parent / "libraries")]

import batches  # noqa: E402

# (rtol, atol) of each type. Operations are rounded once from wider ones, and sums are in any order.
CLOSE = {"float64": (1e-11, 1e-11), "float32": (1e-4, 2e-5), "float16": (5e-3, 5e-3), "bfloat16": (4e-2, 4e-2)}


def arguments():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--cases", type=int, default=1000, metavar="N", help="number of cases (1000)")
    parser.add_argument("--seed", type=int, metavar="S", help="the seed; without one, a random one")
    parser.add_argument("--first", type=int, default=0, metavar="N", help="number of the first case (0)")
    parser.add_argument("--variants", type=int, default=5, metavar="N", help="cases with the same template (5)")
    parser.add_argument("--only", metavar="NAMES", help="call these operators only, with commas")
    parser.add_argument("--jobs", type=int, default=1, metavar="N", help="number of worker processes (1)")
    parser.add_argument("--timeout", type=int, default=180, metavar="S", help="seconds for each case (180)")
    parser.add_argument("--here", action="store_true", help="run in this process, and print tracebacks")
    parser.add_argument("--list", action="store_true", help="list the operators")
    parser.add_argument("--device", default=os.environ.get("PUMICE_VK_DEVICES", "cpu"), help="the device that vk is (cpu)")
    parser.add_argument("--worker", nargs="*", help=argparse.SUPPRESS)
    return parser.parse_args()


class Memories:
    """The tensors of a call on one device."""

    def __init__(self, device):
        self.device, self.storages, self.tensors = device, {}, {}

    def of(self, value):
        """Returns a value with its tensors on the device."""
        from fuzz_cases import Tensor
        if isinstance(value, (list, tuple)):
            return [self.of(part) for part in value]
        return self.tensor(value) if isinstance(value, Tensor) else value

    def tensor(self, tensor):
        if id(tensor) not in self.tensors:
            key = id(tensor.memory)
            if key not in self.storages:
                self.storages[key] = tensor.memory.values().to("cpu" if tensor.on_cpu else self.device)
            self.tensors[id(tensor)] = self.storages[key].as_strided(tensor.sizes, tensor.strides, tensor.offset)
        return self.tensors[id(tensor)]


def function_of(call):
    import torch
    found = torch.Tensor if call.form == "method" else torch
    for part in call.name.removeprefix("Tensor.").split(".") if call.form == "method" else call.name.split("."):
        found = getattr(found, part)
    return found


def run_on(call, device, out=None):
    """Returns (memories, results) of a call, or an error in the place of the results."""
    from comparing import tensors_in
    memories = Memories(device)
    given, named = memories.of(call.arguments), {name: memories.of(value) for name, value in call.named.items()}
    if out is not None:
        named["out"] = memories.tensor(out)
    try:
        made = function_of(call)(*given, **named)
        return memories, tensors_in(made)
    except Exception as error:  # noqa: BLE001 - vk must raise one, too
        return memories, error


def difference(ours, theirs, what, types):
    """Returns how two tensors differ, or nothing. Results are as exact as the coarsest of `types`."""
    import torch
    if ours.dtype != theirs.dtype or ours.shape != theirs.shape:
        return f"{what}: expected {theirs.dtype} {list(theirs.shape)}, got {ours.dtype} {list(ours.shape)}"
    rtol, atol = (max(each) for each in zip((0, 0), *(CLOSE[name] for name in (*types, str(theirs.dtype)[6:]) if name in CLOSE)))
    if not theirs.dtype.is_floating_point:
        rtol = atol = 0
    try:
        torch.testing.assert_close(ours.cpu(), theirs.cpu(), rtol=rtol, atol=atol, equal_nan=True)
    except AssertionError as error:
        return f"{what}: {' '.join(str(error).split())}"[:300]
    return ""


def owners(memories, results):
    """Returns for each result the places of the storages that it shares."""
    return [[at for at, held in enumerate(memories.storages.values())
             if held.numel() and made.untyped_storage()._cdata == held.untyped_storage()._cdata] for made in results]


def compare(ours, theirs, types):
    """Returns how the two devices differ, or nothing. `types` are those of the arguments."""
    if isinstance(theirs[1], Exception):
        if isinstance(theirs[1], NotImplementedError):
            return ""  # the CPU has no kernel for the type
        if "ZeroDivisionError" in str(theirs[1]):
            return ""  # kernels do not raise errors about the values of elements
        if not isinstance(ours[1], Exception):
            return f"the CPU raises an error, and vk does not: {type(theirs[1]).__name__}: {str(theirs[1])[:200]}"
    elif isinstance(ours[1], Exception):
        return f"vk raises an error: {type(ours[1]).__name__}: {str(ours[1])[:300]}"
    else:
        if len(ours[1]) != len(theirs[1]):
            return f"expected {len(theirs[1])} results, got {len(ours[1])}"
        if owners(*ours) != owners(*theirs):
            return f"results share memory of {owners(*ours)}, and those of the CPU that of {owners(*theirs)}"
        for at, pair in enumerate(zip(ours[1], theirs[1])):
            if said := difference(*pair, f"result {at}", types):
                return said
    for at, pair in enumerate(zip(ours[0].storages.values(), theirs[0].storages.values())):
        if said := difference(*pair, f"memory {at} after the call", types):
            return said
    return ""


# Errors of the CPU about out arguments. vk converts results to more types, and computes a result before it is written.
_OF_OUT = ("dtype", "only supports bool tensor for result", "refer to a single memory location")


def run_case(number, given):
    """Returns ("", "") if a case is right, or (how it is wrong, a script that repeats it)."""
    import fuzz_cases
    import torch
    name, case, call = fuzz_cases.random_call(given.seed, number, given.variants, given.only.split(",") if given.only else [])
    out = made = None
    if call.form == "out":
        _, made = run_on(call, "cpu")
        if not isinstance(made, Exception) and len(made) == 1:
            out = case.out_for(made[0], call)
        else:
            call.form = "function"
    theirs = run_on(call, "cpu", out)
    ours = run_on(call, "vk", out)
    torch.vk.synchronize()
    if out is not None and isinstance(theirs[1], RuntimeError) and any(word in str(theirs[1]) for word in _OF_OUT):
        return "", ""
    types = {str(one.memory.dtype)[6:] for one in call.tensors()}
    said = compare(ours, theirs, types)
    if said and out is not None and name.startswith("addmm") and any(one.memory is out.memory for one in call.tensors()):
        # The CPU overwrites a factor with the sum's other part before it multiplies, and vk does not.
        said = difference(ours[1][0], made[0], "result 0", types)
    return (f"{name}: {said}", script(call, out)) if said else ("", "")


def script(call, out):
    """Returns a script that makes a call on vk and on the CPU."""
    from fuzz_cases import Tensor
    names, lines = {}, []

    def text(value):
        if isinstance(value, (list, tuple)):
            return f"[{', '.join(map(text, value))}]"
        if not isinstance(value, Tensor):
            return repr(value)
        if id(value) not in names:
            memory = value.memory
            if id(memory) not in names:
                names[id(memory)] = f"m{len(names)}"
                values = (f"torch.tensor({memory.values().tolist()}, dtype={memory.dtype})" if memory.count <= 64
                          else f"fuzz_cases.{memory!r}.values()")
                lines.append(f"    {names[id(memory)]} = {values}{'' if value.on_cpu else '.to(device)'}")
            names[id(value)] = f"t{len(names)}"
            lines.append(f"    {names[id(value)]} = {names[id(memory)]}.as_strided({value.sizes}, {value.strides}, {value.offset})")
        return names[id(value)]

    words = [text(value) for value in call.arguments] + [f"{name}={text(value)}" for name, value in call.named.items()]
    if out is not None:
        words.append(f"out={text(out)}")
    start = "torch.Tensor." if call.form == "method" else "torch."
    lines.append(f"    print(device, ({start}{call.name.removeprefix('Tensor.') if call.form == 'method' else call.name}"
                 f"({', '.join(words)})))")
    return "\n".join(["import torch", *(["import fuzz_cases"] if any("fuzz_cases." in line for line in lines) else []),
                      'for device in ("cpu", "vk"):', *lines])


def run_all(given, report):
    """Runs cases in worker processes."""
    command = [sys.executable, __file__, "--seed", str(given.seed), "--variants", str(given.variants),
               *(["--only", given.only] if given.only else []), "--worker"]
    numbers = list(range(given.first, given.first + given.cases))
    size = given.variants * max(1, min(100, given.cases // (given.variants * given.jobs)))
    parts, lock = queue.SimpleQueue(), threading.Lock()
    for first in range(0, len(numbers), size):
        parts.put([str(number) for number in numbers[first:first + size]])

    def keep(number, result):
        with lock:
            report(number, result)

    def work():
        while not parts.empty():
            try:
                part = parts.get_nowait()
            except queue.Empty:
                return
            batches.run(command, part, given.timeout, keep, most=len(part))

    threads = [threading.Thread(target=work) for _ in range(given.jobs)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()


def work(numbers, given, begin, end):
    import warnings

    import torch
    torch.set_num_threads(1)
    warnings.simplefilter("ignore")
    for number in numbers:
        begin(number)
        torch.vk.reset_fallbacks()
        said, repeat = run_case(int(number), given)
        end(number, {"reason": said, "script": repeat, "fallbacks": torch.vk.fallbacks()})


def main():
    given = arguments()
    if given.seed is None:
        given.seed = random.SystemRandom().randrange(1 << 31)
    os.environ |= {"PUMICE_VK": "1", "PUMICE_VK_DEVICES": given.device, "TORCHINDUCTOR_COMPILE_THREADS": "1",
                   "PYTHONWARNINGS": "ignore"}
    if given.worker:
        import table_jobs
        table_jobs.end_with_parent()
        work(given.worker, given, batches.begin, batches.end)
        return 0
    if given.list:
        import fuzz_operators
        print("\n".join(sorted(fuzz_operators.OPERATORS)))
        return 0
    print(f"seed {given.seed}, {given.variants} variants of each template", flush=True)
    failed, done, whole = [], 0, 0

    def report(number, result):
        nonlocal done, whole
        done += 1
        reason = result.get("died") or result["reason"]
        whole += not result.get("fallbacks", True)
        if reason:
            failed.append(number)
            print(f"FAIL case {number}: {reason}\n  repeat: fuzz_plans.py --seed {given.seed} --variants {given.variants} "
                  f"{f'--only {given.only} ' if given.only else ''}--first {number} --cases 1 --here", flush=True)
            print("".join(f"  | {line}\n" for line in result.get("script", "").splitlines()), end="", flush=True)
        elif done % 500 == 0:
            print(f"{done} cases done", flush=True)

    if given.here:
        work([str(given.first + at) for at in range(given.cases)], given, lambda number: None, report)
    else:
        run_all(given, report)
    print(f"{whole} of {done} cases ran without the CPU\n{done - len(failed)} passed, {len(failed)} failed")
    return 1 if failed or not done else 0


if __name__ == "__main__":
    sys.exit(main())
