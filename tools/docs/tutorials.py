"""Makes a page of a tutorial: a program whose docstring and `# %%` comments are Markdown.

The docstring begins the page. A comment that begins with a line `# %%` is prose, up to the first line that is
not a comment. Everything else is code. A comment `<!-- FILE -->` within prose shows that file. The chart of a
tutorial, drawn with `--plot`, follows the code that draws it.
"""
import re

FOLDER = "examples/tutorials"
CHARTS = "docs/assets/tutorials"
FILE = re.compile(r"^<!-- (\S+) -->$", re.MULTILINE)


class BadTutorial(ValueError):
    """Reports a program that does not have the form above."""


def cells(text, path):
    """Yields (kind, text) of the docstring, the prose and the code, in order."""
    match = re.match(r'"""(# .*?)"""\n', text, re.DOTALL)
    if not match:
        raise BadTutorial(f'{path} does not begin with a docstring `"""# Title`')
    yield "prose", match[1]
    code, prose = [], None
    for line in text[match.end():].splitlines():
        if line == "# %%":
            yield "code", "\n".join(code).strip("\n")
            code, prose = [], []
        elif prose is not None and (line == "#" or line.startswith("# ")):
            prose.append(line[2:])
        else:
            if prose is not None:
                yield "prose", "\n".join(prose)
                prose = None
            code.append(line)
    yield ("code", "\n".join(code).strip("\n")) if prose is None else ("prose", "\n".join(prose))


def page(root, path):
    """Returns the page of one tutorial, for docs/tutorials/NAME.md."""
    name = path.stem
    chart = f"{CHARTS}/{name}.svg"
    lines = []
    for kind, text in cells(path.read_text(), path.relative_to(root)):
        if kind == "prose":
            lines += [FILE.sub(lambda match: shown(root, match[1]), text), ""]
        elif text:
            lines += ["```python", text, "```", ""]
        if "tutorial.show(" in text:
            if not (root / chart).exists():
                raise BadTutorial(f"{chart} is missing: draw it with {path.relative_to(root)} --plot {chart}")
            lines += [f"![The chart that the program draws](../assets/tutorials/{name}.svg)", ""]
    source = path.relative_to(root).as_posix()
    lines += ["---", "", f"This page is the program [{source}](../../{source}). Run it by `python {source}`.", ""]
    return "\n".join(lines)


def shown(root, name):
    return f"```{name.rpartition('.')[2]}\n{(root / name).read_text().rstrip()}\n```"


def pages(root):
    """Returns the pages of all tutorials, by their paths below docs/."""
    return {f"tutorials/{path.stem}.md": page(root, path) for path in sorted((root / FOLDER).glob("*.py"))
            if path.stem != "tutorial"}
