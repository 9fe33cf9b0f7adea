"""The tree that the rules look at: its files, their text, and what a rule finds in them."""
import functools
import pathlib
import re
import subprocess
from dataclasses import dataclass

SOURCES = (".h", ".cpp")
MADE = ("build", ".venv")  # not ours, where git cannot say so: a tree from an archive
EXEMPTION = re.compile(r"house-allow\(([\w-]+)\): *(\S.*)?")


@dataclass(frozen=True)
class Finding:
    path: str
    line: int
    message: str
    advice: bool = False  # shown, but not a failure


class Tree:
    """Paths are relative to the root and written with slashes."""

    def __init__(self, root):
        self.root = pathlib.Path(root).resolve()

    @functools.cached_property
    def paths(self):
        """Every file that is ours: tracked by git, or new and not ignored."""
        if (self.root / ".git").exists():
            listed = self.git_list("--cached", "--others", "--exclude-standard")
            return sorted(path for path in listed if (self.root / path).is_file())
        files = (path.relative_to(self.root) for path in self.root.rglob("*") if path.is_file())
        return sorted(path.as_posix() for path in files if path.parts[0] not in MADE)

    def git_list(self, *options):
        """The paths that `git ls-files` lists, if this is a work tree of git."""
        if not (self.root / ".git").exists():
            return set()
        # The user who runs this may not own the tree: root, in a container.
        command = ["git", "-c", "safe.directory=*", "ls-files", "-z", *options]
        done = subprocess.run(command, cwd=self.root, check=True, stdout=subprocess.PIPE, text=True)
        return {path for path in done.stdout.split("\0") if path}

    def under(self, *folders, suffixes=SOURCES):
        """The files with one of the suffixes in one of the folders (none given: anywhere)."""
        prefixes = tuple(folder.rstrip("/") + "/" for folder in folders) or ("",)
        return [path for path in self.paths
                if path.startswith(prefixes) and path.endswith(tuple(suffixes))]

    @functools.lru_cache(maxsize=None)
    def text(self, path):
        return (self.root / path).read_text(encoding="utf-8", errors="replace")

    def lines(self, path):
        """(number, text) of every line, counted from 1."""
        return enumerate(self.text(path).splitlines(), 1)

    def exists(self, path):
        return (self.root / path).exists()

    def exempt(self, path, rule):
        """Whether the file says `house-allow(rule): reason`; without a reason it does not count."""
        return any(rule == name and reason for name, reason in EXEMPTION.findall(self.text(path)))
