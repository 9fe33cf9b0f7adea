"""The back end `cpu`: runs kernels on the processor, and uses host tensors in place."""
