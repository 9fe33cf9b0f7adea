"""The style and the types of the Python packages, by ruff and mypy with the settings in pyproject.toml.

    python python/test/test_lint.py
"""
import importlib.util
import pathlib
import subprocess
import sys
import tempfile
import unittest

ROOT = pathlib.Path(__file__).resolve().parent.parent.parent

for tool in ("ruff", "mypy"):
    if importlib.util.find_spec(tool) is None:
        print(f"skipped: {tool} is not installed: run setup/make-venv.sh")
        sys.exit(77)


def run(*command):
    done = subprocess.run([sys.executable, "-m", *command], cwd=ROOT, text=True, stdout=subprocess.PIPE,
                          stderr=subprocess.STDOUT)
    return done.returncode, done.stdout


class Lint(unittest.TestCase):
    def test_style(self):
        code, said = run("ruff", "check", "--no-cache", "--output-format", "concise")
        self.assertEqual(code, 0, said)

    def test_types(self):
        with tempfile.TemporaryDirectory() as cache:
            code, said = run("mypy", "--cache-dir", cache)
        self.assertEqual(code, 0, said)
        self.assertRegex(said, r"no issues found in \d\d+ source files")

    def test_a_wrong_call_is_found(self):
        """The packages' types reach programs that use them."""
        with tempfile.TemporaryDirectory() as folder:
            program = pathlib.Path(folder, "program.py")
            program.write_text("import pumice\npumice.zeros(3).fill('text')\npumice.device('cpu').nothing()\n")
            code, said = run("mypy", "--cache-dir", folder, "--config-file", str(ROOT / "pyproject.toml"), str(program))
        self.assertEqual(code, 1, said)
        self.assertIn('program.py:2: error: Argument 1 to "fill" of "Array" has incompatible type "str"', said)
        self.assertIn('program.py:3: error: "Device" has no attribute "nothing"', said)


if __name__ == "__main__":
    unittest.main()
