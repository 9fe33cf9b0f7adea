"""The progress line on the terminal while kernels are compiled, and the files that are kept if that fails.

    PYTHONPATH=... python python/test/test_progress.py
"""
import fcntl
import os
import pathlib
import pty
import re
import shlex
import shutil
import struct
import subprocess
import sys
import tempfile
import termios
import threading
import unittest

try:
    import numpy as np
    import triton
    import triton.language as tl
except ImportError as error:
    print(f"skipped: {error}")
    sys.exit(77)

import pumice

HERE = pathlib.Path(__file__).resolve().parent
ERASE = "\r\x1b[K"
ATTENTION = """
import sys
sys.path.insert(0, {here!r})
{before}
import numpy as np, triton, triton_kernels
x = np.random.rand(64, 64).astype(np.float32)
{call}
print("done")
"""
CALL = "triton_kernels.softmax[(64,)](np.empty_like(x), x, 64, 64, 64, BLOCK=64)"


@triton.jit
def with_assembly(x, BLOCK: tl.constexpr):
    at = tl.arange(0, BLOCK)
    value = tl.load(x + at)
    value = tl.inline_asm_elementwise("foo $0, $1;", "=r,r", [value], dtype=tl.float32, is_pure=True, pack=1)
    tl.store(x + at, value)


@triton.jit
def without_a_name(x):
    return x + undefined  # noqa: F821


@triton.jit
def calls_it(x, BLOCK: tl.constexpr):
    at = tl.arange(0, BLOCK)
    tl.store(x + at, without_a_name(tl.load(x + at)))


def on_terminal(command, columns=200, **variables):
    """Returns (the command's standard error on a terminal, its standard output)."""
    main, side = pty.openpty()
    fcntl.ioctl(side, termios.TIOCSWINSZ, struct.pack("4H", 24, columns, 0, 0))
    said = []

    def read():
        try:
            while part := os.read(main, 4096):
                said.append(part)
        except OSError:  # the other side is closed
            pass

    with tempfile.TemporaryDirectory() as cache:
        environment = {**os.environ, "TRITON_CACHE_DIR": f"{cache}/triton", "PUMICE_CACHE": "off", "TERM": "xterm", **variables}
        process = subprocess.Popen(command, stdin=subprocess.DEVNULL, stdout=subprocess.PIPE, stderr=side, text=True,
                                   env=environment)
        os.close(side)
        reader = threading.Thread(target=read)
        reader.start()
        out, _ = process.communicate()
        reader.join()
    os.close(main)
    return b"".join(said).decode(), out


def compile_a_kernel(before="", call=CALL, **given):
    return on_terminal([sys.executable, "-c", ATTENTION.format(here=str(HERE), before=before, call=call)], **given)


class Progress(unittest.TestCase):
    def check_lines(self, said, kernel):
        lines = [line for line in said.split(ERASE) if line]
        for line in lines:
            self.assertRegex(line, rf"^pumice: \d+ s, compiling {kernel}( and \d+ more)?: .+$")
        self.assertTrue(said.endswith(ERASE), said)  # no line stays
        return lines

    def check_seen(self, wanted, call=CALL):
        """A stage of a millisecond may end before the line is drawn, so several compilations must show all stages."""
        lines = ""
        for _ in range(5):
            said, out = compile_a_kernel(call=call, PUMICE_PROGRESS="0.0005")
            self.assertEqual(out, "done\n", said)
            lines += " ".join(self.check_lines(said, "softmax"))
            if all(each in lines for each in wanted):
                return
        self.fail(f"{wanted} are not all in: {lines}")

    def test_stages(self):
        self.check_seen(["Triton's front end", "distribution of tensors: ", "tile lowering: ", "lowering to SPIR-V: ",
                         "SIMD code: pumice-", "machine code"])

    def test_programs_without_triton(self):
        kernel = HERE.parents[1] / "examples/matmul.mlir"
        code = f"import pumice; pumice.compile(open({str(kernel)!r}).read(), name='product').on('cpu'); print('done')"
        lines = ""
        for _ in range(5):  # several times, as in check_seen
            said, out = on_terminal([sys.executable, "-c", code], PUMICE_PROGRESS="0.0005")
            self.assertEqual(out, "done\n", said)
            lines += " ".join(self.check_lines(said, "(product|kernel)"))
            if "lowering to SPIR-V" in lines:
                break
        self.assertIn("lowering to SPIR-V", lines)
        self.assertEqual(on_terminal([sys.executable, "-c", code]), ("", "done\n"))  # the compilation takes less than a second

    def test_fast_compilations_show_nothing(self):
        self.assertEqual(compile_a_kernel(), ("", "done\n"))

    def test_it_can_be_turned_off(self):
        for value in ("0", "off"):
            self.assertEqual(compile_a_kernel(PUMICE_PROGRESS=value), ("", "done\n"))

    def test_not_to_a_terminal_that_understands_little(self):
        self.assertEqual(compile_a_kernel(PUMICE_PROGRESS="0.0005", TERM="dumb"), ("", "done\n"))

    def test_not_where_python_captures(self):
        before = "import io; sys.stderr = io.StringIO()"
        self.assertEqual(compile_a_kernel(before, PUMICE_PROGRESS="0.0005"), ("", "done\n"))

    def test_not_without_a_terminal(self):
        code = ATTENTION.format(here=str(HERE), before="", call=CALL)
        done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True,
                              env={**os.environ, "PUMICE_PROGRESS": "0.0005", "TRITON_ALWAYS_COMPILE": "1"})
        self.assertEqual((done.stderr, done.stdout), ("", "done\n"))

    def test_several_threads(self):
        call = ("from concurrent.futures import ThreadPoolExecutor\n"
                "def work(n): triton_kernels.softmax[(64,)](np.empty_like(x), x, 64, 64, 64, BLOCK=n)\n"
                "list(ThreadPoolExecutor(4).map(work, (64, 128, 256, 512)))")
        self.check_seen([" more: "], call)

    def test_forked_children(self):
        call = ("import os\n" + CALL + "\npid = os.fork()\n"
                "triton_kernels.softmax[(64,)](np.empty_like(x), x, 64, 64, 64, BLOCK=128)\n"
                "if not pid: os._exit(0)\nassert os.waitpid(pid, 0)[1] == 0")
        said, out = compile_a_kernel(call=call, PUMICE_PROGRESS="0.0005")
        self.assertEqual(out, "done\n")

    def test_narrow_terminals(self):
        said, _ = compile_a_kernel(PUMICE_PROGRESS="0.0005", columns=40)
        self.assertEqual({line for line in said.split(ERASE) if len(line) > 39}, set())

    def test_command_line(self):
        pumice_command = shutil.which("pumice") or HERE.parents[1] / "build/bin/pumice"
        if not pathlib.Path(pumice_command).exists():
            self.skipTest("there is no command `pumice`")
        kernel = HERE.parents[1] / "examples/matmul.mlir"
        command = [pumice_command, "compile", kernel, "--target", "cpu", "-o", "/dev/null"]
        said, _ = on_terminal(command, PUMICE_PROGRESS="0.0005")
        self.assertIn("machine code", " ".join(self.check_lines(said, re.escape(str(kernel)))))
        self.assertEqual(on_terminal(command), ("", ""))


class Failures(unittest.TestCase):
    def setUp(self):
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        self.folder = pathlib.Path(folder.name)
        os.environ["PUMICE_FAILED_KERNELS"] = folder.name
        self.addCleanup(os.environ.pop, "PUMICE_FAILED_KERNELS", None)

    def fail(self, block=64):
        with self.assertRaises(pumice.Error) as caught:
            with_assembly[(1,)](np.zeros(block, np.float32), BLOCK=block)
        return str(caught.exception)

    def test_the_error_names_the_files(self):
        said = self.fail()
        self.assertRegex(said.splitlines()[0], r"test_progress\.py:\d+:\d+: error: ")
        last = said.splitlines()[-1]
        self.assertRegex(last, r"^in kernel with_assembly \(.*test_progress\.py:\d+\)")
        (folder,) = self.folder.iterdir()
        self.assertIn(str(folder), last)
        names = {path.name for path in folder.iterdir()}
        self.assertLessEqual({"kernel.py", "kernel.ttir", "target.json", "error.txt", "reproduce.py"}, names)
        self.assertIn("def with_assembly", (folder / "kernel.py").read_text())
        self.assertIn(f"triton {triton.__version__}", (folder / "error.txt").read_text())
        self.fail()
        self.assertEqual(list(self.folder.iterdir()), [folder])  # a repeated failure has one folder

    def test_reproducing(self):
        error = self.fail().splitlines()[0]
        (folder,) = self.folder.iterdir()
        done = subprocess.run([sys.executable, folder / "reproduce.py"], capture_output=True, text=True)
        self.assertNotEqual(done.returncode, 0)
        self.assertIn(error, done.stderr)

    def test_reproducing_without_the_package(self):
        from pumice_triton import failures
        self.fail()
        failures.report(pumice.Error("what is wrong"), "when cpu:0 loads it", "k", "cpu:0", program=b"nothing")
        for folder in self.folder.iterdir():
            done = subprocess.run([sys.executable, "-I", "-S", folder / "reproduce.py"], capture_output=True, text=True)
            self.assertEqual(done.returncode, 1)
            self.assertEqual(done.stderr, f"No module named 'pumice', expected by this script, for {sys.executable}: install "
                             f"Pumice's wheel there, or run this script with PYTHONPATH={pathlib.Path(pumice.__file__).parent.parent}\n")

    def test_stages_that_were_reached(self):
        from pumice_triton import failures
        text = 'module { tt.func public @k(%x: !tt.ptr<f32>) { tt.return } }'
        error = pumice.Error("what is wrong")
        failures.report(error, "somewhere", "k", "rdna3", text)
        (folder,) = self.folder.iterdir()
        self.assertTrue((folder / "1.tiles.mlir").exists() and (folder / "5.spirv.mlir").exists())
        done = subprocess.run([sys.executable, folder / "reproduce.py"], capture_output=True, text=True)
        self.assertIn("does not come again", done.stdout)

    def test_a_program_that_cannot_be_loaded(self):
        from pumice_triton import failures
        failures.report(pumice.Error("what is wrong"), "when cpu:0 loads it", "k", "cpu:0", program=b"nothing")
        (folder,) = self.folder.iterdir()
        done = subprocess.run([sys.executable, folder / "reproduce.py"], capture_output=True, text=True)
        self.assertIn("pumice.CorruptDataError", done.stderr)

    def test_a_damaged_file_of_tritons_cache(self):
        cache, script = self.folder / "cache", self.folder / "k.py"
        script.write_text("import numpy as np, triton, triton.language as tl\n\n@triton.jit\ndef k(x):\n"
                          "    tl.store(x, 1.0)\n\nx = np.zeros(1, np.float32)\nk[(1,)](x)\nprint(x)\n")
        environment = dict(os.environ, TRITON_CACHE_DIR=str(cache), PUMICE_DEVICE="cpu")

        def run():
            done = subprocess.run([sys.executable, script], capture_output=True, text=True, env=environment)
            return done.stdout + done.stderr
        self.assertEqual(run(), "[1.]\n")
        (path,) = cache.glob("*/k.pumice")
        data = bytearray(path.read_bytes())
        data[len(data) // 2] ^= 0x5a
        path.write_bytes(data)
        self.assertIn(f"{path} is damaged: delete {path.parent}, and", run())
        shutil.rmtree(path.parent)
        self.assertEqual(run(), "[1.]\n")

    def test_they_are_few(self):
        from pumice_triton import failures
        for number in range(failures.MOST + 5):
            failures.report(pumice.Error(f"error {number}"), "somewhere", "k", "rdna3", "module {}")
        self.assertEqual(len(list(self.folder.iterdir())), failures.MOST)
        texts = [(path / "error.txt").read_text().split("\n")[0] for path in self.folder.iterdir()]
        self.assertIn("error 24", texts)
        self.assertNotIn("error 0", texts)

    def test_folders_of_odd_names(self):
        os.environ["PUMICE_FAILED_KERNELS"] = str(self.folder / "a b'c")
        words = shlex.split(self.fail().splitlines()[-1].split("to see the error again: ")[1])
        self.assertEqual(words[0], sys.executable)
        self.assertTrue(pathlib.Path(words[1]).is_file(), words)

    def test_names_of_texts_stay_in_the_folder(self):
        from pumice_triton import failures
        folder = failures._make_folder("../../else/where", "a text")
        self.assertEqual(folder.parent, pathlib.Path(os.environ["PUMICE_FAILED_KERNELS"]))

    def test_nothing_is_kept_if_not_wanted(self):
        os.environ["PUMICE_FAILED_KERNELS"] = "off"
        self.assertRegex(self.fail().splitlines()[-1], r"test_progress\.py:\d+\), on the way to an executable$")

    def test_a_folder_that_cannot_be_written(self):
        os.environ["PUMICE_FAILED_KERNELS"] = "/dev/null/folder"
        self.assertIn("nothing is kept", self.fail().splitlines()[-1])

    def test_out_of_resources_is_the_tuners(self):
        from pumice_triton.resources import raise_out_of_resources
        with self.assertRaises(triton.runtime.errors.OutOfResources):
            raise_out_of_resources(pumice.Error("it needs 99999 bytes of workgroup memory; there are 10"))
        self.assertEqual(list(self.folder.iterdir()), [])

    def test_front_end(self):
        with self.assertRaises(triton.compiler.errors.CompilationError) as caught:
            calls_it[(1,)](np.zeros(64, np.float32), BLOCK=64)
        line = without_a_name.starting_line_number + 2
        self.assertEqual(caught.exception.__notes__, [f"at {__file__}:{line}, in without_a_name"])

    def test_front_end_of_another_module(self):
        """The kernel calls another module's function. No global object is asked for its attributes on the way."""
        class Untouched:
            def __getattr__(self, name):
                raise RuntimeError("asked for " + name)

        global elsewhere, untouched
        elsewhere, untouched = type(sys)("elsewhere"), Untouched()
        elsewhere.function = without_a_name

        @triton.jit
        def calls_elsewhere(x):
            elsewhere.function(x)

        with self.assertRaises(triton.compiler.errors.CompilationError) as caught:
            calls_elsewhere[(1,)](np.zeros(64, np.float32))
        self.assertRegex(caught.exception.__notes__[0], "in without_a_name$")


if __name__ == "__main__":
    unittest.main()
