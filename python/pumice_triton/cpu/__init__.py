"""The back end `cpu`: kernels on the processor, with tensors of the host in place."""
