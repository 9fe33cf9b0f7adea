"""The package on every device that PUMICE_TEST_DEVICES names, or the CPU device.

    PYTHONPATH=... python -m unittest discover python/test
"""
import gc
import os
import pathlib
import subprocess
import sys
import tempfile
import threading
import time
import unittest

import numpy as np

import pumice

SAXPY = """
gpu.module @m {
  gpu.func @saxpy(%a: f32, %x: memref<?xf32>, %y: memref<?xf32>) kernel
      attributes {known_block_size = array<i32: 64, 1, 1>} {
    %i = gpu.global_id x
    %c0 = arith.constant 0 : index
    %n = memref.dim %y, %c0 : memref<?xf32>
    %in = arith.cmpi ult, %i, %n : index
    scf.if %in {
      %p = memref.load %x[%i] : memref<?xf32>
      %q = memref.load %y[%i] : memref<?xf32>
      %r = arith.mulf %a, %p : f32
      %s = arith.addf %r, %q : f32
      memref.store %s, %y[%i] : memref<?xf32>
    }
    gpu.return
  }
}
"""

NUMBERS = """
gpu.module @m {
  gpu.func @put(%h: f16, %b: bf16, %i: i8, %l: i64, %d: f64, %t: i1, %hs: memref<1xf16>,
                %bs: memref<1xbf16>, %is: memref<1xi8>, %ls: memref<1xi64>, %ds: memref<1xf64>,
                %ts: memref<1xi32>) kernel attributes {known_block_size = array<i32: 1, 1, 1>} {
    %c0 = arith.constant 0 : index
    %w = arith.extui %t : i1 to i32
    memref.store %h, %hs[%c0] : memref<1xf16>
    memref.store %b, %bs[%c0] : memref<1xbf16>
    memref.store %i, %is[%c0] : memref<1xi8>
    memref.store %l, %ls[%c0] : memref<1xi64>
    memref.store %d, %ds[%c0] : memref<1xf64>
    memref.store %w, %ts[%c0] : memref<1xi32>
    gpu.return
  }
}
"""

PRINTING = """
gpu.module @m {
  gpu.func @say(%n: i32) kernel attributes {known_block_size = array<i32: 1, 1, 1>} {
    gpu.printf "n = %d\\n", %n : i32
    gpu.return
  }
}
"""

REQUESTS = os.environ.get("PUMICE_TEST_DEVICES", "cpu").split(",")


def on_each_device(test):
    def run(self):
        for request in REQUESTS:
            with self.subTest(device=request):
                test(self, pumice.device(request))
    return run


class Import(unittest.TestCase):
    def test_is_quick(self):
        """Modules that only some functions use take longer to import than the rest of the package."""
        code = "import sys, numpy; before = set(sys.modules); import pumice; print(*set(sys.modules) - before)"
        said = subprocess.run([sys.executable, "-c", code], check=True, capture_output=True, text=True).stdout.split()
        self.assertIn("pumice.launchers", said)
        for module in ("importlib.metadata", "email", "hashlib", "shutil", "socket", "subprocess", "tempfile", "zipfile"):
            self.assertNotIn(module, said)


class Devices(unittest.TestCase):
    def test_list(self):
        found = pumice.devices()
        self.assertIn("cpu:0", [each.id for each in found])
        self.assertRegex(repr(found), r"cpu:0: \w+.* \(cpu, subgroups of \d+, \d+\.\d GiB\)")
        self.assertEqual(repr(pumice.device("cpu")), repr(next(each for each in found if each.id == "cpu:0")))

    @on_each_device
    def test_repr_and_str(self, device):
        program = pumice.compile(SAXPY, device)
        self.assertRegex(repr(program), r"^Program\(saxpy; \d+ bytes\)$")
        self.assertEqual(repr(program.on(device)["saxpy"]),
                         f"Kernel(saxpy(arg0: f32, arg1: f32[] read, arg2: f32[] read_write), {device.id})")
        self.assertRegex(repr(program), rf"^Program\(saxpy; \d+ bytes; loaded on {device.id}\)$")
        self.assertEqual(repr(pumice.Program(b"")), "Program(unreadable; 0 bytes)")
        array = pumice.full((2, 2), 7, np.int32, device)
        self.assertEqual(repr(array), f"Array((2, 2), int32, {device.id})")
        self.assertEqual(str(array), f"[[7 7]\n [7 7]] Array((2, 2), int32, {device.id})")

    def test_the_same_device_is_one_object(self):
        self.assertIs(pumice.device("cpu"), pumice.device("cpu:0"))

    def test_use(self):
        chosen = pumice.use("cpu:0")
        self.assertIs(pumice.device(), chosen)
        pumice.use(None)

    def test_unknown(self):
        with self.assertRaisesRegex(pumice.Error, "no device is called .toaster.") as caught:
            pumice.device("toaster")
        self.assertEqual(caught.exception.status, "not found")
        with self.assertRaisesRegex(TypeError, "^0 does not name a device: expected an id"):
            pumice.use(0)

    def test_listed_devices_can_be_opened(self):
        for listed in pumice.devices():
            self.assertEqual(pumice.device(listed).id, listed.id)

    def test_option(self):
        with self.assertRaisesRegex(pumice.Error, "threads"):
            pumice.device("cpu").set_option("colour", 1)

    def test_target_compiles(self):
        self.assertGreater(len(pumice.compile(SAXPY, pumice.device("cpu").target).data), 100)


class Arrays(unittest.TestCase):
    @on_each_device
    def test_round_trip(self, device):
        for dtype in (np.bool_, np.int8, np.uint8, np.int16, np.uint16, np.int32, np.uint32, np.int64,
                      np.uint64, np.float16, np.float32, np.float64):
            for shape in ((), (1,), (7,), (3, 5), (0,), (2, 0, 3)):
                host = (np.random.default_rng(1).random(shape) * 100).astype(dtype)
                array = pumice.from_numpy(host, device)
                self.assertEqual((array.shape, array.dtype, array.nbytes),
                                 (host.shape, host.dtype, host.nbytes))
                np.testing.assert_array_equal(array.numpy(), host)

    @on_each_device
    def test_gaps_are_closed(self, device):
        host = np.arange(24, dtype=np.int32).reshape(4, 6)
        np.testing.assert_array_equal(pumice.from_numpy(host[::2, ::3], device).numpy(),
                                      host[::2, ::3])

    @on_each_device
    def test_zeros_and_full(self, device):
        self.assertFalse(pumice.zeros((3, 3), device=device).numpy().any())
        self.assertTrue((pumice.full(5, 2.5, device=device).numpy() == 2.5).all())

    def test_strides(self):
        array = pumice.empty((2, 3, 4), np.float16)
        self.assertEqual(array.stride(), (12, 4, 1))
        self.assertEqual([array.stride(0), array.stride(-1)], [12, 1])
        self.assertEqual([array.numel(), array.element_size(), array.is_contiguous()], [24, 2, True])
        self.assertEqual(pumice.empty((), np.int8).stride(), ())
        with self.assertRaises(IndexError):
            array.stride(3)

    def test_reshape(self):
        array = pumice.from_numpy(np.arange(12))
        np.testing.assert_array_equal(array.reshape(3, -1).numpy(), np.arange(12).reshape(3, 4))
        for wrong in ((5, -1), (-1, -1), (13,)):
            with self.assertRaisesRegex(ValueError, "cannot give 12 elements the shape"):
                array.reshape(wrong)

    def test_bfloat16_is_its_bits(self):
        array = pumice.from_numpy(np.array([0x3f80], np.uint16), dtype="bfloat16")
        self.assertEqual(array.dtype, "bfloat16")
        self.assertEqual(array.numpy()[0], 0x3f80)

    def test_types_that_kernels_lack(self):
        for wrong in (np.complex64, np.dtype(">f4"), np.dtype("U3"), np.dtype([("a", "i4")])):
            with self.assertRaisesRegex(TypeError, "not an element type for kernels"):
                pumice.empty(3, wrong)

    def test_wrong_shapes(self):
        with self.assertRaisesRegex(ValueError, "negative extent"):
            pumice.empty((2, -1))
        with self.assertRaisesRegex(ValueError, r"got \(3,\) of float32"):
            pumice.zeros(4).copy_from(np.zeros(3, np.float32))

    def test_dlpack_shares_memory_of_the_cpu(self):
        array = pumice.from_numpy(np.arange(6, dtype=np.float32).reshape(2, 3), "cpu")
        shared = np.from_dlpack(array)
        np.testing.assert_array_equal(shared, array.numpy())
        array.copy_from(np.zeros((2, 3), np.float32))
        pumice.synchronize("cpu")
        self.assertFalse(shared.any())
        del array
        gc.collect()
        self.assertFalse(shared.any())  # `shared` keeps the memory alive

    def test_dlpack_from(self):
        host = np.arange(1 << 12, dtype=np.float32)
        array = pumice.from_dlpack(host, "cpu")
        host[5] = 77
        self.assertEqual(array.numpy()[5], 77)

    @on_each_device
    def test_dlpack_capsules_that_nobody_takes(self, device):
        array = pumice.zeros(4, device=device)
        if array.__dlpack_device__()[0] == 1:
            for version in (None, (1, 0)):
                array.__dlpack__(max_version=version)
        else:
            with self.assertRaises(BufferError):
                array.__dlpack__()
        gc.collect()


class Programs(unittest.TestCase):
    def test_text(self):
        program = pumice.compile(SAXPY, pumice.device("cpu"))
        self.assertIn("OpEntryPoint", program.text("spirv"))
        self.assertIn("define ", program.text("llir"))
        self.assertIn(".text", program.text("asm"))
        with self.assertRaises(ValueError):
            program.text("poetry")

    @on_each_device
    def test_arrays(self, device):
        x = pumice.from_numpy(np.arange(1000, dtype=np.float32), device)
        y = pumice.full(1000, 1, device=device)
        saxpy = pumice.compile(SAXPY, device).on(device)["saxpy"]
        self.assertEqual([one["element"] for one in saxpy.arguments], ["f32"] * 3)
        for _ in range(3):
            saxpy[16](2.0, x, y)
        np.testing.assert_array_equal(y.numpy(), 6 * np.arange(1000) + 1)

    @on_each_device
    def test_a_launch_begins_while_the_caller_does_something_else(self, device):
        x, y = pumice.full(100, 3.0, np.float32, device), pumice.full(100, 1.0, np.float32, device)
        try:
            seen = np.from_dlpack(y)  # this is the memory itself
        except (BufferError, RuntimeError) as reason:
            self.skipTest(str(reason))
        device.synchronize()
        pumice.compile(SAXPY, device.target).on(device)["saxpy"][2](2.0, x, y)
        end = time.monotonic() + 20
        while seen[99] != 7 and time.monotonic() < end:
            time.sleep(0.001)
        self.assertEqual(seen[99], 7)
        device.synchronize()

    @on_each_device
    def test_numpy_holds_the_results(self, device):
        x, y = np.arange(100, dtype=np.float32), np.ones(100, np.float32)
        saxpy = pumice.compile(SAXPY, device).on(device)["saxpy"]
        saxpy[2](np.float32(0.5), x, y)
        np.testing.assert_array_equal(y, 0.5 * x + 1)

    @on_each_device
    def test_numbers(self, device):
        put = pumice.compile(NUMBERS, device).on(device)["put"]
        places = [np.zeros(1, t) for t in (np.float16, np.uint16, np.int8, np.int64, np.float64,
                                           np.int32)]
        put[1](1.0009765625, 3.140625, -7, -(1 << 40), 0.1, True, *places)
        self.assertEqual([float(p[0]) for p in places],
                         [1.0009765625, 0x4049, -7, -(1 << 40), 0.1, 1])

    def test_halves_are_rounded(self):
        put = pumice.compile(NUMBERS, "device:cpu:0").on("cpu")["put"]
        rng = np.random.default_rng(7)
        values = np.concatenate([rng.standard_normal(40) * 10.0 ** rng.integers(-9, 6, 40),
                                 [0.0, -0.0, np.inf, -np.inf, np.nan, 65504, 65519.9, 65520, 6e-8,
                                  2.9e-8, 3e-8, 6.1035e-5, 3.4e38, 1e-40]])
        for value in values:
            half, brain = np.zeros(1, np.float16), np.zeros(1, np.uint16)
            put[1](value, value, 0, 0, 0, 0, half, brain, *[np.zeros(1, t) for t in (
                np.int8, np.int64, np.float64, np.int32)])
            with np.errstate(over="ignore"):
                np.testing.assert_equal(half[0], np.float16(value))
            if np.isnan(value):
                self.assertGreater(brain[0] & 0x7fff, 0x7f80)
                continue
            # No neighbour is nearer, if infinity counts as 2^128.
            def number(bits):
                return (2.0 ** 128 if bits & 0x7fff == 0x7f80 else
                        abs(float((np.uint32(bits) << 16).view(np.float32))))
            got, size = int(brain[0]), min(abs(value), 2.0 ** 128)
            for other in (got - 1, got + 1):
                if 0 <= other & 0x7fff <= 0x7f80 and other >> 15 == got >> 15:
                    self.assertLessEqual(abs(number(got) - size), abs(number(other) - size))
            self.assertEqual(got >> 15, int(np.signbit(value)))

    def test_wrong_arguments(self):
        saxpy = pumice.compile(SAXPY, pumice.device("cpu")).on("cpu")["saxpy"]
        x = pumice.zeros(4, device="cpu")
        for arguments, message in (((1.0, x), "takes 3 arguments; 2"),
                                   (("a", x, x), "argument 0 .*expected a number"),
                                   ((1.0, 2.0, x), "argument 1 .*expected an array of f32"),
                                   ((x, x, x), "argument 0 .*expected a number"),
                                   ((1.0, None, x), "argument 1")):
            with self.assertRaisesRegex(pumice.Error, message) as caught:
                saxpy[1](*arguments)
            self.assertEqual(caught.exception.status, "invalid argument")
        put = pumice.compile(NUMBERS, pumice.device("cpu")).on("cpu")["put"]
        for value in (128 + 128, -129, 1 << 70, 1.5):
            with self.assertRaisesRegex(pumice.Error, "argument 2"):
                put[1](0, 0, value, 0, 0, 0, *[None] * 6)
        with self.assertRaisesRegex(ValueError, "groups are"):
            saxpy[1, 2, 3, 4]
        host = np.zeros(8, np.float32)
        with self.assertRaisesRegex(ValueError, "not contiguous"):
            saxpy[1](1.0, host[::2], host[::2])
        host.flags.writeable = False
        with self.assertRaisesRegex(ValueError, "read-only"):
            saxpy[1](1.0, host, host)

    def test_compile_errors(self):
        with self.assertRaisesRegex(pumice.Error, "where:1:1"):
            pumice.compile("what", name="where")
        with self.assertRaisesRegex(ValueError, "addressing"):
            pumice.compile(SAXPY, addressing="pointers")
        with self.assertRaisesRegex(ValueError, "via is 'clang'; expected 'spirv' or 'llvm'"):
            pumice.compile(SAXPY, "opencl-3.0", via="clang")

    def test_both_routes_of_opencl(self):
        by_route = {via: pumice.compile(SAXPY, "opencl-3.0", via=via).data for via in ("spirv", "llvm")}
        self.assertNotEqual(by_route["spirv"], by_route["llvm"])
        self.assertEqual(pumice.compile(SAXPY, "opencl-3.0").data, by_route["spirv"])
        for of in (lambda program: program, lambda program: program.on("cpu")):
            with self.assertRaises(KeyError) as caught:
                of(pumice.compile(SAXPY, pumice.devices()))["saxpi"]
            self.assertEqual(str(caught.exception), "the program has no kernel 'saxpi'; it has saxpy")
            self.assertIsInstance(caught.exception, pumice.NotFoundError)

    def test_sources_of_other_types(self):
        for source, name in ((3, "int"), (None, "NoneType"), ([3, 2], "list"), (pathlib.Path("a.mlir"), "PosixPath: pass its "
                                                                              r"\.read_bytes\(\)")):
            with self.assertRaisesRegex(TypeError, rf"^expected MLIR text .* or the bytes of a SPIR-V module .*, got {name}$"):
                pumice.compile(source)
        with self.assertRaisesRegex(TypeError, "^expected a device, or a target's name, JSON or file, got int$"):
            pumice.compile(SAXPY, [3])
        for source in (SAXPY.encode(), bytearray(SAXPY.encode()), memoryview(SAXPY.encode()), np.frombuffer(SAXPY.encode(), "u1")):
            self.assertIn("saxpy", pumice.compile(source).on())

    def test_sources_without_kernels(self):
        for empty in ("", b"", " \n", "// only a comment"):
            with self.assertRaises(pumice.CompileError) as caught:
                pumice.compile(empty, name="where")
            self.assertIn("where:1:1: error: the source is empty: expected MLIR with a kernel, or SPIR-V", str(caught.exception))
        with self.assertRaisesRegex(pumice.CompileError, "kernel:2:1: error: holds no kernel; mark a gpu.func"):
            pumice.compile("\ngpu.module @m {}")

    def test_errors_about_binary_sources(self):
        with self.assertRaisesRegex(pumice.Error, r"kernel:1:1: .*\n.*\\xff"):
            pumice.compile(b"\xff\xfe gpu.module")
        with self.assertRaisesRegex(pumice.Error, "neither text nor SPIR-V.*byte 3 is 0"):
            pumice.compile(b"abc\0def")
        with self.assertRaisesRegex(pumice.Error, "kernel:1:1030: .*more than 1000 deep"):
            pumice.compile("gpu.module @m attributes {a = " + "[" * 300_000)  # this once ended the process
        with self.assertRaisesRegex(pumice.Error, "parser crashed"):
            pumice.compile("gpu.module @m { gpu.func @k(%x: f16) kernel {\n"
                           "%y = vector.shuffle %x, %x [0, 1] : f16, f16\ngpu.return } }")
        self.test_text()  # the next kernel is compiled

    def test_files(self):
        with tempfile.TemporaryDirectory() as folder:
            path = pathlib.Path(folder) / "saxpy.pumice"
            pumice.compile(SAXPY, ["device:cpu:0", "vulkan1.1"]).save(path)
            y = np.ones(4, np.float32)
            pumice.load(path).on("cpu")["saxpy"][1](1.0, y.copy(), y)
            self.assertTrue((y == 2).all())

    @on_each_device
    def test_print(self, device):
        say = pumice.compile(PRINTING, device).on(device)["say"]
        said = []
        say.configured(2, print=said.append)(5)
        device.synchronize()
        self.assertEqual("".join(said), "n = 5\n" * 2)

    def test_threads(self):
        saxpy = pumice.compile(SAXPY, pumice.device("cpu")).on("cpu")["saxpy"]
        wrong = []

        def work(number):
            for _ in range(50):
                y = np.full(64, number, np.float32)
                saxpy[1](1.0, np.ones(64, np.float32), y)
                if not (y == number + 1).all():
                    wrong.append(y)
        threads = [threading.Thread(target=work, args=(i,)) for i in range(4)]
        for each in threads:
            each.start()
        for each in threads:
            each.join()
        self.assertEqual(wrong, [])

    def test_nothing_is_kept(self):
        freed = []

        class Memory(np.ndarray):
            def __del__(self):
                freed.append(1)
        saxpy = pumice.compile(SAXPY, pumice.device("cpu")).on("cpu")["saxpy"]
        for _ in range(20):
            saxpy[1](1.0, np.ones(4, np.float32), np.ones(4, np.float32).view(Memory))
        gc.collect()
        pumice.synchronize("cpu")
        self.assertGreaterEqual(len(freed), 20)


class WrongArguments(unittest.TestCase):
    def test_numbers_that_are_not_whole(self):
        kernel = pumice.compile("gpu.module @m { gpu.func @k() kernel attributes {known_block_size = array<i32: 1, 1, 1>} "
                                "{ gpu.return } }")["k"]
        for groups in ("a", None, 1.5, (1, "b")):
            with self.assertRaisesRegex(TypeError, "groups: expected a whole number or several, got "):
                kernel[groups]
        with self.assertRaisesRegex(TypeError, "shape: expected a whole number or several, got 'a'"):
            pumice.zeros("a")

    def test_files_other_than_executables(self):
        with tempfile.NamedTemporaryFile() as file:
            file.write(b"no executable")
            file.flush()
            with self.assertRaises(pumice.CorruptDataError) as caught:
                pumice.load(file.name)
        self.assertIn(file.name, caught.exception.__notes__[0])


class ElementTypes(unittest.TestCase):
    def test_arrays_of_other_types_are_rejected(self):
        for element, good, bad in (("f32", ("float32",), ("float64", "int32", "float16", "uint8")),
                                   ("i32", ("int32", "uint32"), ("int64", "float32", "int8")),
                                   ("f16", ("float16", "uint16", "int16"), ("float32", "int32")),
                                   ("i8", ("int8", "uint8", "bool"), ("int16", "float32"))):
            one = f"arith.constant {'1.0' if element[0] == 'f' else '1'} : {element}"
            add = "arith.addf" if element[0] == "f" else "arith.addi"
            kernel = pumice.compile(f"""gpu.module @m {{ gpu.func @k(%x: memref<?x{element}>) kernel
                attributes {{known_block_size = array<i32: 4, 1, 1>}} {{
              %i = gpu.global_id x
              %one = {one}
              %v = memref.load %x[%i] : memref<?x{element}>
              %w = {add} %v, %one : {element}
              memref.store %w, %x[%i] : memref<?x{element}>
              gpu.return }} }}""")["k"]
            for name in good:
                kernel[1](np.zeros(4, name))
            for name in bad:
                array = np.zeros(4, name)
                with self.assertRaisesRegex(TypeError, f"argument 0 of k: expected an array of {element}, got one of {name}"):
                    kernel[1](array)
                with self.assertRaisesRegex(TypeError, f"expected an array of {element}"):
                    kernel[1](pumice.asarray(array, device=kernel.device))
                self.assertFalse(array.any())


if __name__ == "__main__":
    unittest.main()
