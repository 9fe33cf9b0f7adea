"""PyTorch's tools as scripts for NVIDIA's GPUs use them, on the device "vk".

    PYTHONPATH=... PUMICE_TEST_DEVICES=cpu,vulkan:0 python python/test/test_vk_scripts.py

Operators run on the CPU here, since the tools are the same for all operators. Every test runs on each device of
PUMICE_TEST_DEVICES.
"""
import copy
import io
import os
import subprocess
import sys
import tempfile
import unittest
import warnings
from pathlib import Path

os.environ["PUMICE_VK_PLANS"] = "0"

from vk_testing import DEVICES, on_each_device

import torch
from torch import nn
from torch.utils import checkpoint, data


class Scripts(unittest.TestCase):
    @on_each_device
    def test_checkpoints_repeat_random_numbers(self, vk):
        network = nn.Sequential(nn.Linear(8, 64), nn.Dropout(0.5), nn.Linear(64, 8)).to(vk)
        x = torch.randn(4, 8, device=vk, requires_grad=True)

        def gradient(call):
            torch.manual_seed(1)
            (found,) = torch.autograd.grad(call().sum(), x)
            return found.cpu()

        expected = gradient(lambda: network(x))
        self.assertTrue(torch.equal(gradient(lambda: checkpoint.checkpoint(network, x, use_reentrant=False)), expected))
        torch.manual_seed(1)
        checkpoint.checkpoint(network, x, use_reentrant=True).sum().backward()
        self.assertTrue(torch.equal(x.grad.cpu(), expected))
        with torch.autograd.graph.save_on_cpu(pin_memory=True):
            saved = network[0](x).square().sum()
        torch.testing.assert_close(torch.autograd.grad(saved, x), torch.autograd.grad(network[0](x).square().sum(), x))

    @on_each_device
    def test_profilers_measure_operators(self, vk):
        from torch.profiler import ProfilerActivity, profile, record_function, schedule
        x = torch.ones(256, 256, device=vk)
        for options in ({}, {"use_kineto": False}):
            with torch.autograd.profiler.profile(use_device="vk", **options) as profiler:
                (x @ x).sum().item()
            times = {event.key: event.device_time_total for event in profiler.key_averages()}
            self.assertGreater(times["aten::mm"], 0)
        ended = []
        with profile(activities=[ProfilerActivity.CPU, ProfilerActivity.PrivateUse1], profile_memory=True,
                     schedule=schedule(wait=1, warmup=1, active=2), on_trace_ready=ended.append) as profiler:
            for _ in range(4):
                with record_function("a step"):
                    (x @ x).sum().item()
                profiler.step()
        self.assertEqual(len(ended), 1)
        steps = {event.key: event for event in ended[0].key_averages()}
        self.assertEqual(steps["a step"].count, 2)
        self.assertGreater(steps["aten::mm"].cpu_time_total, 0)
        with tempfile.TemporaryDirectory() as folder:
            path = Path(folder, "trace.json")
            profiler.export_chrome_trace(str(path))
            self.assertIn("aten::mm", path.read_text())

    @on_each_device
    def test_times_between_events(self, vk):
        first, second = (torch.vk.Event(enable_timing=True) for _ in range(2))
        x = torch.ones(256, 256, device=vk)
        first.record()
        for _ in range(20):
            x = x @ x / 256
        second.record()
        second.synchronize()
        self.assertGreater(first.elapsed_time(second), 0)
        self.assertLess(first.elapsed_time(second), 60_000)

    @on_each_device
    def test_scaled_gradients(self, vk):
        network = nn.Linear(8, 4).to(vk)
        optimizer = torch.optim.SGD(network.parameters(), 0.1)
        scaler = torch.amp.GradScaler("vk", init_scale=1024.0)
        weights = network.weight.detach().cpu()
        for factor in (float("inf"), 1.0):
            optimizer.zero_grad()
            with torch.autocast("vk", torch.float16):
                loss = network(torch.ones(2, 8, device=vk)).square().mean()
            scaler.scale(loss * factor).backward()
            scaler.unscale_(optimizer)
            nn.utils.clip_grad_norm_(network.parameters(), 1.0)
            scaler.step(optimizer)
            scaler.update()
            # A step with infinite gradients is left out, and halves the scale.
            self.assertEqual(torch.equal(network.weight.detach().cpu(), weights), factor != 1.0)
            self.assertEqual(scaler.get_scale(), 512.0)

    @on_each_device
    def test_scales_of_gradients(self, vk):
        def scales(device):
            weight = nn.Parameter(torch.ones(3, 4, device=device))
            half = nn.Parameter(torch.ones(7, dtype=torch.float16, device=device))
            optimizer = torch.optim.SGD([weight], 0.1)
            scaler = torch.amp.GradScaler(device.type, init_scale=8.0, growth_interval=2)
            for factor in (1.0, 1.0, float("inf"), 1.0, float("nan"), 1.0, 1.0):
                optimizer.zero_grad()
                scaler.scale((weight.square().sum() + half.float().sum()) * factor).backward()
                scaler.step(optimizer)
                scaler.update()
                yield scaler.get_scale(), scaler._growth_tracker.item(), weight.sum().item()

        for ours, theirs in zip(scales(vk), scales(torch.device("cpu")), strict=True):
            self.assertEqual(ours[:2], theirs[:2])
            self.assertAlmostEqual(ours[2], theirs[2], 4)

    @on_each_device
    def test_loaders_pin_memory(self, vk):
        numbers = data.TensorDataset(torch.arange(64.0).view(64, 1), torch.arange(64))
        for workers in (0, 2):
            total = 0
            for x, index in data.DataLoader(numbers, 16, shuffle=True, pin_memory=True, num_workers=workers):
                self.assertTrue(x.is_pinned() and index.is_pinned())
                total += x.to(vk, non_blocking=True).sum().item() + index.to(vk, non_blocking=True).sum().item()
            self.assertEqual(total, 64 * 63)

    @on_each_device
    def test_processes_receive_copies(self, vk):
        queue = torch.multiprocessing.get_context("spawn").SimpleQueue()
        parameter = nn.Parameter(torch.arange(3.0, device=vk))
        for sent in (parameter, parameter.detach()[1:], torch.ones(2, dtype=torch.bfloat16, device=vk), torch.ones(2)):
            queue.put(sent)
            found = queue.get()
            self.assertEqual((type(found), found.device, found.requires_grad), (type(sent), sent.device, sent.requires_grad))
            self.assertTrue(torch.equal(found.detach().cpu(), sent.detach().cpu()))

    @unittest.skipIf(DEVICES[0] != "cpu", "workers cannot use a Vulkan device of their parent")
    def test_workers_of_loaders_make_tensors_of_vk(self):
        class Numbers(data.Dataset):
            def __len__(self):
                return 8

            def __getitem__(self, index):
                return torch.full((2,), float(index), device="vk:0")

        batches = list(data.DataLoader(Numbers(), 4, num_workers=1, timeout=60))
        self.assertEqual([(one.device.type, one.sum().item()) for one in batches], [("vk", 12.0), ("vk", 44.0)])

    @on_each_device
    def test_files_map_locations(self, vk):
        x = torch.randn(4, device=vk)
        with tempfile.TemporaryDirectory() as folder:
            path = os.path.join(folder, "x.pt")
            torch.save({"x": x, "parameter": nn.Parameter(x)}, path)
            places = {None: vk, "cpu": torch.device("cpu"), "vk": torch.device("vk", torch.vk.current_device()),
                      vk: vk, (lambda storage, place: storage.cpu()): torch.device("cpu")}
            for place, expected in places.items():
                loaded = torch.load(path, map_location=place)
                self.assertEqual({loaded["x"].device, loaded["parameter"].device}, {expected}, place)
                self.assertTrue(torch.equal(loaded["x"].cpu(), x.cpu()))
            loaded = torch.load(path, map_location={str(vk): "cpu"}, mmap=True)
            self.assertTrue(loaded["x"].is_cpu)
        with torch.device("meta"):
            network = nn.Linear(3, 3)
        network.load_state_dict(nn.Linear(3, 3).to(vk).state_dict(), assign=True)
        self.assertEqual(network.weight.device, vk)

    @on_each_device
    def test_parameters_take_memory_of_the_other_device(self, vk):
        parameter = nn.Parameter(torch.arange(3.0))
        optimizer = torch.optim.SGD([parameter], 1.0)
        parameter.data = parameter.data.to(vk)
        self.assertEqual(parameter.device, vk)
        (parameter * 2).sum().backward()
        optimizer.step()
        self.assertEqual(parameter.tolist(), [-2.0, -1.0, 0.0])
        parameter.grad = None
        parameter.data = parameter.data.cpu()
        self.assertTrue(parameter.is_cpu and parameter.is_leaf)
        with self.assertRaises(RuntimeError):
            parameter.data = torch.eye(3).to_sparse()
        shared = nn.Linear(3, 3)
        both = nn.ModuleList([shared, nn.Linear(3, 3)])
        both[1].weight = shared.weight
        weights = set(map(id, both.parameters()))
        both.to(vk)
        self.assertEqual(set(map(id, both.parameters())), weights)
        self.assertIs(both[1].weight, shared.weight)
        self.assertEqual(shared.weight.device, vk)

    @on_each_device
    def test_recurrent_networks(self, vk):
        for kind, bias in ((nn.LSTM, True), (nn.LSTM, False), (nn.GRU, True), (nn.GRU, False), (nn.RNN, True)):
            theirs = kind(4, 8, 2, batch_first=True, bias=bias, bidirectional=True)
            ours = copy.deepcopy(theirs).to(vk)
            x = torch.randn(3, 5, 4)
            mine, whole = x.to(vk).requires_grad_(), x.clone().requires_grad_()
            lengths = torch.tensor([5, 3, 2])
            for given in ((mine, whole),
                          tuple(nn.utils.rnn.pack_padded_sequence(one, lengths, True) for one in (mine, whole))):
                (result, _), (expected, _) = ours(given[0]), theirs(given[1])
                if not isinstance(result, torch.Tensor):
                    result, expected = result.data, expected.data
                torch.testing.assert_close(result.detach().cpu(), expected.detach())
                slopes = torch.randn(result.shape)
                found = torch.autograd.grad(result, [mine, *ours.parameters()], slopes.to(vk))
                wanted = torch.autograd.grad(expected, [whole, *theirs.parameters()], slopes)
                for one, other in zip(found, wanted):
                    torch.testing.assert_close(one.cpu(), other, atol=1e-5, rtol=1e-4)
        for kind in (nn.LSTMCell, nn.GRUCell):
            theirs = kind(4, 8)
            ours = copy.deepcopy(theirs).to(vk)
            for x in (torch.randn(4), torch.randn(2, 4)):
                result, expected = ours(x.to(vk)), theirs(x)
                for one, other in zip(*((given,) if isinstance(given, torch.Tensor) else given
                                        for given in (result, expected))):
                    torch.testing.assert_close(one.cpu(), other)
        halves = nn.LSTM(4, 8).to(vk, torch.bfloat16)
        self.assertEqual(halves(torch.randn(5, 2, 4, device=vk, dtype=torch.bfloat16))[0].dtype, torch.bfloat16)

    @on_each_device
    def test_transformers_without_autograd(self, vk):
        x = torch.randn(2, 5, 16)
        padding = torch.tensor([[False] * 5, [False] * 3 + [True] * 2])
        causal = nn.Transformer.generate_square_subsequent_mask(5)
        torch.vk.reset_fallbacks()
        for options in ({}, {"norm_first": True, "activation": "gelu"}):
            with warnings.catch_warnings():
                warnings.simplefilter("ignore", UserWarning)
                theirs = nn.TransformerEncoder(nn.TransformerEncoderLayer(16, 2, 32, batch_first=True, **options), 2)
            theirs.eval()
            ours = copy.deepcopy(theirs).to(vk)
            with torch.no_grad():
                for masks in ({}, {"mask": causal}, {"src_key_padding_mask": padding},
                              {"mask": causal.isinf(), "src_key_padding_mask": padding}):
                    result = ours(x.to(vk), **{name: mask.to(vk) for name, mask in masks.items()})
                    expected = theirs(x, **masks)
                    kept = ~padding if "src_key_padding_mask" in masks else slice(None)
                    torch.testing.assert_close(result.cpu()[kept], expected[kept], atol=1e-5, rtol=1e-4)
        theirs = nn.MultiheadAttention(16, 2, batch_first=True).eval()
        ours = copy.deepcopy(theirs).to(vk)
        with torch.no_grad():
            for options in ({}, {"average_attn_weights": False}, {"need_weights": False}):
                for one, other in zip(ours(*[x.to(vk)] * 3, key_padding_mask=padding.to(vk), **options),
                                      theirs(x, x, x, key_padding_mask=padding, **options)):
                    if other is not None:
                        torch.testing.assert_close(one.cpu(), other)
        self.assertNotIn("aten::_transformer_encoder_layer_fwd", torch.vk.fallbacks())
        self.assertNotIn("aten::_native_multi_head_attention", torch.vk.fallbacks())

    @on_each_device
    def test_exported_programs(self, vk):
        network, x = nn.Sequential(nn.Linear(8, 8), nn.ReLU()).to(vk), torch.randn(4, 8, device=vk)
        program = torch.export.export(network, (x,), dynamic_shapes=({0: torch.export.Dim("rows")},))
        buffer = io.BytesIO()
        torch.export.save(program, buffer)
        buffer.seek(0)
        loaded = torch.export.load(buffer).module()
        torch.testing.assert_close(loaded(x), network(x))
        self.assertEqual(loaded(torch.randn(5, 8, device=vk)).shape, (5, 8))
        with warnings.catch_warnings():
            warnings.simplefilter("ignore", DeprecationWarning)
            traced, buffer = torch.jit.trace(network, x), io.BytesIO()
            torch.jit.save(traced, buffer)
            buffer.seek(0)
            torch.testing.assert_close(torch.jit.load(buffer, map_location="cpu")(x.cpu()), network(x).cpu())


class Warnings(unittest.TestCase):
    def test_operators_on_the_cpu(self):
        """The first one is warned of, or each one once, or none."""
        script = ("import torch; x = torch.eye(3, device='vk')\n"
                  "try: torch.linalg.qr(x, mode='wrong')\n"  # a call that did not run is no reason for a warning
                  "except RuntimeError: torch.vk.reset_fallbacks()\n"
                  "for f in (torch.linalg.qr, torch.linalg.svd, torch.linalg.qr): f(x)")
        for asked, expected in ((None, 1), ("1", 2), ("0", 0)):
            variables = {name: value for name, value in os.environ.items() if name not in ("PUMICE_VK_WARN_FALLBACKS", "PUMICE_VK_PLANS")}
            done = subprocess.run([sys.executable, "-c", script], capture_output=True, text=True,
                                  env=variables | ({"PUMICE_VK_WARN_FALLBACKS": asked} if asked else {}))
            self.assertEqual(done.returncode, 0)
            self.assertEqual(done.stderr.count("runs on the CPU: vk has no kernel for it"), expected, done.stderr)
            self.assertEqual("torch.vk.fallbacks() counts" in done.stderr, asked is None)


if __name__ == "__main__":
    unittest.main()
