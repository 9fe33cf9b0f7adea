"""python/pumice/_native.pyi has the names and parameters of the native module, as nanobind reports them.

    PYTHONPATH=... python python/test/test_stub.py
"""
import ast
import pathlib
import sys
import unittest

try:
    from nanobind.stubgen import StubGen
except ImportError as error:
    print(f"skipped: {error}")
    sys.exit(77)

from pumice import _native

STUB = pathlib.Path(__file__).resolve().parent.parent / "pumice" / "_native.pyi"


def parameters_of(function):
    """Returns (kind, name, default) of each parameter. In the native module, positional-only ones have no names."""
    given = function.args
    defaults = [None] * (len(given.posonlyargs) + len(given.args) - len(given.defaults)) + \
        [ast.unparse(each) for each in given.defaults]
    named = [*((index, "self" if each.arg == "self" else "") for index, each in enumerate(given.posonlyargs)),
             *((-1, each.arg) for each in given.args)]
    more = [each.arg for each in (given.vararg, given.kwarg) if each]
    return [*zip(named, defaults, strict=True), *more]


def names_of(text, prefix=""):
    """Returns {name: parameters} of a stub. Names without parameters have None."""
    found = {}
    for node in text:
        if isinstance(node, ast.ClassDef):
            found[prefix + node.name] = None
            found.update(names_of(node.body, f"{prefix}{node.name}."))
        elif isinstance(node, ast.FunctionDef):
            decorators = [each.id for each in node.decorator_list]
            found[prefix + node.name] = (decorators, parameters_of(node))
        elif isinstance(node, ast.AnnAssign):
            found[prefix + node.target.id] = None
    return found


class Stub(unittest.TestCase):
    maxDiff = None

    def test_names_and_parameters(self):
        generator = StubGen(_native)
        generator.put(_native)
        native = names_of(ast.parse(generator.get()).body)
        self.assertGreater(len(native), 50)
        self.assertEqual(names_of(ast.parse(STUB.read_text()).body), native)

    def test_everything_has_types(self):
        for node in ast.walk(ast.parse(STUB.read_text())):
            if isinstance(node, ast.FunctionDef):
                self.assertIsNotNone(node.returns, node.name)
                for each in (*node.args.posonlyargs, *node.args.args):
                    self.assertTrue(each.annotation or each.arg == "self", f"{node.name}({each.arg})")


if __name__ == "__main__":
    unittest.main()
