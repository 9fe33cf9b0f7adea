"""Captures a network's work on PyTorch's device "vk" in a graph, and replays it for other inputs."""
import time

import torch

network = torch.nn.Sequential(*[layer for _ in range(8) for layer in (torch.nn.Linear(32, 32), torch.nn.GELU())]).to("vk")
x = torch.randn(4, 32, device="vk")  # the graph reads its input here


def microseconds(run):
    torch.vk.synchronize()
    begin = time.perf_counter()
    for _ in range(50):
        run()
    torch.vk.synchronize()
    return (time.perf_counter() - begin) / 50 * 1e6


with torch.no_grad():
    network(x)  # compiles the operators
    graph = torch.vk.VkGraph()
    with torch.vk.graph(graph):
        y = network(x)  # the graph writes its output here
    x.copy_(torch.randn(4, 32))
    graph.replay()
    torch.testing.assert_close(y, network(x))
    print(f"{len(graph)} commands take {microseconds(graph.replay):.0f} us as a graph, {microseconds(lambda: network(x)):.0f} us "
          "as calls of operators")
