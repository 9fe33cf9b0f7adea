"""What PyTorch's inductor gets wrong of kernels for the CPU, and is put right here."""
from pumice_hooks import after_import


def teach_inductor():
    after_import("torch._inductor.codegen.triton", _load_what_is_written_in_place)


def _load_what_is_written_in_place(codegen):
    """PyTorch 2.13 passes a 0-dimensional tensor of the CPU as a number, and reads it without a load. Where the kernel
    writes its result over the tensor it passes a pointer, and leaves out the load all the same."""
    unwraps = getattr(codegen, "should_unwrap_unspec_arg", None)
    if unwraps is None:
        return

    def unwraps_here(name):
        kernel = codegen.V.kernel
        return unwraps(name) and name not in getattr(getattr(kernel, "args", None), "inplace_buffers", ())

    codegen.should_unwrap_unspec_arg = unwraps_here
