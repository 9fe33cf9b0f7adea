"""Kernels of vk that are not inductor's: products, convolutions, attention, reductions, norms and dropout.

    PYTHONPATH=... PUMICE_TEST_DEVICES=cpu,vulkan:0 python python/test/test_vk_kernels.py
"""
import unittest
import warnings

from vk_testing import DEVICES

import torch
import triton
from torch.nn import functional


def waves(*sizes, dtype=torch.float32, seed=1):
    """Returns a tensor whose elements are neither equal nor random."""
    count = torch.Size(sizes).numel()
    return torch.sin(torch.arange(count, dtype=torch.float64) * 0.7 + seed).reshape(sizes).to(dtype)


class Kernels(unittest.TestCase):
    def check(self, function, *tensors, tolerance=1e-4, gradients=True, leaves_out=lambda properties: False):
        """Compares results and gradients with the CPU's on each device, and expects that the CPU computes nothing."""
        def run(device):
            given = [one.detach().clone().to(device).requires_grad_(gradients) for one in tensors]
            torch.vk.reset_fallbacks()
            result = function(*given)
            made = [result.detach()]
            if gradients:
                result.backward(waves(*result.shape, dtype=result.dtype).to(device))
                made += [one.grad for one in given]
            self.assertEqual(torch.vk.fallbacks(), {})
            return [one.cpu().double() for one in made]

        expected = run("cpu")
        for index, name in enumerate(DEVICES):
            if leaves_out(torch.vk.get_device_properties(index)):
                continue
            with self.subTest(device=name), torch.vk.device(index):
                for ours, theirs in zip(run(torch.device("vk", index)), expected, strict=True):
                    torch.testing.assert_close(ours, theirs, rtol=tolerance, atol=tolerance * 10)

    def test_products(self):
        self.check(torch.mm, waves(5, 7), waves(7, 9))
        self.check(lambda a, b: a @ b.t(), waves(50, 70), waves(90, 70))
        self.check(torch.bmm, waves(3, 20, 64), waves(3, 64, 48))
        self.check(torch.mv, waves(30, 70), waves(70))

    def test_products_of_other_sizes_take_the_same_plan_or_another(self):
        for rows in (1, 3, 17, 65, 130):
            self.check(torch.mm, waves(rows, 33), waves(33, 20), gradients=False)

    def test_products_of_other_types(self):
        for dtype in (torch.float16, torch.bfloat16):
            self.check(torch.mm, waves(20, 40, dtype=dtype), waves(40, 24, dtype=dtype), tolerance=2e-2,
                       gradients=False)
        self.check(torch.mm, waves(20, 40, dtype=torch.float64), waves(40, 24, dtype=torch.float64), gradients=False)
        self.check(lambda a, b: (a * 9).long() @ (b * 9).long(), waves(20, 40), waves(40, 24), gradients=False)

    def test_products_of_two_types_are_rejected(self):
        x = torch.ones(4, 4, device="vk")
        for one, other in ((x, x.half()), (x.long(), x), (x.half(), x)):
            with self.assertRaisesRegex(RuntimeError, "same dtype"):
                one @ other

    def test_products_with_a_sum(self):
        self.check(functional.linear, waves(4, 6, 20), waves(30, 20), waves(30))
        self.check(lambda c, a, b: torch.addmm(c, a, b, beta=0.5, alpha=2), waves(6, 9), waves(6, 5), waves(5, 9))
        nan = torch.full((6, 9), float("nan"))
        self.check(lambda a, b: torch.addmm(nan.to(a.device), a, b, beta=0), waves(6, 5), waves(5, 9))

    def test_convolutions(self):
        self.check(lambda x, w, b: functional.conv2d(x, w, b, padding=1), waves(2, 20, 9, 8), waves(12, 20, 3, 3),
                   waves(12))
        self.check(lambda x, w: functional.conv2d(x, w, stride=2, padding=2, dilation=2), waves(2, 3, 11, 10),
                   waves(4, 3, 3, 3))
        self.check(lambda x, w: functional.conv2d(x, w, groups=2), waves(2, 6, 7, 8), waves(4, 3, 2, 3))
        self.check(lambda x, w, b: functional.conv1d(x, w, b, padding=1), waves(2, 4, 9), waves(5, 4, 3), waves(5))

    def test_convolutions_of_single_pixels_are_products(self):
        self.check(functional.conv2d, waves(2, 16, 5, 6), waves(8, 16, 1, 1), waves(8))
        last = waves(2, 16, 5, 6).to(memory_format=torch.channels_last)
        self.check(functional.conv2d, last, waves(8, 16, 1, 1), waves(8))

    def test_convolutions_of_single_channels(self):
        for x in (waves(2, 6, 9, 8), waves(2, 6, 9, 8).to(memory_format=torch.channels_last)):
            self.check(lambda x, w, b: functional.conv2d(x, w, b, stride=2, padding=1, groups=6), x, waves(6, 1, 3, 3), waves(6))

    def test_convolutions_of_half_precision_put_channels_last(self):
        for dtype in (torch.float16, torch.bfloat16):
            x, w = waves(2, 32, 7, 6, dtype=dtype), waves(16, 16, 3, 3, dtype=dtype) / 4
            self.check(lambda x, w: functional.conv2d(x, w, padding=1, groups=2), x, w, tolerance=2e-2)

    def test_gradients_of_strides_that_skip_pixels(self):
        self.check(lambda x, w: functional.conv2d(x, w, stride=(3, 2)), waves(1, 4, 9, 8), waves(5, 4, 1, 2))

    def test_transposed_convolutions(self):
        self.check(lambda x, w, b: functional.conv_transpose2d(x, w, b, stride=2, padding=1, output_padding=1),
                   waves(2, 6, 5, 4), waves(6, 3, 3, 3), waves(3))

    def test_channels_may_be_last(self):
        x, w = waves(2, 8, 6, 7).to(memory_format=torch.channels_last), waves(4, 8, 3, 3)
        self.check(functional.conv2d, x, w, gradients=False)
        for index in range(len(DEVICES)):
            made = functional.conv2d(x.to(f"vk:{index}"), w.to(f"vk:{index}"))
            self.assertTrue(made.is_contiguous(memory_format=torch.channels_last))

    def test_operands_that_32_bits_do_not_count(self):
        from pumice_torch.vk.plans import own
        from pumice_torch.vk.plans.values import Unsupported

        def operand(place, *sizes):
            strides = [torch.Size(sizes[dim + 1:]).numel() for dim in range(len(sizes))]
            return {"tensor": place, "type": "Half", "aligned": True, "sizes": list(sizes), "strides": strides,
                    "even": -1, "layout": "c", "dims": []}

        weight, pair = operand(1, 8, 8, 3, 3), [1, 1]
        for image, transposed, stride in ((operand(0, 1 << 20, 8, 16, 17), False, pair),
                                          (operand(0, 1 << 14, 8, 64, 64), True, [8, 8])):  # the result is too large
            with self.assertRaisesRegex(Unsupported, "more than 2.31"):
                own.plan_of("aten::convolution_overrideable",
                            [image, weight, None, stride, pair, pair, transposed, [0, 0], 1], 1, 0)
        long = [operand(place, 1, 8, 1 << 24, 32) for place in range(3)]
        with self.assertRaisesRegex(Unsupported, "more than 2.31"):
            own.plan_of("pumice_vk::attention", [*long, None, True, 0.5], 0, 0)

    def test_attention(self):
        attend = functional.scaled_dot_product_attention
        q, k, v = waves(2, 3, 40, 20), waves(2, 3, 50, 20, seed=2), waves(2, 3, 50, 20, seed=3)
        self.check(attend, q, k, v)
        self.check(lambda q, k, v: attend(q, k, v, is_causal=True), q, k, v)
        swapped = [one.transpose(1, 2).contiguous() for one in (q, k, v)]
        self.check(lambda *given: attend(*(one.transpose(1, 2) for one in given)), *swapped)

    def test_attention_of_whole_blocks(self):
        attend = functional.scaled_dot_product_attention
        q, k, v = (waves(1, 2, length, 32, seed=seed) for length, seed in ((256, 1), (192, 2), (192, 3)))

        def is_slow(properties):
            """Without AVX-512, lavapipe compiles these kernels for several minutes."""
            return properties.name.startswith("llvmpipe") and properties.warp_size < 16

        self.check(attend, q, k, v, leaves_out=is_slow)
        half = [one.bfloat16() for one in (q, k, v)]
        self.check(lambda q, k, v: attend(q, k, v, is_causal=True), *half, tolerance=3e-2, leaves_out=is_slow)

    def test_attention_keeps_the_order_of_dimensions(self):
        """Compiled graphs expect the strides of `torch.empty_like`."""
        attend = functional.scaled_dot_product_attention
        whole = waves(5, 2, 3, 3, 8)  # places, batch, three tensors, heads, width
        for order in ((1, 2, 0, 3), (0, 1, 2, 3), (2, 1, 0, 3)):
            for index in range(len(DEVICES)):
                q, k, v = (one.to(f"vk:{index}") for one in (waves(2, 3, 4, 8, seed=n).permute(order) for n in range(3)))
                self.assertEqual(attend(q, k, v).stride(), torch.empty_like(q).stride())
        for index in range(len(DEVICES)):
            q, k, v = (one.permute(1, 2, 0, 3) for one in whole.to(f"vk:{index}").unbind(2))
            self.assertEqual(attend(q, k, v).stride(), torch.empty_like(q).stride())

    def test_norms_reductions_and_dropout_are_kernels_of_ours(self):
        """Looks into the plans: inductor's kernels would have the same results."""
        x = torch.randn(6, 48, device="vk:0", requires_grad=True)
        w, b = (torch.randn(48, device="vk:0", requires_grad=True) for _ in range(2))
        torch.ops.pumice_vk.record_plans(True)
        functional.dropout(functional.layer_norm(x, (48,), w, b), 0.3).backward(torch.randn(6, 48, device="vk:0"))
        for function in (torch.sum, torch.mean, torch.argmin):
            function(x.detach().view(-1), 0)
        x.detach().max(1)
        names = {}
        for path in torch.ops.pumice_vk.recorded_plans(0):
            with open(path, "rb") as file:
                head = file.read().partition(b"\ncode\n")[0].decode()
            kernels = [line.split()[1] for line in head.splitlines() if line.startswith("kernel ")]
            names[path.split("/")[-2].rstrip(".")] = kernels
        torch.ops.pumice_vk.record_plans(False)
        self.assertEqual(names["native_layer_norm"], ["forward"])
        self.assertEqual(names["native_layer_norm_backward"], ["backward", "add_up"])
        self.assertEqual(names["native_dropout"], ["dropout"])
        self.assertEqual([names[of] for of in ("sum.IntList_out", "mean.out")], [["add_parts"]] * 2)
        self.assertEqual([names[of] for of in ("argmin.out", "max.dim_max")], [["best_of_rows"]] * 2)

    def test_layer_norm(self):
        norm = functional.layer_norm
        self.check(lambda x: norm(x, (40,)), waves(3, 5, 40))
        self.check(lambda x, w: norm(x, (40,), w), waves(3, 5, 40), waves(40, seed=2))
        for sizes, shape in (((2, 6, 5, 7), (5, 7)), ((700, 64), (64,)), ((2, 2000), (2000,))):
            self.check(lambda x, w, b: norm(x, shape, w, b, 1e-3), waves(*sizes), waves(*shape, seed=2), waves(*shape, seed=3))
        half = [one.bfloat16() for one in (waves(6, 48), waves(48, seed=2), waves(48, seed=3))]
        self.check(lambda x, w, b: norm(x, (48,), w, b), *half, tolerance=3e-2)
        self.check(lambda x: norm(x.t(), (5,)), waves(5, 9))

    def test_layer_norm_of_large_numbers_keeps_its_digits(self):
        self.check(lambda x: functional.layer_norm(x, (64,)), waves(4, 64) + 3000, tolerance=1e-2, gradients=False)

    def test_sums_of_all_elements(self):
        for sizes in ((1,), (100, 3), (20000,), (130, 4000), (3, 70001)):
            self.check(torch.sum, waves(*sizes), gradients=False)
            self.check(torch.mean, waves(*sizes), gradients=False)
        self.check(lambda x: x.sum((0, 1), keepdim=True), waves(60, 700))
        self.check(lambda x: x.sum(dtype=torch.float32), waves(9, 1000, dtype=torch.float16), gradients=False)
        self.check(torch.mean, waves(70, 900, dtype=torch.bfloat16), tolerance=1e-2, gradients=False)

    def test_reductions_size_their_out_arguments(self):
        x = waves(6, 40)
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            for sizes in ((), (0,), (1, 1), (3,), (6,), (2, 6), (6, 1)):
                for index in range(len(DEVICES)):
                    given = x.to(torch.device("vk", index))
                    out, places = given.new_empty(sizes), given.new_empty(sizes, dtype=torch.int64)
                    for keeps in (False, True):
                        torch.testing.assert_close(torch.sum(given, (0, 1), keeps, out=out).cpu(), x.sum((0, 1), keeps))
                        torch.testing.assert_close(torch.mean(given, (0, 1), keeps, out=out).cpu(), x.mean((0, 1), keeps))
                        torch.testing.assert_close(torch.max(given, 1, keeps, out=(out, places))[0].cpu(), x.max(1, keeps)[0])
                        torch.testing.assert_close(torch.argmin(given, 1, keeps, out=places).cpu(), x.argmin(1, keeps))
                    torch.testing.assert_close(torch.logsumexp(given[0], -1).cpu(), x[0].logsumexp(-1))

    def test_greatest_and_least_elements_of_rows(self):
        infinity, nan = float("inf"), float("nan")
        for kind in (torch.float32, torch.float16, torch.bfloat16):
            for sizes in ((7,), (70, 16), (9, 300), (33, 512), (5, 1000), (2, 3, 4097), (600, 2), (4, 1)):
                rows = waves(*sizes, dtype=kind).reshape(-1, sizes[-1])
                rows[-1] = rows[-1].abs().max()           # equal elements: the first counts
                if len(rows) > 2:
                    rows[0], rows[1] = -infinity, infinity
                    rows[2, sizes[-1] // 2:] = nan        # the first NaN counts
                given = rows.reshape(sizes)
                for name in ("max", "min", "argmax", "argmin"):
                    for keeps in (False, True):
                        with self.subTest(kind=kind, sizes=sizes, name=name, keeps=keeps):
                            expected = getattr(given, name)(-1, keepdim=keeps)
                            for index in range(len(DEVICES)):
                                torch.vk.reset_fallbacks()
                                result = getattr(given.to(torch.device("vk", index)), name)(-1, keepdim=keeps)
                                self.assertEqual(torch.vk.fallbacks(), {})
                                for ours, theirs in zip(*([one] if torch.is_tensor(one) else one for one in (result, expected)),
                                                        strict=True):
                                    torch.testing.assert_close(ours.cpu(), theirs, rtol=0, atol=0, equal_nan=True)

    def test_dropout(self):
        for index, name in enumerate(DEVICES):
            with self.subTest(device=name):
                for dtype in (torch.float32, torch.bfloat16):
                    x = torch.ones(300, 1001, device=f"vk:{index}", dtype=dtype, requires_grad=True)
                    torch.manual_seed(5)
                    made = functional.dropout(x, 0.3)
                    made.backward(torch.ones_like(made))
                    kept = made != 0
                    self.assertAlmostEqual(float(kept.float().mean()), 0.7, delta=0.005)
                    self.assertAlmostEqual(float(kept[:, ::2].float().mean()), 0.7, delta=0.007)
                    torch.testing.assert_close(made[kept].detach().float().cpu(), torch.full((int(kept.sum()),), 1 / 0.7), rtol=4e-3, atol=0)
                    self.assertTrue(torch.equal(x.grad, made))
                    self.assertFalse(torch.equal(made, functional.dropout(x, 0.3)))
                    torch.manual_seed(5)
                    self.assertTrue(torch.equal(made, functional.dropout(x, 0.3)))
                    self.assertTrue(torch.equal(x, functional.dropout(x, 0.3, training=False)))

    def test_fused_optimizers(self):
        """Gradients have a scale, parameters any layout, and one step is left out because of an infinite gradient."""
        options = {"weight_decay": 0.01, "maximize": False}
        adam = {**options, "beta1": 0.9, "beta2": 0.999, "eps": 1e-8, "amsgrad": True}

        def run(step, states, *, rate, infinite, **given):
            def function(parameter, gradient, *more):
                device = parameter.device
                if device.type == "vk":  # the CPU's operators expect one layout
                    parameter = parameter.t().contiguous().t()
                states_here = [[one.abs()] for one in more[:states]]
                steps = [[torch.tensor(3.0, device=device)]] if step is not torch._fused_sgd_ else []
                step([parameter], [gradient], *states_here, *steps, lr=rate.to(device) if torch.is_tensor(rate) else rate,
                     grad_scale=torch.tensor(4.0, device=device), found_inf=torch.tensor(infinite, device=device), **given)
                return torch.stack([parameter, gradient, *(one[0] for one in states_here)])
            self.check(function, waves(7, 300, seed=9), waves(7, 300), *(waves(7, 300, seed=n) for n in range(3)), gradients=False,
                       tolerance=1e-6)

        for step in (torch._fused_adam_, torch._fused_adamw_):
            run(step, 3, rate=0.05, infinite=0.0, **adam)
            run(step, 3, rate=torch.tensor(0.05), infinite=0.0, **adam)
        run(torch._fused_adam_, 3, rate=0.05, infinite=1.0, **adam)
        run(torch._fused_sgd_, 1, rate=0.05, infinite=0.0, momentum=0.9, dampening=0.1, nesterov=True,
            is_first_step=False, **options)
        run(torch._fused_adagrad_, 1, rate=0.05, infinite=0.0, lr_decay=0.1, eps=1e-8, **options)

    def test_attention_with_masks(self):
        attend = functional.scaled_dot_product_attention
        q, k, v = waves(2, 2, 30, 16), waves(2, 2, 20, 16, seed=2), waves(2, 2, 20, 16, seed=3)
        mask = waves(2, 1, 30, 20) > -0.3
        self.check(lambda q, k, v: attend(q, k, v, attn_mask=mask.to(q.device)), q, k, v)
        mask[0, 0, 3] = False  # a row that sees nothing
        self.check(lambda q, k, v: attend(q, k, v, attn_mask=mask.to(q.device)), q, k, v)

    def test_attention_of_shared_heads(self):
        q, k, v = waves(2, 4, 20, 16), waves(2, 2, 20, 16, seed=2), waves(2, 2, 20, 16, seed=3)
        self.check(lambda *given: functional.scaled_dot_product_attention(*given, is_causal=True, enable_gqa=True),
                   q, k, v)

    def test_attention_allocates_no_scores(self):
        with torch.vk.device(0):
            q = torch.zeros(1, 4, 1024, 32, device="vk")
            functional.scaled_dot_product_attention(q, q, q)
            torch.vk.synchronize()
            torch.vk.reset_peak_memory_stats()
            before = torch.vk.memory_allocated()
            functional.scaled_dot_product_attention(q, q, q)
            self.assertLess(torch.vk.max_memory_allocated() - before, 4 * 1024 * 1024)  # the scores have 16 MiB


if __name__ == "__main__":
    unittest.main()
