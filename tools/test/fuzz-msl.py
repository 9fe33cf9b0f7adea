#!/usr/bin/env python3
"""Feeds damaged SPIR-V to `pumice msl`, and reports what crashes it.

    tools/test/fuzz-msl.py [--pumice BIN] [--seed N] [--count N] [--keep FOLDER] FILE...

Each input is one of the files with a few bits, bytes or words changed. Any exit status except 0 and 1 (a signal, a
time-out) is a finding, whose input is kept. The seed is printed first. The same seed gives the same inputs.
"""
import sys

import fuzzing


def mutate(rng, content):
    damaged = bytearray(content)
    for _ in range(rng.choice([1, 1, 1, 2, 4])):
        at = rng.randrange(20, len(damaged))  # after the header
        kind = rng.randrange(4)
        if kind == 0:
            damaged[at] = rng.choice([0, 1, 127, 128, 255])
        elif kind == 1:  # replaces an id, or a literal, by another
            other = rng.randrange(5, len(damaged) // 4) * 4
            damaged[at & ~3:(at & ~3) + 4] = damaged[other:other + 4]
        else:
            damaged[at] ^= 1 << rng.randrange(8)
    return bytes(damaged)


def main():
    arguments = fuzzing.parse(__doc__.splitlines()[0])
    contents = [(path, path.read_bytes()) for path in arguments.files]
    return fuzzing.fuzz(arguments, contents, ".spv", mutate, lambda rng, path: ["msl", str(path)], "translated")


if __name__ == "__main__":
    sys.exit(main())
