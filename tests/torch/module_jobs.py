"""Runs PyTorch's tables of modules and of optimizers on vk and on the CPU. `table_jobs.py` holds what they share."""
import copy
import itertools

import comparing
import torch
from comparing import tensors_in
from table_jobs import Job

# The types of parameters that optimizers run with.
OPTIMIZER_TYPES = (torch.float32, torch.float64, torch.bfloat16, torch.complex64)
# Steps that an optimizer makes before its parameters and its state are compared.
STEPS = 5


class ModuleJob(Job):
    """Runs a module of PyTorch: forward and backward, in training and in evaluation.

    The module is made on the CPU. Its copy on vk comes from `module.to`. A sample is (input, whether it trains).
    """

    def samples(self):
        for training in (True, False) if self.entry.train_and_eval_differ else (True,):
            made = self.entry.module_inputs_func(self.entry, device="cpu", dtype=self.dtype, requires_grad=self._has_grad(),
                                                 training=training)
            for one in made:
                if one.forward_input is not None:
                    yield one, training

    def _has_grad(self):
        return self.given.grad and self.dtype.is_floating_point

    def _module(self, sample, device):
        """Returns the sample's module on a device. The parameters are the same on each."""
        made, training = sample
        torch.default_generator.manual_seed(self.seed)  # and not torch.manual_seed, which `_is_random` replaces
        given = copy.deepcopy(made.constructor_input)
        module = self.entry.module_cls(*given.args, **given.kwargs).to(self.dtype)
        module.train(training)
        if self.entry.is_lazy:
            module(*copy.deepcopy(made.forward_input.args), **copy.deepcopy(made.forward_input.kwargs))
        return module.to(device)

    def call(self, mover, sample, *, with_grad=True, wide=False):
        module = self._module(sample, mover.device)
        given = mover.move((sample[0].forward_input.args, sample[0].forward_input.kwargs))
        if wide:
            module, given = module.double(), comparing.widened(given)
        torch.manual_seed(self.seed)
        with torch.set_grad_enabled(with_grad and self._has_grad()):
            results = tensors_in(module(*given[0], **given[1]))
        if not with_grad or not self._has_grad():
            return results, []
        gradients = self.gradients([end for end in results if end.is_floating_point()],
                                   [*module.parameters(), *tensors_in(given)])
        return [*results, *module.buffers()], gradients


class OptimizerJob(Job):
    """Runs an optimizer of PyTorch over parameters with fixed gradients, and compares them and its state.

    A sample is a set of options, with each of the ways that the optimizer has: a loop, `foreach`, `fused`.
    """

    def samples(self):
        for options in self.entry.optim_inputs_func("cpu"):
            ways = [way for way in ("foreach", "fused") if way in self.entry.supported_impls]
            if self.dtype.is_complex and (not self.entry.supports_complex or options.kwargs.get("maximize")):
                continue
            yield {**options.kwargs, **dict.fromkeys(ways, False)}
            for way in ways:
                yield {**options.kwargs, **dict.fromkeys(ways, False), way: True}

    def has_values(self, sample, theirs):
        return True

    def call(self, mover, sample, *, with_grad=True, wide=False):
        dtype = torch.promote_types(self.dtype, torch.float64) if wide else self.dtype
        numbers = torch.Generator().manual_seed(self.seed)
        shapes = [(7, 5), (12, 33)] if self.entry.name == "Muon" else [(7, 5), (33,), (4, 3, 2), ()]
        parameters = [torch.nn.Parameter(self._random(shape, numbers).to(mover.device, dtype)) for shape in shapes]
        gradients = [[self._random(shape, numbers).to(mover.device, dtype) for shape in shapes] for _ in range(STEPS)]
        options = {name: mover.move(value) for name, value in sample.items()}
        options = comparing.widened(options) if wide else options
        optimizer = self.entry.optim_cls(parameters, **options)
        for step in gradients:
            for parameter, gradient in zip(parameters, step):
                parameter.grad = gradient.to_sparse() if self.entry.only_supports_sparse_grads else gradient
            optimizer.step((lambda: sum((p.detach().abs() ** 2).sum() for p in parameters))
                           if self.entry.step_requires_closure else None)
        results = [parameter.detach() for parameter in parameters]
        states = itertools.chain.from_iterable(sorted(optimizer.state[p].items()) for p in parameters if p in optimizer.state)
        # NAdam keeps a number of its state on the CPU, as with other devices.
        results += [value.to(mover.device) for name, value in states if isinstance(value, torch.Tensor) and name != "step"]
        return results, []

    def _random(self, shape, numbers):
        """Returns the numbers of a parameter or gradient. They are rounded to the job's type in any case."""
        dtype = torch.complex128 if self.dtype.is_complex else torch.float64
        return torch.randn(shape, generator=numbers, dtype=dtype).to(self.dtype).to(dtype)
