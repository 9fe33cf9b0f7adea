//===- Fallback.cpp - runs operators by plans, or else on the CPU -----------===//
// The CPU's operator gets tensors of vk as CPU tensors. Tensors that it writes are copied back, and
// its results become tensors of vk.
//===-------------------------------------------------------------------------===//
#include "python/torch_shim/operators/Fallback.h"

#include "python/torch_shim/device/Generator.h"
#include "python/torch_shim/operators/HostImage.h"
#include "python/torch_shim/plans/Store.h"

#include <ATen/Functions.h>
#include <ATen/core/dispatch/Dispatcher.h>
#include <ATen/core/stack.h>
#include <c10/core/DeviceGuard.h>
#include <torch/library.h>

#include <cstdlib>
#include <mutex>
#include <set>
#include <string_view>
#include <unordered_set>

namespace pumice::vk {
namespace {

struct Counts {
  std::mutex mutex;
  std::map<std::string, uint64_t> byName;
  std::set<std::string> warned; // also of those that the user's setting leaves out
};
Counts &counts() {
  static auto *one = new Counts;
  return *one;
}

/// Counts a call that runs on the CPU. `warn` follows when it has run, since PyTorch reports wrong
/// calls.
class Counted {
public:
  explicit Counted(const c10::OperatorHandle &op) {
    if (isCompiling()) // inductor computes constants
      return;
    name = c10::toString(op.operator_name());
    std::lock_guard lock(counts().mutex);
    ++counts().byName[name];
  }

  /// Warns of the first operator in this process, or of each one, as the user asks.
  void warn() const {
    if (name.empty())
      return;
    bool isFirst;
    {
      std::lock_guard lock(counts().mutex);
      isFirst = counts().warned.empty();
      if (!counts().warned.insert(name).second)
        return;
    }
    const char *asked = std::getenv("PUMICE_VK_WARN_FALLBACKS");
    if (asked && *asked && std::string_view(asked) != "0") {
      TORCH_WARN(name, " runs on the CPU: vk has no kernel for it");
    } else if (!asked && isFirst) {
      TORCH_WARN(name,
                 " runs on the CPU: vk has no kernel for it. torch.vk.fallbacks() counts such "
                 "operators; PUMICE_VK_WARN_FALLBACKS=1 warns of each one, and 0 of none");
    }
  }

private:
  std::string name; // empty if the call is not counted
};

bool isOurs(const at::Tensor &tensor) {
  return tensor.defined() && tensor.device().type() == deviceType;
}

/// Returns whether some of the operator's tensors belong to the CPU on every device: indices,
/// lengths, and lists whose tensors need no common device. Operators of other libraries check their
/// arguments themselves.
bool takesTensorsOfCpu(const c10::OperatorName &op) {
  static const std::unordered_set<std::string_view> known = {"index",
                                                             "_unsafe_index",
                                                             "index_put",
                                                             "index_put_",
                                                             "_index_put_impl_",
                                                             "_unsafe_index_put",
                                                             "_pack_padded_sequence",
                                                             "_ctc_loss",
                                                             "_ctc_loss_backward",
                                                             "tensor_split"};
  std::string_view name = op.name;
  constexpr std::string_view aten = "aten::";
  if (!name.starts_with(aten))
    return true;
  name.remove_prefix(aten.size());
  return known.contains(name) || name.starts_with("_foreach_");
}

/// One call of an operator.
class Call {
public:
  Call(const c10::OperatorHandle &op, c10::Stack *stack)
      : op(op), stack(*stack), schema(op.schema()) {}

  void run() {
    size_t count = schema.arguments().size();
    c10::ArrayRef<c10::IValue> given = torch::jit::last(stack, count);
    before.assign(given.begin(), given.end());
    for (const c10::IValue &value : before)
      findDevice(value);
    TORCH_CHECK(device, op.operator_name(), ": none of its tensors is on vk");
    if (!takesTensorsOfCpu(op.operator_name()))
      for (const c10::IValue &value : before)
        expectSameDevice(value);
    c10::DeviceGuard guard(*device);
    images.emplace(device->index());
    for (const c10::IValue &value : before)
      announce(value);
    for (size_t i = 0; i < count; ++i)
      after.push_back(shown(before[i], schema.arguments()[i]));
    torch::jit::drop(stack, count);
    for (const c10::IValue &value : after)
      stack.push_back(value);
    op.redispatchBoxed(c10::DispatchKeySet(c10::DispatchKey::CPU), &stack);
    for (size_t i = 0; i < count; ++i)
      writeBack(i);
    takeResults();
  }

private:
  void findDevice(const c10::IValue &value) {
    if (value.isTensor()) {
      if (!isOurs(value.toTensor()))
        return;
      if (!device)
        device = value.toTensor().device();
      TORCH_CHECK(*device == value.toTensor().device(), op.operator_name(),
                  ": expected all tensors on one device, got ", *device, " and ",
                  value.toTensor().device());
    } else if (value.isDevice()) {
      if (!device && value.toDevice().type() == deviceType)
        device = c10::Device(deviceType, orCurrent(value.toDevice().index()));
    } else if (value.isTensorList() || value.isOptionalTensorList() || value.isList()) {
      for (const c10::IValue &part : value.toListRef())
        findDevice(part);
    }
  }

  /// Rejects tensors of the CPU, except those without dimensions, which stand for numbers.
  void expectSameDevice(const c10::IValue &value) const {
    if (value.isTensor()) {
      const at::Tensor &tensor = value.toTensor();
      TORCH_CHECK(!tensor.defined() || tensor.device() == *device || tensor.dim() == 0,
                  "Expected all tensors to be on the same device, but found at least two devices, ",
                  *device, " and ", tensor.device(), "! (in ", op.operator_name(),
                  "; move the tensor by .to(\"", *device, "\"))");
    } else if (value.isTensorList() || value.isOptionalTensorList() || value.isList()) {
      for (const c10::IValue &part : value.toListRef())
        expectSameDevice(part);
    }
  }

  void announce(const c10::IValue &value) {
    if (value.isTensor() && isOurs(value.toTensor()))
      images->add(value.toTensor());
    else if (value.isTensorList() || value.isOptionalTensorList() || value.isList())
      for (const c10::IValue &part : value.toListRef())
        announce(part);
  }

  at::Tensor shownTensor(const at::Tensor &tensor) {
    return isOurs(tensor) ? images->show(tensor) : tensor;
  }

  c10::IValue shown(const c10::IValue &value, const c10::Argument &argument) {
    if (value.isTensor())
      return shownTensor(value.toTensor());
    if (value.isTensorList()) {
      c10::List<at::Tensor> made;
      for (const at::Tensor &part : value.toTensorVector())
        made.push_back(shownTensor(part));
      return made;
    }
    if (value.isOptionalTensorList()) {
      c10::List<std::optional<at::Tensor>> made;
      for (const auto &part : value.toOptionalTensorList().vec())
        made.push_back(part ? std::optional(shownTensor(*part)) : std::nullopt);
      return made;
    }
    if (value.isDevice() && value.toDevice().type() == deviceType)
      return c10::Device(c10::DeviceType::CPU);
    if (value.isGenerator() && value.toGenerator().device().type() == deviceType)
      return cpuGeneratorFor(value.toGenerator());
    // Without a generator, random numbers follow torch.vk's seed.
    if (value.isNone() && isOptionalGenerator(argument))
      return cpuGeneratorFor(defaultGenerator(device->index()));
    return value;
  }

  static bool isOptionalGenerator(const c10::Argument &argument) {
    auto optional = argument.type()->cast<c10::OptionalType>();
    return optional && optional->getElementType()->kind() == c10::TypeKind::GeneratorType;
  }

  static bool isWritten(const c10::Argument &argument) {
    return argument.alias_info() && argument.alias_info()->isWrite();
  }

  void writeBack(size_t i) {
    if (!isWritten(schema.arguments()[i]))
      return;
    if (before[i].isTensor()) {
      if (isOurs(before[i].toTensor()))
        images->writeBack(before[i].toTensor(), after[i].toTensor());
    } else if (before[i].isTensorList()) {
      std::vector<at::Tensor> ours = before[i].toTensorVector(), made = after[i].toTensorVector();
      for (size_t part = 0; part < ours.size(); ++part)
        if (isOurs(ours[part]))
          images->writeBack(ours[part], made[part]);
    }
  }

  at::Tensor ofVk(const at::Tensor &made) {
    if (!made.defined() || !made.device().is_cpu())
      return made;
    TORCH_CHECK(made.layout() == c10::kStrided && !made.is_quantized(), op.operator_name(),
                ": expected a dense result for vk, got one of layout ", made.layout(),
                made.is_quantized() ? ", quantized" : "", "; compute it on the CPU");
    at::Tensor plain = made.resolve_conj().resolve_neg();
    return isDense(plain)
               ? at::empty_strided(plain.sizes(), plain.strides(), plain.options().device(*device))
                     .copy_(plain)
               : plain.to(*device);
  }

  /// Returns the argument that the operator also returns as this result, or null for a new result.
  const c10::IValue *sameAs(const c10::Argument &result) {
    if (!result.alias_info())
      return nullptr;
    for (size_t i = 0; i < before.size(); ++i) {
      const c10::AliasInfo *given = schema.arguments()[i].alias_info();
      if (given && given->beforeSets() == result.alias_info()->beforeSets())
        return &before[i];
    }
    return nullptr;
  }

  void takeResults() {
    size_t count = schema.returns().size();
    std::vector<c10::IValue> results(stack.end() - static_cast<std::ptrdiff_t>(count), stack.end());
    torch::jit::drop(stack, count);
    for (size_t i = 0; i < count; ++i) {
      const c10::IValue *same = sameAs(schema.returns()[i]);
      if (same && isWritten(schema.returns()[i]))
        stack.push_back(*same);
      else if (results[i].isTensor())
        stack.emplace_back(ofVk(results[i].toTensor()));
      else if (results[i].isTensorList()) {
        c10::List<at::Tensor> made;
        for (const at::Tensor &part : results[i].toTensorVector())
          made.push_back(ofVk(part));
        stack.emplace_back(made);
      } else
        stack.push_back(results[i]);
    }
  }

  const c10::OperatorHandle &op;
  c10::Stack &stack;
  const c10::FunctionSchema &schema;
  std::optional<c10::Device> device;
  std::optional<HostImages> images;
  std::vector<c10::IValue> before, after;
};

c10::OperatorHandle find(const char *name) {
  return c10::Dispatcher::singleton().findSchemaOrThrow(name, "");
}

// PyTorch calls these two on devices whose convolutions it does not know.
void convolution(const c10::OperatorHandle &op, c10::Stack *stack) {
  if (runByPlan(op, *stack))
    return;
  static const c10::OperatorHandle general = find("aten::convolution");
  Counted counted(op);
  Call(general, stack).run();
  counted.warn();
}

/// The general operator also takes the size of the bias, after the weight.
void convolutionBackward(const c10::OperatorHandle &op, c10::Stack *stack) {
  if (runByPlan(op, *stack))
    return;
  static const c10::OperatorHandle general = find("aten::convolution_backward");
  Counted counted(op);
  auto first = stack->end() - static_cast<std::ptrdiff_t>(op.schema().arguments().size());
  bool isTransposed = (first + 6)->toBool();
  int64_t groups = (first + 8)->toInt();
  at::Tensor weight = (first + 2)->toTensor();
  int64_t channels = isTransposed ? weight.size(1) * groups : weight.size(0);
  stack->insert(first + 3, c10::List<int64_t>({channels}));
  Call(general, stack).run();
  counted.warn();
}

TORCH_LIBRARY_IMPL(_, PrivateUse1, m) {
  m.fallback(torch::CppFunction::makeFromBoxedFunction<&vk::fallBack>());
}

TORCH_LIBRARY_IMPL(aten, PrivateUse1, m) {
  m.impl("convolution_overrideable", torch::CppFunction::makeFromBoxedFunction<&convolution>());
  m.impl("convolution_backward_overrideable",
         torch::CppFunction::makeFromBoxedFunction<&convolutionBackward>());
  // PyTorch would compose it of a batch norm and a sum.
  m.impl("native_layer_norm", torch::CppFunction::makeFromBoxedFunction<&vk::fallBack>());
}

} // namespace

void fallBack(const c10::OperatorHandle &op, c10::Stack *stack) {
  if (runByPlan(op, *stack))
    return;
  Doubt doubt;
  Counted counted(op);
  Call(op, stack).run();
  counted.warn();
  doubt.resolve();
}

void runByPlanOnly(const c10::OperatorHandle &op, c10::Stack *stack) {
  TORCH_CHECK_NOT_IMPLEMENTED(runByPlan(op, *stack), op.operator_name(),
                              " has no plan for these tensors: ", reasonFor(op),
                              "; choose the composite path (for attention, "
                              "torch.nn.attention.sdpa_kernel(SDPBackend.MATH); for optimizers, "
                              "foreach=True)");
}

c10::OperatorHandle findOperator(const char *name) {
  return c10::Dispatcher::singleton().findSchemaOrThrow(name, "");
}

std::map<std::string, uint64_t> fallbacks() {
  std::lock_guard lock(counts().mutex);
  return counts().byName;
}

void resetFallbacks() {
  std::lock_guard lock(counts().mutex);
  counts().byName.clear();
}

} // namespace pumice::vk
