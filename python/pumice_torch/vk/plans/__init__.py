"""Compiles operators of PyTorch to plans, by inductor.

A plan is a file by which the library of vk computes an operator: conditions on the call, arithmetic, allocations,
launches, and the kernels' code. `hook` tells the library whom to ask, `building` makes a graph of one operator and has
inductor lower it, `lowering` turns what inductor made into the file (`file`), and `own` writes plans with kernels of our
own. Only `hook` is imported by `import torch`.
"""
