//===- LaunchPlan.cpp - decisions about a launch when a function is made ----===//
#include "runtime/hal/LaunchPlan.h"

#include "runtime/hal/View.h"

#include <algorithm>

using namespace pumice::executable;

namespace pumice::hal {

static bool isOfArgument(FieldSource source) {
  return source != FieldSource::PrintfAddress && source != FieldSource::PrintfWords &&
         source != FieldSource::DynamicMemoryBytes;
}

/// Returns whether this field is a number that is used to compute positions of elements, and has 32
/// bits. If so, all index values of the code have 32 bits. This is for files before format 1.3,
/// which do not state the width.
static bool countsIn32(const ParameterField &field, const EntryPoint &entry) {
  switch (field.source) {
  case FieldSource::BufferOffset:
  case FieldSource::BufferExtent:
  case FieldSource::BufferStride:
    return field.size == sizeof(uint32_t);
  case FieldSource::Scalar:
    return field.size == sizeof(uint32_t) &&
           entry.arguments[field.argument].element == ElementType::index;
  default:
    return false;
  }
}

/// Computes what is known about a view before any launch.
static void fixView(ArgumentPlan &plan) {
  const executable::Argument &argument = *plan.argument;
  auto isOpen = [](int64_t number) { return number == dynamic; };
  if (isOpen(argument.offset) || std::ranges::any_of(argument.shape, isOpen) ||
      std::ranges::any_of(argument.strides, isOpen))
    return;
  View view;
  if (!resolveView(argument, {}, 0, view).isOk())
    return;
  Result<uint64_t> reach = reachOf(argument, view);
  plan.fixed = reach.isOk(); // if invalid, the launch rejects it
  plan.reach = reach.isOk() ? *reach : 0;
}

LaunchPlan::LaunchPlan(const EntryPoint &entry, const Interface &interface)
    : entry(entry), interface(interface),
      parameterBuffers(std::max<uint64_t>(interface.parameterBytes, 16)) {
  countsIn32 = interface.indexBits == 32;
  for (const ParameterField &field : interface.fields)
    countsIn32 |= interface.indexBits == 0 && pumice::hal::countsIn32(field, entry);
  for (uint32_t i = 0; i < entry.arguments.size(); ++i) {
    ArgumentPlan plan;
    plan.argument = &entry.arguments[i];
    plan.index = static_cast<uint16_t>(std::min<size_t>(i, BufferUse::noArgument));
    plan.bytes = elementBytes(*plan.argument);
    plan.firstField = static_cast<uint32_t>(fields.size());
    for (const ParameterField &field : interface.fields)
      if (isOfArgument(field.source) && field.argument == i)
        fields.push_back(field);
    plan.lastField = static_cast<uint32_t>(fields.size());
    plan.firstBinding = static_cast<uint32_t>(slots.size());
    for (uint32_t slot = 0; slot < interface.bindings.size(); ++slot)
      if (interface.bindings[slot].source == BindingSource::Argument &&
          interface.bindings[slot].argument == i)
        slots.push_back(slot);
    plan.lastBinding = static_cast<uint32_t>(slots.size());
    if (plan.argument->kind == ArgumentKind::Buffer)
      fixView(plan);
    plan.access = plan.argument->access;
    plan.alignmentMask = plan.argument->alignment - 1;
    plan.onlyAddress = plan.fixed && plan.access != Access::None &&
                       plan.reach <= plan.bytes << 32 && // launches check elements beyond that
                       plan.lastField - plan.firstField == 1 &&
                       plan.firstBinding == plan.lastBinding &&
                       fields.back().source == FieldSource::BufferAddress &&
                       fields.back().size == sizeof(uint64_t);
    if (plan.onlyAddress)
      plan.addressOffset = fields.back().offset;
    arguments.push_back(plan);
  }
  for (const ParameterField &field : interface.fields)
    if (!isOfArgument(field.source))
      launchFields.push_back(field);
  for (const ParameterField &field : launchFields)
    takesPrintfBuffer |= field.source != FieldSource::DynamicMemoryBytes;
  for (const DescriptorBinding &binding : interface.bindings)
    takesPrintfBuffer |= binding.source == BindingSource::Printf;
  blockInMemory = interface.place == ParameterPlace::AddressedBuffer ||
                  interface.place == ParameterPlace::DescribedBuffer;
  needsMore = takesPrintfBuffer || blockInMemory || !launchFields.empty();
  usual = !needsMore && interface.bindings.empty() && arguments.size() <= usualArguments &&
          interface.parameterBytes <= usualParameterBytes;
}

Result<Ref<Buffer>> LaunchPlan::placeholder(Device &device) {
  std::lock_guard lock(mutex);
  if (!nothing) {
    PUMICE_TRY(nothing, device.allocate(256));
  }
  return nothing;
}

} // namespace pumice::hal
