"""Runs examples, and prints a table: `run.py [NAME[:SIZE=VALUE,...]...] [--device all] [--resident]`."""
import argparse
import importlib
import pathlib

import example

NAMES = sorted(path.stem for path in pathlib.Path(__file__).parent.glob("*.py")
               if path.stem not in ("example", "run"))


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("names", nargs="*", metavar="NAME",
                        help=f"of {', '.join(NAMES)}; else all. As `matmul:M=65,dtype=float16` in other sizes")
    parser.add_argument("--device", default="cpu", help="cpu, vulkan, vulkan:1, ..., or all")
    parser.add_argument("--resident", action="store_true", help="arrays in the device's own memory")
    options = parser.parse_args()
    try:
        chosen = [choose(word) for word in options.names or NAMES]
    except ValueError as error:
        parser.error(str(error))
    memory = example.DeviceMemory if options.resident else example.HostMemory
    devices = example.devices_of(options.device, parser)
    rows, is_right = [], True
    for problem, sizes in chosen:
        for i, device in enumerate(devices):
            rows += [[problem.__module__]] if i == 0 else []
            try:
                rows[-1][0], against, milliseconds = example.run(problem, device, memory, **sizes)
            except example.Unfit:
                rows[-1].append("left out")
                continue
            is_right &= not against
            rows[-1].append(example.verdict(against) if against else f"{milliseconds:.3f} ms")
    for device in devices:
        print(device)
    print_table([[f"all of it compared with {example.REFERENCES}", *[device.id for device in devices]], *rows])
    return 0 if is_right else 1


def choose(word):
    """Returns the function that makes the problem that `word` names, and the sizes."""
    name, _, rest = word.partition(":")
    if name not in NAMES:
        raise ValueError(f"there is no example '{name}'; there are {', '.join(NAMES)}")
    make, sizes = importlib.import_module(name).problem, {}
    known = example.sizes_of(make)
    for part in filter(None, rest.split(",")):
        size, _, text = part.partition("=")
        if size not in known:
            raise ValueError(f"{name} has no size '{size}'; it has {', '.join(known)}")
        sizes[size] = example.kind_of(known[size])(text)
    return make, sizes


def print_table(rows):
    widths = [max(len(row[i]) for row in rows) for i in range(len(rows[0]))]
    for row in rows:
        print(row[0].ljust(widths[0]), *[cell.rjust(width) for cell, width in
                                         zip(row[1:], widths[1:])], sep="  ")


if __name__ == "__main__":
    raise SystemExit(main())
