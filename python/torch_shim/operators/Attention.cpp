//===- Attention.cpp - attention by kernels of ours --------------------------===//
// PyTorch asks which way to compute an attention, and calls ours if it is `overrideable`.
//===-------------------------------------------------------------------------===//
#include "python/torch_shim/device/Device.h"
#include "python/torch_shim/operators/Fallback.h"
#include "python/torch_shim/plans/Store.h"

#include <ATen/SDPBackend.h>
#include <ATen/core/Tensor.h>
#include <ATen/native/DispatchStub.h>
#include <ATen/native/transformers/attention.h>
#include <ATen/ops/empty.h>
#include <torch/library.h>

#include <cmath>
#include <limits>

namespace pumice::vk {
namespace {

/// Returns a size if it is not symbolic.
std::optional<int64_t> sizeOf(const at::Tensor &tensor, int64_t dim) {
  return tensor.sym_size(dim).maybe_as_int();
}

/// Returns whether the kernels, which compute addresses by 32 bits, reach all elements.
bool isSmall(const at::Tensor &tensor) {
  return tensor.sym_numel().maybe_as_int().value_or(0) <= std::numeric_limits<int32_t>::max();
}

bool isServed(const at::Tensor &q, const at::Tensor &k, const at::Tensor &v,
              const std::optional<at::Tensor> &mask, double dropout) {
  if (!arePlansOn() || dropout != 0 || q.dim() != 4 || k.dim() != 4 || v.dim() != 4)
    return false;
  auto type = q.scalar_type();
  bool isFloat =
      type == at::kFloat || type == at::ScalarType::Half || type == at::ScalarType::BFloat16;
  auto width = sizeOf(q, 3), keys = sizeOf(k, 3), values = sizeOf(v, 3);
  bool isWidth = width && *width > 0 && *width <= 256 && width == keys && width == values;
  bool isSized = q.sym_numel().maybe_as_int() != 0 && k.sym_numel().maybe_as_int() != 0;
  isSized = isSized && isSmall(q) && isSmall(k);
  bool isMask = !mask || !mask->defined() || !mask->requires_grad();
  return isFloat && isWidth && isSized && isMask && k.scalar_type() == type &&
         v.scalar_type() == type;
}

} // namespace

static int64_t choose(const at::Tensor &q, const at::Tensor &k, const at::Tensor &v,
                      const std::optional<at::Tensor> &mask, double dropout, bool,
                      std::optional<double>, bool) {
  return static_cast<int64_t>(isServed(q, k, v, mask, dropout) ? at::SDPBackend::overrideable
                                                               : at::SDPBackend::math);
}

namespace {

double scaleOf(const at::Tensor &q, std::optional<double> scale) {
  return scale ? *scale : 1 / std::sqrt(static_cast<double>(q.size(3)));
}

/// Returns the mask as each score has it, or none.
c10::IValue shownMask(const std::optional<at::Tensor> &mask, const at::Tensor &q,
                      const at::Tensor &k) {
  if (!mask || !mask->defined())
    return {};
  return mask->expand({q.size(0), q.size(1), q.size(2), k.size(2)});
}

std::tuple<at::Tensor, at::Tensor, at::Tensor, at::Tensor, c10::SymInt, c10::SymInt, at::Tensor,
           at::Tensor, at::Tensor>
attend(const at::Tensor &q, const at::Tensor &k, const at::Tensor &v,
       const std::optional<at::Tensor> &mask, double dropout, bool isCausal, bool,
       std::optional<double> scale) {
  TORCH_CHECK_NOT_IMPLEMENTED(dropout == 0, "attention of vk has no dropout, got ", dropout);
  static const c10::OperatorHandle op = findOperator("pumice_vk::attention");
  c10::Stack stack{q, k, v, shownMask(mask, q, k), isCausal, scaleOf(q, scale)};
  op.callBoxed(&stack);
  at::Tensor none = at::empty({}, at::TensorOptions().dtype(at::kLong));
  return {stack[0].toTensor(), stack[1].toTensor(), at::Tensor(), at::Tensor(),
          q.size(2),           k.size(2),           none,         none,
          at::Tensor()};
}

std::tuple<at::Tensor, at::Tensor, at::Tensor, at::Tensor>
attendBackward(const at::Tensor &gradient, const at::Tensor &q, const at::Tensor &k,
               const at::Tensor &v, const at::Tensor &mask, std::array<bool, 4> needed,
               const at::Tensor &out, const at::Tensor &sums, const at::Tensor &,
               const at::Tensor &, c10::SymInt, c10::SymInt, double, bool isCausal,
               const at::Tensor &, const at::Tensor &, std::optional<double> scale) {
  static const c10::OperatorHandle op = findOperator("pumice_vk::attention_backward");
  c10::Stack stack{gradient,         q, k, v, shownMask(mask, q, k), out, sums, isCausal,
                   scaleOf(q, scale)};
  op.callBoxed(&stack);
  at::Tensor made[3];
  for (size_t i = 0; i < 3; ++i)
    if (needed[i])
      made[i] = stack[i].toTensor();
  return {made[0], made[1], made[2], at::Tensor()};
}

TORCH_LIBRARY_FRAGMENT(pumice_vk, m) {
  m.def("attention(Tensor query, Tensor key, Tensor value, Tensor? bias, bool is_causal, "
        "float scale) -> (Tensor, Tensor)");
  m.def("attention_backward(Tensor gradient, Tensor query, Tensor key, Tensor value, "
        "Tensor? bias, Tensor out, Tensor sums, bool is_causal, float scale) -> "
        "(Tensor, Tensor, Tensor)");
}

TORCH_LIBRARY_IMPL(pumice_vk, PrivateUse1, m) {
  m.impl("attention", torch::CppFunction::makeFromBoxedFunction<&runByPlanOnly>());
  m.impl("attention_backward", torch::CppFunction::makeFromBoxedFunction<&runByPlanOnly>());
}

TORCH_LIBRARY_IMPL(aten, PrivateUse1, m) {
  m.impl("_fused_sdp_choice", TORCH_FN(choose));
  m.impl("_scaled_dot_product_fused_attention_overrideable", TORCH_FN(attend));
  m.impl("_scaled_dot_product_fused_attention_overrideable_backward", TORCH_FN(attendBackward));
}

} // namespace
} // namespace pumice::vk

// scaled_dot_product_attention reads this table of functions. It does not ask the dispatcher.
namespace at::native {
REGISTER_PRIVATEUSE1_DISPATCH(_fused_sdp_choice_stub, &pumice::vk::choose)
}
