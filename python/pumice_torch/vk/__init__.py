"""PyTorch's device "vk", which is any device of Pumice's. `module` is what programs see as `torch.vk`."""
