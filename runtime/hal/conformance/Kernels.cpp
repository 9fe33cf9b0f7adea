//===- Kernels.cpp - the kernels of the suite -------------------------------===//
#include "runtime/hal/conformance/Kernels.h"

#include "runtime/hal/conformance/kernels/BlockAddressed.cl.h"
#include "runtime/hal/conformance/kernels/BlockAddressed.comp.h"
#include "runtime/hal/conformance/kernels/BlockDescribed.comp.h"
#include "runtime/hal/conformance/kernels/BlockPush.comp.h"
#include "runtime/hal/conformance/kernels/BlockPushAddress.cl.h"
#include "runtime/hal/conformance/kernels/BlockPushAddress.comp.h"
#include "runtime/hal/conformance/kernels/Constants16.cl.h"
#include "runtime/hal/conformance/kernels/Constants16.comp.h"
#include "runtime/hal/conformance/kernels/Constants32.cl.h"
#include "runtime/hal/conformance/kernels/Constants32.comp.h"
#include "runtime/hal/conformance/kernels/Constants64.cl.h"
#include "runtime/hal/conformance/kernels/Constants64.comp.h"
#include "runtime/hal/conformance/kernels/Constants8.cl.h"
#include "runtime/hal/conformance/kernels/Constants8.comp.h"
#include "runtime/hal/conformance/kernels/ConstantsDouble.cl.h"
#include "runtime/hal/conformance/kernels/ConstantsDouble.comp.h"
#include "runtime/hal/conformance/kernels/ConstantsHalf.cl.h"
#include "runtime/hal/conformance/kernels/ConstantsHalf.comp.h"
#include "runtime/hal/conformance/kernels/DescriptorArray.comp.h"
#include "runtime/hal/conformance/kernels/Follow.cl.h"
#include "runtime/hal/conformance/kernels/Follow.comp.h"
#include "runtime/hal/conformance/kernels/Grid.cl.h"
#include "runtime/hal/conformance/kernels/Grid.comp.h"
#include "runtime/hal/conformance/kernels/Groups.cl.h"
#include "runtime/hal/conformance/kernels/Groups.comp.h"
#include "runtime/hal/conformance/kernels/Mix.cl.h"
#include "runtime/hal/conformance/kernels/Mix.comp.h"
#include "runtime/hal/conformance/kernels/MixAddress.comp.h"
#include "runtime/hal/conformance/kernels/PrintAddressed.cl.h"
#include "runtime/hal/conformance/kernels/PrintAddressed.comp.h"
#include "runtime/hal/conformance/kernels/PrintDescribed.comp.h"
#include "runtime/hal/conformance/kernels/Push1.cl.h"
#include "runtime/hal/conformance/kernels/Push1.comp.h"
#include "runtime/hal/conformance/kernels/Push32.cl.h"
#include "runtime/hal/conformance/kernels/Push32.comp.h"
#include "runtime/hal/conformance/kernels/Push64.cl.h"
#include "runtime/hal/conformance/kernels/Push64.comp.h"
#include "runtime/hal/conformance/kernels/Sets.comp.h"
#include "runtime/hal/conformance/kernels/Shared.cl.h"
#include "runtime/hal/conformance/kernels/Shared.comp.h"
#include "runtime/hal/conformance/kernels/Steps.cl.h"
#include "runtime/hal/conformance/kernels/Steps.comp.h"
#include "runtime/hal/conformance/kernels/Subgroups.cl.h"
#include "runtime/hal/conformance/kernels/Subgroups.comp.h"
#include "runtime/hal/conformance/kernels/Uniform.cl.h"
#include "runtime/hal/conformance/kernels/Uniform.comp.h"
#include "runtime/hal/conformance/kernels/WorkgroupSize.cl.h"
#include "runtime/hal/conformance/kernels/WorkgroupSize.comp.h"

#include <algorithm>
#include <cassert>
#include <cstring>

#ifdef PUMICE_HAS_MSL
#include "tests/metal/Translate.h"
#endif

#include <map>

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

constexpr Code openClCodes[] = {
    {"BlockAddressed", BlockAddressedOpenCl},
    {"BlockPushAddress", BlockPushAddressOpenCl},
    {"Constants16", Constants16OpenCl},
    {"Constants32", Constants32OpenCl},
    {"Constants64", Constants64OpenCl},
    {"Constants8", Constants8OpenCl},
    {"ConstantsDouble", ConstantsDoubleOpenCl},
    {"ConstantsHalf", ConstantsHalfOpenCl},
    {"Follow", FollowOpenCl},
    {"Grid", GridOpenCl},
    {"Groups", GroupsOpenCl},
    {"Mix", MixOpenCl},
    {"PrintAddressed", PrintAddressedOpenCl},
    {"Push1", Push1OpenCl},
    {"Push32", Push32OpenCl},
    {"Push64", Push64OpenCl},
    {"Shared", SharedOpenCl},
    {"Steps", StepsOpenCl},
    {"Subgroups", SubgroupsOpenCl},
    {"Uniform", UniformOpenCl},
    {"WorkgroupSize", WorkgroupSizeOpenCl},
    {"MixAddress", MixOpenCl},
};

std::span<const uint8_t> find(std::span<const Code> list, std::string_view name) {
  auto found = std::ranges::find(list, name, &Code::name);
  assert(found != list.end() && "no such kernel");
  return {reinterpret_cast<const uint8_t *>(found->words.data()), found->words.size_bytes()};
}

/// Takes the value of a constant out of the list, or returns `otherwise`.
uint32_t take(std::vector<SpecializationConstant> &constants, uint32_t id, uint32_t otherwise) {
  auto found = std::ranges::find(constants, id, &SpecializationConstant::id);
  if (found == constants.end())
    return otherwise;
  auto value = static_cast<uint32_t>(found->bits);
  constants.erase(found);
  return value;
}

} // namespace

std::span<const uint8_t> codeOf(std::string_view name) { return find(codes, name); }
std::span<const uint8_t> openClCodeOf(std::string_view name) { return find(openClCodes, name); }

#ifdef PUMICE_HAS_MSL
/// Returns the kernel in Metal's language. Each is translated once.
static std::span<const uint8_t> mslCodeOf(std::string_view name) {
  static std::map<std::string, std::string, std::less<>> translated;
  auto found = translated.find(name);
  if (found == translated.end()) {
    std::span<const uint8_t> bytes = codeOf(name);
    std::vector<uint32_t> words(bytes.size() / sizeof(uint32_t));
    std::memcpy(words.data(), bytes.data(), bytes.size());
    Result<std::string> msl = msl::translate(words);
    // Metal cannot run a kernel without a translation. The reason is the code, which it rejects.
    found = translated.emplace(name, msl.isOk() ? *msl : msl.status().message()).first;
  }
  return {reinterpret_cast<const uint8_t *>(found->second.data()), found->second.size()};
}
#endif

executable::VariantKind kindFor(const DeviceInfo &info) {
  using executable::VariantKind;
  if (info.isOpenCl())
    return VariantKind::OpenclSpirv;
  bool isMetal = std::ranges::find(info.kinds, VariantKind::Msl) != info.kinds.end();
  return isMetal ? VariantKind::Msl : VariantKind::VulkanSpirv;
}

std::span<const uint8_t> codeFor(const DeviceInfo &info, std::string_view name) {
  if (info.isOpenCl())
    return openClCodeOf(name);
#ifdef PUMICE_HAS_MSL
  if (kindFor(info) == executable::VariantKind::Msl)
    return mslCodeOf(name);
#endif
  return codeOf(name);
}

KernelSource sourceOf(const DeviceInfo &info, std::string_view name,
                      std::vector<BindingSlot> bindings, uint32_t pushConstantBytes,
                      std::vector<SpecializationConstant> constants) {
  KernelSource source;
  source.label = name;
  source.pushConstantBytes = pushConstantBytes;
  if (!info.isOpenCl()) {
    source.symbol = shaderSymbol;
    source.bindings = std::move(bindings);
    source.constants = std::move(constants);
    source.kind = kindFor(info);
    source.code = codeFor(info, name);
    if (source.kind == executable::VariantKind::Msl)
      source.symbol = mslSymbol;
    return source;
  }
  source.kind = executable::VariantKind::OpenclSpirv;
  source.code = openClCodeOf(name);
  source.symbol = openClSymbol;
  source.pushConstantBytes += static_cast<uint32_t>(bindings.size() * sizeof(uint64_t));
  if (name == "WorkgroupSize")
    for (uint32_t d = 0; d < 3; ++d)
      source.workgroupSize[d] = take(constants, d, 1);
  if (name == "Shared") { // also takes the place of its memory, which is 0
    source.pushConstantBytes += sizeof(uint64_t);
    for (const SpecializationConstant &constant : constants)
      source.dynamicMemoryBytes = static_cast<uint32_t>(constant.bits * sizeof(uint32_t));
  }
  source.constants = std::move(constants);
  return source;
}

Result<Ref<Kernel>> makeKernel(Device &device, std::string_view name,
                               std::vector<BindingSlot> bindings, uint32_t pushConstantBytes,
                               std::vector<SpecializationConstant> constants) {
  return device.createKernel(
      sourceOf(device.info(), name, std::move(bindings), pushConstantBytes, std::move(constants)));
}

Status submit(Queue &queue, Dispatch work) {
  if (!work.kernel || !work.kernel->isOpenCl())
    return queue.dispatch(work);
  std::vector<std::byte> block;
  auto append = [&](std::span<const std::byte> bytes) {
    block.insert(block.end(), bytes.begin(), bytes.end());
  };
  for (const BufferRange &binding : work.bindings) {
    uint64_t address = binding.buffer->deviceAddress() + binding.offset;
    append(std::as_bytes(std::span(&address, 1)));
  }
  append(work.pushConstants);
  block.resize(work.kernel->pushConstantBytes());
  work.bindings = {};
  work.pushConstants = block;
  return queue.dispatch(work);
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
    return submit(queue, work);
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
