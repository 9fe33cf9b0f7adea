"""Times compiled networks of many small kernels on PyTorch's device "vk", with and without graphs.

    bench_graphs.py [--device cpu] [OPTION]...

Without graphs, each kernel is launched (mode="default"). With graphs, a call replays what a former call has captured
(mode="reduce-overhead"). Both are timed in turn for a moment, many times. The table has the medians of the times, and the
median of the ratios of neighbouring times.
"""
import argparse
import copy
import os
import statistics
import sys
import time


def arguments():
    parser = argparse.ArgumentParser(prog="bench-graphs", description=__doc__,
                                     formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--device", default="cpu", help="the device that vk is: cpu, vulkan:0, ... (cpu)")
    parser.add_argument("--layers", type=int, default=24, help="blocks of the network (24)")
    parser.add_argument("--width", type=int, default=64, help="features of a block (64)")
    parser.add_argument("--rows", type=int, default=16, help="rows of the input (16)")
    parser.add_argument("--rounds", type=int, default=30, help="how often each mode is timed (30)")
    parser.add_argument("--calls", type=int, default=10, help="calls that are timed at once (10)")
    given = parser.parse_args()
    for name in ("layers", "width", "rows", "rounds", "calls"):
        if getattr(given, name) < 1:
            parser.error(f"--{name} must be at least 1, not {getattr(given, name)}")
    return given


def make_network(torch, given):
    """Returns blocks whose kernels cannot be joined."""
    layers = []
    for _ in range(given.layers):
        layers += [torch.nn.LayerNorm(given.width), torch.nn.Linear(given.width, given.width), torch.nn.GELU()]
    return torch.nn.Sequential(*layers).to("vk")


def steps_of(torch, given, is_training):
    """Returns the step of each mode, and how many kernels a graph of it launches."""
    network = make_network(torch, given)
    x = torch.randn(given.rows, given.width, device="vk")
    steps = []
    for mode in ("default", "reduce-overhead"):
        torch._dynamo.reset()
        own = copy.deepcopy(network)
        compiled = torch.compile(own, mode=mode)

        def train(own=own, compiled=compiled):
            compiled(x).square().mean().backward()
            own.zero_grad()

        def infer(compiled=compiled):
            with torch.no_grad():
                compiled(x)

        steps.append(train if is_training else infer)
        for _ in range(4):
            steps[-1]()
    return steps


def main():
    given = arguments()
    os.environ.update(PUMICE_VK="1", PUMICE_VK_DEVICES=given.device)
    import torch
    if not hasattr(torch, "vk") or not torch.vk.is_available():
        sys.exit("bench-graphs: error: vk has no device: install Pumice beside PyTorch, and choose a device by --device")
    from pumice_torch.vk import graphs
    print(f"{torch.vk.get_device_name()}, PyTorch {torch.__version__}")
    print(f"{given.layers} blocks of {given.width} features, {given.rows} rows\n")
    print(f"{'case':12} {'launches, us':>13} {'graphs, us':>12} {'speed':>6} {'commands':>9}")
    for is_training in (False, True):
        before = graphs.counts["commands"]
        plain, replayed = steps_of(torch, given, is_training)
        commands = graphs.counts["commands"] - before

        def timed(step):
            torch.vk.synchronize()
            begin = time.perf_counter()
            for _ in range(given.calls):
                step()
            torch.vk.synchronize()
            return (time.perf_counter() - begin) / given.calls * 1e6

        times = [(timed(plain), timed(replayed)) for _ in range(given.rounds)]
        ratio = statistics.median(one / other for one, other in times)
        medians = [statistics.median(each) for each in zip(*times, strict=True)]
        print(f"{'training' if is_training else 'inference':12} {medians[0]:13.1f} {medians[1]:12.1f} {ratio:6.2f} {commands:9}",
              flush=True)
    return 0


if __name__ == "__main__":
    sys.exit(main())
