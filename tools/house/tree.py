"""The tree that the rules check: its files, their text, and the findings of a rule."""
import functools
import pathlib
import re
import subprocess
from dataclasses import dataclass

SOURCES = (".h", ".cpp")
MADE = ("build", ".venv")  # folders that are generated, for a tree without git, such as an unpacked archive
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
        """Returns every file of ours: files that git tracks, and new ones that it does not ignore."""
        if (self.root / ".git").exists():
            listed = self.git_list("--cached", "--others", "--exclude-standard")
            return sorted(path for path in listed if (self.root / path).is_file())
        files = (path.relative_to(self.root) for path in self.root.rglob("*") if path.is_file())
        return sorted(path.as_posix() for path in files if path.parts[0] not in MADE)

    def git_list(self, *options):
        """Returns the paths that `git ls-files` lists, or nothing if this is not a work tree of git."""
        if not (self.root / ".git").exists():
            return set()
        # The user who runs this may not own the tree, as root in a container does not.
        command = ["git", "-c", "safe.directory=*", "ls-files", "-z", *options]
        done = subprocess.run(command, cwd=self.root, check=True, stdout=subprocess.PIPE, text=True)
        return {path for path in done.stdout.split("\0") if path}

    def under(self, *folders, suffixes=SOURCES):
        """Returns the files with one of the suffixes in one of the folders. Without folders, searches everywhere."""
        prefixes = tuple(folder.rstrip("/") + "/" for folder in folders) or ("",)
        return [path for path in self.paths
                if path.startswith(prefixes) and path.endswith(tuple(suffixes))]

    @functools.lru_cache(maxsize=None)
    def text(self, path):
        return (self.root / path).read_text(encoding="utf-8", errors="replace")

    def lines(self, path):
        """Returns (number, text) of every line, counted from 1."""
        return enumerate(self.text(path).splitlines(), 1)

    def exists(self, path):
        return (self.root / path).exists()

    def exempt(self, path, rule):
        """Returns whether the file has `house-allow(rule): reason`. Without a reason it does not count."""
        return any(rule == name and reason for name, reason in EXEMPTION.findall(self.text(path)))
