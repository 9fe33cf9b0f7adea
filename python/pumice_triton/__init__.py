"""Triton kernels on Pumice's devices: two back ends for the stock Triton wheel, `cpu` and `vulkan`.

`import triton` imports every back end that is installed, and one that cannot be imported breaks
Triton for everyone. So this package is one of its own, beside `pumice`, and imports nothing of it
until a kernel is compiled or a device is asked for."""
