"""Pumice's changes of Triton: all of them are listed in pumice_triton/patches.py, and in effect.

    PYTHONPATH=... python python/test/test_patches.py
"""
import ast
import functools
import importlib
import pathlib
import shutil
import subprocess
import sys
import tempfile
import unittest

try:
    import triton
except ImportError as error:
    print(f"skipped: {error}")
    sys.exit(77)

import pumice
from pumice_triton import keys, patches


class Patches(unittest.TestCase):
    def test_every_patch_is_in_effect(self):
        pumice.use("cpu")
        self.addCleanup(pumice.use, None)
        triton.runtime.driver.active.get_current_target()
        importlib.import_module("triton.testing")
        for patch in patches.PATCHES:
            if patch.module.startswith("torch"):
                continue
            with self.subTest(patch=f"{patch.module}.{patch.name}"):
                owner = functools.reduce(getattr, patch.name.split(".")[:-1], sys.modules[patch.module])
                self.assertIs(getattr(owner, patch.name.split(".")[-1]), patches.replaced[patch])
                self.assertTrue(patch.versions and patch.why)

    def test_the_key_of_triton_is_computed_once(self):
        """Other files, a damaged file and one of another user make it compute the key again."""
        calls = []

        def compute():
            calls.append(1)
            return "3.9-some-key"

        with tempfile.TemporaryDirectory() as folder:
            package, kept = pathlib.Path(folder, "triton"), pathlib.Path(folder, "cache", "triton")
            library = package / "_C" / "libtriton.so"
            library.parent.mkdir(parents=True)
            library.write_bytes(b"one")

            def computed(times):
                calls.clear()
                self.assertEqual(keys.known_key(compute, package, kept), "3.9-some-key")
                self.assertEqual(len(calls), times)

            computed(1)
            computed(0)
            library.write_bytes(b"two")
            computed(1)
            computed(0)
            for file in kept.iterdir():
                file.write_text(file.read_text()[:-1])
            computed(1)
            computed(0)
            for file in kept.iterdir():
                file.chmod(0o666)
            computed(1)
            shutil.rmtree(kept)
            kept.write_text("this is no folder")
            computed(1)
        self.assertEqual(triton.runtime.cache.triton_key(), triton.runtime.cache.triton_key.__wrapped__.__wrapped__())

    def test_import_alone_does_not_load_the_library(self):
        code = ("import sys, triton; from pumice_triton import patches; "
                "assert patches.AT_LOOKUP in patches.replaced; "
                "assert not any(patch in patches.replaced for patch in patches.AT_DRIVER); "
                "assert 'pumice' not in sys.modules and 'torch._inductor' not in sys.modules")
        subprocess.run([sys.executable, "-c", code], check=True)

    def test_no_other_module_assigns_to_triton(self):
        folder = pathlib.Path(patches.__file__).parent
        for path in sorted(folder.rglob("*.py")):
            if path.name == "patches.py":
                continue
            tree = ast.parse(path.read_text())
            foreign = {each.asname or each.name.split(".")[0] for node in ast.walk(tree)
                       if isinstance(node, (ast.Import, ast.ImportFrom)) and _is_foreign(node) for each in node.names}
            own = {node.name for node in ast.walk(tree) if isinstance(node, ast.ClassDef)}
            for node in ast.walk(tree):
                targets = node.targets if isinstance(node, ast.Assign) else []
                parts = [part for target in targets for part in getattr(target, "elts", [target])]
                for part in parts:
                    if isinstance(part, ast.Attribute) and _root(part) in foreign - {"knobs"}:  # knobs are settings
                        self.fail(f"{path.name}:{node.lineno} assigns to another package: patches.py does")
                if isinstance(node, ast.Call) and getattr(node.func, "id", "") == "setattr" and _root(node.args[0]) not in own:
                    self.fail(f"{path.name}:{node.lineno} calls setattr: patches.py does")


def _is_foreign(node):
    names = [each.name for each in node.names] if isinstance(node, ast.Import) else [node.module or ""]
    return not getattr(node, "level", 0) and any(name.split(".")[0] in ("triton", "torch") for name in names)


def _root(node):
    while isinstance(node, ast.Attribute):
        node = node.value
    return getattr(node, "id", "")


if __name__ == "__main__":
    unittest.main()
