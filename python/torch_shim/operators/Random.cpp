//===- Random.cpp - random numbers of large ranges, and in graphs -----------===//
// A graph would give the same random numbers at each replay. So an operator that fills a tensor
// with random numbers runs before each replay, on memory outside the graph, and the graph copies
// them.
//===-------------------------------------------------------------------------===//
#include "python/torch_shim/device/Graph.h"
#include "python/torch_shim/operators/Fallback.h"

#include <ATen/core/grad_mode.h>
#include <ATen/core/stack.h>
#include <ATen/ops/empty.h>
#include <ATen/ops/where.h>
#include <torch/library.h>

#include <limits>
#include <optional>

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

/// Returns whether 64-bit integers have `high - low`. No high bound means all integers from `low`
/// on.
bool isNarrow(int64_t low, std::optional<int64_t> high) {
  constexpr int64_t most = std::numeric_limits<int64_t>::max();
  return low >= 0 || (high && *high <= low + most);
}

/// The arguments are (self, low, high, generator). Plans compute with the length of the range,
/// unless it has all integers. Inductor takes seeds from a range whose length is too large for an
/// integer.
void fillRandomFrom(const c10::OperatorHandle &op, c10::Stack *stack) {
  at::Tensor self = torch::jit::peek(*stack, 0, 4).toTensor();
  int64_t low = torch::jit::peek(*stack, 1, 4).toInt();
  auto high = torch::jit::peek(*stack, 2, 4).toOptional<int64_t>();
  constexpr int64_t first = std::numeric_limits<int64_t>::min();
  bool isWhole = low == first && !high;
  if (self.scalar_type() != at::kLong || isWhole || isNarrow(low, high))
    return fillRandom(op, stack);
  c10::Stack whole{self, first, c10::IValue(), torch::jit::peek(*stack, 3, 4)};
  fillRandom(op, &whole);
  // The range has at least half of all integers. So if a number is outside, the number that differs
  // in the first bit is inside. Seeds need no correction: the number outside hardly occurs.
  bool isForSeeds = low == first && high == std::numeric_limits<int64_t>::max();
  if (!isForSeeds) {
    at::Tensor isOutside = high ? self.lt(low).logical_or_(self.ge(*high)) : self.lt(low);
    self.copy_(at::where(isOutside, self.bitwise_xor(first), self));
  }
  torch::jit::drop(*stack, 4);
  torch::jit::push(*stack, self);
}

TORCH_LIBRARY_IMPL(aten, PrivateUse1, m) {
  m.impl("random_.from", torch::CppFunction::makeFromBoxedFunction<&fillRandomFrom>());
  for (const char *name : {"uniform_", "normal_", "log_normal_", "exponential_", "cauchy_",
                           "geometric_", "random_", "random_.to", "bernoulli_.float"})
    m.impl(name, torch::CppFunction::makeFromBoxedFunction<&fillRandom>());
}

} // namespace
} // namespace pumice::vk
