"""Code that the tutorials share: command-line options, timing, and a chart of the measurements.

Each tutorial takes `--device ID`, `--threads N`, `--quick` (small sizes, as the tests run it), and `--plot FILE.svg`.
"""
import argparse
import html
import math

import pumice
import torch
import triton

COLOURS = ("#00796b", "#c2571a", "#4a5fb0")
WIDTH, HEIGHT, LEFT, RIGHT, TOP, BOTTOM = 640, 340, 64, 130, 48, 48


def options(description):
    """Parses the options and selects the device."""
    parser = argparse.ArgumentParser(description=description.strip().splitlines()[0].lstrip("# "))
    parser.add_argument("--device", help="as `pumice devices` names them; the CPU without it")
    parser.add_argument("--quick", action="store_true", help="small sizes")
    parser.add_argument("--plot", metavar="FILE", help="write the chart, as SVG")
    parser.add_argument("--threads", type=int, help="of PyTorch and of the CPU device; all cores without it")
    chosen = parser.parse_args()
    pumice.use(chosen.device or "cpu")
    if chosen.threads:
        torch.set_num_threads(chosen.threads)  # the CPU device uses as many threads
    return chosen


def milliseconds(chosen, **runs):
    """Returns the shortest time of each function. They run in turn, so that other work affects all of them."""
    shortest = dict.fromkeys(runs, math.inf)
    for _ in range(1 if chosen.quick else 40):
        for name, run in runs.items():
            time = triton.testing.do_bench(run, warmup=2, rep=10, return_mode="min")
            shortest[name] = min(shortest[name], time)
    return shortest


def show(sizes, series, unit, chosen, title, across):
    """Prints a table of the measurements, and draws a chart if `--plot` is given."""
    print(f"{across:>16}" + "".join(f"{name:>16}" for name in series) + f"   in {unit}")
    for i, size in enumerate(sizes):
        print(f"{size:>16}" + "".join(f"{values[i]:>16.2f}" for values in series.values()))
    if chosen.plot:
        with open(chosen.plot, "w", encoding="utf-8") as file:
            threads = f", {chosen.threads} thread{'s' * (chosen.threads > 1)}" if chosen.threads else ""
            place = f"{pumice.device().id}: {pumice.device().name}{threads}"
            file.write(chart(sizes, series, unit, f"{title} on {place}", across))


def chart(sizes, series, unit, title, across):
    """Returns an SVG chart with a line for each series, over evenly spaced sizes."""
    top = ceiling(max(max(values) for values in series.values()))
    step = (WIDTH - LEFT - RIGHT) / max(len(sizes) - 1, 1)

    def x(i):
        return LEFT + i * step

    def y(value):
        return HEIGHT - BOTTOM - value / top * (HEIGHT - TOP - BOTTOM)

    def text(across, down, words, anchor="middle", fill="#444"):
        return f'<text x="{across:.1f}" y="{down:.1f}" text-anchor="{anchor}" fill="{fill}">{html.escape(words)}</text>'

    parts = [f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {WIDTH} {HEIGHT}" font-family="sans-serif" '
             f'font-size="12">', '<rect width="100%" height="100%" fill="white"/>',
             text(WIDTH / 2, 20, title), text(12, TOP - 12, unit, "start"),
             text(LEFT + (WIDTH - LEFT - RIGHT) / 2, HEIGHT - 8, across)]
    for tick in range(5):
        value = top * tick / 4
        parts += [f'<line x1="{LEFT}" x2="{WIDTH - RIGHT}" y1="{y(value):.1f}" y2="{y(value):.1f}" stroke="#ddd"/>',
                  text(LEFT - 8, y(value) + 4, f"{value:g}", "end")]
    every = math.ceil(len(sizes) / 7)
    parts += [text(x(i), HEIGHT - BOTTOM + 18, str(size)) for i, size in enumerate(sizes) if i % every == 0]
    downs = label_places([y(values[-1]) + 4 for values in series.values()], HEIGHT - BOTTOM + 4)
    for (name, values), colour, down in zip(series.items(), COLOURS, downs):
        points = " ".join(f"{x(i):.1f},{y(value):.1f}" for i, value in enumerate(values))
        parts += [f'<polyline points="{points}" fill="none" stroke="{colour}" stroke-width="2"/>',
                  text(x(len(sizes) - 1) + 8, down, name, "start", colour)]
    return "\n".join(parts + ["</svg>"]) + "\n"


def label_places(wanted, lowest, apart=14):
    """Moves labels so that they are `apart` or more, in the same order, and none is below `lowest`."""
    places = list(wanted)
    order = sorted(range(len(wanted)), key=wanted.__getitem__)
    for above, below in zip(order, order[1:]):
        places[below] = max(places[below], places[above] + apart)
    for below in reversed(order):
        places[below] = min(places[below], lowest)
        lowest = places[below] - apart
    return places


def ceiling(value):
    """Returns the next of 1, 2, 4, 8 times a power of ten."""
    power = 10 ** math.floor(math.log10(value)) if value > 0 else 1
    return next(power * factor for factor in (1, 2, 4, 8, 10) if power * factor >= value)
