"""Makes of a page of docs/ what the site shows: links out of docs/ lead to the repository.

In the repository, a page names a file outside docs/ by a relative path, and tags its blocks as
tools/run-doc-commands.py reads them. The site has neither.
"""
import os
import posixpath
import re

from house import markdown

LINK = re.compile(r"(\]\()([^)\s#]+)((?:#[^)\s]*)?\))")
ITEM = re.compile(r" *([-*]|\d+\.) ")


def address(repository, root, path):
    """The address of a path of the repository, or None if there is no such file or folder."""
    full = os.path.join(root, path)
    if not os.path.exists(full):
        return None
    kind = "tree" if os.path.isdir(full) else "blob"
    return f"{repository}/{kind}/main/{path}"


def outside(link, page):
    """The path in the repository of a relative link that leaves docs/, else None."""
    if "://" in link or link.startswith(("/", "mailto:")):
        return None
    path = posixpath.normpath(posixpath.join("docs", posixpath.dirname(page), link))
    return None if path == "docs" or path.startswith("docs/") else path


def fence(line):
    """An opening fence with a tag that the highlighter knows, and no reason why it is not run."""
    mark, tag = re.fullmatch(r"( *```+)(.*)", line).groups()
    language = (tag.split() or [""])[0]
    return mark + {"sh": "console", "mlir": "llvm"}.get(language, language)


def for_site(text, page, repository, root):
    """(the page's text for the site, problems); `page` is its path below docs/."""
    lines, problems = text.splitlines(), []
    blocks, prose = markdown.parse(text)
    for block in blocks:
        lines[block.line - 1] = fence(lines[block.line - 1])

    def replace(match):
        path = outside(match[2], page)
        if path is None:
            return match[0]
        target = address(repository, root, path)
        if target is None:
            problems.append(f"links to '{match[2]}', which is not in the repository")
            return match[0]
        return match[1] + target + match[3]

    for number, line in prose:
        lines[number - 1] = LINK.sub(replace, line)
    return "\n".join(separate_lists(lines, {number for number, _ in prose})) + "\n", problems


def separate_lists(lines, prose):
    """Puts an empty line before a list that follows a paragraph: Python-Markdown wants one."""
    previous, inside = "", False
    for number, line in enumerate(lines, 1):
        if number not in prose:
            previous, inside = "", False
            yield line
            continue
        item = ITEM.match(line)
        if item and previous.strip() and not inside:
            yield ""
        inside = bool(item) or inside and bool(line.strip())
        previous = line
        yield line
