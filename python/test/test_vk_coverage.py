"""Operators of PyTorch's device "vk" that inductor has no kernels for: by decompositions of ours, compared with the CPU.

    PYTHONPATH=... PUMICE_TEST_DEVICES=cpu,vulkan:0 python python/test/test_vk_coverage.py

Every test runs on each device of PUMICE_TEST_DEVICES, with an empty folder of plans. Tests that compile many plans are
skipped unless PUMICE_TEST_ALL is set (`make test-torch`).
"""
import os
import tempfile
import unittest

FOLDER = tempfile.TemporaryDirectory()
os.environ["PUMICE_VK_PLANS"] = FOLDER.name

from vk_testing import on_each_device

import torch

F = torch.nn.functional


thorough = unittest.skipUnless(os.environ.get("PUMICE_TEST_ALL"), "takes long: PUMICE_TEST_ALL runs it")


class CoverageTest(unittest.TestCase):
    def setUp(self):
        torch.manual_seed(1)
        torch.vk.reset_fallbacks()

    def compare(self, vk, function, *given, **tolerances):
        """Compares what a function makes of tensors on both devices. No operator may run on the CPU."""
        ours, theirs = (function(*(one.to(device) if isinstance(one, torch.Tensor) else one for one in given))
                        for device in (vk, "cpu"))
        if isinstance(ours, torch.Tensor):
            ours, theirs = [ours], [theirs]
        for one, other in zip(ours, theirs, strict=True):
            self.assertEqual(one.device.type, "vk")
            torch.testing.assert_close(one.cpu(), other, equal_nan=True, **tolerances)
        self.assertEqual(torch.vk.fallbacks(), {})


class Special(CoverageTest):
    @on_each_device
    def test_polynomials(self, vk):
        x, n = torch.linspace(-1.5, 1.5, 61)[:, None], torch.arange(-2.0, 12.0)
        for name in ("chebyshev_polynomial_t", "shifted_chebyshev_polynomial_w", "hermite_polynomial_h",
                     "laguerre_polynomial_l", "legendre_polynomial_p"):
            with self.subTest(name=name):
                self.compare(vk, getattr(torch.special, name), x, n, rtol=1e-3, atol=1e-3)
        self.compare(vk, lambda x: torch.special.hermite_polynomial_he(x, 200), x)

    @thorough
    @on_each_device
    def test_functions_of_bessel_and_airy(self, vk):
        x = torch.tensor([-torch.inf, -30.0, -7.5, -2.5, -0.25, 0.0, 0.3, 1.9, 2.1, 7.9, 8.1, 50.0, torch.inf, torch.nan])
        for name in ("i0e", "i1e", "modified_bessel_k0", "scaled_modified_bessel_k1", "spherical_bessel_j0", "airy_ai"):
            for dtype in (torch.float32, torch.float64):
                with self.subTest(name=name, dtype=dtype):
                    self.compare(vk, getattr(torch.special, name), x.to(dtype), rtol=1e-5, atol=1e-6)
        self.compare(vk, torch.special.i0e, torch.arange(9), rtol=1e-5, atol=0)

    @thorough
    @on_each_device
    def test_gamma_and_zeta(self, vk):
        x = torch.tensor([-torch.inf, -3.0, -2.25, -0.5, -0.0, 0.0, 1e-3, 0.7, 1.0, 4.5, 100.0, torch.inf, torch.nan])
        self.compare(vk, torch.digamma, x, rtol=1e-5, atol=1e-6)
        self.compare(vk, torch.digamma, x.double())
        for n in (1, 2, 3):
            self.compare(vk, lambda x: torch.polygamma(n, x), x[4:-2], rtol=1e-4, atol=1e-4)
        self.compare(vk, torch.special.zeta, torch.tensor([0.5, 1.0, 1.5, 3.0, 8.0])[:, None],
                     torch.tensor([-2.0, -1.5, 0.0, 0.1, 1.0, 30.0]), rtol=1e-5, atol=1e-6)

    @on_each_device
    def test_shifts_by_more_bits_than_there_are(self, vk):
        amounts = torch.tensor([70, 8, 1, 9, 32, 0])
        for dtype in (torch.uint8, torch.int64):
            x, n = torch.tensor([1, 3, 7, 100, 120, 5]).to(dtype), amounts.to(dtype)
            with self.subTest(dtype=dtype):
                self.compare(vk, lambda x, n: x << n, x, n)
                self.compare(vk, torch.bitwise_right_shift, x, n)
                self.compare(vk, lambda x: x.clone().bitwise_left_shift_(9), x)
        negative = torch.tensor([-1, -7, 100], dtype=torch.int32)
        self.compare(vk, torch.bitwise_right_shift, negative, torch.tensor([40, -3, 2], dtype=torch.int32))

    @on_each_device
    def test_quantiles(self, vk):
        p = torch.tensor([-0.1, 0.0, 1e-30, 1e-12, 0.01, 0.09, 0.11, 0.4, 0.5, 0.77, 0.95, 0.9999, 1.0, 1.1], dtype=torch.float64)
        self.compare(vk, torch.special.ndtri, p)
        self.compare(vk, torch.special.ndtri, p.float(), rtol=2e-5, atol=1e-5)


class Exact(CoverageTest):
    """Results that have to be right to the last bit."""

    @on_each_device
    def test_signs_of_zeros(self, vk):
        for dtype in (torch.float32, torch.float64, torch.float16):
            x = torch.tensor([0.0, -0.0, 3.0, -3.0], dtype=dtype)
            for function in (torch.neg, lambda x: x * 2):
                self.compare(vk, lambda x, function=function: torch.signbit(function(x)), x)
        torch._dynamo.reset()
        compiled = torch.compile(lambda x: torch.signbit(-x))
        self.assertEqual(compiled(x.to(vk)).tolist(), [True, False, True, False])

    @on_each_device
    def test_deterministic_algorithms(self, vk):
        """Sums are in the order of the elements, the last one of several values remains, and new memory is filled."""
        x, places, values = torch.randn(20), torch.arange(600) % 7, torch.randn(600)
        self.addCleanup(torch.use_deterministic_algorithms, False)
        for mode in (True, False):  # plans of one mode do not serve the other
            torch.use_deterministic_algorithms(mode)
            self.compare(vk, lambda x, places, values: x.index_put((places,), values, accumulate=True), x, places, values,
                         rtol=1e-5, atol=1e-5)
            made = torch.empty(5, device=vk), torch.empty_strided((2, 2), (1, 2), dtype=torch.int32, device=vk)
            if mode:
                self.compare(vk, lambda x, places, values: x.scatter(0, places, values), x, places, values)
                self.assertTrue(made[0].isnan().all().item())
                self.assertEqual(made[1].tolist(), [[2 ** 31 - 1] * 2] * 2)

    @on_each_device
    def test_neighbours_of_16_bit_floats(self, vk):
        values = torch.tensor([0.0, -0.0, 1.0, -1.0, float("inf"), -float("inf"), 3.39e38, 9.2e-41, -9.2e-41], dtype=torch.bfloat16)
        x, toward = (one.contiguous() for one in torch.meshgrid(values, values, indexing="ij"))
        self.compare(vk, lambda x, toward: torch.nextafter(x, toward).view(torch.int16), x, toward)
        x = torch.tensor([1.0, -2.0, 0.0], dtype=torch.float16, device=vk)
        self.assertEqual((torch.nextafter(x, -x) - x).tolist(), [-(2.0 ** -11), 2.0 ** -10, 0.0])


class Random(CoverageTest):
    """The mean and the deviation of random numbers."""

    def check(self, made, mean, deviation):
        x = made.cpu().double()
        self.assertAlmostEqual(x.mean().item(), mean, delta=0.03 * max(deviation, 1e-3))
        self.assertAlmostEqual(x.std().item(), deviation, delta=0.05 * deviation)
        self.assertEqual(torch.vk.fallbacks(), {})

    @thorough
    @on_each_device
    def test_distributions(self, vk):
        for dtype in (torch.float32, torch.float64, torch.bfloat16):
            x = torch.empty(200, 200, device=vk, dtype=dtype)
            self.check(x.normal_(1, 2), 1, 2)
            self.check(x.uniform_(1, 3), 2, 3 ** -0.5)
        self.check(torch.randn(200, 200, device=vk), 0, 1)
        self.check(x.float().exponential_(2), 0.5, 0.5)
        self.check(x.float().geometric_(0.25), 4, 12 ** 0.5)
        self.check(x.float().log_normal_(0, 0.25), 1.0317, 0.2620)
        self.check(torch.bernoulli(torch.full((200, 200), 0.25, device=vk)), 0.25, 0.4330)
        self.check(x.float().bernoulli_(torch.full((200,), 0.75, device=vk)), 0.75, 0.4330)
        self.check(torch.normal(torch.ones(200, 200, device=vk), torch.full((200, 1), 3.0, device=vk)), 1, 3)
        self.check(torch.nn.functional.rrelu(torch.full((200, 200), -1.0, device=vk), training=True), -0.2292, 0.0601)

    @on_each_device
    def test_integers(self, vk):
        made = torch.randint(3, 9, (200, 200), device=vk)
        self.check(made, 5.5, 1.7078)
        self.assertEqual(made.unique().tolist(), [3, 4, 5, 6, 7, 8])
        torch.vk.reset_fallbacks()
        self.check(torch.empty(200, 200, device=vk, dtype=torch.uint8).random_() / 255, 0.5, 0.2898)
        self.check(torch.randint(0, 1 << 60, (200, 200), device=vk) / 2 ** 60, 0.5, 0.2887)

    @on_each_device
    def test_seeds_repeat_numbers(self, vk):
        first = []
        for seed in (3, 3, 4):
            torch.manual_seed(seed)
            first.append(torch.randn(50, device=vk).cpu())
        self.assertTrue(torch.equal(first[0], first[1]))
        self.assertFalse(torch.equal(first[0], first[2]))
        generator = torch.Generator(vk).manual_seed(5)
        a = torch.rand(50, device=vk, generator=generator).cpu()
        self.assertFalse(torch.equal(a, torch.rand(50, device=vk, generator=generator).cpu()))
        self.assertTrue(torch.equal(a, torch.rand(50, device=vk, generator=generator.manual_seed(5)).cpu()))


class Sorts(CoverageTest):
    """Rows of any length, in runs and merges."""

    @thorough
    @on_each_device
    def test_rows_of_many_lengths(self, vk):
        for size, dtype, descending in ((1, torch.float32, False), (31, torch.int64, True), (33, torch.float32, True),
                                        (200, torch.int64, False), (3000, torch.float32, False)):
            with self.subTest(size=size, dtype=dtype, descending=descending):
                self.compare(vk, lambda x: x.sort(stable=True, descending=descending), torch.randint(-40, 40, (3, size)).to(dtype))
        self.compare(vk, lambda x: x.sort(dim=0, stable=True), torch.randn(40, 3, 2).bfloat16())
        self.compare(vk, lambda x: x.sort(stable=True), torch.rand(100) > 0.5)

    @on_each_device
    def test_nan_values(self, vk):
        x = torch.tensor([torch.nan, 1.0, -0.0, 0.0, -torch.inf, torch.nan, torch.inf, -3.0]).repeat(9)
        for descending in (False, True):
            self.compare(vk, lambda x: x.sort(stable=True, descending=descending), x)
        self.compare(vk, lambda x: x.nanmedian(0)[0], x)
        self.compare(vk, lambda x: (x.median(), x.nanmedian(), x[1:5].median()), x)

    @thorough
    @on_each_device
    def test_first_elements(self, vk):
        x = torch.randperm(4 * 700).view(4, 700).float()
        for k in (5, 40):
            self.compare(vk, lambda x: x.topk(k), x)
        self.compare(vk, lambda x: x.topk(700, largest=False), x)
        self.compare(vk, lambda x: x.topk(2, 0), x)
        self.compare(vk, lambda x: x.kthvalue(300), x)
        self.compare(vk, lambda x: x.kthvalue(3, 0, keepdim=True), x)
        self.compare(vk, lambda x: x.median(1), x)
        self.compare(vk, lambda x: x.mode(1)[0], (x / 100).floor())

    @thorough
    @on_each_device
    def test_random_orders(self, vk):
        made = torch.randperm(500, device=vk)
        self.assertFalse(torch.equal(made, torch.arange(500, device=vk)))
        self.assertTrue(torch.equal(made.sort()[0], torch.arange(500, device=vk)))
        weights = torch.tensor([1.0, 0.0, 3.0], device=vk)
        drawn = torch.multinomial(weights, 4000, replacement=True).bincount(minlength=3).cpu()
        self.assertEqual(drawn[1], 0)
        self.assertAlmostEqual(drawn[2].item() / 4000, 0.75, delta=0.05)
        self.assertEqual(torch.multinomial(weights, 2).sort()[0].tolist(), [0, 2])
        self.assertEqual(torch.vk.fallbacks(), {})


class Selections(CoverageTest):
    """Operators whose results have sizes that data decide."""

    @on_each_device
    def test_places_and_masks(self, vk):
        x = torch.randint(-3, 3, (5, 7, 4))
        for given in (x, x[0, 0].float(), torch.tensor(3.0), torch.zeros(0, 3), torch.zeros(3, 2)):
            self.compare(vk, torch.nonzero, given)
        self.compare(vk, torch.masked_select, x.float(), x > 0)
        self.compare(vk, torch.masked_select, x.float(), x[0] > 1)
        self.compare(vk, lambda x: x[x > 0], x)
        self.compare(vk, lambda x: x[x[:, 0, 0] > 0, :, 1], x)

        def write(x):
            x = x.clone()
            x[x > 1] = 7
            x[x < 0] = -x[x < 0]
            return x
        self.compare(vk, write, x)
        self.compare(vk, write, x.float())

    @on_each_device
    def test_different_elements(self, vk):
        x = torch.randint(-3, 3, (5, 7, 4))
        self.compare(vk, lambda x: torch.unique(x, return_inverse=True, return_counts=True), x)
        self.compare(vk, torch.unique, x.float())
        self.compare(vk, torch.unique, x > 0)
        self.compare(vk, lambda x: torch.unique_consecutive(x, return_inverse=True, return_counts=True), x.flatten())
        self.compare(vk, lambda x: torch.unique_consecutive(x, return_inverse=True, dim=0), x[:, 0, :1].clamp(-1, 0))
        self.assertTrue(torch.equal(x.to(vk), x.to(vk)))
        self.assertFalse(torch.equal(x.to(vk), x.to(vk) + 1))
        self.assertFalse(torch.equal(x.to(vk), x.to(vk)[0]))
        self.assertEqual(torch.vk.fallbacks(), {})

    @on_each_device
    def test_counts(self, vk):
        x = torch.randint(0, 6, (200,))
        self.compare(vk, torch.bincount, x)
        self.compare(vk, lambda x, w: torch.bincount(x, w, minlength=9), x, torch.rand(200))
        self.compare(vk, torch.repeat_interleave, torch.tensor([2, 0, 3]))
        self.compare(vk, lambda x, n: x.repeat_interleave(n, dim=0), torch.randn(3, 2), torch.tensor([2, 0, 3]))


class Places(CoverageTest):
    """Writes and reductions at places that elements choose."""

    @thorough
    @on_each_device
    def test_reductions(self, vk):
        for dtype in (torch.float32, torch.int64, torch.bfloat16):
            x, index = torch.randint(1, 5, (4, 6)).to(dtype), torch.randint(0, 4, (5, 6))
            source = torch.randint(1, 4, (5, 6)).to(dtype)
            for reduce in ("sum", "prod", "mean", "amin", "amax"):
                for include in (False, True):
                    with self.subTest(dtype=dtype, reduce=reduce, include=include):
                        self.compare(vk, lambda x, i, s: x.scatter_reduce(0, i, s, reduce, include_self=include), x, index, source)
        self.compare(vk, lambda x, i, s: x.index_reduce(1, i, s, "prod"), torch.rand(3, 4), torch.tensor([1, 1, 0]), torch.rand(3, 3))

    @on_each_device
    def test_integers(self, vk):
        x, index = torch.arange(24).view(4, 6), torch.tensor([[3, 0, 1, 2, 1, 0]])
        self.compare(vk, lambda x, i: x.scatter(0, i, -x[:1]), x, index)
        self.compare(vk, lambda x, i: x.scatter_add(0, i, x[:1]), x, index)
        self.compare(vk, lambda x, i: x.index_put((i[0, :2], i[0, 4:]), x[0, :2]), x, index)
        self.compare(vk, lambda x, i: x.index_put((i[0, :3],), x[:3], accumulate=True), x, index)
        self.compare(vk, lambda x, i: torch.ops.aten.index_put(x.t(), [None, i[0, :3] - 4], x[:1, :3]), x, index)
        self.compare(vk, lambda x, i: x.index_add(0, i[0, :3], x[:3]), x, index)

    @on_each_device
    def test_segments(self, vk):
        x, lengths = torch.randn(7, 3), torch.tensor([2, 0, 4, 1])
        for reduce in ("sum", "mean", "max", "prod"):
            self.compare(vk, lambda x, n: torch.segment_reduce(x, reduce, lengths=n, initial=1.0), x, lengths)
        self.compare(vk, lambda x, n: torch.segment_reduce(x, "min", offsets=n, axis=1), torch.randn(2, 5),
                     torch.tensor([[0, 2, 5], [0, 1, 5]]))


class Differentiated(CoverageTest):
    """Operators with gradients that are operators of their own."""

    def check(self, vk, function, count, *given):
        """Compares results, and gradients of the first `count` arguments."""
        def both(*given):
            given = [one.clone().requires_grad_() if i < count else one for i, one in enumerate(given)]
            made = function(*given)
            weights = torch.arange(1, made.numel() + 1, device=made.device).view(made.shape) / made.numel()
            return made.detach(), *torch.autograd.grad((made * weights).sum(), given[:count])
        self.compare(vk, both, *given)

    @thorough
    @on_each_device
    def test_resizes(self, vk):
        x = torch.randn(2, 3, 5, 6)
        self.check(vk, lambda x: F.interpolate(x, size=(7, 3), mode="bilinear"), 1, x)
        self.check(vk, lambda x: F.interpolate(x, scale_factor=2, mode="nearest"), 1, x[0])
        self.check(vk, lambda x: F.interpolate(x, size=(3, 4), mode="bilinear", antialias=True), 1, x)
        self.check(vk, lambda x: F.pad(x, (2, 1, 1, -1), mode="replicate"), 1, x)

    @thorough
    @on_each_device
    def test_points_of_images_and_volumes(self, vk):
        points = torch.rand(2, 4, 4, 3) * 2.4 - 1.2
        self.check(vk, lambda x, p: F.grid_sample(x, p, "bilinear", "reflection", align_corners=False), 2, torch.randn(2, 3, 5, 6),
                   points[..., :2])
        self.check(vk, lambda x, p: F.grid_sample(x, p, "bilinear", "border", align_corners=True), 2,
                   torch.randn(2, 3, 5, 6, 4), points.unsqueeze(3))
        self.check(vk, lambda x, p: F.grid_sample(x, p, "nearest", align_corners=True), 2, torch.randn(2, 3, 5, 6, 4),
                   points.unsqueeze(3))

    @thorough
    @on_each_device
    def test_pools(self, vk):
        x = torch.randn(1, 2, 7, 8, 5)
        self.check(vk, lambda x: F.max_pool3d(x, 3, 2, 1), 1, x)
        self.check(vk, lambda x: F.adaptive_avg_pool3d(x, (2, 3, 5)), 1, x)
        self.check(vk, lambda x: F.adaptive_max_pool2d(x, 3), 1, x[0])

    @thorough
    @on_each_device
    def test_bags(self, vk):
        weight, indices, offsets = torch.randn(9, 4), torch.randint(0, 9, (12,)), torch.tensor([0, 3, 3, 7])
        for mode in ("sum", "mean", "max"):
            self.check(vk, lambda w, i, o: F.embedding_bag(i, w, o, mode=mode, padding_idx=2), 1, weight, indices, offsets)
        self.check(vk, lambda w, p, i, o: F.embedding_bag(i, w, o, mode="sum", per_sample_weights=p), 2, weight,
                   torch.randn(12), indices, offsets)

    @thorough
    @on_each_device
    def test_losses(self, vk):
        x = torch.randn(12, 3, 5).log_softmax(2)
        targets = torch.randint(1, 5, (3, 4))
        for reduction in ("none", "mean"):
            self.check(vk, lambda x, t: F.ctc_loss(x, t, (12, 10, 7), (4, 2, 0), reduction=reduction), 1, x, targets)
        self.check(vk, lambda x, t: F.ctc_loss(x, t, (12, 1, 7), (4, 2, 3), zero_infinity=True), 1, x, targets.flatten()[:9])
        rows = torch.randn(2, 5)
        self.check(vk, F.multi_margin_loss, 1, rows, torch.tensor([1, 4]))
        self.check(vk, F.multilabel_margin_loss, 1, rows, torch.tensor([[1, 3, -1, 0, 0], [2, -1, 0, 0, 0]]))

    @on_each_device
    def test_distances(self, vk):
        a, b = torch.randn(2, 5, 4), torch.randn(2, 3, 4)
        for p in (0.5, 1.0, 2.0, torch.inf):
            self.check(vk, lambda a, b: torch.cdist(a, b, p), 2, a, b)
        self.check(vk, F.pdist, 1, a[0])


class Others(CoverageTest):
    @thorough
    @on_each_device
    def test_histograms(self, vk):
        x = torch.randn(5, 60)
        self.compare(vk, lambda x: torch.histc(x, 10, -2, 2), x)
        self.compare(vk, lambda x: torch.histc(x, 7), x)
        self.compare(vk, lambda x, w: torch.histogram(x, 7, range=(-1.0, 2.0), weight=w, density=True), x, torch.rand(5, 60))
        self.compare(vk, lambda x, e: torch.histogram(x, e), x, torch.tensor([-1.0, 0.0, 0.2, 3.0]))
        self.compare(vk, lambda x: torch.histogramdd(x.reshape(-1, 3), [3, 4, 5])[0], x)

    @on_each_device
    def test_scans_of_long_rows(self, vk):
        row = torch.linspace(-1, 1, 50257)
        for given, dim in ((row, 0), (row[None], -1), (row[:40000].view(20000, 2), 0), (row[:3200].view(100, 32), 0)):
            with self.subTest(shape=given.shape):
                self.compare(vk, lambda x: x.cumsum(dim), given, rtol=1e-3, atol=1e-2)
                self.compare(vk, lambda x: x.cummax(dim), given)
        self.compare(vk, lambda x: x.cumsum(0), row > 0)
        self.compare(vk, lambda x: x.logcumsumexp(0), row, rtol=1e-4, atol=1e-4)
        mask = row.sin() > 0
        self.compare(vk, lambda x, mask: (x[mask], mask.nonzero()), row, mask)

    @on_each_device
    def test_scaled_gradients(self, vk):
        def unscaled(x, found, scale):
            gradients = [x.half(), x * 2, x[:0]]
            torch._amp_foreach_non_finite_check_and_unscale_(gradients, found, scale)
            return [*gradients, found]

        def updated(scale, tracker, found):
            return torch._amp_update_scale_(scale, tracker, found, 2.0, 0.5, 4), tracker

        x, found, scale = torch.arange(8.0), torch.zeros(()), torch.tensor(0.25)
        self.compare(vk, unscaled, x, found.clone(), scale)
        self.compare(vk, unscaled, x.log(), found.clone(), scale)
        for steps, is_bad in ((0, 0.0), (3, 0.0), (3, 1.0)):
            self.compare(vk, lambda *given: updated(*(one.clone() for one in given)), scale,
                         torch.tensor(steps, dtype=torch.int32), torch.tensor(is_bad))

    @on_each_device
    def test_indices_of_the_cpu(self, vk):
        places, mask = torch.tensor([2, 0, 3]), torch.tensor([True, False, True, False])

        def put(x):
            x = x.clone()
            x[places] = 1.5
            x[mask] = torch.arange(3.0, device=x.device)
            x[places[:1], torch.tensor([1])] += 2
            x[torch.eye(4, 3, dtype=torch.bool)] = -1
            return x

        for function in (lambda x: x[places], lambda x: x[:, places[:2] // 2], lambda x: x[mask], lambda x: x[places, places % 3],
                         lambda x: x[mask, 1], put):
            self.compare(vk, function, torch.arange(12.0).reshape(4, 3))
        x = torch.arange(12.0, device=vk).reshape(4, 3).requires_grad_()
        x[places].sum().backward()
        self.assertEqual(x.grad.sum(1).tolist(), [3.0, 0.0, 3.0, 3.0])
        self.assertEqual(torch.vk.fallbacks(), {})

    @on_each_device
    def test_running_reductions(self, vk):
        x = torch.randn(5, 300)
        self.compare(vk, lambda x: x.cummax(1), x)
        self.compare(vk, lambda x: x.cummin(0), x)
        self.compare(vk, lambda x: x.logcumsumexp(1), x)

    @thorough
    @on_each_device
    def test_incomplete_gammas(self, vk):
        x = torch.tensor([0.0, 0.1, 1.0, 3.0, 20.0, 100.0, -1.0, torch.inf], dtype=torch.float64)
        self.compare(vk, torch.igamma, x[:, None], x)
        self.compare(vk, torch.igammac, x[:, None], x)
        a, x = torch.rand(50, 1) * 30, torch.rand(50) * 40
        self.compare(vk, torch.igamma, a, x, rtol=1e-5, atol=1e-5)

    @on_each_device
    def test_arithmetic(self, vk):
        torch.vk.reset_fallbacks()  # wrong calls on another device
        self.compare(vk, torch.pow, torch.arange(-3, 4)[:, None], torch.arange(70))
        self.compare(vk, lambda x: torch.pow(2.0, x), torch.randn(9))
        self.compare(vk, lambda x: torch.nonzero_static(x, size=3), torch.tensor([[0, 1.0], [2, 0]]))
        self.compare(vk, torch.hash_tensor, torch.randn(9))
        self.compare(vk, torch.index_select, torch.randn(3, 4), 1, torch.tensor([2, 0]))
        self.compare(vk, torch.index_select, torch.tensor(3.0), 0, torch.tensor([0]))
        for rows, length, columns in ((0, 3, 4), (2, 0, 4), (2, 3, 0)):
            a, b = torch.randn(rows, length), torch.randn(length, columns)
            self.compare(vk, torch.mm, a, b)
            self.compare(vk, torch.addmm, torch.randn(columns), a, b)
        with self.assertRaisesRegex(RuntimeError, "Index to scalar can have only 1 value, got 2"):
            torch.index_select(torch.tensor(3.0, device=vk), 0, torch.tensor([0, 0], device=vk))
        x = torch.randn(3, 4, device=vk)
        for dim, index in ((2, torch.tensor([0])), (0, torch.tensor([[0]])), (0, torch.tensor([True, False, True]))):
            with self.subTest(dim=dim, index=index), self.assertRaises((IndexError, RuntimeError)):
                torch.index_select(x, dim, index.to(vk))


if __name__ == "__main__":
    unittest.main()
