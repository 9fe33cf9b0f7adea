"""Kernels that are launched as Triton's documentation launches them on a GPU, with functions of torch.cuda.

    PYTHONPATH=... python python/test/test_cuda_tutorials.py
"""
import importlib.util
import inspect
import json
import os
import pathlib
import sys
import tempfile
import unittest

os.environ["PUMICE_CPU_FOR_CUDA"] = "1"

try:
    import torch
    import triton
    import triton.language as tl
    from triton.language.extra import libdevice
    from triton.tools.tensor_descriptor import TensorDescriptor
except ImportError as error:
    print(f"skipped: {error}")
    sys.exit(77)

if not torch.Tensor.__dict__.get("is_cuda"):
    print("skipped: PyTorch has a CUDA device")
    sys.exit(77)

DEVICE = triton.runtime.driver.active.get_active_torch_device()


def is_cuda():
    return triton.runtime.driver.active.get_current_target().backend == "cuda"


@triton.jit
def add_kernel(x, y, out, n, BLOCK: tl.constexpr):
    at = tl.program_id(axis=0) * BLOCK + tl.arange(0, BLOCK)
    mask = at < n
    tl.store(out + at, tl.load(x + at, mask=mask) + tl.load(y + at, mask=mask), mask=mask)


@triton.jit
def softmax_kernel(out, x, out_stride, stride, rows, columns, BLOCK: tl.constexpr, num_stages: tl.constexpr):
    for row in tl.range(tl.program_id(0), rows, tl.num_programs(0), num_stages=num_stages):
        at = tl.arange(0, BLOCK)
        values = tl.load(x + row * stride + at, mask=at < columns, other=-float("inf"))
        powers = tl.exp(values - tl.max(values, axis=0))
        tl.store(out + row * out_stride + at, powers / tl.sum(powers, axis=0), mask=at < columns)


def configurations():
    sizes = [dict(BM=32, BN=64, BK=32), dict(BM=64, BN=32, BK=32)]
    assert is_cuda()
    return [triton.Config(each, num_stages=3, num_warps=4) for each in sizes]


@triton.autotune(configs=configurations(), key=["M", "N", "K"])
@triton.jit
def matmul_kernel(a, b, c, M, N, K, BM: tl.constexpr, BN: tl.constexpr, BK: tl.constexpr, ACTIVATION: tl.constexpr):
    pid = tl.program_id(axis=0)
    columns = tl.cdiv(N, BN)
    rm = (pid // columns * BM + tl.arange(0, BM)) % M
    rn = (pid % columns * BN + tl.arange(0, BN)) % N
    rk = tl.arange(0, BK)
    pa = a + rm[:, None] * K + rk[None, :]
    pb = b + rk[:, None] * N + rn[None, :]
    total = tl.zeros((BM, BN), dtype=tl.float32)
    for k in range(0, tl.cdiv(K, BK)):
        total = tl.dot(tl.load(pa, mask=rk[None, :] < K - k * BK, other=0.0), tl.load(pb, mask=rk[:, None] < K - k * BK, other=0.0), total)
        pa += BK
        pb += BK * N
    if ACTIVATION == "leaky_relu":
        total = tl.where(total >= 0, total, 0.01 * total)
    m, n = pid // columns * BM + tl.arange(0, BM), pid % columns * BN + tl.arange(0, BN)
    tl.store(c + m[:, None] * N + n[None, :], total.to(c.dtype.element_ty), mask=(m[:, None] < M) & (n[None, :] < N))


@triton.jit
def dropout_kernel(x, out, n, p, seed, BLOCK: tl.constexpr):
    at = tl.program_id(axis=0) * BLOCK + tl.arange(0, BLOCK)
    keep = tl.rand(seed, at) > p
    tl.store(out + at, tl.where(keep, tl.load(x + at, mask=at < n) / (1 - p), 0.0), mask=at < n)


@triton.jit
def weight_gradient_kernel(dy, x, dw, locks, columns, GROUPS: tl.constexpr, BLOCK: tl.constexpr):
    """Adds each program's row to one of GROUPS sums. A lock guards each sum, and the first program finds it empty."""
    row = tl.program_id(0)
    at = tl.arange(0, BLOCK)
    mask = at < columns
    part = tl.load(dy + row * columns + at, mask=mask) * tl.load(x + row * columns + at, mask=mask)
    group = row % GROUPS
    locks += group
    count = locks + GROUPS
    dw += group * columns + at
    while tl.atomic_cas(locks, 0, 1) == 1:
        pass
    if tl.load(count) == 0:
        tl.atomic_xchg(count, 1)
    else:
        part += tl.load(dw, mask=mask)
    tl.store(dw, part, mask=mask)
    tl.debug_barrier()
    tl.atomic_xchg(locks, 0)


@triton.jit
def attention_kernel(q, k, v, out, scale, N: tl.constexpr, D: tl.constexpr, BM: tl.constexpr, BN: tl.constexpr):
    """Uses host descriptors of (rows, D), and one that the kernel makes, which needs Triton's allocator."""
    first = tl.program_id(0) * BM
    result = tl.make_tensor_descriptor(out, shape=[N, D], strides=[D, 1], block_shape=[BM, D])
    rows = q.load([first, 0])
    most = tl.full([BM], float("-inf"), tl.float32)
    total = tl.zeros([BM], tl.float32)
    acc = tl.zeros([BM, D], tl.float32)
    for start in tl.range(0, first + BM, BN, warp_specialize=False):
        scores = tl.dot(rows, k.load([start, 0]).T) * scale
        scores = tl.where(first + tl.arange(0, BM)[:, None] >= start + tl.arange(0, BN)[None, :], scores, -1e6)
        larger = tl.maximum(most, tl.max(scores, 1))
        powers = tl.math.exp2((scores - larger[:, None]) * 1.44269504)
        shrink = tl.math.exp2((most - larger) * 1.44269504)
        total = total * shrink + tl.sum(powers, 1)
        acc = tl.dot(powers.to(v.dtype), v.load([start, 0]), acc * shrink[:, None])
        most = larger
    result.store([first, 0], (acc / total[:, None]).to(out.dtype.element_ty))


@triton.jit
def persistent_kernel(a, b, c, M, N, K, PROGRAMS: tl.constexpr, BM: tl.constexpr, BN: tl.constexpr, BK: tl.constexpr):
    """Computes c = a @ b.T by persistent programs, with descriptors that the kernel makes."""
    left = tl.make_tensor_descriptor(a, shape=[M, K], strides=[K, 1], block_shape=[BM, BK])
    right = tl.make_tensor_descriptor(b, shape=[N, K], strides=[K, 1], block_shape=[BN, BK])
    out = tl.make_tensor_descriptor(c, shape=[M, N], strides=[N, 1], block_shape=[BM, BN])
    columns = tl.cdiv(N, BN)
    for tile in tl.range(tl.program_id(0), tl.cdiv(M, BM) * columns, PROGRAMS, flatten=True):
        m, n = tile // columns * BM, tile % columns * BN
        total = tl.zeros((BM, BN), dtype=tl.float32)
        for k in range(tl.cdiv(K, BK)):
            total = tl.dot(left.load([m, k * BK]), right.load([n, k * BK]).T, total)
        out.store([m, n], total.to(c.dtype.element_ty))


@triton.jit
def asin_kernel(x, out, n, BLOCK: tl.constexpr):
    at = tl.program_id(axis=0) * BLOCK + tl.arange(0, BLOCK)
    tl.store(out + at, libdevice.asin(tl.load(x + at, mask=at < n)), mask=at < n)


@triton.jit
def grouped_kernel(addresses_a, addresses_b, addresses_c, sizes, count, PROGRAMS: tl.constexpr, B: tl.constexpr):
    """Multiplies pairs of matrices whose addresses are in memory."""
    tile = tl.program_id(0)
    last = 0
    for g in range(count):
        m, n, k = tl.load(sizes + g * 3), tl.load(sizes + g * 3 + 1), tl.load(sizes + g * 3 + 2)
        tiles = tl.cdiv(m, B) * tl.cdiv(n, B)
        while tile >= last and tile < last + tiles:
            a = tl.load(addresses_a + g).to(tl.pointer_type(tl.float16))
            b = tl.load(addresses_b + g).to(tl.pointer_type(tl.float16))
            c = tl.load(addresses_c + g).to(tl.pointer_type(tl.float16))
            rm = (tile - last) // tl.cdiv(n, B) * B + tl.arange(0, B)
            rn = (tile - last) % tl.cdiv(n, B) * B + tl.arange(0, B)
            rk = tl.arange(0, B)
            total = tl.zeros((B, B), dtype=tl.float32)
            for kk in range(0, tl.cdiv(k, B)):
                at = kk * B + rk
                left = tl.load(a + rm[:, None] * k + at[None, :], mask=(rm[:, None] < m) & (at[None, :] < k), other=0.0)
                right = tl.load(b + at[:, None] * n + rn[None, :], mask=(at[:, None] < k) & (rn[None, :] < n), other=0.0)
                total = tl.dot(left, right, total)
            tl.store(c + rm[:, None] * n + rn[None, :], total.to(tl.float16), mask=(rm[:, None] < m) & (rn[None, :] < n))
            tile += PROGRAMS
        last += tiles


class Tutorials(unittest.TestCase):
    def setUp(self):
        torch.manual_seed(0)

    def test_vector_addition(self):
        x, y = torch.rand(98432, device=DEVICE), torch.rand(98432, device=DEVICE)
        out = torch.empty_like(x)
        assert x.device == DEVICE and y.device == DEVICE and out.device == DEVICE
        add_kernel[lambda meta: (triton.cdiv(98432, meta["BLOCK"]),)](x, y, out, 98432, BLOCK=1024)
        torch.testing.assert_close(out, x + y)

    @unittest.skipUnless(importlib.util.find_spec("matplotlib") and importlib.util.find_spec("pandas"), "no matplotlib or pandas")
    def test_a_report(self):
        @triton.testing.perf_report(triton.testing.Benchmark(
            x_names=["size"], x_vals=[1 << 12, 1 << 14], line_arg="provider", line_vals=["triton", "torch"],
            line_names=["Triton", "Torch"], ylabel="GB/s", plot_name="addition", args={}))
        def benchmark(size, provider):
            x, y = torch.rand(size, device=DEVICE), torch.rand(size, device=DEVICE)
            out = torch.empty_like(x)
            run = (lambda: x + y) if provider == "torch" else lambda: add_kernel[(size // 1024,)](x, y, out, size, BLOCK=1024)
            ms, low, high = triton.testing.do_bench(run, warmup=1, rep=4, quantiles=[0.5, 0.2, 0.8])
            return tuple(3 * x.numel() * x.element_size() * 1e-9 / (each * 1e-3) for each in (ms, high, low))

        self.assertEqual(benchmark.run(print_data=False, show_plots=False, return_df=False), None)

    def test_persistent_softmax(self):
        properties = triton.runtime.driver.active.utils.get_device_properties(DEVICE.index)
        x = torch.randn(183, 781, device=DEVICE)
        out = torch.empty_like(x)
        block = triton.next_power_of_2(x.shape[1])
        kernel = softmax_kernel.warmup(out, x, x.stride(0), out.stride(0), *x.shape, BLOCK=block, num_stages=4, num_warps=8, grid=(1,))
        kernel._init_handles()
        occupancy = properties["max_num_regs"] // (kernel.n_regs * properties["warpSize"] * 8)
        occupancy = min(occupancy, properties["max_shared_mem"] // kernel.metadata.shared)
        programs = min(properties["multiprocessor_count"] * max(1, occupancy), x.shape[0])
        stream = getattr(torch, DEVICE.type).Stream()
        getattr(torch, DEVICE.type).set_stream(stream)
        kernel[(programs, 1, 1)](out, x, x.stride(0), out.stride(0), *x.shape, block, 4)
        torch.testing.assert_close(out, x.softmax(1))

    def matmul(self, a, b, activation=""):
        (M, K), N = a.shape, b.shape[1]
        c = torch.empty((M, N), device=a.device, dtype=torch.float16)
        matmul_kernel[lambda meta: (triton.cdiv(M, meta["BM"]) * triton.cdiv(N, meta["BN"]),)](a, b, c, M, N, K, ACTIVATION=activation)
        return c

    def test_matrix_products(self):
        a, b = torch.rand(64, 80, device=DEVICE, dtype=torch.float16) - 0.5, torch.rand(80, 96, device=DEVICE, dtype=torch.float16) - 0.5
        torch.testing.assert_close(self.matmul(a, b), torch.matmul(a, b), atol=1e-2, rtol=0)
        torch.testing.assert_close(self.matmul(a, b, "leaky_relu"), torch.nn.functional.leaky_relu(a @ b), atol=1e-2, rtol=0)
        small_a, small_b = a.to(torch.float8_e5m2), b.to(torch.float8_e5m2)
        torch.testing.assert_close(self.matmul(small_a, small_b), (small_a.half() @ small_b.half()), atol=2e-2, rtol=0)

    def test_dropout(self):
        x, out = torch.ones(1000, device=DEVICE), torch.empty(1000, device=DEVICE)
        dropout_kernel[(1,)](x, out, 1000, 0.5, 123, BLOCK=1024)
        self.assertEqual(set(out.tolist()), {0.0, 2.0})

    def test_locks(self):
        dy, x = torch.randn(100, 60, device=DEVICE), torch.randn(100, 60, device=DEVICE)
        groups = torch.zeros(8, 60, device=DEVICE)
        locks = torch.zeros(2 * 8, dtype=torch.int32, device=DEVICE)
        weight_gradient_kernel[(100,)](dy, x, groups, locks, 60, GROUPS=8, BLOCK=64)
        torch.testing.assert_close(groups.sum(0), (dy * x).sum(0), atol=1e-4, rtol=1e-4)

    def test_attention(self):
        asked = []
        triton.set_allocator(lambda size, align, stream: asked.append(size) or torch.empty(size, dtype=torch.int8, device="cuda"))
        self.assertEqual(torch.cuda.get_device_capability()[0], 8)
        q, k, v = (torch.empty(128, 64, dtype=torch.float16, device=DEVICE).normal_(0, 0.5) for _ in range(3))
        out = torch.empty_like(q)
        of = [TensorDescriptor(x, shape=[128, 64], strides=[64, 1], block_shape=[32, 64]) for x in (q, k, v)]
        attention_kernel[(4,)](*of, out, 0.125, N=128, D=64, BM=32, BN=32)
        expected = torch.nn.functional.scaled_dot_product_attention(q[None], k[None], v[None], is_causal=True)[0]
        torch.testing.assert_close(out, expected, atol=1e-2, rtol=0)

    def test_persistent_products(self):
        from triton._C.libtriton import nvidia
        a, b = (torch.randn(*shape, device="cuda").to(torch.float16) / 8 for shape in ((70, 64), (90, 64)))
        c = torch.empty(70, 90, device=a.device, dtype=a.dtype)
        programs = torch.cuda.get_device_properties("cuda").multi_processor_count
        persistent_kernel[(programs,)](a, b, c, 70, 90, 64, PROGRAMS=programs, BM=32, BN=32, BK=32, num_stages=3, num_warps=8)
        expected = torch.empty_like(c)
        nvidia.cublas.CublasLt(torch.empty(1 << 20, device="cuda", dtype=torch.uint8)).matmul(a, b, expected)
        torch.testing.assert_close(c, expected, atol=1e-2, rtol=1e-2)

    def test_functions_of_a_library(self):
        x = torch.rand(98432, device=DEVICE)
        out = torch.zeros(98432, device=DEVICE)
        asin_kernel[(97,)](x, out, 98432, BLOCK=1024)
        torch.testing.assert_close(out, torch.asin(x), atol=1e-5, rtol=1e-5)
        path = pathlib.Path(inspect.getfile(triton)).parent / "backends/nvidia/lib/libdevice.10.bc"
        asin_kernel[(97,)](x, out.zero_(), 98432, BLOCK=1024, extern_libs={"libdevice": str(path)})
        torch.testing.assert_close(out, torch.asin(x), atol=1e-5, rtol=1e-5)

    def test_grouped_products(self):
        shapes = [(40, 64, 32), (64, 32, 96), (17, 20, 48)]
        a = [torch.rand(m, k, device=DEVICE, dtype=torch.float16) for m, n, k in shapes]
        b = [torch.rand(k, n, device=DEVICE, dtype=torch.float16) for m, n, k in shapes]
        c = [torch.empty(m, n, device=DEVICE, dtype=torch.float16) for m, n, k in shapes]
        addresses = [torch.tensor([x.data_ptr() for x in group], device=DEVICE) for group in (a, b, c)]
        sizes = torch.tensor(shapes, dtype=torch.int32, device=DEVICE)
        programs = torch.cuda.get_device_properties("cuda").multi_processor_count
        grouped_kernel[(programs,)](*addresses, sizes, 3, PROGRAMS=programs, B=32)
        for left, right, out in zip(a, b, c):
            torch.testing.assert_close(out, left @ right, atol=5e-2, rtol=1e-2)


class Measuring(unittest.TestCase):
    def test_quantiles(self):
        x, y = torch.rand(4096, device=DEVICE), torch.rand(4096, device=DEVICE)
        out = torch.empty_like(x)
        calls = []

        def run():
            calls.append(1)
            add_kernel[(4,)](x, y, out, 4096, BLOCK=1024)

        low, middle, high = triton.testing.do_bench(run, warmup=1, rep=5, quantiles=[0.2, 0.5, 0.8])
        self.assertTrue(0 < low <= middle <= high < 1000)
        self.assertGreater(len(calls), 5)
        every = triton.testing.do_bench(run, warmup=1, rep=5, return_mode="all")
        self.assertTrue(len(every) >= 1 and all(each > 0 for each in every))
        self.assertGreater(triton.testing.do_bench(run, warmup=1, rep=5, return_mode="median"), 0)

    def test_gradients_to_none(self):
        x = torch.rand(64, device=DEVICE, requires_grad=True)
        y = x * x
        triton.testing.do_bench(lambda: y.backward(torch.ones_like(y), retain_graph=True), warmup=1, rep=2, grad_to_none=[x])
        torch.testing.assert_close(x.grad, 2 * x)  # the gradient is that of the last call only

    def profile(self, work, **named):
        """Returns the tree that proton writes, as (name, metrics, children) without times."""
        import triton.profiler as proton
        with tempfile.TemporaryDirectory() as folder:
            session = proton.start(f"{folder}/measured", hook="triton", **named)
            work(proton, session)
            proton.finalize()
            tree, devices = json.loads(pathlib.Path(f"{folder}/measured.hatchet").read_text())
        self.assertEqual(devices["CUDA"]["0"]["arch"], "80")
        return tree

    def test_profiler(self):
        x, y = torch.rand(1024, device=DEVICE), torch.rand(1024, device=DEVICE)
        out = torch.empty_like(x)

        def work(proton, session):
            proton.deactivate(session)
            with proton.scope("not this"):
                add_kernel[(1,)](x, y, out, 1024, BLOCK=1024)
            proton.activate(session)
            with proton.scope("outer", {"bytes": 5}):
                for _ in range(3):
                    add_kernel[(1,)](x, y, out, 1024, BLOCK=1024)
                proton.enter_scope("inner", metrics={"flops16": 7})
                torch.matmul(x, y)
                proton.exit_scope("inner")

        tree = self.profile(work)
        (outer,) = tree["children"]
        self.assertEqual((outer["frame"]["name"], outer["metrics"]), ("outer", {"bytes": 5}))  # the kernels inside own the time
        kernel, inner = outer["children"]
        self.assertEqual((kernel["frame"]["name"], kernel["metrics"]["count"]), ("add_kernel", 3))
        self.assertGreater(kernel["metrics"]["time (ns)"], 0)
        self.assertEqual((inner["frame"]["name"], inner["metrics"]["flops16"], inner["metrics"]["count"]), ("inner", 7, 1))

    def test_profiler_ends(self):
        x, out = torch.rand(64, device=DEVICE), torch.rand(64, device=DEVICE)
        self.profile(lambda proton, session: None)
        from triton import knobs
        from pumice_torch.cuda_scripts import profiler
        self.assertNotIn(profiler._enter, getattr(knobs.runtime.launch_enter_hook, "calls", []))
        add_kernel[(1,)](x, x, out, 64, BLOCK=64)  # no session is active
        import triton.profiler as proton
        with self.assertRaisesRegex(ValueError, "chrome_trace"):
            proton.finalize(output_format="chrome_trace")

    def test_gradients_of_halves(self):
        """Gradients are as exact as on CUDA, which sums them in float32."""
        torch.manual_seed(0)
        x, weight = torch.randn(2000, 64, dtype=torch.float16, device=DEVICE), torch.rand(64, dtype=torch.float16, device=DEVICE)
        out = torch.randn_like(x)

        def gradients(kind):
            given = [each.to(kind).clone().requires_grad_() for each in (x, weight, weight)]
            result = torch.nn.functional.layer_norm(given[0], (64,), *given[1:])
            self.assertEqual(result.dtype, kind)
            result.backward(out.to(kind))
            return [each.grad.double() for each in given]

        for found, right in zip(gradients(torch.float16), gradients(torch.float64)):
            torch.testing.assert_close(found, right, atol=1e-3, rtol=1e-3)


if __name__ == "__main__":
    unittest.main()
