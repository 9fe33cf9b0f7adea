"""Rejects include cycles between folders, so that newcomers can read the folders from the bottom up."""
import posixpath

from .includes import INCLUDE
from .tree import Finding


def folder_cycle(tree):
    """Names one include for each step of each cycle. Tests may include files of folders that use the tested folder."""
    steps = steps_between_folders(tree)
    for group in strongly_connected(steps):
        if len(group) == 1:
            continue
        names = ", ".join(sorted(group))
        for folder in sorted(group):
            for other in sorted(steps[folder].keys() & group):
                path, line, included = steps[folder][other]
                yield Finding(path, line, f"includes '{included}', which closes a cycle of folders: {names}")


def steps_between_folders(tree):
    """Returns folder -> other folder -> (path, line, included file) of the first such include."""
    files = set(tree.under(suffixes=[".h", ".hpp", ".cpp", ".def"]))
    steps = {}
    for path in sorted(files):
        folder = posixpath.dirname(path)
        steps.setdefault(folder, {})
        if is_test(path):
            continue
        for number, line in tree.lines(path):
            if match := INCLUDE.match(line):
                included = find(match.group(1), folder, files)
                other = posixpath.dirname(included) if included else folder
                if other != folder:
                    steps[folder].setdefault(other, (path, number, match.group(1)))
    for folder in list(steps):
        for other in steps[folder]:
            steps.setdefault(other, {})
    return steps


def is_test(path):
    return path.endswith("Test.cpp") or bool({"test", "testing", "fuzz"} & set(path.split("/")))


def find(included, folder, files):
    """Returns our file that an include names: relative to the includer, to the root, or to include/."""
    for start in (folder, "", "include"):
        path = posixpath.normpath(posixpath.join(start, included))
        if path in files:
            return path
    return None


def strongly_connected(steps):
    """Yields the strongly connected sets of folders (Tarjan's algorithm)."""
    index, low, stack, groups = {}, {}, [], []

    def visit(folder):
        index[folder] = low[folder] = len(index)
        stack.append(folder)
        for other in steps[folder]:
            if other not in index:
                visit(other)
                low[folder] = min(low[folder], low[other])
            elif other in stack:
                low[folder] = min(low[folder], index[other])
        if low[folder] == index[folder]:
            start = stack.index(folder)
            groups.append(set(stack[start:]))
            del stack[start:]

    for folder in sorted(steps):
        if folder not in index:
            visit(folder)
    return groups
