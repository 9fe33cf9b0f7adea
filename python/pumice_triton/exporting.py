"""Prepares Triton kernels for `pumice.export`: specialisations, their conditions, and their executables."""
from __future__ import annotations

import dataclasses
import math
import re
import warnings
from typing import TYPE_CHECKING, Any

from . import signatures
from .signatures import SEPARATOR
from .tracing import Symbol, Untraceable, call_with_names, expression_of, trace, whole

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping, Sequence

OPTIONS = ("num_warps", "num_stages", "num_ctas", "maxnreg")


def takes(kernel: object) -> bool:
    """Returns whether this is a Triton kernel, with or without an autotuner or heuristics around it."""
    from triton.runtime.jit import JITFunction
    while not isinstance(kernel, JITFunction) and hasattr(kernel, "fn"):
        kernel = kernel.fn
    return isinstance(kernel, JITFunction)


@dataclasses.dataclass
class Choice:
    """Values of a kernel's constants, and the conditions under which they are used."""
    values: dict[str, Any]
    conditions: list[Any] = dataclasses.field(default_factory=list)
    options: dict[str, Any] = dataclasses.field(default_factory=dict)

    def note(self) -> str:
        """Returns the values as text for readers."""
        options = {key: value for key, value in self.options.items() if key != "overlap"}
        return ", ".join(f"{key}={value}" for key, value in {**self.values, **options}.items())


def prepare(kernel: Any, *, signature: Any = None, grid: Any = None, constexprs: Any = None, targets: Any = None,
            num_warps: int = 4, num_stages: int = 3, overlap: bool = False) -> tuple[dict[str, Any], list[bytes]]:
    """Returns the plan of an export, and the executables that it names. docs/ship.md describes plans.

    Raises:
        ValueError: If an argument does not fit the kernel.
        TypeError: If an argument has the wrong type.
    """
    layers = _layers(kernel)
    function = layers[-1]
    name = function.__name__
    if signature is None:
        raise ValueError(f"kernel '{name}': expected a signature, such as {_example(function)!r}")
    if targets is None:
        raise ValueError(f"kernel '{name}': expected targets, such as ['cpu', 'rdna3']; `pumice target-env --list` has all")
    constants = [parameter.name for parameter in function.params if parameter.is_constexpr]
    wanted = signatures.read_all(signature, function.arg_names, constants, name)
    types = signatures.common_types(wanted, name)
    floats = ("f16", "bf16", "f32", "f64")
    symbols = {one: Symbol(one, is_float=kind.element in floats) for one, kind in types.items() if not kind.is_pointer}
    # Grids and conditions may also use the parts of tuples and descriptors as Python does: d.shape[0].
    structures = {one: signatures.structure_of(one, kind, Symbol) for one, kind in wanted[0].types.items() if one not in symbols}
    symbols |= {one: parts for one, parts in structures.items() if parts is not None}
    given = _given_choices(constexprs, symbols, types, layers, name)
    choices = _with_heuristics([dataclasses.replace(one, options={
        "num_warps": num_warps, "num_stages": num_stages, "overlap": overlap, **one.options}) for one in given],
        layers, symbols)
    folded = {key for one in wanted for key in one.values}
    _check_constants(choices, set(constants) - folded, name)
    # Constants that differ without a condition are chosen by the caller.
    chosen = [] if any(one.conditions for one in choices) else _differing(choices)
    arch = _arch(targets)
    executables: list[bytes] = []
    made: dict[str, int] = {}
    specialisations = []
    for choice in choices:
        for one in sorted(wanted, key=lambda signature: -signature.promises):
            values = {**choice.values, **one.values}
            key = f"{one.types}-{one.attributes}-{values}-{choice.options}"
            if key not in made:
                made[key] = len(executables)
                executables.append(_compile(function, one, values, choice.options, arch))
            specialisations.append({
                "executable": made[key], "entry": name,
                "when": [*choice.conditions, *(["==", key, choice.values[key]] for key in chosen), *one.conditions(types)],
                "note": ", ".join(part for part in (one.text, choice.note()) if part),
                "configuration": Choice({key: values[key] for key in constants}, options=choice.options).note(),
                "values": values})
    plan = {"name": name, "rejects_overlap": not overlap, "specialisations": specialisations,
            "parameters": [_parameter(key, types, choices, chosen) for name in function.arg_names
                           for key in ([name] if name in chosen else [one for one in types if types[one].argument == name])]}
    _add_grids(plan, grid, symbols, name)
    for specialisation in specialisations:
        del specialisation["values"]
    return {"line": "pumice.export", "kernels": [plan]}, executables


prepare.takes, prepare.prepare = takes, prepare  # type: ignore[attr-defined]


def _layers(kernel: Any) -> list[Any]:
    """Returns a kernel's autotuner and heuristics from outside to inside, and the function at the end."""
    layers = [kernel]
    while hasattr(layers[-1], "fn") and not hasattr(layers[-1], "params"):
        layers.append(layers[-1].fn)
    return layers


def _example(function: Any) -> str:
    """Returns a signature for an error."""
    return ", ".join("1024" if parameter.is_constexpr else "i32" if number else "*fp32:16"
                     for number, parameter in enumerate(function.params))


def _arch(targets: Any) -> str:
    """Returns several targets as one `arch` of a Triton target (backend.py)."""
    from pumice.devices import Device, DeviceInfo, device
    if isinstance(targets, (str, bytes)) or not hasattr(targets, "__iter__"):
        targets = [targets]
    names = []
    for target in targets:
        if target == "device":
            target = device()
        if isinstance(target, Device):
            target = target.target
        elif isinstance(target, DeviceInfo):
            target = f"device:{target.id}"
        if not isinstance(target, str) or not target:
            raise TypeError(f"targets: expected names such as 'rdna3', or devices, got {target!r}")
        if re.match(r"(cuda|hip|xpu):", target):
            raise ValueError(f"targets: '{target}' is a target of Triton's own back ends; expected one of Pumice, such as 'cpu', "
                             "'ampere' or 'rdna3': `pumice target-env --list` has all")
        names.append(target)
    if not names:
        raise ValueError("targets are empty; expected at least one, such as 'cpu'")
    return "".join(name + SEPARATOR for name in names)


def _compile(function: Any, signature: signatures.Signature, values: Mapping[str, Any], options: Mapping[str, Any],
             arch: str) -> bytes:
    """Returns the executable of a specialisation for all targets.

    Raises:
        CompileError: If Triton rejects the kernel.
    """
    import pumice
    import triton
    from triton.backends.compiler import GPUTarget
    from triton.compiler import ASTSource, CompilationError
    function.create_binder()
    # Triton's key in the cache has the types in this order.
    types = {name: "constexpr" if name in values else signature.types[name] for name in function.arg_names}
    places = {function.arg_names.index(name): name for name in signature.attributes}
    source = ASTSource(fn=function, signature=types, constexprs={(function.arg_names.index(name),): value
                                                                for name, value in values.items()},
                       attrs={(place,): signature.attributes[name] for place, name in places.items()})
    try:
        compiled = triton.compile(source, target=GPUTarget("vulkan", arch, 32), options=dict(options))
    except CompilationError as error:
        reason = error
        while isinstance(reason.__cause__, CompilationError):  # the call of a function that has the error
            reason = reason.__cause__
        place = "".join(f" ({note})" for note in getattr(error, "__notes__", []))
        said = " ".join((reason.error_message or str(reason)).split())
        raise pumice.CompileError(f"kernel '{function.__name__}': {said}{place}") from error
    return bytes(compiled.asm["pumice"])


def _given_choices(constexprs: Any, symbols: Mapping[str, Any], types: Mapping[str, signatures.Type], layers: Sequence[Any],
                   name: str) -> list[Choice]:
    """Returns the choices that the caller or the autotuner lists."""
    from pumice.exporting import check_mapping
    if constexprs is None:
        tuner = next((one for one in layers if hasattr(one, "configs")), None)
        return _tuned_choices(tuner, symbols, types, name) if tuner is not None else [Choice({})]
    choices = []
    items = constexprs if isinstance(constexprs, (list, tuple)) else [constexprs]
    for number, item in enumerate(items):
        conditions: list[Any] = []
        if isinstance(item, tuple) and len(item) == 2:
            item, condition = item
            conditions = [_condition(condition, symbols, number, name)]
        values = dict(check_mapping(item, f"constexprs[{number}]"))
        choices.append(Choice({key: value for key, value in values.items() if key not in OPTIONS}, conditions,
                              {key: value for key, value in values.items() if key in OPTIONS}))
    if not choices:
        raise ValueError(f"kernel '{name}': constexprs are empty; expected a dictionary, or a list of several")
    _check_reach(choices, name)
    return choices


def _check_reach(choices: Sequence[Choice], name: str) -> None:
    """Rejects an item that no arguments reach, since an earlier one has no condition while others have one."""
    if not any(one.conditions for one in choices):
        return  # the caller chooses
    for number, one in enumerate(choices[:-1]):
        always = [condition for condition in one.conditions if not isinstance(condition, int) or not condition]
        if not always:
            said = "is always true" if one.conditions else "is missing"
            raise ValueError(f"kernel '{name}': constexprs[{number + 1}] is never used, since the condition of "
                             f"constexprs[{number}] {said}: put constexprs[{number}] last, or add a condition to it")


def _condition(function: Any, symbols: Mapping[str, Any], number: int, name: str) -> Any:
    """Returns the condition of a choice as an expression."""
    if not callable(function):
        raise TypeError(f"constexprs[{number}]: expected a function of the arguments as the condition, got {function!r}")
    try:
        return expression_of(call_with_names(function, symbols))
    except Untraceable as error:
        raise ValueError(f"kernel '{name}': the condition of constexprs[{number}] is not arithmetic of the arguments: "
                         f"{error}") from error


def _tuned_choices(tuner: Any, symbols: Mapping[str, Any], types: Mapping[str, signatures.Type], name: str) -> list[Choice]:
    """Returns the configurations of an autotuner, with conditions by which its results choose among them."""
    def choice_of(config: Any, conditions: list[Any]) -> Choice:
        options = {key: getattr(config, key) for key in ("num_warps", "num_stages") if getattr(config, key, None)}
        return Choice(dict(config.kwargs), conditions, options)

    if len(tuner.configs) == 1:
        return [choice_of(tuner.configs[0], [])]
    keys = [key for key in tuner.keys if key in symbols]
    cache = tuner.cache if len(keys) == len(tuner.keys) else {}
    if not cache:
        raise ValueError(f"kernel '{name}' has {len(tuner.configs)} configurations, and its autotuner has no results: launch it "
                         "for some sizes before the export, or pass `constexprs`")
    results = _results_for(cache, keys, types, name)
    if not keys:
        return [choice_of(results[()], [])]
    if len(keys) == 1:
        # The limit between two sizes is their geometric mean.
        ordered = sorted(((values[0], config) for values, config in results.items()), key=lambda one: one[0])
        limits = [math.isqrt(max(0, a[0] * b[0])) for a, b in zip(ordered, ordered[1:])]
        return [choice_of(config, [["<=", keys[0], limit]]) for (_, config), limit in zip(ordered, limits)] + \
            [choice_of(ordered[-1][1], [])]
    choices = []
    for values, config in results.items():
        choices.append(choice_of(config, [["==", key, value] for key, value in zip(keys, values)]))
    often = max(results.values(), key=lambda one: sum(config is one for config in results.values()))
    return [*choices, choice_of(often, [])]


def _results_for(cache: Mapping[tuple[Any, ...], Any], keys: Sequence[str], types: Mapping[str, signatures.Type],
                 name: str) -> dict[tuple[int, ...], Any]:
    """Returns the results of an autotuner for arrays of these types, by the values of its keys.

    An entry of the cache has the values of the keys, and then the element type of each array. An array that was passed by its
    name comes after the others.
    """
    wanted = [signatures.with_sign(kind) for one, kind in types.items()
              if kind.is_pointer and kind.argument == one and f"{one}_shape_0" not in types]
    found = {values: [signatures.element_of(kind) for kind in values[len(keys):]] for values in cache}
    for is_same in (lambda kinds: kinds == wanted, lambda kinds: sorted(kinds) == sorted(wanted)):
        if fitting := [values for values, kinds in found.items() if is_same(kinds)]:
            break
    else:
        known = "; ".join(sorted({", ".join(kinds) for kinds in found.values()}))
        raise ValueError(f"kernel '{name}': the autotuner has results for arrays of other types than the signature's, which are "
                         f"{', '.join(wanted)}; it has: {known}. Launch the kernel with these types before the export, or pass "
                         "`constexprs`")
    results = {}
    for values in fitting:
        sizes = values[:len(keys)]
        if None in sizes:
            continue  # the launcher always passes a number
        for key, value in zip(keys, sizes):
            if not isinstance(value, int):
                raise ValueError(f"kernel '{name}': expected whole numbers as the keys of its autotuner, got {key}={value!r}; "
                                 "pass `constexprs` with conditions")
        results[sizes] = cache[values]
    if not results:
        raise ValueError(f"kernel '{name}': its autotuner has no results in which {' and '.join(keys)} are numbers: launch it "
                         "for some sizes before the export, or pass `constexprs`")
    return results


def _with_heuristics(choices: Iterable[Choice], layers: Sequence[Any], symbols: Mapping[str, Any]) -> list[Choice]:
    """Adds the constants that `@triton.heuristics` computes. One that is a condition gives two choices."""
    done = list(choices)
    for layer in layers:
        for key, function in (getattr(layer, "values", None) or {}).items():
            more: list[Choice] = []
            for choice in done:
                try:
                    value = choice.values[key] if key in choice.values else \
                        trace(function, {**symbols, **choice.values, **choice.options})
                except Untraceable as error:
                    raise ValueError(f"the heuristic of '{key}' is not arithmetic of the arguments: {error}; pass "
                                     f"'{key}' among `constexprs`") from error
                if isinstance(value, Symbol) and value.is_truth:
                    more += [dataclasses.replace(choice, values={**choice.values, key: truth},
                                                 conditions=[*choice.conditions, condition])
                             for truth, condition in ((True, value.expression), (False, ["not", value.expression]))]
                elif isinstance(value, Symbol):
                    raise ValueError(f"the heuristic of '{key}' depends on the arguments, and is not a condition; pass "
                                     f"'{key}' among `constexprs`")
                else:
                    more.append(dataclasses.replace(choice, values={**choice.values, key: value}))
            done = more
    return done


def _check_constants(choices: Sequence[Choice], needed: set[str], name: str) -> None:
    """Rejects choices that lack a constant, or name one that the kernel lacks."""
    for choice in choices:
        if missing := sorted(needed - set(choice.values)):
            raise ValueError(f"kernel '{name}': expected values for the constants {', '.join(missing)}; pass "
                             "them as `constexprs`, or as numbers in the signature")
        if unknown := sorted(set(choice.values) - needed):
            raise ValueError(f"kernel '{name}': constexprs name {', '.join(unknown)}, but its open constants are "
                             f"{', '.join(sorted(needed)) or 'none'}")


def _differing(choices: Sequence[Choice]) -> list[str]:
    """Returns the constants by which choices differ, if these suffice to tell them apart."""
    names = [key for key in choices[0].values if any(one.values[key] != choices[0].values[key] for one in choices)]
    for name in names:
        if any(not isinstance(one.values[name], int) for one in choices):
            raise TypeError(f"constexprs: '{name}' differs, so the launcher must choose by it, which needs whole numbers; add a "
                            "condition to each item")
    if len({tuple(one.values[key] for key in names) for one in choices}) < len(choices):
        raise ValueError("constexprs: two items have the same constants; add a condition to each item")
    return names


def _parameter(name: str, types: Mapping[str, signatures.Type], choices: Sequence[Choice],
               chosen: Sequence[str]) -> dict[str, Any]:
    """Returns a parameter of the launcher."""
    if name in chosen:
        truth = all(isinstance(one.values[name], bool) for one in choices)
        return {"name": name, "kind": "constant", "element": "i1" if truth else "i64"}
    kind = types[name]
    of_part = {} if kind.argument == name and f"{name}_shape_0" not in types else {"argument": kind.argument}
    return {"name": name, "kind": "buffer" if kind.is_pointer else "scalar", "element": kind.element,
            "unsigned": kind.is_unsigned, **of_part}


def _add_grids(plan: dict[str, Any], grid: Any, symbols: Mapping[str, Any], name: str) -> None:
    """Adds the grid to each specialisation, if it is arithmetic."""
    if grid is None:
        return
    grids = []
    for one in plan["specialisations"]:
        try:
            found = trace(grid, _Meta({**one["values"], **symbols})) if callable(grid) else grid
            axes = [expression_of(whole(axis)) for axis in (found if isinstance(found, (tuple, list)) else [found])]
        except Untraceable as error:
            warnings.warn(f"kernel '{name}': the grid is not arithmetic of arguments and constants: {error}. The "
                          "launcher has a parameter for the grid", stacklevel=5)
            return
        if not 1 <= len(axes) <= 3:
            raise ValueError(f"kernel '{name}': expected a grid of 1 to 3 numbers, got {len(axes)}")
        if wrong := [axis for axis in axes if isinstance(axis, int) and not 0 <= axis < 1 << 32]:
            raise ValueError(f"kernel '{name}': expected a grid of 0 to 2^32-1 programs along each axis, got {wrong[0]}")
        grids.append(axes + [1] * (3 - len(axes)))
    for one, axes in zip(plan["specialisations"], grids):
        one["grid"] = axes


class _Meta(dict[str, Any]):
    """The argument of a grid's function."""

    def __missing__(self, key: str) -> Any:
        raise Untraceable(f"it uses '{key}', which is not a scalar argument or a constant")

