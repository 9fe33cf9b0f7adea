#!/usr/bin/env python3
"""Draws the layouts of docs/tile.md from the output of `pumice-opt` that the page shows.

    tools/docs/layouts.py [--check]

--check writes nothing, and fails if the picture does not match the page.
"""
import argparse
import html
import pathlib
import re
import sys

ROOT = pathlib.Path(__file__).resolve().parents[2]
PAGE, PICTURE = ROOT / "docs/tile.md", ROOT / "docs/pictures/linear-layout.svg"
CELL, LEFT, TOP, GAP = 44, 24, 74, 60  # pixels
LANES = ["#b2dfdb", "#ffe0b2", "#c5cae9", "#f8bbd0", "#dcedc8", "#b3e5fc", "#d7ccc8", "#fff9c4"]
TABLE = re.compile(r"^(\[\d+, \d+\]), (register = .*), subgroup = \[\]\n((?:[\d: ]+\n)+)", re.MULTILINE)


def tables(text):
    """Returns (shape, bases, rows of "lane:register") of each two-dimensional layout of one subgroup."""
    return [(shape, bases, [line.split() for line in rows.splitlines()]) for shape, bases, rows in TABLE.findall(text)]


def caption(bases):
    """Describes the effect of each bit of a lane's or register's number, from the bases' text."""
    for kind in ("lane", "register"):
        vectors = re.search(rf"{kind} = \[((?:\[\d+, \d+\](?:, )?)*)\]", bases)[1]
        steps = [tuple(map(int, pair)) for pair in re.findall(r"\[(\d+), (\d+)\]", vectors)]
        yield f"{kind} bits: " + ", ".join(f"{1 << bit} → ({row}, {column})" for bit, (row, column) in enumerate(steps))


def panel(left, shape, bases, rows):
    """Draws one layout: a cell for each element, coloured by its lane."""
    yield f'<text x="{left}" y="44" font-size="13" font-weight="600">a tensor of {shape[1:-1].replace(", ", " × ")}</text>'
    yield f'<text x="{left}" y="62" class="small">cells: lane : register; a colour for each lane</text>'
    for i, row in enumerate(rows):
        for j, cell in enumerate(row):
            x, y = left + j * CELL, TOP + i * CELL
            yield (f'<rect x="{x}" y="{y}" width="{CELL}" height="{CELL}" fill="{LANES[int(cell.split(":")[0]) % len(LANES)]}" '
                   f'stroke="#fff"/><text x="{x + CELL / 2:g}" y="{y + CELL / 2 + 5:g}" text-anchor="middle">{cell}</text>')
    for i, line in enumerate(caption(bases)):
        yield f'<text x="{left}" y="{TOP + len(rows) * CELL + 22 + 18 * i}" class="small">{html.escape(line)}</text>'


def draw(text):
    found = tables(text)[:2]
    if len(found) < 2:
        sys.exit(f"layouts: expected two layouts of one subgroup in {PAGE.name}, found {len(found)}")
    across, down = len(found[0][2][0]) * CELL, max(len(rows) for _, _, rows in found) * CELL
    width, height = 2 * LEFT + 2 * across + GAP, TOP + down + 52
    parts = [f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {width} {height}" role="img" '
             'font-family="system-ui, sans-serif" font-size="13" fill="#263238">',
             "<title>Two layouts of the same tensor: which lane and register hold which element</title>",
             "<style>.small { font-size: 11.5px; fill: #546e7a; }</style>",
             f'<rect width="{width}" height="{height}" fill="#fafafa"/>']
    for number, (shape, bases, rows) in enumerate(found):
        parts += panel(LEFT + number * (across + GAP), shape, bases, rows)
    return "\n".join([*parts, "</svg>", ""])


def main():
    options = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    options.add_argument("--check", action="store_true", help="only compare, and fail on a difference")
    text = draw(PAGE.read_text())
    if not options.parse_args().check:
        PICTURE.write_text(text)
    elif not PICTURE.exists() or PICTURE.read_text() != text:
        sys.exit(f"layouts: {PICTURE.name} differs from {PAGE.name}: run tools/docs/layouts.py")


if __name__ == "__main__":
    main()
