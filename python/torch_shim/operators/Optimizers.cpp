//===- Optimizers.cpp - fused optimizers by kernels of ours ------------------===//
// PyTorch gives lists of parameters, gradients and states. Each parameter's step is one launch, by
// a plan that serves all parameters of a type.
//===-------------------------------------------------------------------------===//
#include "python/torch_shim/operators/Fallback.h"
#include "python/torch_shim/plans/Store.h"

#include <ATen/core/Tensor.h>
#include <ATen/ops/empty_like.h>
#include <torch/library.h>

#include <cmath>

namespace pumice::vk {
namespace {

using Arguments = c10::ArrayRef<c10::IValue>;

/// The learning rate: a number, or a tensor of the device.
struct Rate {
  double number = 0;
  c10::IValue tensor;

  explicit Rate(const c10::IValue &given) {
    if (!given.isTensor())
      number = given.toDouble();
    else if (given.toTensor().is_cpu())
      number = given.toTensor().item<double>();
    else
      tensor = given;
  }
};

/// The tensors of one parameter in one dense layout. Those that have another one are copied, and
/// `finish` copies the results back.
class Dense {
public:
  explicit Dense(const at::Tensor &parameter) : isDense(parameter.is_non_overlapping_and_dense()) {
    like = isDense ? parameter : at::empty_like(parameter, at::MemoryFormat::Contiguous);
  }
  Dense(const Dense &) = delete;
  Dense &operator=(const Dense &) = delete;

  at::Tensor operator()(const at::Tensor &given) {
    if (isDense && given.strides() == like.strides())
      return given;
    at::Tensor copy = at::empty_like(like, given.options());
    copy.copy_(given);
    copies.emplace_back(given, copy);
    return copy;
  }

  /// Copies the results to the tensors that were given.
  void finish() {
    for (auto &[given, copy] : copies)
      given.copy_(copy);
  }

private:
  at::Tensor like;
  bool isDense;
  std::vector<std::pair<at::Tensor, at::Tensor>> copies;
};

void call(const c10::OperatorHandle &op, c10::Stack stack) { op.callBoxed(&stack); }

/// Returns the arguments of an operator, or nothing if it ran on the CPU, since plans are off.
std::optional<Arguments> argumentsOf(const c10::OperatorHandle &op, c10::Stack *stack) {
  if (arePlansOn())
    return Arguments(*stack).slice(stack->size() - op.schema().arguments().size());
  fallBack(op, stack);
  return std::nullopt;
}

/// Makes steps of Adam or AdamW.
template <bool isDecoupled> void adam(const c10::OperatorHandle &op, c10::Stack *stack) {
  static const c10::OperatorHandle step = findOperator("pumice_vk::adam_step");
  auto given = argumentsOf(op, stack);
  if (!given)
    return;
  Arguments all = *given;
  auto parameters = all[0].toTensorVector(), gradients = all[1].toTensorVector(),
       means = all[2].toTensorVector(), squares = all[3].toTensorVector(),
       largest = all[4].toTensorVector(), steps = all[5].toTensorVector();
  Rate rate(all[6]);
  double beta1 = all[7].toDouble(), beta2 = all[8].toDouble();
  bool hasLargest = all[11].toBool();
  for (size_t i = 0; i < parameters.size(); ++i) {
    Dense dense(parameters[i]);
    call(step, {dense(parameters[i]), dense(gradients[i]), dense(means[i]), dense(squares[i]),
                hasLargest ? c10::IValue(dense(largest[i])) : c10::IValue(), steps[i], rate.tensor,
                all[13], all[14], rate.number, beta1, beta2, std::log(beta1), std::log(beta2),
                all[9], all[10], isDecoupled, all[12]});
    dense.finish();
  }
  torch::jit::drop(*stack, op.schema().arguments().size());
}

/// Makes steps of stochastic gradient descent.
void sgd(const c10::OperatorHandle &op, c10::Stack *stack) {
  static const c10::OperatorHandle step = findOperator("pumice_vk::sgd_step");
  auto given = argumentsOf(op, stack);
  if (!given)
    return;
  Arguments all = *given;
  auto parameters = all[0].toTensorVector(), gradients = all[1].toTensorVector(),
       momenta = all[2].toTensorVector();
  Rate rate(all[5]);
  for (size_t i = 0; i < parameters.size(); ++i) {
    Dense dense(parameters[i]);
    call(step, {dense(parameters[i]), dense(gradients[i]),
                momenta.empty() ? c10::IValue() : c10::IValue(dense(momenta[i])), rate.tensor,
                all[10], all[11], rate.number, all[4], all[6], all[3], all[7], all[9], all[8]});
    dense.finish();
  }
  torch::jit::drop(*stack, op.schema().arguments().size());
}

/// Makes steps of Adagrad.
void adagrad(const c10::OperatorHandle &op, c10::Stack *stack) {
  static const c10::OperatorHandle step = findOperator("pumice_vk::adagrad_step");
  auto given = argumentsOf(op, stack);
  if (!given)
    return;
  Arguments all = *given;
  auto parameters = all[0].toTensorVector(), gradients = all[1].toTensorVector(),
       sums = all[2].toTensorVector(), steps = all[3].toTensorVector();
  Rate rate(all[4]);
  for (size_t i = 0; i < parameters.size(); ++i) {
    Dense dense(parameters[i]);
    call(step, {dense(parameters[i]), dense(gradients[i]), dense(sums[i]), steps[i], rate.tensor,
                all[9], all[10], rate.number, all[5], all[6], all[7], all[8]});
    dense.finish();
  }
  torch::jit::drop(*stack, op.schema().arguments().size());
}

TORCH_LIBRARY_FRAGMENT(pumice_vk, m) {
  m.def("adam_step(Tensor(a!) parameter, Tensor(b!) gradient, Tensor(c!) mean, Tensor(d!) square, "
        "Tensor(e!)? largest, Tensor step, Tensor? rate_tensor, Tensor? scale, Tensor? infinite, "
        "float rate, float beta1, float beta2, float log1, float log2, float decay, float eps, "
        "bool is_decoupled, bool is_maximized) -> ()");
  m.def("sgd_step(Tensor(a!) parameter, Tensor(b!) gradient, Tensor(c!)? momenta, "
        "Tensor? rate_tensor, Tensor? scale, Tensor? infinite, float rate, float momentum, "
        "float dampening, float decay, bool is_nesterov, bool is_first, bool is_maximized) -> ()");
  m.def("adagrad_step(Tensor(a!) parameter, Tensor(b!) gradient, Tensor(c!) sums, Tensor step, "
        "Tensor? rate_tensor, Tensor? scale, Tensor? infinite, float rate, float rate_decay, "
        "float decay, float eps, bool is_maximized) -> ()");
}

TORCH_LIBRARY_IMPL(pumice_vk, PrivateUse1, m) {
  for (const char *name : {"adam_step", "sgd_step", "adagrad_step"})
    m.impl(name, torch::CppFunction::makeFromBoxedFunction<&runByPlanOnly>());
}

TORCH_LIBRARY_IMPL(aten, PrivateUse1, m) {
  for (const char *overload : {"", ".tensor_lr"}) {
    auto bind = [&](const char *name, torch::CppFunction function) {
      m.impl((std::string(name) + overload).c_str(), std::move(function));
    };
    bind("_fused_adam_", torch::CppFunction::makeFromBoxedFunction<&adam<false>>());
    bind("_fused_adamw_", torch::CppFunction::makeFromBoxedFunction<&adam<true>>());
    bind("_fused_sgd_", torch::CppFunction::makeFromBoxedFunction<&sgd>());
    bind("_fused_adagrad_", torch::CppFunction::makeFromBoxedFunction<&adagrad>());
  }
}

} // namespace
} // namespace pumice::vk
