"""Trains a network on several processes, each with a device "vk" and a part of the data. torchrun starts them."""
import torch
from torch import distributed
from torch.nn.parallel import DistributedDataParallel

distributed.init_process_group()
rank, size = distributed.get_rank(), distributed.get_world_size()
torch.vk.set_device(rank % torch.vk.device_count())

torch.manual_seed(0)
network = torch.nn.Sequential(torch.nn.Linear(16, 32), torch.nn.GELU(), torch.nn.Linear(32, 2)).to("vk")
parallel = DistributedDataParallel(network)
optimizer = torch.optim.AdamW(network.parameters(), lr=0.01)
torch.manual_seed(rank + 1)
x = torch.randn(128, 16, device="vk")
labels = (x.sum(1) > 0).long()
for step in range(60):
    loss = torch.nn.functional.cross_entropy(parallel(x), labels)
    optimizer.zero_grad()
    loss.backward()
    optimizer.step()
right = (network(x).argmax(1) == labels).sum()
distributed.all_reduce(right)
if rank == 0:
    print(f"{right.item()} of {128 * size} are right on {size} processes, with the backend "
          f"{distributed.group.WORLD._get_backend(right.device).name()}")
distributed.destroy_process_group()
