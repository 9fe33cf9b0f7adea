"""Graphs: work of a stream that is captured once, and runs again with one submit.

The first part has the classes and functions of torch.cuda's graphs. The second part makes torch.compile use graphs with
mode="reduce-overhead" and mode="max-autotune". PyTorch's own implementation of these modes only works for CUDA.
"""
from __future__ import annotations

import gc
import logging
import threading
import weakref
from collections.abc import Callable, Sequence
from types import ModuleType
from typing import Any

import torch

from . import module as vk

_log = logging.getLogger(__name__)


# ---- Graphs, as torch.cuda has them


def graph_pool_handle() -> tuple[int, int]:
    """Returns the id of a new memory pool, which graphs can share if they run in the order of their captures."""
    first, second = torch.ops.pumice_vk.new_graph_pool()
    return first, second


def is_current_stream_capturing() -> bool:
    """Returns whether the calling thread's stream is capturing a graph."""
    return vk.is_initialized() and bool(torch.ops.pumice_vk.is_capturing())


class VkGraph:
    """Captures the work of a stream, and runs it again, as torch.cuda.CUDAGraph does.

    A replay reads its inputs from the memory that they had during the capture, and writes its outputs to the same memory
    each time. Tensors that are made during the capture are in a pool that only graphs use.
    """

    def __init__(self, keep_graph: bool = False) -> None:
        self._graph = torch.classes.pumice_vk.Graph()

    def capture_begin(self, pool: tuple[int, int] | None = None, capture_error_mode: str = "global") -> None:
        """Begins a capture on the calling thread's stream.

        Args:
            pool: The memory pool: `graph_pool_handle()`, or `pool()` of another graph. By default, a new one.
            capture_error_mode: Has no effect. Only work of this stream is captured, by any thread.
        """
        self._graph.begin(*(pool or (0, 0)))

    def capture_end(self) -> None:
        """Ends the capture."""
        self._graph.end()

    def instantiate(self) -> None:
        """Does nothing, since the end of the capture prepares the graph."""

    def replay(self) -> None:
        """Runs the captured work on the calling thread's stream."""
        self._graph.replay()

    def reset(self) -> None:
        """Forgets the captured work. The graph can then capture again."""
        self._graph.reset()

    def pool(self) -> tuple[int, int]:
        """Returns the id of the graph's memory pool."""
        first, second = self._graph.pool()
        return first, second

    def __len__(self) -> int:
        """Returns how many launches, copies and fills a replay runs."""
        return int(self._graph.size())


class graph:
    """A context that captures its work in a graph, as torch.cuda.graph does.

    Args:
        vk_graph: The graph.
        pool: The memory pool. By default, the graph has its own.
        stream: The stream that captures. By default, one that all captures on a device share.
        capture_error_mode: Has no effect.
    """

    _streams: dict[int, torch.Stream] = {}

    def __init__(self, vk_graph: VkGraph, pool: tuple[int, int] | None = None, stream: torch.Stream | None = None,
                 capture_error_mode: str = "global") -> None:
        device = vk.current_device()
        if stream is None and device not in self._streams:
            self._streams[device] = torch.Stream(device=f"vk:{device}")
        self._graph = vk_graph
        self._pool = pool
        self._context = vk.stream(stream or self._streams[device])

    def __enter__(self) -> None:
        vk.synchronize()
        gc.collect()
        vk.empty_cache()
        self._context.__enter__()
        try:
            self._graph.capture_begin(self._pool)
        except BaseException:
            self._context.__exit__()
            raise

    def __exit__(self, kind: Any, *raised: object) -> None:
        try:
            if kind is not None:
                self._graph.reset()
            else:
                self._graph.capture_end()
        finally:
            self._context.__exit__()


def make_graphed_callables(callables: Any, sample_args: Any, num_warmup_iters: int = 3, allow_unused_input: bool = False,
                           pool: tuple[int, int] | None = None) -> Any:
    """Returns functions whose calls replay graphs, forward and backward, as torch.cuda.make_graphed_callables does.

    The backward pass of a call must come before the next call. Results stay valid.

    Args:
        callables: A function of tensors or a module, or a tuple of them. Modules are changed, and also returned.
        sample_args: The arguments of each: tensors of the sizes, layouts and `requires_grad` of all later calls.
        num_warmup_iters: How often each runs before its graphs are captured.
        allow_unused_input: Whether gradients of inputs that are not used are None, instead of errors.
        pool: Has no effect. Each graph has a pool of its own.
    """
    if isinstance(callables, tuple):
        return tuple(_make_graphed(one, args, num_warmup_iters, allow_unused_input)
                     for one, args in zip(callables, sample_args, strict=True))
    return _make_graphed(callables, sample_args, num_warmup_iters, allow_unused_input)


def _like(x: torch.Tensor) -> torch.Tensor:
    return torch.empty_strided(x.shape, x.stride(), dtype=x.dtype, device=x.device)


def _make_graphed(function: Any, sample_args: Any, warmups: int, allow_unused: bool) -> Any:
    module = function if isinstance(function, torch.nn.Module) else None
    forward = module.forward if module is not None else function
    if not all(isinstance(one, torch.Tensor) and one.device.type == "vk" for one in sample_args):
        raise TypeError("expected sample_args to be tensors of vk")
    parameters = list(module.parameters()) if module is not None else []
    given = [_like(one).copy_(one.detach()).requires_grad_(one.requires_grad) for one in sample_args]
    inputs = [*given, *parameters]
    wanted = [one for one in inputs if one.requires_grad]

    def gradients(outputs: Sequence[torch.Tensor], of: Sequence[torch.Tensor]) -> Any:
        return torch.autograd.grad(outputs, wanted, of, allow_unused=allow_unused)

    def differentiable(outputs: Sequence[torch.Tensor]) -> list[torch.Tensor]:
        return [one for one in outputs if one.requires_grad]

    for _ in range(warmups):
        outputs, _ = torch.utils._pytree.tree_flatten(forward(*given))
        if chosen := differentiable(outputs):
            gradients(chosen, [torch.zeros_like(one) for one in chosen])
    ahead, back = VkGraph(), VkGraph()
    with graph(ahead, stream=vk.current_stream()):
        outputs, structure = torch.utils._pytree.tree_flatten(forward(*given))
    chosen = differentiable(outputs)
    entering = [_like(one) for one in chosen]
    leaving: Sequence[torch.Tensor | None] = ()
    if chosen:
        with graph(back, stream=vk.current_stream()):
            leaving = gradients(chosen, entering)
    graphed = torch.classes.pumice_vk.GraphedCall
    kept = [one.detach() for one in inputs]
    run_ahead = graphed(ahead._graph, kept, [1] * len(given) + [0] * len(parameters), [one.detach() for one in outputs])
    run_back = graphed(back._graph, entering, [1] * len(entering), [one for one in leaving if one is not None])
    uses_gradient = [one.requires_grad for one in outputs]

    class Graphed(torch.autograd.Function):
        """Replays the graphs."""

        @staticmethod
        def forward(ctx: Any, *tensors: torch.Tensor) -> Any:
            made = run_ahead.call([one.detach() for one in tensors])
            if made is None:
                raise RuntimeError("the graph of this function needs the stream and the parameters of its capture")
            ctx.mark_non_differentiable(*(one for one, uses in zip(made, uses_gradient, strict=True) if not uses))
            return tuple(made)

        @staticmethod
        def backward(ctx: Any, *given: torch.Tensor) -> Any:
            made = iter(run_back.call([one for one, uses in zip(given, uses_gradient, strict=True) if uses]))
            found = iter([None if one is None else next(made) for one in leaving])
            return tuple(next(found) if one.requires_grad else None for one in inputs)

    def call(*args: torch.Tensor) -> Any:
        return torch.utils._pytree.tree_unflatten(Graphed.apply(*args, *parameters), structure)

    if module is None:
        return call
    is_training = module.training
    setattr(module, "forward", lambda *args: (call if module.training == is_training else forward)(*args))  # noqa: B010
    return module


# ---- Graphs of torch.compile

MOST_RECORDINGS = 8
"""A compiled function has at most this many graphs. Its other calls launch each kernel."""


counts = {"graphs": 0, "commands": 0, "replays": 0, "plain": 0}
"""The graphs that compiled functions have recorded, their commands, the calls that replayed graphs, and the other calls."""


class _Recording:
    """A graph of a compiled function, and where its tensors belong among its results."""

    def __init__(self, graphed: Any, results: Sequence[Any], size: int) -> None:
        self.graphed = graphed
        self.size = size
        self.places = [i for i, one in enumerate(results) if _is_of_vk(one)]
        self.rest = [None if _is_of_vk(one) else one for one in results]
        for one in self.rest:
            if isinstance(one, torch.Tensor):
                _constants[one.data_ptr()] = one

    def call(self, tensors: list[torch.Tensor]) -> list[Any] | None:
        """Computes the results. Returns None if this graph cannot."""
        made = self.graphed.call(tensors)
        if made is None:
            return None
        counts["replays"] += 1
        results = list(self.rest)
        for place, tensor in zip(self.places, made, strict=True):
            results[place] = tensor
        return results


_constants: weakref.WeakValueDictionary[int, torch.Tensor] = weakref.WeakValueDictionary()
"""Results on the CPU, by address. Kernels do not compute them, so they are the same in each call: attention has such.
Recordings own them."""


def _is_of_vk(one: Any) -> bool:
    return isinstance(one, torch.Tensor) and one.device.type == "vk"


class _CannotRecord(Exception):
    """Says why a function has no graph."""


def _internally_overlaps(x: torch.Tensor) -> bool:
    for d in range(x.dim()):
        if x.stride(d) == 0 and x.shape[d] > 1:
            x = x.narrow(d, 0, 1)
    return bool(torch._debug_has_internal_overlap(x) == 1)


class Replayed:
    """A compiled function whose calls replay graphs.

    Its first call with some sizes launches each kernel, since kernels are tuned and loaded then. The second call records
    a graph. Inputs that the compiler calls static, such as parameters, and results of other graphs stay where they are.
    Others are copied for each call. If an input that should stay is elsewhere, another graph is recorded, for which it
    is copied.
    """

    def __init__(self, model: Callable[[list[Any]], Any], static: Sequence[int], mutated: Sequence[int]) -> None:
        self._model = model
        self._static = frozenset(static)
        self._mutated = frozenset(mutated)
        self._numbers: list[int] | None = None  # the indices of inputs that are numbers
        self._recordings: dict[tuple[int, ...], list[_Recording]] = {}
        self._count = 0
        self._moving: set[int] = set()  # inputs that do not stay where they are
        self._given_up = False
        self._lock = threading.RLock()

    def __call__(self, inputs: list[Any]) -> Any:
        if self._given_up:
            return self._plain(inputs)
        if self._numbers is None:
            self._numbers = [i for i, one in enumerate(inputs) if not isinstance(one, torch.Tensor)]
        tensors, key = inputs, ()
        if self._numbers:
            key = tuple(inputs[i] for i in self._numbers)
            tensors = [one for one in inputs if isinstance(one, torch.Tensor)]
        known = self._recordings.get(key)
        for recording in known or ():
            results = recording.call(tensors)
            if results is not None:
                inputs.clear()
                return results
        if known is None or is_current_stream_capturing():
            if len(self._recordings) < MOST_RECORDINGS:
                self._recordings.setdefault(key, [])
            return self._plain(inputs)
        return self._record(key, inputs)

    def _plain(self, inputs: list[Any]) -> Any:
        counts["plain"] += 1
        return self._model(inputs)

    def _record(self, key: tuple[int, ...], inputs: list[Any]) -> Any:
        with self._lock:
            if self._count >= MOST_RECORDINGS:
                return self._plain(inputs)
            positions = [i for i, one in enumerate(inputs) if isinstance(one, torch.Tensor)]
            tensors = [inputs[i] for i in positions]
            for recording in self._recordings[key]:
                self._moving.update(positions[i] for i in recording.graphed.strayed(tensors))
            try:
                recording = self._capture(inputs, positions)
            except Exception as error:  # noqa: BLE001 - without a graph, the function works as well
                self._given_up = True
                _log.warning("vk launches each kernel of a compiled function, since it has no graph: %s", error)
                _log.debug("why it has no graph", exc_info=True)
                return self._plain(inputs)
            self._count += 1
            counts["graphs"] += 1
            counts["commands"] += recording.size
            self._recordings[key].append(recording)
        results = recording.call(tensors)
        if results is None:
            raise RuntimeError("a graph cannot run right after its capture: please report this")
        inputs.clear()
        return results

    def _capture(self, inputs: list[Any], positions: list[int]) -> _Recording:
        if not all(isinstance(one, (int, float, torch.Tensor)) for one in inputs):
            raise _CannotRecord("an input is neither a tensor nor a number")
        arguments, copied = list(inputs), []
        for i in positions:
            x = inputs[i]
            if not _is_of_vk(x) and (x.numel() > 0 and x.data_ptr() not in _constants or i in self._moving):
                raise _CannotRecord(f"input {i} is on {x.device}")
            stays = not _is_of_vk(x) or (
                i not in self._moving and (i in self._static or torch.ops.pumice_vk.is_leased(x)))
            copied.append(int(not stays))
            if stays:
                continue
            if i in self._mutated:
                raise _CannotRecord(f"it changes input {i}, which is not a parameter")
            if _internally_overlaps(x):
                raise _CannotRecord(f"elements of input {i} overlap")
            arguments[i] = _like(x)
        kept = [arguments[i].detach() for i in positions]
        graph = torch.classes.pumice_vk.Graph()
        graph.begin(0, 0)
        try:
            with torch.no_grad():
                results = self._model(arguments)
            graph.end()
        except BaseException:
            graph.reset()
            raise
        if not isinstance(results, (list, tuple)):
            results = (results,)
        made = [one for one in results if _is_of_vk(one)]
        graphed = torch.classes.pumice_vk.GraphedCall(graph, kept, copied, made)
        return _Recording(graphed, results, graph.size())


def patch_checks(utils: ModuleType) -> None:
    """Makes inductor accept graphs for vk: PyTorch 2.13 only accepts them for "cuda"."""
    known = utils.check_multiple_devices_or_any_cpu_nodes

    def check_multiple_devices_or_any_cpu_nodes(nodes: dict[torch.device, Any]) -> str | None:
        kinds = {device.type for device in nodes} - {"meta"}
        if utils.is_using_cudagraph_partition():
            kinds -= {"cpu"}  # inductor keeps the CPU's part out of the functions that graphs compute
        if vk.is_available() and kinds == {"vk"} and len({device for device in nodes if device.type == "vk"}) == 1:
            return None
        reason: str | None = known(nodes)
        return reason

    setattr(utils, "check_multiple_devices_or_any_cpu_nodes", check_multiple_devices_or_any_cpu_nodes)  # noqa: B010


def patch_compiler(compile_fx: ModuleType) -> None:
    """Makes inductor use the graphs of this module for vk."""
    known = compile_fx.cudagraphify

    def cudagraphify(model: Callable[..., Any], static_input_idxs: Sequence[int] = (), *,
                     mutated_input_idxs: Sequence[int] = (), **rest: Any) -> Callable[..., Any]:
        chosen: Callable[..., Any] | None = None

        def replay(inputs: list[Any]) -> Any:
            nonlocal chosen
            if chosen is None:
                chosen = Replayed(model, static_input_idxs, mutated_input_idxs) if any(map(_is_of_vk, inputs)) else \
                    known(model, static_input_idxs, mutated_input_idxs=mutated_input_idxs, **rest)
            return chosen(inputs)

        return replay if torch.cuda.is_available() else Replayed(model, static_input_idxs, mutated_input_idxs)

    setattr(compile_fx, "cudagraphify", cudagraphify)  # noqa: B010


def patch_kernels(codegen: ModuleType) -> None:
    """Makes kernels for graphs leave out their checks of indices: a replay cannot print which check has failed."""
    known = codegen.TritonKernel.inductor_meta_common

    def inductor_meta_common(*ignored: Any) -> dict[str, Any]:
        meta: dict[str, Any] = known()
        if torch._inductor.config.triton.cudagraphs and vk.is_available():
            meta["assert_indirect_indexing"] = False
        return meta

    codegen.TritonKernel.inductor_meta_common = staticmethod(inductor_meta_common)


def patch_output(output_code: ModuleType) -> None:
    """Leaves out what tells CUDA's graphs that a backward pass begins. Graphs of vk do not need it."""
    known = output_code.maybe_handle_backward_generation

    def maybe_handle_backward_generation(compiled_graph: Any, *given: Any, **named: Any) -> None:
        if not vk.is_available() or "cuda" in compiled_graph.device_types:
            known(compiled_graph, *given, **named)

    setattr(output_code, "maybe_handle_backward_generation", maybe_handle_backward_generation)  # noqa: B010
