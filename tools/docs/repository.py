"""Turns a page of docs/ into a page of the site, where links out of docs/ lead to the repository.

In the repository, a page names a file outside docs/ by a relative path, and tags its blocks as
tools/run-doc-commands.py reads them. A page of the site has neither.
"""
import os
import posixpath
import re
import shlex

from house import markdown

LINK = re.compile(r"(\]\()([^)\s#]+)((?:#[^)\s]*)?\))")
NAMED = re.compile(r"(?<![\w/(\[])docs/([\w-]+\.md)")
CODE = re.compile(r"(`[^`]*`|\[[^\]]*\]\([^)]*\))")
# Files of the repository that the site shows as pages, below docs/.
PAGES = {
    "CONTRIBUTING.md": "contributing.md",
    "CHANGELOG.md": "changelog.md",
    "include/pumice/pumice.h": "reference/c-api.md",
    "include/pumice/pumice_vulkan.h": "reference/c-vulkan-api.md",
    "include/pumice/pumice.hpp": "reference/cpp-api.md",
    "include/pumice/pumice_vulkan.hpp": "reference/cpp-vulkan-api.md",
    "compiler/dialect/tile/TileOps.td": "reference/dialect-tile.md",
    "compiler/dialect/lane/LaneOps.td": "reference/dialect-lane.md",
    "compiler/dialect/gen/GenOps.td": "reference/dialect-gen.md",
}
TUTORIAL = re.compile(r"examples/tutorials/(?!tutorial\.py)(\w+)\.py")
MADE = ("reference/", "tutorials/")  # pages made from other files; links to the files lead to the pages
# Maps a file's ending to the highlighter's name of its language.
LANGUAGES = {"py": "python", "c": "c", "h": "cpp", "hpp": "cpp", "cpp": "cpp", "json": "json", "mlir": "mlir",
             "comp": "glsl", "cl": "c", "td": "text", "txt": "cmake"}
SHOWN_BY = ("cat", "head", "tail", "sed")
ITEM = re.compile(r" *([-*]|\d+\.) ")


def address(repository, root, path):
    """Returns the address of a path of the repository, or None if the file or folder does not exist."""
    full = os.path.join(root, path)
    if not os.path.exists(full):
        return None
    kind = "tree" if os.path.isdir(full) else "blob"
    return f"{repository}/{kind}/main/{path}"


def outside(link, page):
    """Returns the path in the repository of a relative link that leaves docs/, or None."""
    if "://" in link or link.startswith(("/", "mailto:")):
        return None
    path = posixpath.normpath(posixpath.join("docs", posixpath.dirname(page), link))
    return None if path == "docs" or path.startswith("docs/") else path


def page_of(path, page):
    """Returns the page that shows a file of the repository, relative to `page`, or None."""
    tutorial = TUTORIAL.fullmatch(path)
    target = f"tutorials/{tutorial[1]}.md" if tutorial else PAGES.get(path)
    if not target or page.startswith(MADE):
        return None
    return posixpath.relpath(target, posixpath.dirname(page) or ".")


def root_pages(root):
    """Returns the documents of the repository's root as pages, with their links made relative to docs/."""
    def moved(match):
        link = match[2]
        if "://" not in link:
            link = link.removeprefix("docs/") if link.startswith("docs/") else f"../{link}"
        return match[1] + link + match[3]

    return {page: LINK.sub(moved, (root / name).read_text()) for name, page in PAGES.items() if name.endswith(".md")}


def language(tag):
    """Returns the highlighter's language for a block's tag. Drops the words after it, such as `no-run: REASON`."""
    word = (tag.split() or [""])[0]
    return {"sh": "session"}.get(word, word)


def shown_file(line):
    """Returns the file that a block's command prints, as in `$ cat FILE` or `$ sed -n … FILE`, or None."""
    try:
        words = shlex.split(line.removeprefix("$ "))
    except ValueError:
        return None
    plain = line.startswith("$ ") and words and words[0] in SHOWN_BY and not set(line) & set("|><&;")
    return words[-1] if plain and words[-1].rpartition(".")[2] in LANGUAGES and "/" in words[-1] else None


def block_lines(block, mark):
    """Splits a block into blocks for the site: a file that a command prints gets a separate block."""
    kind = language(block.tag)
    opened = None  # the content of the open block: a file, or commands
    for _, line in block.lines:
        file = shown_file(line) if kind == "session" else None
        if file or opened is None or (line.startswith("$ ") and opened != "commands" and kind == "session"):
            if opened:
                yield mark
                yield ""
            opened = file or "commands"
            yield f'{mark} {{ .{LANGUAGES[file.rpartition(".")[2]]} title="{file}" }}' if file else mark + kind
            if file:
                continue
        yield line
    yield from [mark] if opened else [mark + kind, mark]


def for_site(text, page, repository, root):
    """Returns (the page's text for the site, problems). `page` is its path below docs/."""
    problems = []

    def replace(match):
        path = outside(match[2], page)
        if path is None:
            return match[0]
        target = page_of(path, page) or address(repository, root, path)
        if target is None:
            problems.append(f"links to '{match[2]}', which is not in the repository")
            return match[0]
        return match[1] + target + match[3]

    def named(match):
        way = posixpath.relpath(match[1], posixpath.dirname(page) or ".")
        return f"[{match[0]}]({way})" if os.path.exists(os.path.join(root, match[0])) else match[0]

    source, made, inside = text.splitlines(), [], False
    blocks = {block.line: block for block in markdown.parse(text)[0]}
    number = 1
    while number <= len(source):
        line = source[number - 1]
        if block := blocks.get(number):
            indent, mark = re.match(r"( *)(```+)", line).groups()
            made += [indent + shown if shown else "" for shown in block_lines(block, mark)]
            number += len(block.lines) + 2
            inside = False
            continue
        item = ITEM.match(line)
        if item and not inside and made and made[-1].strip():
            made.append("")  # Python-Markdown wants an empty line between a paragraph and a list
        inside = bool(item) or inside and bool(line.strip())
        parts = CODE.split(LINK.sub(replace, line))
        parts[::2] = [NAMED.sub(named, part) for part in parts[::2]]
        made.append("".join(parts))
        number += 1
    return "\n".join(made) + "\n", problems
