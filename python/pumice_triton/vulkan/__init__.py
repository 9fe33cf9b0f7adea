"""The back end `vulkan`: runs kernels on a Vulkan device, and copies host tensors to the device and back."""
