"""Three back ends for the stock Triton wheel, `cpu`, `vulkan` and `opencl`, which run Triton kernels on Pumice's devices.

`import triton` imports every installed back end, and one that cannot be imported breaks Triton for everyone. So this
package is separate from `pumice`. It imports nothing of `pumice` until a kernel is compiled or a device is requested.
"""
