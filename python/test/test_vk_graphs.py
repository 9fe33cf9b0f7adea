"""Graphs of PyTorch's device "vk": captures, replays, and torch.compile with mode="reduce-overhead".

    PYTHONPATH=... PUMICE_TEST_DEVICES=cpu,vulkan:0 python python/test/test_vk_graphs.py

Every test runs on each device of PUMICE_TEST_DEVICES.
"""
import copy
import gc
import unittest

import vk_testing

import torch
from torch import nn

from pumice_torch.vk import graphs


def on_each_device(test):
    """Runs a test once for each device, without what earlier tests compiled and counted."""
    def run(self, vk):
        torch._dynamo.reset()
        for counted in graphs.counts:
            graphs.counts[counted] = 0
        test(self, vk)
    return vk_testing.on_each_device(run)


def close(ours, theirs):
    torch.testing.assert_close(ours.cpu(), theirs.cpu(), rtol=1e-4, atol=1e-5)


class Captures(unittest.TestCase):
    @on_each_device
    def test_replays_read_and_write_the_same_memory(self, vk):
        x, w = torch.randn(300, device=vk), torch.randn(300, device=vk)
        graph = torch.vk.VkGraph()
        self.assertFalse(torch.vk.is_current_stream_capturing())
        with torch.vk.graph(graph):
            self.assertTrue(torch.vk.is_current_stream_capturing())
            y = (x * w).relu()
            y += 1
            z = torch.cat([y, torch.zeros(4, device=vk)]).sum()
        self.assertFalse(torch.vk.is_current_stream_capturing())
        self.assertGreaterEqual(len(graph), 4)
        for _ in range(3):
            x.copy_(torch.randn(300))
            graph.replay()
            close(y, (x * w).relu() + 1)
            close(z, y.sum())

    @on_each_device
    def test_memory_is_the_graphs(self, vk):
        gc.collect()
        torch.vk.empty_cache()
        before = torch.vk.memory_reserved()
        x = torch.ones(1 << 20, device=vk)
        graph = torch.vk.VkGraph()
        with torch.vk.graph(graph):
            first = x + 1
            address = first.data_ptr()
            second = first * 2
            del first
            third = second - 1  # takes the memory of the first
            self.assertEqual(third.data_ptr(), address)
        del second
        others = [torch.zeros(1 << 20, device=vk) for _ in range(4)]
        graph.replay()
        for other in others:
            self.assertEqual(other.sum().item(), 0)
        self.assertEqual(third.mean().item(), 3)
        again = torch.vk.VkGraph()
        with torch.vk.graph(again, pool=graph.pool()):
            fourth = x + 5
        self.assertEqual(again.pool(), graph.pool())
        again.replay()
        self.assertEqual(fourth.mean().item(), 6)
        del graph, again, x, third, fourth, others, other
        gc.collect()
        torch.vk.empty_cache()
        self.assertLessEqual(torch.vk.memory_reserved(), before)  # an earlier test may have left graphs

    @on_each_device
    def test_what_must_wait_is_rejected(self, vk):
        x = torch.randn(8, device=vk)
        for attempt in (lambda: x.sum().item(), lambda: x.cpu(), lambda: torch.nonzero(x),
                        lambda: torch.vk.Event().record(), torch.vk.synchronize, lambda: torch.linalg.svd(x.reshape(2, 4))):
            graph = torch.vk.VkGraph()
            with self.assertRaisesRegex(RuntimeError, "capturing a graph.*out of the capture"), torch.vk.graph(graph):
                attempt()
            with self.assertRaisesRegex(RuntimeError, "capture some first"):
                graph.replay()
        with self.assertRaisesRegex(RuntimeError, "torch.compile"), torch.vk.graph(graph):
            nn.functional.dropout(x)
        with torch.vk.graph(graph), self.assertRaisesRegex(RuntimeError, "captured already"):
            graph.capture_begin()
        close(x + x, 2 * x)  # the streams work as before

    @on_each_device
    def test_random_numbers_are_new_in_each_replay(self, vk):
        graph = torch.vk.VkGraph()
        with torch.vk.graph(graph):
            x = torch.rand(100, device=vk) + 1
            y = torch.empty(50, device=vk).normal_(3)
        torch.vk.manual_seed(5)
        for _ in range(3):
            graph.replay()
            state = torch.vk.get_rng_state()
            kept = x.clone(), y.clone()
        torch.vk.manual_seed(5)
        for _ in range(3):
            expected = torch.rand(100, device=vk) + 1, torch.empty(50, device=vk).normal_(3)
        self.assertTrue(torch.equal(torch.vk.get_rng_state(), state))
        for ours, theirs in zip(kept, expected):
            self.assertTrue(torch.equal(ours, theirs))

    @on_each_device
    def test_training_step(self, vk):
        model = nn.Sequential(nn.Linear(6, 9), nn.Tanh(), nn.Linear(9, 3)).to(vk)
        other = copy.deepcopy(model).cpu()
        x, target = torch.randn(4, 6, device=vk), torch.randn(4, 3, device=vk)
        steps = [torch.optim.SGD(one.parameters(), lr=0.1) for one in (model, other)]

        def step(model, optimizer, x, target):
            optimizer.zero_grad(set_to_none=False)
            loss = nn.functional.mse_loss(model(x), target)
            loss.backward()
            optimizer.step()
            return loss

        stream = torch.Stream(vk)
        with torch.vk.stream(stream):
            for _ in range(2):
                step(model, steps[0], x, target)
            graph = torch.vk.VkGraph()
            with torch.vk.graph(graph, stream=stream):
                loss = step(model, steps[0], x, target)
            other.load_state_dict(model.state_dict())
            for _ in range(3):
                x.copy_(torch.randn(4, 6))
                graph.replay()
                close(loss, step(other, steps[1], x.cpu(), target.cpu()))
            close(model[0].weight, other[0].weight)

    @on_each_device
    def test_graphed_callables(self, vk):
        model, other = nn.Linear(6, 5).to(vk), nn.Linear(6, 5).to(vk)
        other.load_state_dict(model.state_dict())
        sample = torch.randn(4, 6, device=vk, requires_grad=True)
        graphed, function = torch.vk.make_graphed_callables((model, lambda x: (x.sin(), x.sum())), ((sample,), (sample,)))
        self.assertIs(graphed, model)
        results = []
        for _ in range(3):
            x = torch.randn(4, 6, device=vk, requires_grad=True)
            y = x.detach().clone().requires_grad_()
            ours, theirs = graphed(x), other(y)
            for one in (ours, theirs):
                one.square().sum().backward()
            sine, total = function(x)
            sine.sum().backward()
            y.sin().sum().backward()
            close(x.grad, y.grad)
            results.append((ours, theirs, total, y.sum()))
        for ours, theirs, total, expected in results:
            close(ours, theirs)
            close(total, expected)
        close(model.weight.grad, other.weight.grad)
        model.eval()
        close(model(x), other(x))

    @unittest.skipUnless(hasattr(torch.accelerator, "Graph"), "this PyTorch has no torch.accelerator.Graph")
    @on_each_device
    def test_accelerator_graphs(self, vk):
        x = torch.randn(10, device=vk)
        stream, graph = torch.Stream(vk), torch.accelerator.Graph()
        with stream, graph:
            y = x * 2
        x.fill_(4)
        graph.replay()
        self.assertEqual(y.sum().item(), 80)


class Compiled(unittest.TestCase):
    def counted(self, **expected):
        self.assertEqual({name: graphs.counts[name] for name in expected}, expected)

    @on_each_device
    def test_results_stay(self, vk):
        @torch.compile(mode="reduce-overhead")
        def call(x, y):
            z = x @ y
            return z.relu(), z.sum()

        y = torch.randn(8, 8, device=vk)
        results = []
        for _ in range(6):
            x = torch.randn(8, 8, device=vk)
            made = call(x, y)
            results.append((x, made))
        for x, (z, total) in results:  # replays have not changed what earlier ones gave
            close(z, (x @ y).relu())
            close(total, (x @ y).sum())
        self.counted(graphs=1, replays=5, plain=1)

    @on_each_device
    def test_training(self, vk):
        model = nn.Sequential(nn.Linear(6, 16), nn.BatchNorm1d(16), nn.GELU(), nn.Linear(16, 3)).to(vk)
        other = copy.deepcopy(model)
        compiled = torch.compile(model, mode="reduce-overhead")
        optimizers = [torch.optim.SGD(one.parameters(), lr=0.05) for one in (model, other)]
        for step in range(6):
            xs = torch.randn(2, 12, 6, device=vk)
            for forward, optimizer in ((compiled, optimizers[0]), (other, optimizers[1])):
                # The second forward pass comes before the first backward pass. Gradients add up.
                losses = [forward(x).square().mean() for x in xs]
                for loss in losses:
                    loss.backward()
                if step != 3:  # else the gradients stay
                    optimizer.step()
                    optimizer.zero_grad(set_to_none=step % 2 == 0)
            for ours, theirs in zip((*model.parameters(), *model.buffers()), (*other.parameters(), *other.buffers())):
                close(ours, theirs)
                if ours.grad is not None:
                    close(ours.grad, theirs.grad)
        self.assertGreaterEqual(graphs.counts["replays"], 20)

    @on_each_device
    def test_other_sizes_and_numbers(self, vk):
        @torch.compile(mode="reduce-overhead", dynamic=True)
        def call(x):
            return x * x.shape[0] + 1

        for size in (5, 7, 5, 7, 9, 5, 7):
            x = torch.randn(size, 3, device=vk)
            close(call(x), x * size + 1)
        self.counted(graphs=2, replays=4, plain=3)
        for size in range(20, 20 + graphs.MOST_RECORDINGS):  # graphs are limited, calls are not
            for _ in range(2):
                x = torch.randn(size, 3, device=vk)
                close(call(x), x * size + 1)
        self.assertLessEqual(graphs.counts["graphs"], graphs.MOST_RECORDINGS)

    @on_each_device
    def test_random_numbers(self, vk):
        @torch.compile(mode="reduce-overhead")
        def call(x):
            return nn.functional.dropout(x, 0.5), torch.rand_like(x)

        x = torch.ones(200, device=vk)
        results = []
        for _ in range(2):
            torch.manual_seed(3)
            results.append([torch.cat(call(x)) for _ in range(4)])
        for i, (first, second) in enumerate(zip(*results)):
            self.assertTrue(torch.equal(first, second), i)  # of which some are a graph's
            self.assertFalse(torch.equal(first, results[0][i - 1]))
        self.counted(graphs=1, plain=1)

    @on_each_device
    def test_inputs_that_change_or_move(self, vk):
        @torch.compile(mode="reduce-overhead")
        def count(state, x):
            state.add_(x)
            return state * 2

        state, expected = torch.zeros(4, device=vk), torch.zeros(4, device=vk)
        for i in range(4):
            close(count(state, torch.full((4,), float(i), device=vk)), expected.add_(i) * 2)
        close(state, expected)
        self.counted(graphs=0)  # the state is no parameter, so each kernel is launched

        linear = nn.Linear(4, 4, device=vk)
        compiled = torch.compile(linear, mode="reduce-overhead")
        x = torch.randn(3, 4, device=vk)
        with torch.no_grad():
            for i in range(6):
                if i == 3:
                    linear.weight.data = torch.randn(4, 4, device=vk)
                close(compiled(x), nn.functional.linear(x, linear.weight, linear.bias))
        self.counted(graphs=2)

    @on_each_device
    def test_attention(self, vk):
        def call(x):
            return nn.functional.scaled_dot_product_attention(x, x * 2, x + 1, is_causal=True).square().sum()

        compiled = torch.compile(call, mode="reduce-overhead")
        for _ in range(4):
            x = torch.randn(2, 2, 8, 16, device=vk, requires_grad=True)
            (ours,), (theirs,) = (torch.autograd.grad(one(x), x) for one in (compiled, call))
            close(ours, theirs)
        self.counted(graphs=2, replays=6, plain=2)
        self.assertGreater(len(graphs._constants), 0)
        del compiled
        torch._dynamo.reset()
        gc.collect()
        self.assertEqual(len(graphs._constants), 0)

    @on_each_device
    def test_indices_and_buffers(self, vk):
        class Cache(nn.Module):
            def __init__(self):
                super().__init__()
                self.register_buffer("rows", torch.zeros(8, 4))
                self.words = nn.Embedding(10, 4)

            def forward(self, word, position):
                self.rows.index_copy_(0, position, self.words(word))
                return self.rows.sum(0)

        cache = Cache().to(vk)
        other = copy.deepcopy(cache)
        compiled = torch.compile(cache, mode="reduce-overhead")
        with torch.inference_mode():
            for i in range(5):
                word, position = torch.tensor([i + 3], device=vk), torch.tensor([i], device=vk)
                close(compiled(word, position), other(word, position))
            close(cache.rows, other.rows)
        self.counted(graphs=1, replays=4, plain=1)

    @on_each_device
    def test_inputs_of_the_cpu(self, vk):
        @torch.compile(mode="reduce-overhead")
        def call(x, y):
            z = y.cos() + 1  # between the graphs
            return (x + 2).relu() * z.to(vk), z

        for _ in range(4):
            x, y = torch.randn(5, device=vk), torch.randn(5)
            ours, z = call(x, y)
            close(z, y.cos() + 1)
            close(ours, (x + 2).relu().cpu() * z)
        self.assertGreaterEqual(graphs.counts["replays"], 3)


if __name__ == "__main__":
    unittest.main()
