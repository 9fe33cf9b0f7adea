"""The ways in which users choose the device and the driver for Triton, each in a separate process.

    PYTHONPATH=... python python/test/test_choosing.py
"""
import os
import pathlib
import subprocess
import sys
import tempfile
import unittest

from test_triton import REQUESTS, torch

import pumice


class Choosing(unittest.TestCase):
    """Runs scripts in separate processes, to see which driver is active."""

    SHOW = "import triton; print(triton.runtime.driver.active.get_current_target())"

    def run_python(self, code, path=(), **environment):
        own = [path_ for path_ in os.environ.get("PYTHONPATH", "").split(os.pathsep) if path_]
        variables = dict(os.environ, PYTHONPATH=os.pathsep.join([*map(str, path), *own]))
        variables.pop("PUMICE_DEVICE", None)
        variables["CUDA_VISIBLE_DEVICES"] = ""  # other drivers are those that a test provides
        done = subprocess.run([sys.executable, "-c", code], env={**variables, **environment},
                              stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True)
        self.assertEqual(done.returncode, 0, done.stdout)
        return done.stdout

    def test_the_first_launches_on_several_threads(self):
        """Each thread finds Triton's patches applied, and only once."""
        code = f"""
import sys, threading
sys.path.insert(0, {os.path.dirname(os.path.abspath(__file__))!r})
import numpy as np, triton_kernels
x, wrong, start = np.ones((4, 64), np.float32), [], threading.Barrier(8)
def work(columns):
    start.wait()
    try:
        triton_kernels.softmax[(4,)](np.empty_like(x), x, 64, 64, 64, BLOCK=64)
    except Exception as error:
        wrong.append(error)
threads = [threading.Thread(target=work, args=(n,)) for n in range(8)]
for thread in threads: thread.start()
for thread in threads: thread.join()
print(wrong)
"""
        for _ in range(2):
            self.assertEqual(self.run_python(code), "[]\n")

    def test_launches_wait_until_another_thread_has_loaded_the_kernel(self):
        code = f"""
import sys, threading, time
sys.path.insert(0, {os.path.dirname(os.path.abspath(__file__))!r})
import numpy as np, triton, triton_kernels
utils = triton.runtime.driver.active.utils
load, loads = utils.load_binary, []
def load_slowly(*given):
    loads.append(given[0])
    time.sleep(0.5)
    return load(*given)
utils.load_binary = load_slowly
x, wrong, start = np.ones(64, np.float32), [], threading.Barrier(4)
triton_kernels.add.warmup(x, x, x, 64, BLOCK=64, grid=(1,))
def work():
    start.wait()
    try:
        triton_kernels.add[(1,)](x, x, np.empty_like(x), 64, BLOCK=64)
    except Exception as error:
        wrong.append(error)
threads = [threading.Thread(target=work) for _ in range(4)]
for thread in threads: thread.start()
for thread in threads: thread.join()
print(wrong, loads)
"""
        self.assertRegex(self.run_python(code), r"^\[\] \['\w+'\]\n$")

    def test_the_cpu_is_the_default(self):
        self.assertIn("backend='cpu'", self.run_python(self.SHOW))

    def test_by_variable(self):
        for request in REQUESTS:
            driver = pumice.device(request).info["driver"]
            self.assertIn(f"backend='{driver}'", self.run_python(self.SHOW, PUMICE_DEVICE=request))

    def test_use_before_triton(self):
        code = f"import pumice; pumice.use({REQUESTS[-1]!r}); {self.SHOW}"
        driver = pumice.device(REQUESTS[-1]).info["driver"]
        self.assertIn(f"backend='{driver}'", self.run_python(code))

    LAUNCH = """
import triton, numpy
print("imported")
import triton_kernels
x = numpy.zeros(1, numpy.float32)
try: triton_kernels.add[(1,)](x, x, x, 1, BLOCK=1)
except Exception as error: print(type(error), error)
else: print("launched")
"""
    HERE = os.path.dirname(os.path.abspath(__file__))

    def test_the_autotuner_first(self):
        """The autotuner's hooks run before any driver is requested."""
        code = """
import numpy, sys, triton, triton_kernels
assert "pumice" not in sys.modules
by_default = triton_kernels.tuned_in_place
tuned = triton.autotune(by_default.configs, ["n"], restore_value=["x"], reset_to_zero=["count"],
                        do_bench=lambda call, quantiles: (call(), [1, 1, 1])[1])(by_default.fn)
x, count = numpy.ones(16, numpy.float32), numpy.ones(1, numpy.int32)
tuned[(1,)](x, count, 16)
print(set(x.tolist()), count, type(triton.runtime.autotuner).__name__)
"""
        for request in REQUESTS:
            self.assertEqual(self.run_python(code, [self.HERE], PUMICE_DEVICE=request), "{2.0} [16] module\n")

    def test_the_autotuner_with_other_drivers(self):
        """The hooks are Triton's own for other drivers. PyTorch finds the original parameters everywhere."""
        self.assertEqual(self.run_python("""
import inspect, triton
from triton.runtime.autotuner import Autotuner
assert "do_bench" in inspect.signature(Autotuner.__init__).parameters
triton.runtime.driver.set_active(object())
tuner = Autotuner(lambda x: 0, ["x"], [], [], ["x"], None)
import numpy
try: tuner.pre_hook({"x": numpy.ones(1)})
except AttributeError as error: print(error)
"""), "'numpy.ndarray' object has no attribute 'zero_'\n")

    def test_devices_that_cannot_be_opened(self):
        """Triton can be imported, and reports the problem when it is used."""
        for said, environment in {
                "'vulkan:77'": {"PUMICE_DEVICE": "vulkan:77"},
                "PUMICE_CPU_THREADS is 'abc'; expected a number from 1 to 1024": {"PUMICE_CPU_THREADS": "abc",
                                                                         "PUMICE_DEVICE": "cpu"}}.items():
            told = self.run_python(self.LAUNCH, [self.HERE], **environment).splitlines()
            self.assertEqual(told[0], "imported")
            self.assertRegex(told[1], r"pumice\.\w+Error")
            self.assertIn(said, told[1])

    def test_variables_that_are_wrong(self):
        for name, value, said in (("PUMICE_HOST_MEMORY", "bogus", "'bogus'; expected 'auto', 'import' or 'copy'"),
                                  ("PUMICE_DUMP", "/proc/nope", "'/proc/nope', where nothing can be written")):
            told = self.run_python(self.LAUNCH, [self.HERE], PUMICE_DEVICE=REQUESTS[-1], **{name: value},
                                   TRITON_ALWAYS_COMPILE="1")
            self.assertIn(f"{name} is {said}", told)

    def test_a_broken_library_does_not_break_triton(self):
        with tempfile.TemporaryDirectory() as folder:
            package = pathlib.Path(folder, "pumice")
            package.mkdir()
            (package / "__init__.py").write_text("from ._native import Error\n")
            (package / "_native.so").write_text("no library\n")
            for device in ({}, {"PUMICE_DEVICE": "cpu"}):
                self.assertIn("imported", self.run_python("import triton; print('imported')",
                                                          [folder], **device))

    def test_inert_with_another_driver(self):
        with tempfile.TemporaryDirectory() as folder:
            package = pathlib.Path(folder, "other_backend")
            package.mkdir()
            (package / "__init__.py").write_text("")
            (package / "compiler.py").write_text(OTHER_COMPILER)
            (package / "driver.py").write_text(OTHER_DRIVER)
            about = pathlib.Path(folder, "other-1.0.dist-info")
            about.mkdir()
            (about / "METADATA").write_text("Metadata-Version: 2.1\nName: other\nVersion: 1.0\n")
            (about / "entry_points.txt").write_text("[triton.backends]\nother = other_backend\n")
            self.assertIn("backend='other'", self.run_python(self.SHOW, [folder]))
            self.assertIn("backend='other'", self.run_python(self.SHOW, [folder], PUMICE_DEVICE=""))
            for request in REQUESTS:
                driver = pumice.device(request).info["driver"]
                self.assertIn(f"backend='{driver}'", self.run_python(self.SHOW, [folder], PUMICE_DEVICE=request))
            wrong = self.run_python(self.LAUNCH, [folder, self.HERE], PUMICE_DEVICE="nope").splitlines()
            self.assertEqual(wrong[0], "imported")
            self.assertRegex(wrong[1], r"pumice\.\w+Error")
            self.assertIn("'nope'", wrong[1])
            asked = f"import triton, pumice; pumice.use('cpu'); {self.SHOW}"
            self.assertIn("backend='cpu'", self.run_python(asked, [folder]))
            back = f"import triton, pumice; pumice.use('cpu'); pumice.use(None); {self.SHOW}"
            self.assertIn("backend='other'", self.run_python(back, [folder]))
            before = f"import pumice; pumice.use('cpu'); import triton; {self.SHOW}"
            self.assertIn("backend='cpu'", self.run_python(before, [folder]))
            old = "import sys; sys.meta_path.insert(0, type('Old', (), {'find_module': lambda *_: None})())"
            self.assertIn("backend='cpu'", self.run_python(f"{old}\n{before}", [folder]))
            taken_back = before.replace("import triton;", "pumice.use(None); import triton;", 1)
            self.assertIn("backend='other'", self.run_python(taken_back, [folder]))
            if torch:  # kernels are kept by numbers, and the first numbers are the other driver's devices
                number = "print('number', triton.runtime.driver.active.get_current_device())"
                self.assertIn("number 64", self.run_python(f"import torch; {asked}; {number}", [folder]))

    @unittest.skipUnless(torch, "no PyTorch")
    def test_as_many_threads_as_torch(self):
        code = """
import glob, pumice{order}
def workers():
    names = [open(task + "/comm").read().strip() for task in glob.glob("/proc/self/task/*")]
    return names.count("pumice-worker")
import numpy, triton, triton_kernels
x = torch.zeros(1 << 20)
for threads in (1, 2):
    torch.set_num_threads(threads)
    for _ in range(100):  # a thread gives itself its name when it comes to run
        triton_kernels.add[(1024,)](x, x, x, 1 << 20, BLOCK=1024)
        if workers() == threads - 1:
            break
    print("workers", workers())
"""
        folder = [os.path.dirname(os.path.abspath(__file__))]
        for order in (", torch", "; pumice.use('cpu'); import torch"):
            said = self.run_python(code.replace("{order}", order), folder, PUMICE_DEVICE="cpu")
            self.assertIn("workers 0\nworkers 1\n", said, order)
        chosen = self.run_python(code.replace("{order}", ", torch"), folder, PUMICE_CPU_THREADS="1")
        self.assertIn("workers 0\nworkers 0\n", chosen)


OTHER_COMPILER = """
from triton.backends.compiler import BaseBackend
class OtherBackend(BaseBackend):
    @staticmethod
    def supports_target(target): return target.backend == "other"
    def hash(self): return "other"
    def parse_options(self, options): return None
    def add_stages(self, stages, options): pass
    def load_dialects(self, context): pass
    def get_module_map(self): return {}
"""
OTHER_DRIVER = """
from triton.backends import driver
from triton.backends.compiler import GPUTarget
class OtherDriver(driver.DriverBase):
    @classmethod
    def is_active(self): return True
    def map_python_to_cpp_type(self, ty): return ty
    def get_current_target(self): return GPUTarget("other", 1, 32)
    def get_active_torch_device(self): return None
    def get_benchmarker(self): return None
"""

if __name__ == "__main__":
    unittest.main()
