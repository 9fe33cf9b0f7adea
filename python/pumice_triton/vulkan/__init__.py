"""The back end `vulkan`: kernels on a Vulkan device, with tensors of the host copied there and back."""
