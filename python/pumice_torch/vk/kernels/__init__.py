"""Kernels of vk for operators that inductor has none for, and the plans that launch them.

Each module has Triton kernels, and functions that write a plan for a call. `plans/own.py` lists them by operator.
"""
