//===- Plan.cpp - runs plans ------------------------------------------------===//
#include "python/torch_shim/plans/Plan.h"

#include "python/torch_shim/device/Allocator.h"
#include "python/torch_shim/device/Device.h"
#include "python/torch_shim/device/Failures.h"
#include "python/torch_shim/device/Generator.h"
#include "python/torch_shim/plans/Arithmetic.h"

#include <ATen/EmptyTensor.h>
#include <ATen/Functions.h>
#include <ATen/core/dispatch/Dispatcher.h>
#include <ATen/core/stack.h>
#include <c10/core/DeviceGuard.h>

namespace pumice::vk {
namespace {

/// Kernels of plans print only assertions that fail. The memory is cleared for each launch.
constexpr uint32_t printBytes = 4096;

c10::SmallVector<int64_t, 8> integersOf(const std::vector<Value> &numbers,
                                        const std::vector<Number> &values) {
  c10::SmallVector<int64_t, 8> made;
  for (Value number : numbers)
    made.push_back(values[number].integer);
  return made;
}

/// Makes a list of tensors. Those that are undefined are missing in a list of optional ones.
c10::IValue listOf(const std::vector<TensorNumber> &numbers, const std::vector<at::Tensor> &tensors,
                   const c10::Type &type) {
  const auto *list = type.castRaw<c10::ListType>();
  if (list && list->getElementType()->kind() == c10::TypeKind::OptionalType) {
    c10::List<std::optional<at::Tensor>> made;
    for (TensorNumber number : numbers)
      made.push_back(tensors[number].defined() ? std::optional(tensors[number]) : std::nullopt);
    return made;
  }
  c10::List<at::Tensor> made;
  for (TensorNumber number : numbers)
    made.push_back(tensors[number]);
  return made;
}

/// Returns the next seed of the call's generator.
int64_t nextSeed(const Call &call) {
  const at::Generator generator =
      call.generator ? call.generator->toGenerator()
                     : defaultGenerator(static_cast<c10::DeviceIndex>(call.device));
  auto [seed, position] = takeNumbers(generator, 4);
  // Mixes both, so that neither equal seeds nor neighbouring positions give similar numbers.
  uint64_t mixed = seed * 0x9e3779b97f4a7c15 ^ (position + 0x632be59bd9b4e019);
  mixed = (mixed ^ (mixed >> 30)) * 0xbf58476d1ce4e5b9;
  mixed = (mixed ^ (mixed >> 27)) * 0x94d049bb133111eb;
  return static_cast<int64_t>(mixed ^ (mixed >> 31));
}

/// Makes the memory for `count` seeds.
at::Tensor makeSeeds(int64_t count, const Call &call, c10::Device device) {
  at::Tensor seeds = at::empty({count}, at::TensorOptions().dtype(at::kLong));
  for (int64_t i = 0; i < count; ++i)
    seeds.mutable_data_ptr<int64_t>()[i] = nextSeed(call);
  return seeds.to(device);
}

} // namespace

pumice_function *Kernel::on(int64_t device) {
  auto index = static_cast<size_t>(device);
  std::lock_guard lock(mutex);
  if (functions.size() <= index)
    functions.resize(index + 1);
  if (!functions[index]) {
    pumice_device *handle = deviceAt(static_cast<c10::DeviceIndex>(device)).handle();
    pumice_executable *executable = nullptr;
    check(pumice_executable_load(handle, code.data(), code.size(), &executable),
          "loading a kernel of vk");
    pumice_status status =
        pumice_executable_function(executable, name.c_str(), nullptr, &functions[index]);
    pumice_executable_release(executable);
    check(status, "making a kernel of vk");
  }
  return functions[index];
}

void Plan::compute(const Call &call, size_t first, size_t end, std::vector<Number> &values) const {
  for (size_t i = first; i < end; ++i)
    values[i] = vk::compute(instructions[i], call, values.data());
}

void Plan::load(int64_t device) {
  for (auto &kernel : kernels)
    kernel->on(device);
}

bool Plan::admits(const Call &call, std::vector<Number> &values) const {
  size_t given = call.tensors.size();
  if (given < tensorsOfCall || given > tensorCount || call.numbers.size() < numbersOfCall)
    return false; // the file is damaged
  values.resize(instructions.size());
  compute(call, 0, guardValues, values);
  for (Value guard : guards)
    if (values[guard].integer == 0)
      return false;
  return true;
}

/// Returns a tensor's memory, up to the end of its buffer. If 32-bit indices cannot reach that end,
/// returns only what the tensor has.
static pumice_argument memoryOf(const at::Tensor &tensor, c10::DeviceIndex device) {
  const void *address = tensor.const_data_ptr();
  Place place = address ? placeOf(device, address) : Place{};
  pumice_argument made = pumice_argument_buffer(place.buffer);
  made.offset = place.offset;
  constexpr uint64_t slack = 1 << 20; // more than what follows `available` in the buffer
  if (place.available + slack > tensor.itemsize() << 31) [[unlikely]] {
    uint64_t own =
        at::detail::computeStorageNbytes(tensor.sizes(), tensor.strides(), tensor.itemsize(), 0);
    made.bytes = std::min<uint64_t>((own + 3) & ~uint64_t{3}, place.available);
  }
  return made;
}

void Plan::launch(const Step &step, const Call &call, const std::vector<Number> &values,
                  const std::vector<at::Tensor> &tensors) {
  auto device = static_cast<c10::DeviceIndex>(call.device);
  int64_t groups[3];
  for (int axis = 0; axis < 3; ++axis)
    if ((groups[axis] = values[step.groups[axis]].integer) <= 0)
      return;
  c10::SmallVector<pumice_argument, 12> arguments;
  for (const LaunchArgument &argument : step.launchArguments) {
    if (argument.kind == LaunchArgument::Memory) {
      arguments.push_back(memoryOf(tensors[argument.number], device));
      continue;
    }
    Number number = argument.kind == LaunchArgument::Seed ? Number{.integer = nextSeed(call)}
                                                          : values[argument.number];
    if (argument.kind == LaunchArgument::Float && argument.bytes == 4) {
      auto narrow = static_cast<float>(number.real);
      arguments.push_back(pumice_argument_scalar(&narrow, 4));
    } else
      arguments.push_back(pumice_argument_scalar(&number, argument.bytes));
  }
  pumice_launch_options options =
      pumice_groups(static_cast<uint32_t>(groups[0]), static_cast<uint32_t>(groups[1]),
                    static_cast<uint32_t>(groups[2]));
  options.print = takeOutput;
  options.print_user = const_cast<std::string *>(call.name);
  options.print_bytes = printBytes;
  StreamState &stream = currentState(device);
  check(pumice_launch(stream.queue, kernels[step.kernel]->on(call.device), &options,
                      arguments.data(), arguments.size()),
        "launching a kernel of vk");
  stream.letBegin();
}

void Plan::callOperator(const Step &step, const std::vector<Number> &values,
                        std::vector<at::Tensor> &tensors) {
  auto op =
      c10::Dispatcher::singleton().findSchemaOrThrow(step.name.c_str(), step.overload.c_str());
  torch::jit::Stack stack;
  for (const CallArgument &argument : step.callArguments) {
    auto first = [&] { return values[argument.numbers[0]]; };
    switch (argument.kind) {
    case CallArgument::None:
      stack.emplace_back();
      break;
    case CallArgument::Tensor:
      stack.emplace_back(tensors[argument.numbers[0]]);
      break;
    case CallArgument::Integer:
      stack.emplace_back(first().integer);
      break;
    case CallArgument::Float:
      stack.emplace_back(first().real);
      break;
    case CallArgument::Bool:
      stack.emplace_back(first().integer != 0);
      break;
    case CallArgument::Text:
      stack.emplace_back(argument.text);
      break;
    case CallArgument::Integers:
      stack.emplace_back(c10::List<int64_t>(integersOf(argument.numbers, values)));
      break;
    case CallArgument::Tensors:
      stack.push_back(
          listOf(argument.numbers, tensors, *op.schema().arguments()[stack.size()].type()));
      break;
    }
  }
  op.callBoxed(&stack);
  for (uint32_t i = 0; i < step.results; ++i)
    tensors[step.tensor + i] = stack[i].toTensor();
}

std::vector<at::Tensor> Plan::run(const Call &call, std::vector<Number> &values) {
  compute(call, guardValues, instructions.size(), values);
  std::vector<at::Tensor> tensors(tensorCount);
  for (size_t i = 0; i < call.tensors.size(); ++i)
    tensors[i] = *call.tensors[i];
  c10::Device device(deviceType, static_cast<c10::DeviceIndex>(call.device));
  c10::DeviceGuard guard(device);
  for (const Step &step : steps)
    switch (step.kind) {
    case Step::Allocate:
      tensors[step.tensor] =
          at::empty_strided(integersOf(step.sizes, values), integersOf(step.strides, values),
                            at::TensorOptions().dtype(step.type).device(device));
      break;
    case Step::View:
      tensors[step.tensor] = tensors[step.from].as_strided(
          integersOf(step.sizes, values), integersOf(step.strides, values),
          tensors[step.from].storage_offset() + values[step.offset].integer);
      break;
    case Step::Launch:
      launch(step, call, values, tensors);
      break;
    case Step::CallOperator:
      callOperator(step, values, tensors);
      break;
    case Step::RandomSeeds:
      tensors[step.tensor] = makeSeeds(values[step.sizes[0]].integer, call, device);
      break;
    case Step::Free:
      tensors[step.tensor].reset();
      break;
    }
  std::vector<at::Tensor> made;
  for (TensorNumber number : results)
    // Results of operators share no memory with their arguments.
    made.push_back(number < call.tensors.size() ? tensors[number].clone() : tensors[number]);
  return made;
}

} // namespace pumice::vk
