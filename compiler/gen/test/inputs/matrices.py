"""Writes launch files for the kernels of matrices.mlir, with results that NumPy computes."""
import json
import pathlib
import sys
from typing import Any

import numpy as np
from numpy.typing import NDArray

SEED = 7


def bits_of(values: NDArray[Any], precision: str) -> tuple[str, NDArray[Any]]:
    """Returns the type and the elements of a buffer that holds small integers in a precision."""
    if precision == "bf16":
        return "u16", (values.astype(np.float32).view(np.uint32) >> 16).astype(np.uint16)
    if precision == "tf32":  # bits that the systolic array ignores are not zero
        return "u32", values.astype(np.float32).view(np.uint32) | np.uint32(0x1abc)
    names = {"f16": "u16", "s8": "i8", "u8": "u8", "f32": "f32", "i32": "i32"}
    array = values.astype({"f16": np.float16, "s8": np.int8, "u8": np.uint8, "f32": np.float32,
                           "i32": np.int32}[precision])
    return names[precision], array.view(np.uint16) if precision == "f16" else array


def buffer(values: NDArray[Any], precision: str) -> dict[str, object]:
    name, array = bits_of(values, precision)
    return {"type": name, "data": array.ravel().tolist()}


def product(name: str, rows: int, depth: int, a: str, b: str, c: str, lanes: int = 16) -> dict[str, object]:
    random = np.random.default_rng(SEED)
    low = {"u8": 0}
    left = random.integers(low.get(a, -9), 10, (rows, depth))
    right = random.integers(low.get(b, -9), 10, (depth, lanes))
    if name == "s8u8":  # the whole range of both types
        left[0, :2] = -128, 127
        right[:2, 0] = 255, 254
    start = random.integers(-50, 50, (rows, lanes))
    expected, array = bits_of(start + left @ right, c)
    if lanes == 8:  # two rows of a column are neighbours
        right = right.reshape(depth // 2, 2, lanes).swapaxes(1, 2)
    return {"entry": name, "groups": 1, "workgroup_size": lanes, "arguments": ["a", "b", "c", "d"],
            "buffers": {"a": buffer(left, a), "b": buffer(right, b), "c": buffer(start, c),
                        "d": {"type": expected, "count": rows * lanes,
                              "expect": array.ravel().tolist()}}}


def edges() -> dict[str, object]:
    matrix = np.arange(1, 8 * 20 + 1, dtype=np.int16).reshape(8, 20)
    around = np.zeros((16, 64), np.int16)
    around[2:10, 3:23] = matrix
    blocks = [around[:4, :16], around[:4, 16:32]]
    copied = np.full((8, 20), -1, np.int16)
    copied[1:, 1:17] = np.concatenate(blocks)[:7, :16]
    pairs = np.zeros((24, 16), np.int32)
    pairs[2:10, :10] = matrix.view(np.int32)
    words = pairs[:16, 1:3].T.copy()
    words[0] += 1
    return {"entry": "edges", "groups": 1, "workgroup_size": 16, "arguments": ["from", "to", "words"],
            "buffers": {"from": {"type": "i16", "data": matrix.ravel().tolist()},
                        "to": {"type": "i16", "data": [-1] * 160, "expect": copied.ravel().tolist()},
                        "words": {"type": "i32", "count": 32, "expect": words.ravel().tolist()}}}


def main() -> None:
    folder = pathlib.Path(sys.argv[1])
    folder.mkdir(parents=True, exist_ok=True)
    launches = {
        "f16": product("f16", 8, 16, "f16", "f16", "f32"),
        "f16_of_8": product("f16_of_8", 8, 16, "f16", "f16", "f32", lanes=8),
        "bf16": product("bf16", 3, 16, "bf16", "bf16", "f32"),
        "tf32": product("tf32", 8, 8, "tf32", "tf32", "f32"),
        "s8u8": product("s8u8", 8, 32, "s8", "u8", "i32"),
        "edges": edges(),
    }
    for name, launch in launches.items():
        (folder / f"{name}.json").write_text(json.dumps(launch))


if __name__ == "__main__":
    main()
