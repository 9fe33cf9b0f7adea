//===- Indexing.cpp - prepares indices for plans ----------------------------===//
// Indices may belong to the CPU on every device, and are moved to the tensor's. A mask stands for
// the places of its true elements. Plans take only places, since the number of elements of a mask
// that are true is not known before it is read.
//===-------------------------------------------------------------------------===//
#include "python/torch_shim/device/Device.h"
#include "python/torch_shim/operators/Fallback.h"

#include <ATen/Functions.h>
#include <ATen/core/Tensor.h>
#include <ATen/core/stack.h>
#include <torch/library.h>

namespace pumice::vk {
namespace {

using Indices = c10::List<std::optional<at::Tensor>>;

bool isMask(const std::optional<at::Tensor> &index) {
  return index && index->defined() &&
         (index->scalar_type() == at::kBool || index->scalar_type() == at::kByte);
}

/// Replaces each mask by a vector of places for each of its dimensions.
Indices withoutMasks(const Indices &given) {
  Indices made;
  for (const std::optional<at::Tensor> &index : given.vec()) {
    if (!isMask(index)) {
      made.push_back(index);
      continue;
    }
    at::Tensor places = index->nonzero();
    for (int64_t d = 0; d < index->dim(); ++d)
      made.push_back(places.select(1, d));
  }
  return made;
}

/// Moves the operator's indices, which are its second argument, to the device of its first one, and
/// replaces masks among them.
void prepareIndices(const c10::OperatorHandle &op, c10::Stack &stack) {
  size_t count = op.schema().arguments().size();
  const at::Tensor &self = torch::jit::peek(stack, 0, count).toTensor();
  c10::IValue &given = torch::jit::peek(stack, 1, count);
  Indices indices;
  bool changes = false, hasMasks = false;
  for (const c10::IValue &one : given.toListRef()) {
    std::optional<at::Tensor> index;
    if (!one.isNone())
      index = one.toTensor();
    if (index && index->defined() && index->device().is_cpu() &&
        self.device().type() == deviceType) {
      index = index->to(self.device());
      changes = true;
    }
    hasMasks |= isMask(index) && index->device().type() == deviceType;
    indices.push_back(index);
  }
  if (changes || hasMasks)
    given = hasMasks ? withoutMasks(indices) : indices;
}

void index(const c10::OperatorHandle &op, c10::Stack *stack) {
  prepareIndices(op, *stack);
  fallBack(op, stack);
}

/// The arguments are (self, indices, values, accumulate, unsafe).
void put(const c10::OperatorHandle &op, c10::Stack *stack) {
  at::Tensor self = torch::jit::peek(*stack, 0, 5).toTensor();
  c10::List<c10::IValue> indices = torch::jit::peek(*stack, 1, 5).toList();
  at::Tensor values = torch::jit::peek(*stack, 2, 5).toTensor();
  bool accumulates = torch::jit::peek(*stack, 3, 5).toBool();
  if (indices.size() == 1 && !accumulates && values.numel() == 1) {
    c10::IValue only = indices.get(0);
    if (only.isTensor() && only.toTensor().scalar_type() == at::kBool &&
        only.toTensor().sizes() == self.sizes()) {
      self.masked_fill_(only.toTensor().to(self.device()), values.reshape({}));
      torch::jit::drop(*stack, 5);
      stack->emplace_back(self);
      return;
    }
  }
  prepareIndices(op, *stack);
  fallBack(op, stack);
}

TORCH_LIBRARY_IMPL(aten, PrivateUse1, m) {
  m.impl("index.Tensor_out", torch::CppFunction::makeFromBoxedFunction<&index>());
  m.impl("_index_put_impl_", torch::CppFunction::makeFromBoxedFunction<&put>());
}

} // namespace
} // namespace pumice::vk
