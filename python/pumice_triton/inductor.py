"""What PyTorch's inductor gets wrong of kernels for the CPU, and is put right here."""


def unwraps_what_is_not_written(unwraps):
    """PyTorch 2.13 passes a 0-dimensional tensor of the CPU as a number, and reads it without a load. Where the kernel
    writes its result over the tensor it passes a pointer, and leaves out the load all the same."""
    from torch._inductor.codegen import triton as codegen

    def unwraps_here(name):
        kernel = codegen.V.kernel
        return unwraps(name) and name not in getattr(getattr(kernel, "args", None), "inplace_buffers", ())

    return unwraps_here
