//===- Kernel.cpp - native code of one entry point, ready to run ------------===//
#include "runtime/drivers/cpu/Kernel.h"

#include "runtime/drivers/cpu/Describe.h"
#include "runtime/drivers/cpu/Device.h"
#include "runtime/drivers/cpu/Faults.h"
#include "support/CompilerLibrary.h"

#include <algorithm>

namespace pumice::cpu_driver {

using executable::NativeBinding;
using executable::NativeKernelInfo;

/// Returns the bytes of workgroup memory. In Vulkan's SPIR-V, a constant sets the length of the
/// dynamic array, so the size in the code includes it. In other code, the launch's dynamic memory
/// follows the code's own memory. In OpenCL kernels, it starts at a multiple of 64.
static uint64_t workgroupMemory(const hal::KernelSource &source, const NativeKernelInfo &info) {
  uint64_t own = info.workgroupMemoryBytes, dynamic = source.dynamicMemoryBytes;
  if (source.kind == executable::VariantKind::OpenclSpirv && dynamic)
    return (own + 63) / 64 * 64 + dynamic;
  return own + (source.kind == executable::VariantKind::Native ? dynamic : 0);
}

/// Returns the printf formats of the code, or null if it has none.
static std::shared_ptr<const std::vector<executable::PrintfFormat>>
printfsOf(const NativeKernelInfo &info) {
  if (info.printfCount == 0)
    return nullptr;
  auto formats = std::make_shared<std::vector<executable::PrintfFormat>>();
  for (uint32_t i = 0; i < info.printfCount; ++i) {
    executable::PrintfFormat &format = formats->emplace_back();
    format.id = i;
    format.format = info.printfs[i].format;
    for (const char *type = info.printfs[i].types; *type; ++type)
      format.arguments.push_back(*type == 'i'   ? executable::ElementType::i32
                                 : *type == 'I' ? executable::ElementType::i64
                                 : *type == 'f' ? executable::ElementType::f32
                                                : executable::ElementType::f64);
  }
  return formats;
}

CpuKernel::CpuKernel(CpuDevice &device, const hal::KernelSource &source, Ref<NativeModule> module,
                     Ref<ProgramMemory> program)
    : Kernel(Ref<hal::Device>(&device), source), module(std::move(module)),
      program(std::move(program)), memoryBytes(workgroupMemory(source, info())),
      pushRoom(
          std::max(source.pushConstantBytes, static_cast<uint32_t>(info().pushConstantBytes))) {
  formats = printfsOf(info());
}

static Status checkRequest(const hal::KernelSource &source, const NativeKernelInfo &info) {
  if (source.requiredSubgroupSize && source.requiredSubgroupSize != info.subgroupSize)
    return Status(StatusCode::Unsupported, "subgroups of " +
                                               std::to_string(source.requiredSubgroupSize) +
                                               " lanes were requested, but the native code has " +
                                               std::to_string(info.subgroupSize));
  for (size_t d = 0; d < 3; ++d)
    if (source.workgroupSize[d] && source.workgroupSize[d] != info.workgroupSize[d])
      return Status(StatusCode::InvalidArgument,
                    "a workgroup size of " + std::to_string(source.workgroupSize[d]) + " along " +
                        "xyz"[d] + " was requested, but the native code has " +
                        std::to_string(info.workgroupSize[d]));
  uint64_t memory = workgroupMemory(source, info);
  if (memory > maxWorkgroupMemoryBytes)
    return Status(StatusCode::Unsupported, std::to_string(memory) +
                                               " bytes of workgroup memory; the limit is " +
                                               std::to_string(maxWorkgroupMemoryBytes));
  return Status::ok();
}

Status CpuKernel::bind(const hal::KernelSource &source) {
  for (uint32_t i = 0; i < info().bindingCount; ++i) {
    const NativeBinding &wanted = info().bindings[i];
    std::string name =
        "set " + std::to_string(wanted.set) + " binding " + std::to_string(wanted.binding);
    if (wanted.element != 0)
      name += " element " + std::to_string(wanted.element);
    auto found = std::ranges::find_if(source.bindings, [&](const hal::BindingSlot &slot) {
      return slot.set == wanted.set && slot.binding == wanted.binding &&
             slot.element == wanted.element;
    });
    if (found == source.bindings.end())
      return Status(StatusCode::InvalidArgument,
                    "the code reads " + name + ", which is not among its bindings");
    slotOf.push_back(static_cast<uint32_t>(found - source.bindings.begin()));
  }
  return Status::ok();
}

Result<Ref<CpuKernel>> CpuKernel::create(CpuDevice &device, const hal::KernelSource &source) {
  watchFaults();
  Result<Ref<NativeModule>> module =
      source.kind == executable::VariantKind::Native
          ? NativeModule::load(source.code, source.label.empty() ? source.symbol : source.label,
                               device.info().architecture)
          : device.cache.get(source);
  Status status = module.isOk() ? checkRequest(source, (*module)->info()) : module.status();
  Ref<ProgramMemory> program;
  if (status.isOk()) {
    Result<Ref<ProgramMemory>> memory = programMemory(source.program.get(), (*module)->info());
    status = memory.status();
    program = memory.isOk() ? *memory : nullptr;
  }
  if (status.isOk()) {
    auto kernel = Ref<CpuKernel>::adopt(new CpuKernel(device, source, *module, program));
    status = kernel->bind(source);
    if (status.isOk())
      return kernel;
  }
  return std::move(status).at("kernel '" + source.label + "'");
}

std::string CpuKernel::lineOf(uint64_t instruction) const {
  const CodeImage &code = module->code();
  return sourceLineOf(code.bytes(), code.fileAddress(instruction));
}

void CpuKernel::measured(double nanoseconds, uint64_t groups) const {
  auto now = static_cast<float>(nanoseconds / static_cast<double>(groups));
  float before = groupNanoseconds();
  // Several threads may store the estimate at once. Any of their results is good enough. The result
  // is never 0, which means unknown.
  // A large change probably means that the arguments are different.
  bool another = now > 8 * before || now < before / 8;
  float next = another ? now : before + (now - before) / 4;
  estimate.store(std::max(next, 0.01f), std::memory_order_relaxed);
}

} // namespace pumice::cpu_driver
