"""Trains a small network on PyTorch's device "vk"."""
import torch

torch.manual_seed(0)
network = torch.nn.Sequential(torch.nn.Linear(16, 32), torch.nn.GELU(), torch.nn.Linear(32, 2)).to("vk")
optimizer = torch.optim.AdamW(network.parameters(), lr=0.01)
x = torch.randn(256, 16, device="vk")
labels = (x.sum(1) > 0).long()
for step in range(60):
    loss = torch.nn.functional.cross_entropy(network(x), labels)
    optimizer.zero_grad()
    loss.backward()
    optimizer.step()
right = (network(x).argmax(1) == labels).sum().item()
print(f"{right} of 256 are right on {torch.vk.get_device_name()}, and {len(torch.vk.fallbacks())} operators ran on the CPU")
