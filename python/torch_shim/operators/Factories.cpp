//===- Factories.cpp - operators that give their result its size ------------===//
// PyTorch calls them with an empty result. Plans need the size.
//===-------------------------------------------------------------------------===//
#include "python/torch_shim/device/Device.h"
#include "python/torch_shim/operators/Fallback.h"

#include <ATen/core/Tensor.h>
#include <ATen/core/stack.h>
#include <ATen/ops/zeros.h>
#include <torch/library.h>

#include <cmath>

namespace pumice::vk {
namespace {

int64_t lengthOf(const c10::Scalar &start, const c10::Scalar &end, const c10::Scalar &step) {
  bool isInteger =
      start.isIntegral(true) && end.isIntegral(true) && step.isIntegral(true) && step.toLong() != 0;
  if (isInteger) {
    int64_t first = start.toLong(), last = end.toLong(), by = step.toLong();
    return (last - first + by - (by > 0 ? 1 : -1)) / by;
  }
  return static_cast<int64_t>(std::ceil((end.toDouble() - start.toDouble()) / step.toDouble()));
}

void resize(const at::Tensor &out, c10::IntArrayRef sizes) {
  if (out.sizes() != sizes)
    out.resize_(sizes);
}

/// The arguments are (start, end, step, out). Wrong ones are left to PyTorch's own operator.
void arange(const c10::OperatorHandle &op, c10::Stack *stack) {
  c10::Scalar start = torch::jit::peek(*stack, 0, 4).toScalar();
  c10::Scalar end = torch::jit::peek(*stack, 1, 4).toScalar();
  c10::Scalar step = torch::jit::peek(*stack, 2, 4).toScalar();
  // Far smaller than what would overflow an integer. No memory holds more elements.
  constexpr double most = 0x1p60;
  double distance = end.toDouble() - start.toDouble(), steps = distance / step.toDouble();
  if (std::abs(distance) < most && steps >= 0 && steps < most)
    resize(torch::jit::peek(*stack, 3, 4).toTensor(), {lengthOf(start, end, step)});
  fallBack(op, stack);
}

/// The arguments are (n, out) or (n, m, out).
void eye(const c10::OperatorHandle &op, c10::Stack *stack) {
  size_t count = op.schema().arguments().size();
  int64_t rows = torch::jit::peek(*stack, 0, count).toInt();
  int64_t columns = torch::jit::peek(*stack, count - 2, count).toInt();
  if (rows >= 0 && columns >= 0)
    resize(torch::jit::peek(*stack, count - 1, count).toTensor(), {rows, columns});
  fallBack(op, stack);
}

/// Makes ordinary zeros. PyTorch means tensors without memory, which some operators can skip.
at::Tensor zeros(c10::IntArrayRef size, std::optional<c10::ScalarType> type,
                 std::optional<c10::Layout> layout, std::optional<c10::Device> device,
                 std::optional<bool> pinned) {
  return at::zeros(size, type, layout, device, pinned);
}

TORCH_LIBRARY_IMPL(aten, PrivateUse1, m) {
  m.impl("_efficientzerotensor", TORCH_FN(zeros));
  m.impl("arange.start_out", torch::CppFunction::makeFromBoxedFunction<&arange>());
  m.impl("eye.out", torch::CppFunction::makeFromBoxedFunction<&eye>());
  m.impl("eye.m_out", torch::CppFunction::makeFromBoxedFunction<&eye>());
}

} // namespace
} // namespace pumice::vk
