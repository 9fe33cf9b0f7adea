#!/usr/bin/env python3
"""Feeds damaged MLIR to `pumice compile`, and reports what crashes it.

    tools/test/fuzz-compile.py [--pumice BIN] [--seed N] [--count N] [--keep FOLDER] FILE...

Each input is one of the files with a few random changes: bytes, lines, words of other files. Any exit status except 0
and 1 (a signal, a failed check, a time-out) is a finding, whose input is kept. The seed is printed first. The same
seed gives the same inputs.
"""
import re
import sys

import fuzzing

TARGETS = ["rdna3", "h200", "lavapipe22", "apple-m1", "swiftshader", "android-baseline-2022", "vulkan1.0"]
# Values and words that violate common assumptions.
WORDS = ["0", "-1", "1", "3", "7", "33", "4294967296", "-9223372036854775808", "?", "index", "i1",
         "i7", "i128", "f16", "bf16", "f64", "f80", "f8E4M3FN", "vector<0xf32>", "vector<3xf16>",
         "vector<[4]xf32>", "memref<f32>", "memref<0xf32>", "memref<?x?xf32, strided<[?, ?]>>",
         "memref<*xf32>", "tuple<>", "none", "0x7FC00000", "{}", "kernel", "#gpu.address_space<workgroup>"]


def mutate(rng, text, words):
    tokens = re.findall(r"\s+|[%@#!^]?[\w.$-]+|.", text, re.DOTALL)
    for _ in range(rng.choice([1, 1, 1, 2, 3, 8])):
        at = rng.randrange(len(tokens))
        kind = rng.randrange(10)
        if kind == 0:
            del tokens[at]
        elif kind == 1:
            tokens.insert(at, rng.choice(words))
        elif kind in (2, 3, 4):  # replacing words by words keeps most inputs parsable
            places = [i for i, token in enumerate(tokens) if token.strip() and token[0] not in "(){}"]
            tokens[rng.choice(places)] = rng.choice(words)
        elif kind == 5:
            other = rng.randrange(len(tokens))
            tokens[at], tokens[other] = tokens[other], tokens[at]
        elif kind == 6:  # repeats a line in another place
            lines = "".join(tokens).split("\n")
            lines.insert(rng.randrange(len(lines)), rng.choice(lines))
            tokens = re.findall(r"\s+|[%@#!^]?[\w.$-]+|.", "\n".join(lines), re.DOTALL)
        elif kind in (7, 8):  # replaces a word everywhere, such as f32 by f16
            old = rng.choice([token for token in tokens if re.match(r"[\w%-]", token)])
            new = rng.choice(words)
            tokens = [new if token == old else token for token in tokens]
        else:
            tokens[at] = chr(rng.randrange(1, 256)) + tokens[at]
    return "".join(tokens)


def main():
    arguments = fuzzing.parse(__doc__.splitlines()[0])
    contents = [(path, part.encode()) for path in arguments.files for part in path.read_text().split("// -----")]
    words = WORDS + sorted({word for _, text in contents
                            for word in re.findall(r"[%@!#]?[\w.$-]+", text.decode())})

    def command(rng, path):
        return ["compile", str(path), "-o", str(path.with_suffix(".out")), "--target", rng.choice(TARGETS),
                "--addressing", rng.choice(["auto", "descriptors"])]

    return fuzzing.fuzz(arguments, contents, ".mlir",
                        lambda rng, text: mutate(rng, text.decode(), words).encode(), command, "compiled")


if __name__ == "__main__":
    sys.exit(main())
