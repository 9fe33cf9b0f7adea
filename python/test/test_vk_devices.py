"""The module torch.vk: devices, streams, events, memory, random numbers, and new processes.

    PYTHONPATH=... PUMICE_TEST_DEVICES=cpu,vulkan:0 python python/test/test_vk_devices.py

Every test runs on each device of PUMICE_TEST_DEVICES; "vk:N" is the one at place N.
"""
import os
import subprocess
import sys
import time
import unittest

from vk_testing import DEVICES, on_each_device

import torch

import pumice


class Devices(unittest.TestCase):
    def test_the_module(self):
        self.assertTrue(torch.vk.is_available())
        self.assertEqual(torch.vk.device_count(), len(DEVICES))
        self.assertEqual(torch.accelerator.current_accelerator().type, "vk")
        for index, name in enumerate(DEVICES):
            properties = torch.vk.get_device_properties(index)
            self.assertEqual(properties.id, name)
            self.assertEqual(properties.name, pumice.device(name).info["name"])
            self.assertIn(repr(properties.name), repr(properties))
        before = torch.vk.current_device()
        with torch.vk.device(len(DEVICES) - 1):
            self.assertEqual(torch.vk.current_device(), len(DEVICES) - 1)
            self.assertEqual(torch.ones(1, device="vk").device.index, len(DEVICES) - 1)
        self.assertEqual(torch.vk.current_device(), before)
        with self.assertRaisesRegex(ValueError, "expected a device of vk, got cpu"):
            torch.vk.synchronize("cpu")

    @on_each_device
    def test_streams_and_events(self, vk):
        x = torch.ones(1000, device=vk)
        stream = torch.Stream(vk)
        begin, end = (torch.Event(vk, enable_timing=True) for _ in range(2))
        default = torch.vk.current_stream()
        begin.record()
        stream.wait_event(begin)
        with torch.vk.stream(stream):
            self.assertEqual(torch.vk.current_stream(), stream)
            y = x + 1
            y.record_stream(stream)
            end.record()
        self.assertEqual(torch.vk.current_stream(), default)
        end.synchronize()
        self.assertTrue(end.query())
        self.assertGreaterEqual(begin.elapsed_time(end), 0)
        self.assertEqual(y.sum().item(), 2000)
        stream.synchronize()
        # A query asks the device, and is false if it does not answer within 0.2 ms, as on a loaded machine.
        end = time.monotonic() + 60
        while not stream.query():
            self.assertLess(time.monotonic(), end)

    @on_each_device
    def test_times_of_events(self, vk):
        """They are the device's: the host sleeps after the events, and the device is busy between them."""
        def timed(work, stream=None):
            begin, end = (torch.vk.Event(enable_timing=True) for _ in range(2))
            with torch.vk.stream(stream or torch.vk.current_stream()):
                begin.record()
                work()
                end.record()
            time.sleep(0.05)
            end.synchronize()
            return begin.elapsed_time(end), begin, end

        x = torch.randn(700, 700, device=vk)
        torch.mm(x, x).sum().item()
        since = time.perf_counter()
        for _ in range(8):
            torch.mm(x, x)
        torch.vk.synchronize()
        alone = (time.perf_counter() - since) * 1e3

        def work():
            for _ in range(8):
                torch.mm(x, x)

        long, first, last = timed(work)
        self.assertGreater(long, alone / 10)
        self.assertLess(long, alone * 10)
        nothing = min(timed(lambda: None)[0] for _ in range(4))
        self.assertLess(nothing, min(40, long))
        self.assertGreaterEqual(nothing, 0)
        self.assertEqual(last.elapsed_time(first), -long)
        other, begin, _ = timed(work, torch.vk.Stream(vk))
        self.assertGreater(other, alone / 10)
        self.assertGreater(first.elapsed_time(begin), long)

    @on_each_device
    def test_events_without_times(self, vk):
        timed, plain, unrecorded = torch.vk.Event(enable_timing=True), torch.vk.Event(), torch.vk.Event(enable_timing=True)
        timed.record()
        plain.record()
        torch.vk.synchronize()
        for other, error in ((plain, "enable_timing=True"), (unrecorded, "must be recorded")):
            for first, second in ((timed, other), (other, timed)):
                with self.assertRaisesRegex(ValueError, error):
                    first.elapsed_time(second)
        if len(DEVICES) > 1:
            other = torch.device("vk", 1 - vk.index)
            with torch.vk.device(other):
                away = torch.vk.Event(enable_timing=True)
                away.record()
                torch.vk.synchronize()
            with self.assertRaisesRegex(RuntimeError, "expected events of one device, got vk:"):
                timed.elapsed_time(away)

    @on_each_device
    def test_memory_is_counted_and_used_again(self, vk):
        torch.vk.empty_cache()
        before = torch.vk.memory_allocated()
        x = torch.empty(3 << 20, dtype=torch.uint8, device=vk)
        address = x.data_ptr()
        self.assertEqual(torch.vk.memory_allocated() - before, 3 << 20)
        self.assertGreaterEqual(torch.vk.memory_reserved(), torch.vk.memory_allocated())
        del x
        self.assertEqual(torch.vk.memory_allocated(), before)
        self.assertEqual(torch.empty(3 << 20, dtype=torch.uint8, device=vk).data_ptr(), address)
        self.assertGreaterEqual(torch.vk.max_memory_allocated(), before + (3 << 20))
        torch.vk.reset_peak_memory_stats()
        self.assertEqual(torch.vk.max_memory_allocated(), torch.vk.memory_allocated())
        free, total = torch.vk.mem_get_info()
        self.assertLessEqual(free, total)
        reserved = torch.vk.memory_reserved()
        torch.vk.empty_cache()
        self.assertLess(torch.vk.memory_reserved(), reserved)

    @on_each_device
    def test_names_of_older_scripts(self, vk):
        from torch.vk.amp import GradScaler, autocast
        weight = torch.ones(3, 3, device=vk, requires_grad=True)
        with autocast():
            loss = (weight @ weight).sum()
        self.assertEqual(loss.dtype, torch.float32)
        with torch.vk.amp.autocast(dtype=torch.bfloat16):
            self.assertEqual((weight @ weight).dtype, torch.bfloat16)
        GradScaler(init_scale=4.0).scale(loss).backward()
        self.assertEqual(weight.grad.sum().item(), 9 * 24.0)
        with self.assertRaises(torch.vk.OutOfMemoryError):
            torch.empty(1 << 50, device=vk)
        torch.vk.reset_max_memory_allocated(vk)
        torch.vk.ipc_collect()
        self.assertFalse(torch.vk.can_device_access_peer(vk, vk))

    @on_each_device
    def test_memory_has_a_summary(self, vk):
        held = torch.ones(1 << 20, device=vk)
        lines = torch.vk.memory_summary(vk).splitlines()
        self.assertEqual(lines[0], f"memory of {vk}, in KiB")
        self.assertRegex(lines[2], r"^allocated memory +4,\d\d\d ")
        self.assertEqual(len(lines), 6)
        self.assertEqual(len(torch.vk.memory_summary(abbreviated=True).splitlines()), 4)
        del held

    @on_each_device
    def test_many_blocks_keep_their_contents(self, vk):
        generator = torch.Generator().manual_seed(5)
        kept = {}
        for step in range(400):
            size = int(torch.randint(1, 1 << 14, (1,), generator=generator))
            kept[step] = (torch.full((size,), step, dtype=torch.int32, device=vk), size)
            if len(kept) > 50:
                oldest = list(kept)[int(torch.randint(0, 50, (1,), generator=generator))]
                tensor, size = kept.pop(oldest)
                self.assertTrue(torch.equal(tensor.cpu(), torch.full((size,), oldest, dtype=torch.int32)))

    @on_each_device
    def test_random_numbers(self, vk):
        def numbers(generator=None):
            return torch.rand(100, device=vk, generator=generator).cpu()

        torch.manual_seed(3)
        first, second = numbers(), numbers()
        torch.manual_seed(3)
        self.assertTrue(torch.equal(numbers(), first))
        self.assertFalse(torch.equal(first, second))
        state = torch.vk.get_rng_state()
        ahead = numbers()
        torch.vk.set_rng_state(state)
        self.assertTrue(torch.equal(numbers(), ahead))
        own = torch.Generator(vk).manual_seed(8)
        self.assertEqual(own.device, vk)
        mine = numbers(own)
        self.assertTrue(torch.equal(numbers(torch.Generator(vk).manual_seed(8)), mine))
        self.assertEqual(torch.vk.initial_seed(), 3)
        with torch.random.fork_rng(devices=[vk.index], device_type="vk"):
            numbers()
        self.assertTrue(torch.equal(numbers(), numbers()) is False)

    def test_import_opens_no_device(self):
        code = ("import sys, torch\n"
                "torch.manual_seed(-3)\n"
                "print(torch.vk.is_initialized(), 'pumice' in sys.modules, 'triton' in sys.modules)\n"
                "print(torch.vk.initial_seed() == torch.initial_seed(), torch.vk.is_initialized())")
        done = subprocess.run([sys.executable, "-c", code], text=True, capture_output=True)
        self.assertEqual(done.stdout.split(), ["False", "False", "False", "True", "True"], done.stderr)

    def test_a_damaged_library_leaves_torch_usable(self):
        environment = os.environ | {"PUMICE_TORCH_LIBRARY": __file__}
        done = subprocess.run([sys.executable, "-c", "import torch; print(torch.ones(2).sum().item())"], text=True,
                              capture_output=True, env=environment)
        self.assertEqual(done.stdout.strip(), "2.0")
        self.assertIn("torch.device('vk') cannot be used", done.stderr)

    def test_a_fork_of_a_process_without_devices_may_use_them(self):
        code = ("import os, torch\n"
                "torch.manual_seed(1)\n"
                "if os.fork() == 0:\n"
                "    print(torch.ones(3, device='vk').sum().item(), flush=True)\n"
                "    os._exit(0)\n"
                "os.wait()\n")
        done = subprocess.run([sys.executable, "-c", code], text=True, capture_output=True)
        self.assertEqual(done.stdout.strip(), "3.0", done.stderr)

    def test_the_error_after_a_fork(self):
        code = ("import os, torch\n"
                "x = torch.ones(3, device='vk')\n"
                "torch.vk.synchronize()\n"
                "if os.fork() == 0:\n"
                "    try: torch.vk._lazy_init()\n"
                "    except RuntimeError as error: print(error, flush=True)\n"
                "    os._exit(0)\n"
                "os.wait()\n")
        done = subprocess.run([sys.executable, "-c", code], text=True, capture_output=True)
        self.assertIn("set_start_method('spawn')", done.stdout, done.stderr)


if __name__ == "__main__":
    unittest.main()
