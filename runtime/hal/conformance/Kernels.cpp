//===- Kernels.cpp - the kernels of the suite -------------------------------===//
#include "runtime/hal/conformance/Kernels.h"

#include "runtime/hal/conformance/kernels/BlockAddressed.comp.h"
#include "runtime/hal/conformance/kernels/BlockDescribed.comp.h"
#include "runtime/hal/conformance/kernels/BlockPush.comp.h"
#include "runtime/hal/conformance/kernels/BlockPushAddress.comp.h"
#include "runtime/hal/conformance/kernels/Constants16.comp.h"
#include "runtime/hal/conformance/kernels/Constants32.comp.h"
#include "runtime/hal/conformance/kernels/Constants64.comp.h"
#include "runtime/hal/conformance/kernels/Constants8.comp.h"
#include "runtime/hal/conformance/kernels/ConstantsDouble.comp.h"
#include "runtime/hal/conformance/kernels/ConstantsHalf.comp.h"
#include "runtime/hal/conformance/kernels/DescriptorArray.comp.h"
#include "runtime/hal/conformance/kernels/Follow.comp.h"
#include "runtime/hal/conformance/kernels/Grid.comp.h"
#include "runtime/hal/conformance/kernels/Groups.comp.h"
#include "runtime/hal/conformance/kernels/Mix.comp.h"
#include "runtime/hal/conformance/kernels/MixAddress.comp.h"
#include "runtime/hal/conformance/kernels/PrintAddressed.comp.h"
#include "runtime/hal/conformance/kernels/PrintDescribed.comp.h"
#include "runtime/hal/conformance/kernels/Push1.comp.h"
#include "runtime/hal/conformance/kernels/Push32.comp.h"
#include "runtime/hal/conformance/kernels/Push64.comp.h"
#include "runtime/hal/conformance/kernels/Sets.comp.h"
#include "runtime/hal/conformance/kernels/Shared.comp.h"
#include "runtime/hal/conformance/kernels/Steps.comp.h"
#include "runtime/hal/conformance/kernels/Subgroups.comp.h"
#include "runtime/hal/conformance/kernels/Uniform.comp.h"
#include "runtime/hal/conformance/kernels/WorkgroupSize.comp.h"

#include <algorithm>
#include <cassert>
#include <cstring>

namespace pumice::hal::conformance {

namespace {

struct Code {
  std::string_view name;
  std::span<const uint32_t> words;
};

constexpr Code codes[] = {
    {"BlockAddressed", blockAddressedSpirv},
    {"BlockDescribed", blockDescribedSpirv},
    {"BlockPush", blockPushSpirv},
    {"BlockPushAddress", blockPushAddressSpirv},
    {"Constants16", constants16Spirv},
    {"Constants32", constants32Spirv},
    {"Constants64", constants64Spirv},
    {"Constants8", constants8Spirv},
    {"ConstantsDouble", constantsDoubleSpirv},
    {"ConstantsHalf", constantsHalfSpirv},
    {"DescriptorArray", descriptorArraySpirv},
    {"Follow", followSpirv},
    {"Grid", gridSpirv},
    {"Groups", groupsSpirv},
    {"Mix", mixSpirv},
    {"MixAddress", mixAddressSpirv},
    {"PrintAddressed", printAddressedSpirv},
    {"PrintDescribed", printDescribedSpirv},
    {"Push1", push1Spirv},
    {"Push32", push32Spirv},
    {"Push64", push64Spirv},
    {"Sets", setsSpirv},
    {"Shared", sharedSpirv},
    {"Steps", stepsSpirv},
    {"Subgroups", subgroupsSpirv},
    {"Uniform", uniformSpirv},
    {"WorkgroupSize", workgroupSizeSpirv},
};

} // namespace

std::span<const uint8_t> codeOf(std::string_view name) {
  auto found = std::find_if(std::begin(codes), std::end(codes),
                            [&](const Code &code) { return code.name == name; });
  assert(found != std::end(codes) && "no such kernel");
  return {reinterpret_cast<const uint8_t *>(found->words.data()), found->words.size_bytes()};
}

Result<Ref<Kernel>> makeKernel(Device &device, std::string_view name,
                               std::vector<BindingSlot> bindings, uint32_t pushConstantBytes,
                               std::vector<SpecializationConstant> constants) {
  KernelSource source;
  source.code = codeOf(name);
  source.symbol = "main";
  source.label = name;
  source.pushConstantBytes = pushConstantBytes;
  source.bindings = std::move(bindings);
  source.constants = std::move(constants);
  return device.createKernel(source);
}

Result<Mix> Mix::make(Device &device, Addressing addressing) {
  if (addressing == Addressing::Addresses) {
    PUMICE_TRY(Ref<Kernel> code, makeKernel(device, "MixAddress", {}, 36));
    return Mix(std::move(code), addressing);
  }
  PUMICE_TRY(Ref<Kernel> code, makeKernel(device, "Mix", {{0, 0}, {0, 1}, {0, 2}}, 12));
  return Mix(std::move(code), addressing);
}

Status Mix::dispatch(Queue &queue, Buffer &result, Buffer &a, Buffer &b, uint32_t count,
                     uint32_t factor, uint32_t spin) const {
  using executable::Access;
  // Lists each buffer only once, because two of the three may be the same.
  std::vector<BufferUse> uses{{&result, Access::Write}};
  for (Buffer *read : {&a, &b}) {
    auto known = std::find_if(uses.begin(), uses.end(),
                              [&](const BufferUse &use) { return use.buffer == read; });
    if (known == uses.end())
      uses.push_back({read, Access::Read});
    else if (known->buffer == &result)
      known->access = Access::ReadWrite;
  }
  const uint32_t numbers[] = {count, factor, spin};
  Dispatch work;
  work.kernel = code.get();
  work.groups = {(count + 63) / 64, 1, 1};
  work.uses = uses;
  if (addressing == Addressing::Descriptors) {
    const BufferRange bindings[] = {{&result}, {&a}, {&b}};
    work.pushConstants = std::as_bytes(std::span(numbers));
    work.bindings = bindings;
    return queue.dispatch(work);
  }
  const uint64_t addresses[] = {result.deviceAddress(), a.deviceAddress(), b.deviceAddress()};
  std::byte block[sizeof addresses + sizeof numbers];
  std::memcpy(block, addresses, sizeof addresses);
  std::memcpy(block + sizeof addresses, numbers, sizeof numbers);
  work.pushConstants = block;
  return queue.dispatch(work);
}

uint32_t Mix::of(uint32_t a, uint32_t b, uint32_t index, uint32_t factor, uint32_t spin) {
  uint32_t value = a * factor + (b ^ index);
  for (uint32_t i = 0; i < spin; ++i)
    value = value * 1664525u + 1013904223u;
  return value;
}

std::vector<uint32_t> Mix::of(std::span<const uint32_t> a, std::span<const uint32_t> b,
                              uint32_t factor, uint32_t spin) {
  std::vector<uint32_t> result(std::min(a.size(), b.size()));
  for (uint32_t i = 0; i < result.size(); ++i)
    result[i] = of(a[i], b[i], i, factor, spin);
  return result;
}

} // namespace pumice::hal::conformance
