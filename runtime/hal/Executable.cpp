//===- Executable.cpp - a loaded .pumice file on one device -----------------===//
#include "runtime/hal/Executable.h"

#include "executable/FieldPath.h"
#include "runtime/hal/KernelLimits.h"
#include "runtime/hal/LaunchPlan.h"
#include "runtime/hal/Specialize.h"

#include <algorithm>

using pumice::executable::concat;

namespace pumice::hal {
namespace {

/// Returns the names as "a, b, c". A long list is cut off, because files may have thousands of
/// names.
std::string listNames(const executable::Executable &contents) {
  constexpr size_t most = 20;
  std::string names;
  for (size_t i = 0; i < contents.entryPoints.size() && i < most; ++i)
    names += concat(i ? ", " : "", contents.entryPoints[i].name);
  size_t count = contents.entryPoints.size();
  return count > most ? concat(names, " and ", count - most, " more") : names;
}

Result<size_t> findEntryPoint(const executable::Executable &contents, std::string_view name) {
  if (name.empty() && contents.entryPoints.size() == 1)
    return size_t{0};
  if (contents.entryPoints.empty())
    return Status(StatusCode::NotFound, "the executable has no entry points");
  for (size_t i = 0; i < contents.entryPoints.size(); ++i)
    if (contents.entryPoints[i].name == name)
      return i;
  return Status(StatusCode::NotFound,
                name.empty() ? concat("name one of the entry points: ", listNames(contents))
                             : concat("there is no entry point '", name,
                                      "'; there are: ", listNames(contents)));
}

/// Returns where launches can find the addresses of the entry point's arguments.
std::vector<PointerArgument> pointersOf(const executable::EntryPoint &entry,
                                        const executable::Interface &interface) {
  std::vector<PointerArgument> pointers;
  auto add = [&](uint32_t number, uint32_t place) -> PointerArgument & {
    const std::string &name = entry.arguments[number].name;
    return pointers.emplace_back(
        PointerArgument{name.empty() ? "argument " + std::to_string(number) : name, number, place});
  };
  for (const executable::ParameterField &field : interface.fields)
    if (field.source == executable::FieldSource::BufferAddress)
      add(field.argument, field.offset).isIndirect =
          interface.place == executable::ParameterPlace::AddressedBuffer;
  for (uint32_t slot = 0; slot < interface.bindings.size(); ++slot)
    if (interface.bindings[slot].source == executable::BindingSource::Argument)
      add(interface.bindings[slot].argument, slot).isSlot = true;
  return pointers;
}

KernelSource sourceOf(const executable::EntryPoint &entry, const executable::Variant &variant,
                      const executable::Interface &interface, const FunctionOptions &options) {
  KernelSource source;
  source.kind = variant.kind;
  source.code = variant.code;
  source.symbol = interface.symbol;
  source.label = options.label.empty() ? entry.name : options.label;
  if (interface.place == executable::ParameterPlace::PushConstants)
    source.pushConstantBytes = interface.parameterBytes;
  else if (interface.place == executable::ParameterPlace::AddressedBuffer)
    source.pushConstantBytes = sizeof(uint64_t);
  source.bindings = slotsOf(interface);
  source.pointers = pointersOf(entry, interface);
  for (const executable::Argument &argument : entry.arguments)
    source.arguments.push_back(argument.name);
  source.requiredSubgroupSize = interface.requiredSubgroupSize;
  source.fullSubgroups = interface.fullSubgroups;
  source.workgroupSize = executable::workgroupSizeOf(entry, interface);
  for (size_t d = 0; d < 3; ++d)
    if (source.workgroupSize[d] == 0)
      source.workgroupSize[d] = options.workgroupSize[d];
  source.dynamicMemoryBytes = options.dynamicMemoryBytes;
  source.robustAccess = options.robustAccess;
  return source;
}

} // namespace

Executable::Executable(Ref<Device> device, std::shared_ptr<const executable::Executable> contents,
                       std::vector<Choice> choices)
    : owner(std::move(device)), data(std::move(contents)), choices(std::move(choices)) {}

/// Returns the facts about the device. Fragment maps are measured only if a variant depends on
/// them.
static DeviceInfo infoFor(Device &device, const executable::Executable &contents) {
  bool asks = std::ranges::any_of(contents.variants, [](const executable::Variant &variant) {
    return !variant.requirements.measuredMaps.empty();
  });
  return asks ? device.measuredInfo() : device.info();
}

Result<Ref<Executable>> Executable::load(Ref<Device> device,
                                         std::shared_ptr<const executable::Executable> contents) {
  PUMICE_RETURN_IF_ERROR(device->health());
  std::vector<Choice> choices;
  DeviceInfo info = infoFor(*device, *contents);
  for (size_t i = 0; i < contents->entryPoints.size(); ++i) {
    PUMICE_TRY(Choice choice, chooseVariant(info, *contents, i));
    choices.push_back(choice);
  }
  return Ref<Executable>::adopt(
      new Executable(std::move(device), std::move(contents), std::move(choices)));
}

const executable::Variant &Executable::variant(size_t entryPoint) const {
  return data->variants[choices[entryPoint].variant];
}

const executable::Interface &Executable::interface(size_t entryPoint) const {
  return variant(entryPoint).interfaces[choices[entryPoint].interface];
}

Result<Choice> Executable::choose(size_t entryPoint, const FunctionOptions &options) const {
  const executable::EntryPoint &entry = data->entryPoints[entryPoint];
  bool native = variant(entryPoint).kind == executable::VariantKind::Native;
  bool changed = !options.constants.empty() && !keepsDefaults(*data, entry.name, options.constants);
  if (!native || (!changed && !options.robustAccess))
    return choices[entryPoint];
  Result<Choice> other =
      chooseVariant(infoFor(*owner, *data), *data, entryPoint, /*specialized=*/true);
  if (other.isOk())
    return other;
  return Status(
      other.status().code(),
      concat(changed ? "specialization constants were changed" : "robust access was requested",
             ", which needs SPIR-V that the device runs: ", other.status().message()));
}

Result<Ref<Function>> Executable::function(std::string_view name, const FunctionOptions &options) {
  PUMICE_TRY(size_t index, findEntryPoint(*data, name));
  const executable::EntryPoint &entry = data->entryPoints[index];
  Result<Choice> choice = choose(index, options);
  if (!choice.isOk())
    return Status(choice.status()).at(entry.name);
  const executable::Variant &code = data->variants[choice->variant];
  const executable::Interface &interface = code.interfaces[choice->interface];

  Result<FunctionOptions> normal = normalize(owner->info(), entry, interface, options);
  if (!normal.isOk())
    return Status(normal.status()).at(entry.name);
  auto made = [&](const FunctionOptions &wanted) -> Ref<Function> { // called under the lock
    for (const auto &[ofEntry, function] : functions)
      if (ofEntry == index && function->options() == wanted)
        return function;
    return nullptr;
  };
  {
    std::lock_guard lock(mutex);
    if (Ref<Function> known = made(*normal))
      return known;
  }

  KernelSource source = sourceOf(entry, code, interface, *normal);
  source.program = program;
  FunctionOptions compiled = *normal;
  if (code.kind == executable::VariantKind::Native)
    compiled.constants.clear(); // native code has them already
  Result<std::vector<SpecializationConstant>> constants = specialize(code, interface, compiled);
  if (!constants.isOk())
    return Status(constants.status()).at(entry.name);
  source.constants = std::move(constants).value();
  // Compiles without the lock, because this may take long, and other threads may need other
  // functions.
  PUMICE_TRY(Ref<Kernel> kernel, owner->createKernel(source));
  auto plan = std::make_unique<LaunchPlan>(entry, interface);
  Ref<Function> function = Ref<Function>::adopt(
      new Function(data, std::move(kernel), std::move(normal).value(), std::move(plan)));

  std::lock_guard lock(mutex);
  if (Ref<Function> known = made(function->options()))
    return known; // another thread has just made the same function
  functions.emplace_back(index, function);
  return function;
}

} // namespace pumice::hal
