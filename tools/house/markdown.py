"""Reads as much Markdown as the rules need: fenced blocks, and the prose between them."""
import re
from dataclasses import dataclass

FENCE = re.compile(r"^( *)(```+)(.*)$")


@dataclass
class Block:
    line: int  # the number of the opening fence's line
    tag: str  # the text after the opening fence
    lines: list  # (number, text)


def parse(text):
    """Returns (blocks, prose): the fenced blocks, and (number, text) of every line outside of them."""
    blocks, prose, inside = [], [], None
    for number, line in enumerate(text.splitlines(), 1):
        fence = FENCE.match(line)
        if inside is None and fence:
            inside = Block(number, fence[3].strip(), [])
            indent, ticks = len(fence[1]), fence[2]
        elif inside is not None and fence and fence[2] == ticks and not fence[3].strip():
            blocks.append(inside)
            inside = None
        elif inside is not None:
            inside.lines.append((number, line[min(indent, len(line) - len(line.lstrip())):]))
        else:
            prose.append((number, line))
    if inside is not None:
        blocks.append(inside)
    return blocks, prose


def anchors(text):
    """Returns the anchors of a document's headings, as GitHub makes them."""
    names, taken = set(), {}
    for _, line in parse(text)[1]:
        if heading := re.match(r"#{1,6} +(.*?) *#*$", line):
            title = re.sub(r"\[([^\]]*)\]\([^)]*\)", r"\1", heading[1])
            name = re.sub(r"[^\w\- ]", "", title.lower()).replace(" ", "-")
            taken[name] = taken.get(name, -1) + 1
            names.add(f"{name}-{taken[name]}" if taken[name] else name)
    return names
