"""Error classes: each failure raises the class of its kind, by which programs catch it.

    PYTHONPATH=... python python/test/test_errors.py
"""
import builtins
import pickle
import unittest

import pumice
from pumice import _native

BROKEN = """gpu.module @m {
  gpu.func @k(%a: memref<4xf32>) kernel {
    %x = arith.constant 1.0 : f32
    %y = arith.addf %x %x : f32
    gpu.return
  }
}
"""


class Classes(unittest.TestCase):
    def test_each_status_of_the_c_api_has_its_class(self):
        self.assertEqual(len(_native.error_classes), 9)
        for status, kind in _native.error_classes.items():
            self.assertEqual(kind.status, status)
            self.assertTrue(issubclass(kind, pumice.Error))
            self.assertIs(getattr(pumice, kind.__name__), kind)

    def test_builtin_classes_catch_them(self):
        expected = {"KernelNotFoundError": KeyError, "InvalidArgumentError": ValueError, "NotFoundError": LookupError, "CorruptDataError": ValueError,
                    "OutOfMemoryError": MemoryError, "DeadlineError": builtins.TimeoutError, "CompileError": RuntimeError}
        for name, other in expected.items():
            error = getattr(pumice, name)("why")
            self.assertIsInstance(error, other)
            self.assertIsInstance(error, RuntimeError)
            self.assertEqual(str(error), "why")
            self.assertEqual(type(error).__module__, "pumice")

    def test_pickle_keeps_attributes(self):
        with self.assertRaises(pumice.CompileError) as caught:
            pumice.compile(BROKEN)
        for error in (caught.exception, pumice.DeadlineError("late"), pumice.OutOfMemoryError("full")):
            copy = pickle.loads(pickle.dumps(error))
            self.assertIs(type(copy), type(error))
            self.assertEqual((str(copy), copy.status, vars(copy)), (str(error), error.status, vars(error)))


class Raised(unittest.TestCase):
    def test_a_compile_error_has_file_line_and_column(self):
        with self.assertRaises(pumice.CompileError) as caught:
            pumice.compile(BROKEN, name="kernels/add.mlir")
        error = caught.exception
        self.assertEqual((error.file, error.line, error.column), ("kernels/add.mlir", 4, 23))
        self.assertEqual(error.status, "invalid argument")
        self.assertIn("expected ','", str(error))

    def test_a_place_in_the_name_is_not_taken_for_the_errors_place(self):
        with self.assertRaises(pumice.CompileError) as caught:
            pumice.compile(BROKEN, name="a:9:9: error: b")
        self.assertNotEqual(caught.exception.line, 4)  # the name ends the place early, but the text has both
        with self.assertRaises(pumice.CompileError) as caught:
            pumice.compile(BROKEN, name="c:7")
        self.assertEqual((caught.exception.file, caught.exception.line), ("c:7", 4))

    def test_binaries_have_no_lines(self):
        with self.assertRaises(pumice.CompileError) as caught:
            pumice.compile(b"\x03\x02\x23\x07garbage1")
        self.assertEqual((caught.exception.file, caught.exception.line), ("", None))

    def test_errors_that_are_not_the_sources(self):
        with self.assertRaisesRegex(pumice.InvalidArgumentError, "index_bits is 17"):
            pumice.compile(BROKEN, index_bits=17)
        with self.assertRaises(pumice.NotFoundError):
            pumice.compile(BROKEN, "nothing")
        with self.assertRaises(pumice.NotFoundError):
            pumice.device("nothing")

    def test_out_of_memory(self):
        with self.assertRaises(MemoryError) as caught:
            pumice.empty(1 << 60, "uint8", "cpu")
        self.assertIsInstance(caught.exception, pumice.OutOfMemoryError)

    def test_a_file_that_is_damaged(self):
        program = pumice.Program(b"nothing that is an executable")
        with self.assertRaises(pumice.CorruptDataError):
            program.on("cpu")


if __name__ == "__main__":
    unittest.main()
