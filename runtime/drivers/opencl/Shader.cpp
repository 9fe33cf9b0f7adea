//===- Shader.cpp - shaders as kernels --------------------------------------===//
#include "runtime/drivers/opencl/Shader.h"

#include "runtime/drivers/opencl/DiskKey.h"

#include "support/CompilerLibrary.h"

#include <cstring>

namespace pumice::opencl_driver {
namespace {

namespace side = compiler_interface;

constexpr char shaderKind[] = "opencl-shader";
constexpr uint32_t slotBytes = 2 * sizeof(uint64_t); // an address and a length

/// Returns a text with everything on which the kernel's code depends.
std::string keyOfShader(const std::string &target, const hal::KernelSource &source) {
  std::string key;
  appendToKey(key, compilerLibraryStamp());
  appendToKey(key, target);
  appendToKey(key, source.symbol);
  appendToKey(key, source.constants.size());
  for (const hal::SpecializationConstant &constant : source.constants) {
    appendToKey(key, uint64_t{constant.id} << 32 | constant.bytes);
    appendToKey(key, constant.bits);
  }
  appendToKey(key, source.bindings.size());
  for (const hal::BindingSlot &slot : source.bindings) {
    appendToKey(key, uint64_t{slot.set} << 32 | slot.binding);
    appendToKey(key, slot.element);
  }
  appendToKey(key, uint64_t{source.pushConstantBytes} << 32 | source.requiredSubgroupSize);
  appendToKey(key, source.robustAccess);
  appendToKey(key, std::string_view(reinterpret_cast<const char *>(source.code.data()),
                                    source.code.size()));
  return key;
}

side::Text textOf(std::string_view text) { return {text.data(), text.size()}; }

Result<std::vector<uint8_t>> compile(const std::string &target, const hal::KernelSource &source) {
  std::vector<side::NativeConstant> constants;
  for (const hal::SpecializationConstant &constant : source.constants)
    constants.push_back({constant.id, constant.bytes, constant.bits});
  std::vector<side::ShaderSlot> slots;
  for (const hal::BindingSlot &slot : source.bindings)
    slots.push_back({slot.set, slot.binding, slot.element});
  side::ShaderRequest request;
  request.code = {reinterpret_cast<const char *>(source.code.data()), source.code.size()};
  request.entryPoint = textOf(source.symbol);
  request.label = textOf(source.label);
  request.constants = constants.data();
  request.constantCount = constants.size();
  request.slots = slots.data();
  request.slotCount = slots.size();
  request.pushConstantBytes = source.pushConstantBytes;
  request.requiredSubgroupSize = source.requiredSubgroupSize;
  request.robustAccess = source.robustAccess;
  request.target = textOf(target);
  return compileShader(request);
}

} // namespace

Result<std::vector<uint8_t>> kernelOfShader(const hal::DeviceInfo &device,
                                            const hal::KernelSource &source,
                                            const std::optional<DiskCache> &disk) {
  std::string target = hal::targetEnvironmentJson(device), key = keyOfShader(target, source);
  if (disk)
    if (std::optional<std::vector<uint8_t>> known = disk->readKeyed(shaderKind, key))
      return std::move(*known);
  PUMICE_TRY(std::vector<uint8_t> code, compile(target, source));
  if (disk) // a cache that is full or missing is not an error
    (void)disk->writeKeyed(shaderKind, key, code);
  return code;
}

std::string_view nameOfShaderKernel() { return side::shaderKernelName; }

std::vector<Parameter> parametersOfShader(size_t slots, uint32_t pushConstantBytes) {
  std::vector<Parameter> parameters;
  uint32_t offset = 0;
  auto add = [&](Parameter::Kind kind) {
    parameters.push_back({kind, offset, sizeof(uint64_t)});
    offset += sizeof(uint64_t);
  };
  for (size_t i = 0; i < slots; ++i) {
    add(Parameter::Kind::Address);
    add(Parameter::Kind::Value);
  }
  for (uint32_t i = 0; i < pushConstantBytes; i += sizeof(uint64_t))
    add(Parameter::Kind::Value);
  return parameters;
}

void blockOfShader(const hal::Dispatch &dispatch, std::vector<std::byte> &block) {
  constexpr size_t word = sizeof(uint64_t);
  size_t constants = (dispatch.pushConstants.size() + word - 1) / word * word;
  block.assign(dispatch.bindings.size() * slotBytes + constants, std::byte{0});
  std::byte *at = block.data();
  for (const hal::BufferRange &range : dispatch.bindings) {
    const uint64_t place[] = {range.buffer ? range.buffer->deviceAddress() + range.offset : 0,
                              range.bytes};
    std::memcpy(at, place, sizeof place);
    at += sizeof place;
  }
  if (!dispatch.pushConstants.empty())
    std::memcpy(at, dispatch.pushConstants.data(), dispatch.pushConstants.size());
}

} // namespace pumice::opencl_driver
