"""Private interfaces of PyTorch that the device "vk" uses: each in one module, and each present in this PyTorch.

    PYTHONPATH=... python python/test/test_vk_interfaces.py

A name is private if a part of it begins with an underscore, as in torch._inductor. Names are found in the sources:
imports, attributes, and attributes of the modules that functions given to `after_import` get. For another PyTorch, put
its folder first in PYTHONPATH. The test then says which names this version lacks, and which module uses them.
"""
import ast
import collections
import importlib
import inspect
import os
import pathlib
import re
import sys
import unittest

os.environ["PUMICE_VK"] = "0"  # PyTorch as it is, without the changes of vk

try:
    import torch
    import triton  # inductor's modules import it
except ImportError as error:
    print(f"skipped: {error}")
    sys.exit(77)

import pumice_torch.build

PACKAGE = pathlib.Path(pumice_torch.build.__file__).parent / "vk"

# Names that only some versions have. The code asks for them by getattr, or handles the error.
OPTIONAL = {
    "torch._inductor.runtime.benchmarking.register_benchmarker": "since 2.13; without it, inductor times vk by itself",
}

# The parameters that functions replaced by ours have, as far as ours rely on them.
PARAMETERS = {
    "torch._inductor.choices.InductorChoices.should_use_persistent_reduction": ["features", "cooperative_reduction"],
    "torch._inductor.choices.InductorChoices.get_config_heuristics": ["self", "device_type"],
    "torch._inductor.codecache.CacheBase.get_system": [],
    "torch._inductor.runtime.triton_helpers.set_driver_to_gpu": [],
    "torch._inductor.utils.is_big_gpu": ["index_or_device"],
    "torch._inductor.kernel.flex.flex_decoding.get_split_k": ["B", "H", "Mk"],
    "torch.nn.attention.flex_attention._validate_device": ["query", "key", "value"],
}


def is_private(name):
    return any(part.startswith("_") and not part.startswith("__") for part in name.split("."))


def hooks(tree, kind=ast.Name):
    """Returns the functions of a file that `after_import` calls with a module, and the module's name."""
    calls = [call for call in ast.walk(tree) if isinstance(call, ast.Call) and getattr(call.func, "id", "") == "after_import"]
    return {getattr(call.args[1], "id", "") or call.args[1].attr: call.args[0].value for call in calls
            if isinstance(call.args[1], kind)}


class Names(ast.NodeVisitor):
    """Collects the names of PyTorch that a file uses."""

    def __init__(self, tree, hooked=None):
        self.found, self._known = set(), {"torch": "torch"}
        self._hooked = {**(hooked or {}), **hooks(tree)}
        self.visit(tree)

    def visit_ImportFrom(self, node):
        if node.level == 0 and (node.module or "").partition(".")[0] == "torch":
            for name in node.names:
                self._known[name.asname or name.name] = f"{node.module}.{name.name}"
                self.found.add(f"{node.module}.{name.name}")

    def visit_Import(self, node):
        for name in node.names:
            if name.asname and name.name.partition(".")[0] == "torch":
                self._known[name.asname] = name.name

    def visit_FunctionDef(self, node):
        before = dict(self._known)
        if node.name in self._hooked:  # its parameter is the module
            self._known[node.args.args[0].arg] = self._hooked[node.name]
        self.generic_visit(node)
        self._known = before

    def visit_Attribute(self, node):
        name = self._name(node)
        if name:
            self.found.add(name)
        else:
            self.generic_visit(node)

    def _name(self, node):
        if isinstance(node, ast.Name):
            return self._known.get(node.id)
        base = self._name(node.value) if isinstance(node, ast.Attribute) else None
        return base and f"{base}.{node.attr}"


def resolve(name):
    """Returns the longest part of a name that exists, and its value."""
    parts = name.split(".")
    value, known = torch, 1
    for i in range(1, len(parts)):
        if inspect.ismodule(value) and not hasattr(value, parts[i]):
            try:
                importlib.import_module(".".join(parts[:i + 1]))
            except ImportError:
                break
        if not hasattr(value, parts[i]):
            break
        value, known = getattr(value, parts[i]), i + 1
    return ".".join(parts[:known]), value


def uses():
    """Returns the modules that use each private name."""
    trees = {path: ast.parse(path.read_text()) for path in sorted(PACKAGE.rglob("*.py"))}
    others = {name: module for tree in trees.values() for name, module in hooks(tree, ast.Attribute).items()}
    made = collections.defaultdict(set)
    for path, tree in trees.items():
        for name in Names(tree, others).found:
            if is_private(name):
                made[name].add(str(path.relative_to(PACKAGE)))
    return made


class Interfaces(unittest.TestCase):
    def test_each_name_is_used_in_one_module(self):
        several = {name: sorted(modules) for name, modules in uses().items() if len(modules) > 1}
        self.assertEqual(several, {}, "import these names in one module, and use that module's name in the others")

    def test_this_pytorch_has_all_names(self):
        lacking = []
        for name, modules in sorted(uses().items()):
            with_class = re.sub(r"\.V\..*", ".V", name)  # inductor's state, which only exists while it compiles
            found, _ = resolve(with_class)
            if found != with_class and name not in OPTIONAL:
                lacking.append(f"{name} (there is {found} only), which {' and '.join(sorted(modules))} uses")
        self.assertEqual(lacking, [], f"PyTorch {torch.__version__} lacks these private interfaces")

    def test_replaced_functions_have_the_parameters_that_are_known(self):
        for name, expected in PARAMETERS.items():
            with self.subTest(name=name, version=torch.__version__):
                found, function = resolve(name)
                self.assertEqual(found, name)
                function = getattr(function, "__wrapped__", function)
                self.assertEqual(list(inspect.signature(function).parameters), expected)

    def test_a_name_that_is_missing_is_found(self):
        self.assertEqual(resolve("torch._inductor.utils.no_such_name")[0], "torch._inductor.utils")
        found = Names(ast.parse("import torch\ndef f(m): m.a.b\nafter_import('torch._x', f)\ntorch._y.z()")).found
        self.assertEqual(found, {"torch._x.a.b", "torch._y.z"})


if __name__ == "__main__":
    unittest.main()
