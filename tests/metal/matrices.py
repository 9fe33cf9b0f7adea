#!/usr/bin/env python3
"""Multiplies matrices by Metal's simdgroup_matrix on the mock, and compares with NumPy.

    tests/metal/matrices.py

Products of 8×8 tiles must be in MSL with matrices. Other shapes, and operations that Metal's matrices lack, must be
right without them. PUMICE_METAL_LIBRARY names the mock.
"""
import pathlib
import sys
import tempfile

import numpy as np
import pumice

KERNEL = """
gpu.module @kernels {{
  gpu.func @product(%a: memref<{m}x{k}x{t}>, %b: memref<{k}x{n}x{t}>, %c: memref<{m}x{n}x{r}>) kernel
      attributes {{known_block_size = array<i32: 64, 1, 1>}} {{
    %c0 = arith.constant 0 : index
    %tile = arith.constant {tile} : index
    %depth = arith.constant {k} : index
    %begin = arith.constant {begin} : {r}
    %block = gpu.block_id x
    %subgroups = gpu.num_subgroups : index
    %subgroup = gpu.subgroup_id : index
    %before = arith.muli %block, %subgroups : index
    %index = arith.addi %before, %subgroup : index
    %row = arith.muli %index, %tile : index
    %column_index = gpu.block_id y
    %column = arith.muli %column_index, %tile : index
    %first = gpu.subgroup_mma_constant_matrix %begin : !gpu.mma_matrix<{tile}x{tile}x{r}, "COp">
    %sum = scf.for %i = %c0 to %depth step %tile iter_args(%s = %first) -> (!gpu.mma_matrix<{tile}x{tile}x{r}, "COp">) {{
      %x = gpu.subgroup_mma_load_matrix %a[%row, %i] {{leadDimension = {k} : index}} : memref<{m}x{k}x{t}> -> !gpu.mma_matrix<{tile}x{tile}x{t}, "AOp">
      %y = gpu.subgroup_mma_load_matrix %b[%i, %column] {{leadDimension = {n} : index}} : memref<{k}x{n}x{t}> -> !gpu.mma_matrix<{tile}x{tile}x{t}, "BOp">
      %next = gpu.subgroup_mma_compute %x, %y, %s : !gpu.mma_matrix<{tile}x{tile}x{t}, "AOp">, !gpu.mma_matrix<{tile}x{tile}x{t}, "BOp"> -> !gpu.mma_matrix<{tile}x{tile}x{r}, "COp">
      scf.yield %next : !gpu.mma_matrix<{tile}x{tile}x{r}, "COp">
    }}
    {after}
    gpu.subgroup_mma_store_matrix %{stored}, %c[%row, %column] {{leadDimension = {n} : index}} : !gpu.mma_matrix<{tile}x{tile}x{r}, "COp">, memref<{m}x{n}x{r}>
    gpu.return
  }}
}}
"""
TYPES = {"f16": np.float16, "f32": np.float32}


def multiply(device, tile, factor, result, addressing, doubled):
    """Returns whether the kernel has Metal's matrices, and the largest error."""
    m, n, k = 4 * tile, 2 * tile, 3 * tile
    matrix = f'!gpu.mma_matrix<{tile}x{tile}x{result}, "COp">'
    after = f"%twice = gpu.subgroup_mma_elementwise addf %sum, %sum : ({matrix}, {matrix}) -> {matrix}" if doubled else ""
    text = KERNEL.format(m=m, n=n, k=k, tile=tile, t=factor, r=result, begin="0.5", after=after,
                         stored="twice" if doubled else "sum")
    program = pumice.compile(text, device, addressing=addressing)
    random = np.random.default_rng(1)
    a, b = (random.standard_normal(shape).astype(TYPES[factor]) for shape in ((m, k), (k, n)))
    c = np.zeros((m, n), TYPES[result])
    program["product"][m // tile // 2, n // tile](a, b, c)
    expected = (a.astype(np.float64) @ b.astype(np.float64) + 0.5) * (2 if doubled else 1)
    with tempfile.TemporaryDirectory() as folder:
        file = pathlib.Path(folder, "product.pumice")
        program.save(file)
        has = b"simdgroup_multiply_accumulate" in file.read_bytes()
    return has, np.abs(c - expected).max() / np.abs(expected).max()


def main():
    device, failed, count = pumice.use("metal:0"), 0, 0
    for addressing in ("addresses", "descriptors"):
        for tile, factor, result, doubled, matrices in (
                (8, "f16", "f32", False, True), (8, "f16", "f16", False, True), (8, "f32", "f32", False, True),
                (8, "f16", "f32", True, False), (16, "f16", "f32", False, False)):
            has, error = multiply(device, tile, factor, result, addressing, doubled)
            right = error < (4e-3 if result == "f16" else 1e-5) and has == matrices
            failed, count = failed + (not right), count + 1
            print(f"{tile}x{tile} {factor} {result}{' twice' * doubled}, {addressing}: "
                  f"{'simdgroup_matrix' if has else 'subgroup operations'}, error {error:.1e}: {'passed' if right else 'failed'}")
    print(f"{count - failed} passed, {failed} failed")
    return 1 if failed else 0


if __name__ == "__main__":
    sys.exit(main())
