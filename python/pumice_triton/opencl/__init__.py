"""The back end `opencl`: runs kernels on an OpenCL device, which uses host tensors in place if it shares the host's memory."""
