"""Which library of the device "vk" PyTorch gets, when it learns of the device, and errors when a library is compiled."""
import importlib.util
import os
import pathlib
import subprocess
import sys
import tempfile
import unittest

if importlib.util.find_spec("torch") is None:
    print("skipped: PyTorch is not installed")
    sys.exit(77)

from pumice_torch import build


def ask(code, **variables):
    """Returns what a new process prints, with variables set, or unset if they are None."""
    environment = {name: value for name, value in {**os.environ, **variables}.items() if value is not None}
    done = subprocess.run([sys.executable, "-c", code], env=environment, capture_output=True, text=True)
    return (done.stdout + done.stderr).strip()


KNOWS = "import torch; print(hasattr(torch, 'vk'))"


@unittest.skipIf(build.find() is None, "there is no library for this PyTorch")
class Announcing(unittest.TestCase):
    def test_torch_loads_vk_automatically(self):
        self.assertEqual(ask(KNOWS, PUMICE_VK=None), "True")
        self.assertEqual(ask(KNOWS, PUMICE_VK="1"), "True")

    def test_a_variable_turns_it_off(self):
        for value in ("0", ""):
            self.assertEqual(ask(KNOWS, PUMICE_VK=value), "False")

    def test_another_accelerator_keeps_it_off(self):
        code = """if True:
            import os, torch
            from pumice_torch import _has_accelerator
            there = {"/dev/nvidiactl"}
            os.path.exists = there.__contains__
            torch.version.cuda = "13.0"
            os.environ.pop("CUDA_VISIBLE_DEVICES", None)
            print(_has_accelerator())
            os.environ["CUDA_VISIBLE_DEVICES"] = ""
            print(_has_accelerator())"""
        self.assertEqual(ask(code).split(), ["True", "False"])

    def test_a_broken_library_is_a_warning(self):
        with tempfile.NamedTemporaryFile(suffix=".so") as file:
            said = ask("import torch; print(torch.ones(1).item())", PUMICE_TORCH_LIBRARY=file.name, PUMICE_VK="1")
        self.assertIn("torch.device('vk') cannot be used", said)
        self.assertIn("1.0", said)


class Compiling(unittest.TestCase):
    def setUp(self):
        self.cache = tempfile.TemporaryDirectory()
        self.addCleanup(self.cache.cleanup)

    def compile(self, *options, **variables):
        command = [sys.executable, "-m", "pumice_torch.build", *options]
        return subprocess.run(command, env={**os.environ, "PUMICE_CACHE_DIR": self.cache.name, **variables},
                              capture_output=True, text=True)

    def test_a_compiler_that_is_missing(self):
        done = self.compile("--again", CXX="no-such-compiler -O2")
        self.assertEqual(done.returncode, 1)
        self.assertIn("CXX is 'no-such-compiler -O2', which is not a program", done.stderr)
        done = self.compile("--again", CXX="", PATH=self.cache.name)
        self.assertEqual(done.returncode, 1)
        self.assertIn("no C++ compiler was found", done.stderr)

    def test_a_compiler_that_fails_leaves_nothing(self):
        compiler = pathlib.Path(self.cache.name, "cxx")
        compiler.write_text("#!/bin/sh\necho 'Interface.cpp:1: error: no luck' >&2\nexit 1\n")
        compiler.chmod(0o755)
        done = self.compile("--again", CXX=str(compiler))
        self.assertEqual(done.returncode, 1)
        self.assertIn("Interface.cpp:1: error: no luck", done.stderr)
        self.assertEqual(list(pathlib.Path(self.cache.name, "torch").iterdir()), [])

    def test_a_library_that_cannot_be_loaded(self):
        compiler = pathlib.Path(self.cache.name, "cxx")
        compiler.write_text('#!/bin/sh\nwhile [ "$1" != -o ]; do shift; done\ntouch "$2"\n')
        compiler.chmod(0o755)
        done = self.compile("--again", CXX=str(compiler))
        self.assertEqual(done.returncode, 1)
        self.assertIn("cannot be loaded", done.stderr)
        self.assertEqual(list(pathlib.Path(self.cache.name, "torch").iterdir()), [])

    @unittest.skipIf(build.find() is None, "there is no library for this PyTorch")
    def test_it_compiles_and_links_every_source(self):
        compiler = pathlib.Path(self.cache.name, "cxx")
        log = pathlib.Path(self.cache.name, "log")
        compiler.write_text('#!/bin/sh\nif [ "$1" = --version ]; then echo "clang version 22.1.8"; exit; fi\n'
                            f'echo "$@" >> {log}\nwhile [ "$1" != -o ]; do shift; done\ncp {build.find()} "$2"\n')
        compiler.chmod(0o755)
        done = self.compile("--again", CXX=str(compiler))
        self.assertEqual(done.returncode, 0, done.stderr)
        made = pathlib.Path(done.stdout.split()[-1])
        self.assertTrue(made.exists())
        lines = log.read_text().splitlines()
        sources = [path for path in build.sources() if path.suffix == ".cpp"]
        self.assertGreater(len(sources), 10)
        self.assertEqual(len(lines), len(sources) + 1)
        self.assertTrue(all("-fclang-abi-compat=17" in line for line in lines[:-1]))
        self.assertIn("-shared", lines[-1])
        self.assertIn("libpumice.so.1", lines[-1])

    def test_help(self):
        done = self.compile("--help")
        self.assertEqual(done.returncode, 0)
        self.assertIn("--again", done.stdout)


if __name__ == "__main__":
    unittest.main()
