#!/usr/bin/env python3
"""Draws the plots of docs/performance.md from the tables of bench/reports, as SVG files in docs/pictures.

    tools/docs/plots.py [--check]

--check writes nothing, and fails if a picture does not match its table.
"""
import argparse
import html
import math
import pathlib
import re
import sys
from dataclasses import dataclass

ROOT = pathlib.Path(__file__).resolve().parents[2]
REPORTS, PICTURES = ROOT / "bench/reports", ROOT / "docs/pictures"
BAR, LEFT, WIDTH = 12, 270, 740  # pixels
COLOURS = ["#00897b", "#ff8f00", "#5c6bc0", "#8d6e63"]


@dataclass
class Plot:
    name: str  # The file name of the picture, without its suffix.
    title: str
    report: str
    header: str  # The text with which the table's first line begins.
    label: int  # The number of columns that name a row.
    series: dict  # Name -> column.
    unit: str  # The unit of the axis, such as "times native's".
    better: str = "shorter is better"


PLOTS = [
    Plot("cpu-kernels", "Kernels on two cores of a Xeon: time, native code = 1", "cpu-2026-11.md",
         "| kernel | native | Pumice | Intel 2026.2 |", 1, {"Pumice": 2, "Intel's OpenCL": 3, "PoCL": 4},
         "times native's time"),
    Plot("triton-cpu", "Triton kernels on two cores of an EPYC: speed, PyTorch = 1", "triton-2026-11.md",
         "| kernel | size | ms | eager |", 2, {"Pumice": 5}, "times PyTorch's speed", better="longer is better"),
    Plot("triton-gpu", "Triton kernels on an H100 through Vulkan: speed, CUDA = 1", "triton-2026-11.md",
         "| kernel on an H100 |", 2, {"Pumice": 2}, "times CUDA's speed", better="longer is better"),
]


def table(text, header):
    """Returns the cells of the rows of the table whose first line begins with `header`."""
    lines = text.splitlines()
    start = next((i for i, line in enumerate(lines) if line.startswith(header)), None)
    if start is None:
        sys.exit(f"plots: expected a table that begins with '{header}', found none")
    rows = []
    for line in lines[start + 2:]:
        if not line.startswith("|"):
            break
        rows.append([cell.strip().strip("*").strip() for cell in line.strip("|").split("|")])
    return rows


def number(cell):
    """Returns the ratio in a cell; None for cells with a unit, and for empty ones."""
    found = re.match(r"(\d+(?:\.\d+)?)(?: \(.*\))?$", cell)
    return float(found[1]) if found else None


def axis(values):
    """Returns a function from values to pixels on a logarithmic axis, and the marks on it."""
    low = min(0.5, *values) if min(values) < 0.5 else 0.5
    high = max(2, *values)
    def place(value):
        return LEFT + (WIDTH - LEFT - 60) * math.log(value / low) / math.log(high / low)
    marks = [mark for mark in (0.1, 0.25, 0.5, 1, 2, 5, 10, 20, 50, 100) if low <= mark <= high]
    return place, marks


def draw(plot):
    """Returns the picture as SVG."""
    rows = []
    for cells in table((REPORTS / plot.report).read_text(), plot.header):
        values = {name: number(cells[column]) for name, column in plot.series.items()}
        if values["Pumice"] is not None:
            rows.append((", ".join(cells[:plot.label]), values))
    place, marks = axis([value for _, values in rows for value in values.values() if value is not None])
    count = len(plot.series)
    step = BAR * count + 6
    height = 58 + step * len(rows) + 34
    out = [f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {WIDTH} {height}" role="img" '
           f'font-family="system-ui, sans-serif" font-size="11.5">',
           f"<title>{html.escape(plot.title)}</title>",
           f'<rect width="{WIDTH}" height="{height}" fill="#fafafa"/>',
           f'<text x="10" y="20" font-size="14" font-weight="600" fill="#263238">{html.escape(plot.title)}</text>',
           f'<text x="10" y="38" fill="#546e7a">{plot.unit}, {plot.better}; logarithmic</text>']
    if count > 1:
        for i, name in enumerate(plot.series):
            out.append(f'<rect x="{LEFT + 130 * i + 40}" y="29" width="10" height="10" fill="{COLOURS[i]}"/>'
                       f'<text x="{LEFT + 130 * i + 54}" y="38" fill="#263238">{html.escape(name)}</text>')
    bottom = 52 + step * len(rows)
    for mark in marks:
        colour = "#607d8b" if mark == 1 else "#cfd8dc"
        out.append(f'<path d="M{place(mark):.1f} 48V{bottom}" stroke="{colour}"/>'
                   f'<text x="{place(mark):.1f}" y="{bottom + 14}" text-anchor="middle" fill="#546e7a">{mark:g}</text>')
    for i, (label, values) in enumerate(rows):
        top = 52 + step * i
        out.append(f'<text x="{LEFT - 8}" y="{top + step / 2 + 1:.1f}" text-anchor="end" fill="#263238">'
                   f"{html.escape(label)}</text>")
        for k, value in enumerate(values.values()):
            if value is None:
                continue
            y = top + BAR * k
            first, last = sorted((place(1), place(value)))
            out.append(f'<rect x="{first:.1f}" y="{y}" width="{max(last - first, 1):.1f}" height="{BAR - 2}" '
                       f'fill="{COLOURS[k]}"/>'
                       f'<text x="{max(last, place(1)) + 4:.1f}" y="{y + 9}" fill="#546e7a">{value:g}</text>')
    return "\n".join([*out, "</svg>", ""])


def main():
    options = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    options.add_argument("--check", action="store_true", help="only compare, and fail on a difference")
    given = options.parse_args()
    old = []
    for plot in PLOTS:
        path = PICTURES / f"{plot.name}.svg"
        text = draw(plot)
        if given.check:
            old += [path.name] if not path.exists() or path.read_text() != text else []
        else:
            path.write_text(text)
    if old:
        sys.exit(f"plots: {', '.join(old)} differ from the tables of bench/reports: run tools/docs/plots.py")


if __name__ == "__main__":
    main()
