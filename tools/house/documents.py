"""Checks that documents name only things that exist: files, headings, targets, passes and options."""
import posixpath
import re

from . import markdown, passes
from .tree import Finding

LINK = re.compile(r"\]\(([^)\s#]+)(?:#[^)]*)?\)")
ANCHOR = re.compile(r"\]\(([^)\s#]*)#([^)\s]+)\)")
CODE = re.compile(r"`([^`]+)`")
BRACES = re.compile(r"\{([^{}]*)\}")
TARGET = re.compile(r"^([a-z][\w-]*):", re.MULTILINE)


def document_paths(tree):
    """Checks links, and paths such as `compiler/driver/Pipeline.cpp`. Ignores `build/`, which may not exist yet."""
    tops = {path.split("/")[0] for path in tree.paths if "/" in path}
    for path in tree.under(suffixes=[".md"]):
        folder = path.rpartition("/")[0]
        for number, line in markdown.parse(tree.text(path))[1]:
            for link in LINK.findall(line):
                if "://" not in link and not exists(tree, link, folder):
                    yield Finding(path, number, f"links to '{link}', which is not there")
            for code in CODE.findall(line):
                name = re.sub(r":\d+$", "", code)
                if re.fullmatch(r"[\w./*{},+-]+", name) and name.split("/")[0] in tops:
                    if "/" in name and not exists(tree, name, ""):
                        yield Finding(path, number, f"names '{code}', which is not there")


def document_anchors(tree):
    """Checks that a link with an anchor leads to a heading, whose anchor GitHub's rule gives."""
    for path in tree.under(suffixes=[".md"]):
        folder = path.rpartition("/")[0]
        for number, line in markdown.parse(tree.text(path))[1]:
            for link, anchor in ANCHOR.findall(CODE.sub("", line)):
                target = posixpath.normpath(posixpath.join(folder, link)) if link else path
                if "://" in link or not target.endswith(".md") or not tree.exists(target):
                    continue
                if anchor not in markdown.anchors(tree.text(target)):
                    yield Finding(path, number, f"links to '{link}#{anchor}', and there is no such heading")


def exists(tree, name, folder):
    """Returns whether the named files exist. `name` may hold {a,b} and *; each alternative must exist."""
    if match := BRACES.search(name):
        return all(exists(tree, name[: match.start()] + part + name[match.end():], folder)
                   for part in match[1].split(","))
    full = f"{folder}/{name}" if folder else name
    return any(tree.root.glob(full)) if "*" in full else tree.exists(full)


def document_commands(tree):
    """Checks that the make targets, passes and options that documents mention exist."""
    known = Vocabulary(tree)
    for path in tree.under(suffixes=[".md"]):
        blocks, prose = markdown.parse(tree.text(path))
        shown = [(number, re.sub(r"^\$ ", "", line)) for block in blocks
                 if block.tag.split(" ")[0] == "sh" for number, line in block.lines
                 if line.startswith("$ ")]
        inline = [(number, code) for number, line in prose for code in CODE.findall(line)]
        for number, command in shown + inline:
            for wrong in known.unknown_words(command):
                yield Finding(path, number, f"mentions {wrong}, which does not exist")


class Vocabulary:
    """Returns the targets, passes, subcommands and options that commands may contain."""

    def __init__(self, tree):
        makefile = tree.text("Makefile") if tree.exists("Makefile") else ""
        self.targets = set(TARGET.findall(makefile))
        self.passes = {flag for _, _, _, flag, _ in passes.definitions(tree)} | passes.pipelines(tree)
        programs = tree.under("tools", "compiler", suffixes=[".cpp", ".h", ".py", ".def", ".td"])
        self.words = set(re.findall(r'"(?:--)?([\w-]+)=?"', "\n".join(map(tree.text, programs))))

    def unknown_words(self, command):
        program, *words = command.split() or [""]
        program = program.rsplit("/", 1)[-1]
        if program == "make":
            for word in words:
                if re.fullmatch(r"[a-z][\w-]*", word) and word not in self.targets:
                    yield f"`make {word}`"
        for flag in re.findall(r"(?:^|\s)--?(pumice-[\w-]+)", command):
            if flag not in self.passes:
                yield f"the pass `--{flag}`"
        if program == "pumice":
            for word in words[:1]:
                if re.fullmatch(r"[a-z][\w-]*", word) and word not in self.words:
                    yield f"`pumice {word}`"
            for flag in re.findall(r"\s--([\w-]+)", command):
                if flag not in self.words and not flag.startswith("pumice-"):
                    yield f"the option `--{flag}`"
