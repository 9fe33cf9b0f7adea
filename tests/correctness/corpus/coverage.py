"""Finds which operations, of which types, the kernels in a text contain. Reads MLIR's generic form, in which every
operation has its name."""
import json
import re
import subprocess

FUNCTIONS = ("gpu.func", "func.func")
ELEMENT = re.compile(r"(?:^|[^A-Za-z0-9_.]|x)([su]?i\d+|bf16|f\d+(?:E\w+)?|index)(?![A-Za-z0-9_])")
WIDTHS = re.compile(r"i1|[su]i\d+|i(?:8|16|32|64)|b?f.*|index")
ORDER = ["index", "i1", "i8", "i16", "i32", "i64", "si8", "ui8", "bf16", "f16", "f32", "f64"]


def element_types(signature):
    """Returns the types of operands and results. Omits results of comparisons and memory indices if there are other
    types. Omits widths that are not powers of two."""
    types = {t for t in ELEMENT.findall(signature) if WIDTHS.fullmatch(t)}
    for plain in ("index", "i1"):
        if len(types) > 1:
            types.discard(plain)
    return types


def by_function(generic):
    """Maps each function to ({operation: types}, the functions that it calls and the memory that it names)."""
    found, stack = {}, []
    for line in generic.splitlines():
        opened = re.search(r'"([a-z]+\.[\w.]+)"\(', line)
        if opened and line.endswith("({"):
            stack.append((opened[1], line, {}, set()))
            continue
        if line.strip().startswith("})"):
            name, first, inside, uses = stack.pop()
            if name in FUNCTIONS:
                own = re.search(r'sym_name = "(\w+)"', first + line)[1]
                found[own] = (inside, uses)
                note(inside, name, "")
                continue
            line = line[line.rindex(" : "):]
        elif opened:
            name, inside, uses = opened[1], {}, set(re.findall(r"@(\w+)", line))
            line = line[line.rindex(" : "):]
        else:
            continue
        if not stack:
            continue  # the module
        outer, outer_uses = stack[-1][2:]
        note(outer, name, line)
        for operation, types in inside.items():
            outer.setdefault(operation, set()).update(types)
        outer_uses |= uses
        if name == "memref.global":
            found["memref.global"] = ({name: element_types(line)}, set())
    return found


def note(operations, name, signature):
    operations.setdefault(name, set()).update(element_types(signature))


def operations_of(text):
    """Maps each kernel to {operation: types}, including the functions that it calls."""
    done = subprocess.run(["pumice-opt", "--mlir-print-op-generic", "-"], input=text, text=True,
                          capture_output=True, check=False)
    if done.returncode:
        raise RuntimeError(f"pumice-opt: {done.stderr.strip()}")
    functions = by_function(done.stdout)
    result = {}
    for name in functions:
        total, left, seen = {}, [name], set()
        while left:
            now = left.pop()
            if now in seen or now not in functions:
                continue
            seen.add(now)
            inside, uses = functions[now]
            for operation, types in inside.items():
                total.setdefault(operation, set()).update(types)
            left += uses
            if "memref.get_global" in inside:
                left.append("memref.global")
        # Every kernel is inside a module.
        total.setdefault("gpu.module", set())
        result[name] = total
    return result


def of_cases(cases):
    """Maps the name of each case to {operation: types}."""
    texts = {case.file: case.text() for case in cases}
    kernels = {file: operations_of(text) for file, text in texts.items()}
    return {case.name: kernels[case.file][case.name] for case in cases}


def merged(names, operations):
    total = {}
    for name in names:
        for operation, types in operations[name].items():
            total.setdefault(operation, set()).update(types)
    return total


def in_order(types):
    return ", ".join(sorted(types, key=lambda t: (ORDER.index(t) if t in ORDER else 99, t)))


def cell(operation, addressings):
    """Returns the types with which an operation ran in both addressings, and those that only one of them adds."""
    if len(addressings) == 1:  # the device has no other
        return in_order(next(iter(addressings.values()))[operation])
    by = {way: ops[operation] for way, ops in addressings.items() if operation in ops}
    if len(by) == 1:
        way, types = by.popitem()
        return f"{way} only" + (f": {in_order(types)}" if types else "")
    both = set.intersection(*by.values())
    parts = [in_order(both)] if both else []
    parts += [f"{way} only: {in_order(types - both)}" for way, types in by.items() if types - both]
    return "; ".join(parts)


def described(passed, operations):
    """Returns {operation: cell} for {addressing: names of the cases that passed}."""
    ways = {way: merged(names, operations) for way, names in sorted(passed.items())}
    names = sorted(set().union(*ways.values()))
    return {name: cell(name, ways) for name in names}


def record(path, driver, device, passed, operations):
    """Replaces the driver's part of the file."""
    whole = json.loads(path.read_text()) if path.exists() else {}
    whole[driver] = {"device": device, "operations": described(passed, operations)}
    path.write_text(json.dumps(whole, indent=1, sort_keys=True) + "\n")
