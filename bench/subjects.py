"""Processes that a benchmark times in turn, and the line that shows how far it is."""
import subprocess
import sys


class Subject:
    """A worker process, which answers each line with a line: a word, and what belongs to it."""

    def __init__(self, name, worker, *arguments, environment=None):
        self.name = name
        self._process = subprocess.Popen([sys.executable, worker, *arguments], stdin=subprocess.PIPE,
                                         stdout=subprocess.PIPE, text=True, env=environment)
        word, _, self.what = self._line().partition(" ")
        self.is_there = word == "ready"

    def _line(self):
        line = self._process.stdout.readline()
        return line.strip() if line else f"failed its process ended: {self._process.wait()}"

    def ask(self, request):
        """Returns the first word of the answer, and the rest of the line."""
        try:
            self._process.stdin.write(request + "\n")
            self._process.stdin.flush()
        except OSError:
            return "failed", "its process ended"
        word, _, rest = self._line().partition(" ")
        return word, rest

    def stop(self):
        """Ends the process, and waits for it."""
        self._process.stdin.close()
        self._process.wait()


def progress(text):
    """Shows what runs, if the standard error is a terminal."""
    if sys.stderr.isatty():
        print(f"\r\033[K{text}", end="", file=sys.stderr, flush=True)
