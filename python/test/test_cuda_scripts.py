"""Scripts written for device "cuda", on the host's tensors: pumice.torch.use_cpu_for_cuda.

    PYTHONPATH=... python python/test/test_cuda_scripts.py
"""
import io
import os
import pickle
import subprocess
import sys
import unittest

try:
    import torch
    import triton
    import triton.language as tl
except ImportError as error:
    print(f"skipped: {error}")
    sys.exit(77)

if torch.cuda.is_available():
    print("skipped: PyTorch has a CUDA device")
    sys.exit(77)

import pumice.torch

pumice.torch.use_cpu_for_cuda()
CUDA = torch.device("cuda", 0)


@triton.jit
def double(x, n, BLOCK: tl.constexpr):
    at = tl.program_id(0) * BLOCK + tl.arange(0, BLOCK)
    tl.store(x + at, 2 * tl.load(x + at, mask=at < n), mask=at < n)


class Tensors(unittest.TestCase):
    def check_cuda(self, tensor):
        self.assertEqual(tensor.device, CUDA)
        self.assertEqual(tensor.device.type, "cuda")
        self.assertTrue(tensor.is_cuda)
        self.assertFalse(tensor.is_cpu)
        self.assertEqual(tensor.get_device(), 0)

    def check_cpu(self, tensor):
        self.assertEqual(tensor.device.type, "cpu")
        self.assertFalse(tensor.is_cuda)
        self.assertTrue(tensor.is_cpu)
        self.assertEqual(tensor.get_device(), -1)

    def test_factories(self):
        x = torch.ones(3)
        for device in ("cuda", "cuda:0", 0, CUDA, torch.device("cuda")):
            for made in (torch.empty(3, device=device), torch.zeros(3, device=device), torch.randn(3, device=device),
                         torch.arange(3, device=device), torch.tensor([1, 2], device=device), torch.eye(3, device=device),
                         torch.full((2,), 1, device=device), torch.as_tensor([1.0], device=device),
                         torch.linspace(0, 1, 3, device=device), torch.randperm(3, device=device),
                         torch.empty_strided((2, 2), (1, 2), device=device), torch.tril_indices(3, 3, device=device),
                         torch.randint(5, (3,), device=device), torch.hann_window(4, device=device),
                         torch.ones_like(x, device=device), x.new_full((2,), 3, device=device), x.new_tensor([1], device=device),
                         torch.normal(0.0, 1.0, (3,), device=device), torch.asarray([1.0], device=device)):
                self.check_cuda(made)

    def test_operators_by_their_own_names(self):
        self.check_cuda(torch.ops.aten.full([3], 1, device=CUDA))
        self.check_cuda(torch.ops.aten.arange(3, device=CUDA))

    def test_without_a_device(self):
        import numpy as np
        for made in (torch.zeros(3), torch.randn(3), torch.tensor([1]), torch.from_numpy(np.ones(3)), torch.nn.Linear(2, 3).weight,
                     torch.zeros(3, device="cpu"), torch.zeros(4)[1:], torch.zeros(4).view(2, 2), torch.zeros_like(torch.zeros(3))):
            self.check_cpu(made)

    def test_results_of_operations(self):
        x = torch.ones(3, device="cuda")
        for made in (x + 1, x[1:], x.double(), torch.zeros_like(x), x.new_zeros(2), x.clone(), x.detach(), x.t(), x.to(torch.float16)):
            self.check_cuda(made)

    def test_pinned_memory(self):
        self.check_cpu(torch.zeros(3, pin_memory=True))
        self.check_cuda(torch.zeros(3).pin_memory().to("cuda", non_blocking=True))
        x = torch.zeros(3)
        pinned = x.pin_memory()
        self.check_cpu(pinned)
        pinned[0] = 1
        self.assertEqual(x[0], 0)  # this is a copy
        self.assertIs(pinned.pin_memory(), pinned)
        for there in (pinned, pinned[1:], torch.empty(3, pin_memory=True), torch.zeros_like(x, pin_memory=True)):
            self.assertTrue(there.is_pinned())
        for not_there in (x, pinned.clone(), pinned.cuda(), torch.zeros(3, device="cuda"), torch.zeros(3, pin_memory=False)):
            self.assertFalse(not_there.is_pinned())

    def test_moves(self):
        x = torch.ones(3)
        for y in (x.cuda(), x.to("cuda"), x.to(CUDA), x.to(0), x.to(torch.zeros(1, device="cuda")), x.cuda(0, non_blocking=True),
                  x.to(device="cuda", dtype=torch.float32), x.type("torch.cuda.FloatTensor")):
            self.check_cuda(y)
            y.zero_()
            self.assertEqual(x.sum(), 3)  # a move makes a copy
            self.check_cpu(y.cpu())
            self.check_cpu(y.to("cpu"))
        self.check_cuda(x.to("cuda", torch.float64))
        y = torch.ones(3, device="cuda")
        self.assertIs(y.cuda(), y)
        self.assertIs(y.to("cuda"), y)
        before = y.cpu()
        y.zero_()
        self.assertEqual(before.sum(), 3)

    def test_moves_with_gradients(self):
        x = torch.ones(3, requires_grad=True)
        x.cuda().sum().backward()
        self.assertEqual(x.grad.sum(), 3)
        y = torch.ones(3, device="cuda", requires_grad=True)
        self.assertTrue(y.to("cuda").is_leaf)

    def test_names_of_types(self):
        self.assertEqual(torch.ones(1, device="cuda").type(), "torch.cuda.FloatTensor")
        self.assertEqual(torch.ones(1).type(), "torch.FloatTensor")
        self.assertIsInstance(torch.ones(1, device="cuda"), torch.cuda.FloatTensor)

    def test_devices_that_are_not_there(self):
        for use in (lambda: torch.zeros(1, device="cuda:1"), lambda: torch.zeros(1).to("cuda:1"), lambda: torch.zeros(1).cuda(3),
                    lambda: torch.cuda.set_device(1), lambda: torch.cuda.get_device_properties(1), lambda: torch.Generator("cuda:1")):
            with self.assertRaisesRegex(RuntimeError, "invalid device ordinal: expected cuda:0, the only device .*got cuda:[13]"):
                use()

    def test_meta_tensors_stay(self):
        self.assertEqual(torch.empty(3, device="meta").device.type, "meta")
        self.assertEqual(torch.zeros(3, device="cuda").to("meta").device.type, "meta")

    def test_default_device(self):
        with torch.device("cuda"):
            self.check_cuda(torch.zeros(3))
            self.check_cuda(torch.nn.Linear(2, 2).weight)
            self.assertEqual(torch.get_default_device(), CUDA)
            self.check_cpu(torch.zeros(3, device="cpu"))
        self.check_cpu(torch.zeros(3))
        torch.set_default_device("cuda")
        try:
            self.check_cuda(torch.ones(2))
        finally:
            torch.set_default_device(None)
        self.check_cpu(torch.zeros(3))

    def test_marks_end_with_the_memory(self):
        from pumice_torch.cuda_scripts import asking
        before = len(asking._of_the_cpu)
        x = torch.zeros(3)
        self.assertEqual(len(asking._of_the_cpu), before + 1)
        del x
        self.assertEqual(len(asking._of_the_cpu), before)

    def test_files(self):
        for place in ("cuda", "cuda:0", CUDA, "cpu", None):
            file = io.BytesIO()
            torch.save({"x": torch.ones(3, device="cuda")}, file)
            file.seek(0)
            self.assertEqual(torch.load(file, map_location=place)["x"].sum(), 3)
        self.assertEqual(pickle.loads(pickle.dumps(torch.ones(2, device="cuda"))).sum(), 2)


class Modules(unittest.TestCase):
    def test_modules_move(self):
        for move in (lambda m: m.cuda(), lambda m: m.to("cuda"), lambda m: m.to(CUDA), lambda m: m.to(0), lambda m: m.cuda(0)):
            model = move(torch.nn.Sequential(torch.nn.Linear(4, 4), torch.nn.BatchNorm1d(4)))
            self.assertTrue(all(p.is_cuda for p in model.parameters()))
            self.assertTrue(all(b.is_cuda for b in model.buffers()))
            self.assertTrue(next(model.cpu().parameters()).is_cpu)

    def test_training(self):
        torch.manual_seed(0)
        for kind in (torch.optim.SGD, torch.optim.AdamW):
            model = torch.nn.Linear(4, 1).cuda()
            optimizer = kind(model.parameters(), lr=0.05)
            x = torch.randn(64, 4, device="cuda")
            y = x.sum(1, keepdim=True)
            losses = []
            for _ in range(50):
                optimizer.zero_grad()
                loss = torch.nn.functional.mse_loss(model(x), y)
                loss.backward()
                optimizer.step()
                losses.append(loss.item())
            self.assertLess(losses[-1], losses[0] / 2)

    def test_autocast(self):
        x = torch.ones(4, 4, device="cuda")
        with torch.autocast("cuda"):
            self.assertEqual((x @ x).dtype, torch.float16)
            self.assertTrue(torch.is_autocast_enabled("cuda"))
            self.assertEqual(torch.get_autocast_dtype("cuda"), torch.float16)
        with torch.autocast(device_type="cuda", dtype=torch.bfloat16):
            self.assertEqual((x @ x).dtype, torch.bfloat16)
        self.assertFalse(torch.is_autocast_enabled())

    def test_autocast_of_functions(self):
        class Product(torch.autograd.Function):
            @staticmethod
            @torch.amp.custom_fwd(device_type="cuda", cast_inputs=torch.float16)
            def forward(ctx, x):
                ctx.save_for_backward(x)
                return x * 2

            @staticmethod
            @torch.amp.custom_bwd(device_type="cuda")
            def backward(ctx, grad):
                return grad * 2

        x = torch.ones(3, device="cuda", requires_grad=True)
        self.assertEqual(Product.apply(x).dtype, torch.float32)
        with torch.autocast("cuda"):
            out = Product.apply(x)
        self.assertEqual(out.dtype, torch.float16)
        out.sum().backward()
        self.assertEqual(x.grad.sum(), 6)

    def test_grad_scaler(self):
        model = torch.nn.Linear(4, 1).cuda()
        optimizer = torch.optim.SGD(model.parameters(), lr=0.1)
        scaler = torch.amp.GradScaler("cuda")
        before = model.weight.detach().clone()
        scaler.scale(model(torch.ones(2, 4, device="cuda")).sum()).backward()
        scaler.step(optimizer)
        scaler.update()
        torch.testing.assert_close(model.weight, before - 0.1 * 2)

    def test_checkpoint(self):
        from torch.utils.checkpoint import checkpoint
        x = torch.ones(3, device="cuda", requires_grad=True)
        checkpoint(lambda x: torch.nn.functional.dropout(x).sin(), x, use_reentrant=False).sum().backward()
        self.assertIsNotNone(x.grad)

    def test_compiled(self):
        @torch.compile(fullgraph=True)
        def function(x):
            return torch.zeros(3, device="cuda") + x.to("cuda").sin() + torch.ones(3, device=x.device)

        x = torch.randn(3, device="cuda")
        out = function(x)
        self.assertTrue(out.is_cuda)
        torch.testing.assert_close(out, x.sin() + 1)


    def test_torchscript(self):
        @torch.jit.script
        def function(x: torch.Tensor) -> torch.Tensor:
            return torch.zeros_like(x) + torch.ones(3) + torch.arange(3, device=x.device)

        self.assertEqual(function(torch.ones(3, device="cuda")).tolist(), [1, 2, 3])

    def test_tangents(self):
        forward = torch.autograd.forward_ad
        with forward.dual_level():
            x = forward.make_dual(torch.ones(3, device="cuda"), torch.ones(3, device="cuda"))
            self.assertEqual(forward.unpack_dual(x * x).tangent.tolist(), [2, 2, 2])


class Functions(unittest.TestCase):
    def test_facts(self):
        cuda = torch.cuda
        self.assertTrue(cuda.is_available() and cuda.is_initialized() and torch.backends.cuda.is_built())
        self.assertEqual((cuda.device_count(), cuda.current_device()), (1, 0))
        self.assertEqual(cuda.get_device_capability(), (8, 0))
        self.assertEqual(cuda.get_device_capability(CUDA), (8, 0))
        properties = cuda.get_device_properties("cuda")
        self.assertEqual(properties.multi_processor_count, len(os.sched_getaffinity(0)))
        self.assertGreater(properties.total_memory, 1 << 28)
        self.assertEqual((properties.major, properties.minor, properties.warp_size), (8, 0, 32))
        self.assertIn("Pumice", cuda.get_device_name(0))
        self.assertTrue(cuda.is_bf16_supported())
        self.assertIs(torch.get_device_module("cuda"), cuda)
        self.assertEqual(torch.accelerator.current_accelerator().type, "cuda")
        self.assertTrue(torch.accelerator.is_available())

    def test_missing_features_are_explained(self):
        for make in (torch.cuda.CUDAGraph, torch.cuda.graphs.CUDAGraph, lambda: torch.cuda.graph(None)):
            with self.assertRaisesRegex(RuntimeError, r"use_cpu_for_cuda runs each call .*: call the function instead"):
                make()
        self.assertNotIsInstance(1, torch.cuda.CUDAGraph)
        with self.assertRaisesRegex(RuntimeError, "without a pool"):
            torch.cuda.MemPool()
        self.assertIsNone(torch.version.cuda)  # libraries load their CUDA code if it is set

    def test_graphed_callables_are_the_functions(self):
        def function(x):
            return x + 1

        self.assertIs(torch.cuda.make_graphed_callables(function, (torch.ones(2, device="cuda"),)), function)

    def test_the_runtime_library(self):
        library = torch.cuda.cudart()
        torch.cuda.check_error(library.cudaProfilerStart())
        torch.cuda.check_error(library.cudaProfilerStop())
        self.assertEqual(library.cudaMemGetInfo(0)[1], torch.cuda.mem_get_info()[1])
        x = torch.ones(8)
        self.assertEqual(library.cudaHostRegister(x.data_ptr(), x.nbytes, 0), library.cudaError.success)
        self.assertFalse(hasattr(library, "cudaMalloc"))
        with self.assertRaisesRegex(AttributeError, "use_cpu_for_cuda has no 'cudaMalloc' .*it has .*cudaProfilerStart"):
            library.cudaMalloc(1)
        with self.assertRaisesRegex(RuntimeError, "CUDA error"):
            torch.cuda.check_error(700)

    def test_the_profiler_of_cuda(self):
        torch.cuda.profiler.start()
        torch.cuda.profiler.stop()
        with torch.cuda.profiler.profile():
            x = torch.ones(2, device="cuda") + 1
        self.assertEqual(x.sum(), 4)

    def test_rates_of_a_gpu(self):
        testing = triton.testing
        for ask in (lambda: testing.get_max_tensorcore_tflops(torch.float16, 1e6), lambda: testing.get_dram_gbps(),
                    lambda: testing.get_max_simd_tflops(torch.float32, 1e6, 0), lambda: testing.set_gpu_clock(1350).__enter__()):
            with self.assertRaisesRegex(RuntimeError, r"expected a CUDA device for triton\.testing\..*: measure what this machine"):
                ask()

    def test_streams_and_events(self):
        x = torch.ones(1 << 20, device="cuda")
        begin, end = torch.cuda.Event(enable_timing=True), torch.cuda.Event(enable_timing=True)
        stream = torch.cuda.Stream()
        stream.wait_stream(torch.cuda.current_stream())
        with torch.cuda.stream(stream), torch.cuda.device(0), torch.cuda.device(x.device):
            begin.record()
            double[(1024,)](x, 1 << 20, BLOCK=1024)
            end.record(stream)
        torch.cuda.current_stream().wait_stream(stream)
        end.synchronize()
        torch.cuda.synchronize()
        self.assertGreater(begin.elapsed_time(end), 0)
        self.assertTrue(end.query() and stream.query())
        self.assertEqual(torch.cuda.current_stream(x.device).cuda_stream, 0)
        self.assertEqual(x.sum(), 2 << 20)
        with self.assertRaisesRegex(RuntimeError, "enable_timing"):
            torch.cuda.Event().elapsed_time(end)

    def test_device_as_decorator(self):
        @torch.cuda.device(0)
        def function():
            return torch.cuda.current_device()

        self.assertEqual(function(), 0)

    def test_memory(self):
        torch.cuda.reset_peak_memory_stats()
        before = torch.cuda.max_memory_allocated()
        x = torch.ones(32 << 20, device="cuda")
        self.assertGreater(torch.cuda.max_memory_allocated(), before + (100 << 20))
        self.assertGreater(torch.cuda.memory_allocated(), x.nbytes)
        free, total = torch.cuda.mem_get_info()
        self.assertLessEqual(free, total)
        self.assertIn("allocated_bytes.all.peak", torch.cuda.memory_stats())
        torch.cuda.empty_cache()

    def test_random_numbers(self):
        torch.cuda.manual_seed(3)
        one = torch.rand(4, device="cuda")
        torch.cuda.manual_seed_all(3)
        torch.testing.assert_close(torch.rand(4, device="cuda"), one)
        state = torch.cuda.get_rng_state()
        one = torch.rand(4, device="cuda")
        torch.cuda.set_rng_state(state)
        torch.testing.assert_close(torch.rand(4, device="cuda"), one)
        generator = torch.Generator(device="cuda").manual_seed(5)
        self.assertEqual(generator.device.type, "cuda")
        one = torch.rand(4, device="cuda", generator=generator)
        torch.testing.assert_close(torch.rand(4, device="cuda", generator=torch.Generator("cuda").manual_seed(5)), one)
        self.assertIsInstance(torch.default_generator, torch.Generator)

    def test_custom_operators(self):
        @torch.library.custom_op("pumice_test::twice", mutates_args=(), device_types="cuda")
        def twice(x: torch.Tensor) -> torch.Tensor:
            return x * 2

        self.assertEqual(torch.ops.pumice_test.twice(torch.ones(2, device="cuda")).sum(), 4)
        library = torch.library.Library("pumice_test2", "DEF")
        library.define("thrice(Tensor x) -> Tensor")
        library.impl("thrice", lambda x: x * 3, "CUDA")
        self.assertEqual(torch.ops.pumice_test2.thrice(torch.ones(2, device="cuda")).sum(), 6)


class Triton(unittest.TestCase):
    def test_devices(self):
        active = triton.runtime.driver.active
        self.assertEqual(active.get_active_torch_device(), CUDA)
        self.assertEqual(active.get_current_target().backend, "cuda")
        self.assertIn("multiprocessor_count", active.utils.get_device_properties(CUDA.index))

    def test_a_kernel(self):
        x = torch.randn(1000, device="cuda")
        expected = x * 2
        double[(triton.cdiv(1000, 128),)](x, 1000, BLOCK=128)
        torch.testing.assert_close(x, expected)

    def test_the_benchmarks(self):
        x = torch.randn(1000, device="cuda")
        times = triton.testing.do_bench(lambda: double[(8,)](x, 1000, BLOCK=128), warmup=1, rep=5, quantiles=[0.5, 0.2, 0.8])
        self.assertEqual(len(times), 3)
        self.assertGreater(min(times), 0)


class Processes(unittest.TestCase):
    def run_python(self, code, **environment):
        done = subprocess.run([sys.executable, "-W", "ignore", "-c", code], stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True,
                              env={**os.environ, **environment})
        self.assertEqual(done.returncode, 0, done.stdout)
        return done.stdout.strip()

    SHOW = "print(torch.cuda.is_available(), torch.zeros(1, device='cuda' if torch.cuda.is_available() else 'cpu').is_cuda)"

    def test_the_variable(self):
        self.assertEqual(self.run_python(f"import torch; {self.SHOW}", PUMICE_CPU_FOR_CUDA="1"), "True True")
        self.assertEqual(self.run_python(f"import triton, torch; {self.SHOW}", PUMICE_CPU_FOR_CUDA="1"), "True True")
        for unset in ("", "0"):
            self.assertEqual(self.run_python(f"import torch; {self.SHOW}", PUMICE_CPU_FOR_CUDA=unset), "False False")

    def test_nothing_changes_unasked(self):
        code = "import torch, triton, pumice, sys; x = torch.Tensor.__dict__.get('device'); print(x, 'pumice.torch' in sys.modules)"
        self.assertEqual(self.run_python(code, PUMICE_CPU_FOR_CUDA=""), "None False")

    def test_pumice_does_not_load_torch(self):
        self.assertEqual(self.run_python("import pumice, pumice_torch, sys; print('torch' in sys.modules)"), "False")

    def test_rejected_with_a_working_device(self):
        code = """
import torch
torch.cuda.is_available = lambda: True
import pumice.torch
try: pumice.torch.use_cpu_for_cuda()
except RuntimeError as error: print(error)
"""
        self.assertIn("PyTorch has one that works", self.run_python(code, PUMICE_CPU_FOR_CUDA=""))

    def test_pytorch_itself_gets_the_truth(self):
        code = """
import torch, pumice.torch
pumice.torch.use_cpu_for_cuda()
pumice.torch.use_cpu_for_cuda()
from torch._inductor.codecache import CacheBase
print("device" in CacheBase.get_system())
from torch._dynamo.device_interface import get_interface_for_device
assert get_interface_for_device("cuda").get_device_properties("cuda").major == 8
print(torch.ones(2, device="cuda"))
"""
        self.assertEqual(self.run_python(code, PUMICE_CPU_FOR_CUDA=""), "False\ntensor([1., 1.])")


if __name__ == "__main__":
    unittest.main()
