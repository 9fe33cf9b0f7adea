"""The back end `vk`: runs kernels on the devices of torch.device("vk"), whose tensors it takes without a copy."""
