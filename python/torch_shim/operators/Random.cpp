//===- Random.cpp - random numbers in graphs --------------------------------===//
// A graph would give the same random numbers at each replay. So an operator that fills a tensor
// with random numbers runs before each replay, on memory outside the graph, and the graph copies
// them.
//===-------------------------------------------------------------------------===//
#include "python/torch_shim/device/Graph.h"
#include "python/torch_shim/operators/Fallback.h"

#include <ATen/core/grad_mode.h>
#include <ATen/core/stack.h>
#include <ATen/ops/empty.h>
#include <torch/library.h>

namespace pumice::vk {
namespace {

void fillRandom(const c10::OperatorHandle &op, c10::Stack *stack) {
  size_t count = op.schema().arguments().size();
  at::Tensor self = torch::jit::peek(*stack, 0, count).toTensor();
  Graph *graph = capturingGraph(self.device().index());
  if (!graph || self.numel() == 0)
    return fallBack(op, stack);
  at::Tensor numbers;
  {
    OutsidePool outside(self.device().index());
    numbers = at::empty(self.sizes(), self.options());
  }
  c10::Stack call(stack->end() - static_cast<ptrdiff_t>(count), stack->end());
  call[0] = numbers;
  graph->beforeReplays([op, call] {
    at::NoGradGuard noGradients;
    c10::Stack copy(call);
    op.callBoxed(&copy);
  });
  self.copy_(numbers);
  torch::jit::drop(*stack, count);
  torch::jit::push(*stack, self);
}

TORCH_LIBRARY_IMPL(aten, PrivateUse1, m) {
  for (const char *name :
       {"uniform_", "normal_", "log_normal_", "exponential_", "cauchy_", "geometric_", "random_",
        "random_.from", "random_.to", "bernoulli_.float"})
    m.impl(name, torch::CppFunction::makeFromBoxedFunction<&fillRandom>());
}

} // namespace
} // namespace pumice::vk
