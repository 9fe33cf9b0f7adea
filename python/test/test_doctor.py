"""`python -m pumice.doctor` reports on this installation and on broken ones, in separate processes.

    PYTHONPATH=... python python/test/test_doctor.py
"""
import os
import pathlib
import subprocess
import sys
import tempfile
import unittest

from test_choosing import OTHER_COMPILER, OTHER_DRIVER
from test_triton import REQUESTS, torch

import pumice
import triton
from pumice_triton import versions

WHOLE = "import sys; from pumice import doctor; sys.exit(doctor.main())"
# Hides PyTorch, whose import takes seconds. Triton 3.9 does not expect None in sys.modules.
DOCTOR = """import sys
class WithoutTorch:
    @staticmethod
    def find_spec(name, *_):
        if name == "torch":
            raise ModuleNotFoundError("No module named 'torch'")
sys.meta_path.insert(0, WithoutTorch)
""" + WHOLE


def write_back_end(folder, package, name):
    """Installs another project's back end, as its wheel would."""
    place = pathlib.Path(folder, package)
    place.mkdir()
    (place / "__init__.py").write_text("")
    (place / "compiler.py").write_text(OTHER_COMPILER)
    (place / "driver.py").write_text(OTHER_DRIVER.replace("return True", "return False"))
    about = pathlib.Path(folder, f"{package}-1.0.dist-info")
    about.mkdir()
    (about / "METADATA").write_text(f"Metadata-Version: 2.1\nName: {package}\nVersion: 1.0\n")
    (about / "entry_points.txt").write_text(f"[triton.backends]\n{name} = {package}\n")


class Processes(unittest.TestCase):
    def run_python(self, code, path=(), **environment):
        """Returns (exit code, output). `path` comes first on Python's path, or last if its name begins with a +."""
        own = os.environ.get("PYTHONPATH", "").split(os.pathsep)
        before = [each for each in path if not each.startswith("+")]
        behind = [each[1:] for each in path if each.startswith("+")]
        variables = dict(os.environ, PYTHONPATH=os.pathsep.join([*before, *own, *behind]), CUDA_VISIBLE_DEVICES="")
        for name in ("PUMICE_DEVICE", "TRITON_DEFAULT_BACKEND"):
            variables.pop(name, None)
        done = subprocess.run([sys.executable, "-P", "-c", code], env={**variables, **environment}, text=True,
                              stdout=subprocess.PIPE, stderr=subprocess.STDOUT)
        return done.returncode, done.stdout


class Doctor(Processes):
    def test_everything_works(self):
        code, said = self.run_python(WHOLE)
        self.assertEqual(code, 0, said)
        self.assertRegex(said, rf"(?m)^triton +{triton.__version__} \(tested: 3\.6\.0, .*3\.9\.0\)$")
        self.assertRegex(said, r"(?m)^back ends +.*cpu \(pumice_triton\.cpu\).*vulkan \(pumice_triton\.vulkan\)")
        self.assertRegex(said, r"(?m)^cpu:0 .*, driver Pumice \d+\.\d+\.\d+: a Triton kernel is right$")
        if torch:
            self.assertRegex(said, rf"(?m)^torch +{torch.__version__.split('+')[0]}.* \(tested: ")
            self.assertRegex(said, r"(?m)^inductor +finds Triton's back end")
        self.assertEqual(said.splitlines()[-1], "everything works together" if "\nvulkan:0 " in said else
                         "Triton's kernels work on cpu:0; no Vulkan device was found (see above)")

    def test_without_the_metadata(self):
        """A copy of the package without its metadata names no function that reports."""
        with tempfile.TemporaryDirectory() as folder:
            for name in ("pumice", "pumice_hooks", "pumice_triton"):
                os.symlink(pathlib.Path(pumice.__file__).parent.parent / name, pathlib.Path(folder, name))
            code, said = self.run_python(WHOLE, PYTHONPATH=folder)
            self.assertEqual(code, 1, said)
            self.assertRegex(said, r"(?m)^cpu:0 +.*, driver Pumice ")
            self.assertRegex(said, r"(?m)^wrong: the package's metadata is not on Python's path, .*set PYTHONPATH to build/python$")

    def test_arguments(self):
        run = "import sys; from pumice import doctor; sys.exit(doctor.main(%r))"
        code, said = self.run_python(run % ["--help"])
        self.assertEqual(code, 0, said)
        self.assertIn("usage: python -m pumice.doctor [-h]", said)
        self.assertIn("which devices there are", said)
        code, said = self.run_python(run % ["--verbose"])
        self.assertEqual(code, 2, said)
        self.assertIn("error: unrecognized arguments: --verbose", said)

    def test_a_device_that_is_asked_for(self):
        code, said = self.run_python(DOCTOR, PUMICE_DEVICE="cpu")
        self.assertEqual(code, 0, said)
        self.assertRegex(said, r"(?m)^asked for +cpu:0, by PUMICE_DEVICE=cpu$")
        for name in ("vulkan:99", "nobody"):
            code, said = self.run_python(DOCTOR, PUMICE_DEVICE=name)
            self.assertEqual(code, 1, said)
            self.assertNotIn("Traceback", said)
            self.assertRegex(said, r"(?m)^cpu:0 .*: a Triton kernel is right$")
            self.assertRegex(said, rf"(?m)^asked for +PUMICE_DEVICE={name}: .*no device is called '{name}'$")
            self.assertRegex(said, rf"(?m)^wrong: PUMICE_DEVICE is '{name}', which cannot be opened: there are .*cpu:0 \(.*\); "
                             r"set it to one of these, or unset it$")

    def test_without_vulkan(self):
        nothing = dict.fromkeys(("VK_DRIVER_FILES", "VK_ICD_FILENAMES"), os.devnull)
        code, said = self.run_python(DOCTOR, **nothing)
        self.assertEqual(code, 0, said)
        self.assertRegex(said, r"(?m)^vulkan +no device: .*(install one .*mesa-vulkan-drivers|no Vulkan loader .*is installed)")
        self.assertEqual(said.splitlines()[-1],
                         "Triton's kernels work on cpu:0; no Vulkan device was found (see above)")
        code, said = self.run_python(DOCTOR, TRITON_DEFAULT_BACKEND="vulkan", **nothing)
        self.assertEqual(code, 1, said)
        self.assertIn("wrong: TRITON_DEFAULT_BACKEND is 'vulkan', and there is no Vulkan device: install a driver", said)

    def test_a_newer_version(self):
        code, said = self.run_python(f"import triton; triton.__version__ = '3.10.0'\n{DOCTOR}")
        self.assertEqual(code, 1, said)
        self.assertRegex(said, r"(?m)^wrong: Triton 3\.10\.0 is newer .*: if kernels fail, install 'triton>=3\.6,<3\.10'$")

    def test_without_triton(self):
        code, said = self.run_python(f"import sys; sys.modules['triton'] = None\n{DOCTOR}")
        self.assertEqual(code, 1, said)
        self.assertRegex(said, r"(?m)^wrong: Triton is not installed: pip install 'triton>=3\.6,<3\.10'$")
        self.assertRegex(said, r"(?m)^cpu:0 ")

    def test_back_ends_that_are_not_found(self):
        code, said = self.run_python(DOCTOR, TRITON_BACKENDS_IN_TREE="1")
        self.assertEqual(code, 1, said)
        self.assertIn("wrong: Triton does not know the back end 'cpu'", said)
        self.assertIn("unset TRITON_BACKENDS_IN_TREE", said)

    def test_a_library_that_cannot_be_loaded(self):
        with tempfile.TemporaryDirectory() as folder:
            package = pathlib.Path(folder, "pumice")
            package.mkdir()
            (package / "__init__.py").write_text("from ._native import Error\n")
            (package / "_native.so").write_text("no library\n")
            code, said = self.run_python("import runpy; runpy.run_module('pumice_triton.doctor', run_name='__main__')", [folder])
            self.assertEqual(code, 1, said)
            self.assertIn("wrong: Pumice's library cannot be loaded", said)
            self.assertRegex(said, r"(?m)^triton ")


class Rivals(Processes):
    """Another project's back end is named `cpu`, too. Triton takes the one found last."""
    SHOW = "import triton; print(triton.backends.backends['cpu'].driver.__module__)"

    def check(self, path, used):
        with tempfile.TemporaryDirectory() as folder:
            write_back_end(folder, "rival_backend", "cpu")
            place = path + folder
            code, said = self.run_python(self.SHOW, [place])
            self.assertEqual(code, 0, said)
            self.assertEqual(said.splitlines()[-1], used, said)
            if not used.startswith("pumice"):
                self.assertIn("Triton's back end 'cpu' is that of rival_backend, not Pumice's", said)
                _, said = self.run_python(self.SHOW, [place], PUMICE_DEVICE="cpu")
                self.assertEqual(said, "pumice_triton.cpu.driver\n")
            code, said = self.run_python(f"import pumice, triton; pumice.use('cpu')\n{self.SHOW}\n"
                                         "print(triton.runtime.driver.active.get_current_target())", [place])
            self.assertEqual(code, 0, said)
            self.assertIn("pumice_triton.cpu.driver", said)
            self.assertIn("backend='cpu'", said)
            self.assertIn("several packages have a back end of Triton's named 'cpu': pumice_triton.cpu, "
                          "rival_backend; Pumice's is used", said)
            code, said = self.run_python(DOCTOR, [place])
            self.assertEqual(code, 1, said)
            self.assertRegex(said, r"(?m)^wrong: pumice_triton\.cpu and rival_backend have a back end named 'cpu'")
            self.assertIn(f"found last, which is {used.rpartition('.')[0]} here: uninstall", said)
            # Triton can be imported even if warnings are errors.
            code, said = self.run_python("import warnings; warnings.simplefilter('error')\n"
                                         "import triton; print('imported')", [place])
            self.assertEqual(said.splitlines()[-1], "imported")

    def test_found_before_ours(self):
        self.check("", "pumice_triton.cpu.driver")

    def test_found_behind_ours(self):
        self.check("+", "rival_backend.driver")


class DefaultBackend(Processes):
    """TRITON_DEFAULT_BACKEND is followed, even if another vendor's driver works."""
    SHOW = "import triton; print(triton.runtime.driver.active.get_current_target().backend)"

    def test_by_variable(self):
        with tempfile.TemporaryDirectory() as folder:
            write_back_end(folder, "other_backend", "other")
            driver = pathlib.Path(folder, "other_backend", "driver.py")
            driver.write_text(driver.read_text().replace("return False", "return True"))
            for path in ([], [folder]):
                _, said = self.run_python(self.SHOW, path, TRITON_DEFAULT_BACKEND="cpu", PUMICE_DEVICE=REQUESTS[-1])
                self.assertEqual(said, "cpu\n")
            code, said = self.run_python(self.SHOW, [folder], TRITON_DEFAULT_BACKEND="vulkan")
            self.assertEqual(said, "vulkan\n") if code == 0 else self.assertIn("vulkan", said)  # fails without a Vulkan device
            _, said = self.run_python(self.SHOW, [folder], TRITON_DEFAULT_BACKEND="other")
            self.assertEqual(said, "other\n")
            _, said = self.run_python(self.SHOW, [folder])
            self.assertEqual(said, "other\n")

    @unittest.skipIf(versions.release(triton.__version__) < (3, 7), "Triton knows the variable from 3.7 on")
    def test_a_name_that_is_not_there(self):
        code, said = self.run_python(self.SHOW, TRITON_DEFAULT_BACKEND="nobody")
        self.assertNotEqual(code, 0)
        self.assertIn("Unknown backend device 'nobody'", said)
        code, said = self.run_python(DOCTOR, TRITON_DEFAULT_BACKEND="nobody")
        self.assertIn("wrong: TRITON_DEFAULT_BACKEND is 'nobody', which is not installed: set it to one of", said)


if __name__ == "__main__":
    unittest.main()
