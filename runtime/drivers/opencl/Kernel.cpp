//===- Kernel.cpp - one kernel of a program, ready to run -------------------===//
#include "runtime/drivers/opencl/Kernel.h"

#include "runtime/drivers/opencl/Device.h"
#include "runtime/drivers/opencl/Shader.h"
#include "runtime/drivers/opencl/SubgroupSize.h"
#include "support/EnglishText.h"

#include <algorithm>
#include <cstring>

namespace pumice::opencl_driver {
namespace {

using executable::SpirvEntryPoint;
using executable::SpirvModule;

constexpr uint32_t modelKernel = 6;

Status unsupported(std::string message) {
  return Status(StatusCode::Unsupported, std::move(message));
}

std::string textOf(Version version) {
  return std::to_string(version.major) + "." + std::to_string(version.minor);
}

/// Rejects modules that the driver cannot take. Drivers report some of them by ending the process.
Status checkModule(const SpirvModule &module, const DeviceFacts &facts) {
  Version version{module.versionMajor, module.versionMinor};
  if (!facts.spirvVersions.empty() && version > facts.spirvVersions.back())
    return unsupported("the code is SPIR-V " + textOf(version) + "; the device takes up to " +
                       textOf(facts.spirvVersions.back()));
  constexpr uint32_t float16 = 9, float64 = 10, int64Atomics = 12;
  auto declares = [&](uint32_t capability) {
    return std::ranges::find(module.capabilities, capability) != module.capabilities.end();
  };
  std::string missing;
  auto need = [&](bool needed, bool present, const char *what) {
    if (needed && !present)
      missing += (missing.empty() ? "" : ", ") + std::string(what);
  };
  need(declares(float16), facts.extensions.contains("cl_khr_fp16"), "16-bit floats (cl_khr_fp16)");
  need(declares(float64), facts.doubleConfig != 0, "64-bit floats (cl_khr_fp64)");
  need(declares(int64Atomics), facts.extensions.contains("cl_khr_int64_base_atomics"),
       "64-bit atomics (cl_khr_int64_base_atomics)");
  return missing.empty() ? Status::ok() : unsupported("the device lacks " + missing);
}

/// Returns the constants with the sizes that OpenCL takes: booleans have one byte.
std::vector<hal::SpecializationConstant>
constantsFor(const SpirvModule &module, const std::vector<hal::SpecializationConstant> &given) {
  std::vector<hal::SpecializationConstant> constants;
  for (hal::SpecializationConstant constant : given) {
    auto known =
        std::ranges::find(module.specConstants, constant.id, &executable::SpirvSpecConstant::id);
    if (known == module.specConstants.end())
      continue; // as in Vulkan, a constant that the code lacks has no effect
    if (known->scalar == executable::SpirvScalar::Bool) {
      constant.bytes = 1;
      constant.bits = constant.bits != 0;
    }
    constants.push_back(constant);
  }
  return constants;
}

Result<SpirvModule> reflected(const hal::KernelSource &source) {
  std::vector<executable::SpirvConstantValue> values;
  for (const hal::SpecializationConstant &constant : source.constants)
    values.push_back({constant.id, constant.bits});
  return executable::reflectSpirv(source.code, {}, values);
}

} // namespace

OpenClKernel::OpenClKernel(OpenClDevice &device, const hal::KernelSource &source,
                           Ref<Program> program, cl_kernel handle, Parts given)
    : Kernel(Ref<hal::Device>(&device), source), owner(device), context(*device.context),
      program(std::move(program)), handle(handle), parts(std::move(given)) {
  pieces.resize(parts.parameters.size());
  for (const Parameter &parameter : parts.parameters)
    hasWorkgroupParameters |= parameter.kind == Parameter::Kind::Workgroup;
}

OpenClKernel::~OpenClKernel() {
  if (context.isAbandoned())
    return;
  for (cl_mem piece : pieces)
    if (piece)
      context.cl.clReleaseMemObject(piece);
  context.cl.clReleaseKernel(handle);
}

/// Makes a kernel of a shader. Its module has the specialization constants, and the subgroup size.
Result<Ref<hal::Kernel>> OpenClKernel::createFromShader(OpenClDevice &device,
                                                        const hal::KernelSource &source) {
  PUMICE_TRY(std::vector<uint8_t> code, kernelOfShader(device.info(), source, device.cache));
  const Context &context = *device.context;
  PUMICE_TRY(SpirvModule module, executable::reflectSpirv(code));
  PUMICE_RETURN_IF_ERROR(checkModule(module, context.facts));
  Parts parts;
  parts.isShader = true;
  parts.parameters = parametersOfShader(source.bindings.size(), source.pushConstantBytes);
  for (const SpirvEntryPoint &entry : module.entryPoints)
    parts.workgroupSize = entry.workgroupSize;
  Ref<ScopePrograms> scope =
      source.program ? source.program->state<ScopePrograms>() : makeRef<ScopePrograms>();
  PUMICE_TRY(Ref<Program> program, scope->get(device.context, device.cache, {code, {}}));
  cl_int result = CL_SUCCESS;
  std::string name(nameOfShaderKernel());
  cl_kernel handle =
      PUMICE_CL_MAKE(result, context.cl, clCreateKernel, program->handle, name.c_str());
  PUMICE_RETURN_IF_ERROR(toStatus(result, "clCreateKernel"));
  auto kernel = Ref<OpenClKernel>::adopt(
      new OpenClKernel(device, source, std::move(program), handle, std::move(parts)));
  PUMICE_RETURN_IF_ERROR(kernel->checkHandle());
  return Ref<hal::Kernel>(kernel);
}

void OpenClKernel::assignBlock(const hal::Dispatch &dispatch, std::vector<std::byte> &block) const {
  if (parts.isShader)
    blockOfShader(dispatch, block);
  else
    block.assign(dispatch.pushConstants.begin(), dispatch.pushConstants.end());
}

bool OpenClKernel::followsPointers(const hal::Dispatch &dispatch) const {
  if (dispatch.touchesUnnamedMemory)
    return true;
  if (parts.isShader) // further buffers are reached by addresses in push constants or memory
    return dispatch.uses.size() > dispatch.bindings.size();
  auto isArgument = [&](const hal::BufferUse &use) {
    return std::ranges::any_of(parts.parameters, [&](const Parameter &parameter) {
      if (parameter.kind != Parameter::Kind::Address)
        return false;
      uint64_t address = 0;
      std::memcpy(&address, dispatch.pushConstants.data() + parameter.offset, sizeof address);
      return address - use.buffer->deviceAddress() < use.buffer->bytes();
    });
  };
  return !std::ranges::all_of(dispatch.uses, isArgument);
}

Status OpenClKernel::checkHandle() const {
  cl_uint count = 0;
  PUMICE_RETURN_IF_ERROR(PUMICE_CL_STATUS(context.cl, clGetKernelInfo, handle, CL_KERNEL_NUM_ARGS,
                                          sizeof count, &count, nullptr));
  if (count != parts.parameters.size())
    return unsupported("the driver sees " + counted(count, "argument") +
                       " in the code, which has " + std::to_string(parts.parameters.size()));
  size_t most = 0;
  PUMICE_RETURN_IF_ERROR(PUMICE_CL_STATUS(context.cl, clGetKernelWorkGroupInfo, handle,
                                          context.facts.device, CL_KERNEL_WORK_GROUP_SIZE,
                                          sizeof most, &most, nullptr));
  uint64_t invocations = 1;
  for (uint32_t size : parts.workgroupSize)
    invocations *= size;
  if (invocations > most)
    return unsupported("workgroups of " + std::to_string(invocations) +
                       " invocations; the driver runs at most " + std::to_string(most) +
                       " of this kernel; compile it with smaller workgroups");
  return Status::ok();
}

Result<Ref<hal::Kernel>> OpenClKernel::create(OpenClDevice &device,
                                              const hal::KernelSource &source) {
  std::string place = "kernel '" + (source.label.empty() ? source.symbol : source.label) + "'";
  auto make = [&]() -> Result<Ref<hal::Kernel>> {
    const Context &context = *device.context;
    PUMICE_TRY(SpirvModule module, reflected(source));
    if (!module.openCl)
      return createFromShader(device, source);
    PUMICE_RETURN_IF_ERROR(checkModule(module, context.facts));
    auto entry = std::ranges::find_if(module.entryPoints, [&](const SpirvEntryPoint &each) {
      return each.name == source.symbol && each.model == modelKernel;
    });
    if (entry == module.entryPoints.end()) // the HAL has checked that some entry point has the name
      return unsupported("'" + source.symbol + "' is a shader; expected a kernel");
    Parts parts;
    PUMICE_TRY(parts.parameters, parametersOf(*entry));
    parts.dynamicBytes = source.dynamicMemoryBytes;
    if (uint32_t least = leastBlockBytes(parts.parameters); source.pushConstantBytes < least)
      return Status(StatusCode::InvalidArgument, "the code takes " + counted(least, "byte") +
                                                     " of arguments; its interface has " +
                                                     std::to_string(source.pushConstantBytes));
    if (!source.bindings.empty())
      return Status(StatusCode::InvalidArgument,
                    "OpenCL kernels have no descriptors; pass addresses as arguments");
    bool isOpen = entry->workgroupSize == std::array<uint32_t, 3>{0, 0, 0};
    for (size_t d = 0; d < 3; ++d)
      parts.workgroupSize[d] =
          std::max(isOpen ? source.workgroupSize[d] : entry->workgroupSize[d], 1u);
    std::vector<uint8_t> changed;
    ProgramSource from{source.code, constantsFor(module, source.constants)};
    if (source.requiredSubgroupSize) {
      changed = withSubgroupSize(source.code, source.symbol, source.requiredSubgroupSize);
      from.code = changed;
    }
    Ref<ScopePrograms> scope =
        source.program ? source.program->state<ScopePrograms>() : makeRef<ScopePrograms>();
    PUMICE_TRY(Ref<Program> program, scope->get(device.context, device.cache, from));
    cl_int result = CL_SUCCESS;
    cl_kernel handle =
        PUMICE_CL_MAKE(result, context.cl, clCreateKernel, program->handle, source.symbol.c_str());
    PUMICE_RETURN_IF_ERROR(toStatus(result, "clCreateKernel"));
    auto kernel = Ref<OpenClKernel>::adopt(
        new OpenClKernel(device, source, std::move(program), handle, std::move(parts)));
    PUMICE_RETURN_IF_ERROR(kernel->checkHandle());
    return Ref<hal::Kernel>(kernel);
  };
  Result<Ref<hal::Kernel>> made = make();
  return made.isOk() ? std::move(made) : device.noted(Status(made.status()).at(place));
}

/// A part of a buffer object has to begin at a multiple that the device states.
Status OpenClKernel::setBuffer(uint32_t index, uint64_t address) const {
  if (cl_mem piece = std::exchange(pieces[index], nullptr))
    context.cl.clReleaseMemObject(piece); // the queue keeps it as long as work uses it
  if (address == 0)
    return PUMICE_CL_STATUS(context.cl, clSetKernelArg, handle, index, sizeof(cl_mem), nullptr);
  const Allocation *allocation = owner.memory.around(address);
  if (!allocation)
    return Status(StatusCode::InvalidArgument,
                  "argument " + std::to_string(index) + " is the address of no buffer");
  cl_mem object = allocation->object;
  if (uint64_t offset = address - allocation->address) {
    uint64_t alignment = std::max(context.facts.bufferAlignmentBits / 8, 1u);
    if (offset % alignment)
      return unsupported("argument " + std::to_string(index) + " begins at byte " +
                         std::to_string(offset) +
                         " of its buffer; the device has buffer objects "
                         "only, whose parts begin at multiples of " +
                         std::to_string(alignment) + ": copy the part to a buffer of its own");
    cl_buffer_region region{offset, (allocation->bytes + 3) / 4 * 4 - offset};
    cl_int result = CL_SUCCESS;
    object = PUMICE_CL_MAKE(result, context.cl, clCreateSubBuffer, allocation->object,
                            CL_MEM_READ_WRITE, CL_BUFFER_CREATE_TYPE_REGION, &region);
    PUMICE_RETURN_IF_ERROR(toStatus(result, "clCreateSubBuffer"));
    pieces[index] = object;
  }
  return PUMICE_CL_STATUS(context.cl, clSetKernelArg, handle, index, sizeof object, &object);
}

Status OpenClKernel::setAddress(uint32_t index, uint64_t address) const {
  const auto *pointer = reinterpret_cast<const void *>(address);
  if (context.addressing == Addressing::Buffers)
    return setBuffer(index, address);
  if (context.addressing == Addressing::Usm)
    return PUMICE_CL_STATUS(context.usm, clSetKernelArgMemPointerINTEL, handle, index, pointer);
  return PUMICE_CL_STATUS(context.cl, clSetKernelArgSVMPointer, handle, index, pointer);
}

/// Compares two arguments. Nearly all have 4 or 8 bytes, which need no call.
static bool isSame(const std::byte *a, const std::byte *b, uint32_t bytes) {
  if (bytes == 4)
    return std::memcmp(a, b, 4) == 0;
  if (bytes == 8)
    return std::memcmp(a, b, 8) == 0;
  return std::memcmp(a, b, bytes) == 0;
}

Status OpenClKernel::setArguments(std::span<const std::byte> block) const {
  uint64_t generation = owner.memory.generation();
  bool first = !isSet, moved = generation != lastGeneration;
  std::vector<uint32_t> local;
  if (hasWorkgroupParameters) {
    PUMICE_TRY(local, workgroupBytes(parts.parameters, block, parts.dynamicBytes));
  }
  static constexpr std::byte nothing[8] = {};
  for (uint32_t i = 0; i < parts.parameters.size(); ++i) {
    const Parameter &parameter = parts.parameters[i];
    const std::byte *value = block.data() + parameter.offset;
    bool isAddress = parameter.kind == Parameter::Kind::Address;
    bool isLocal = parameter.kind == Parameter::Kind::Workgroup;
    if (isLocal && parameter.offset + parameter.bytes > block.size())
      value = nothing;
    bool same =
        !first && !(moved && isAddress) &&
        (value == nothing || isSame(value, last.data() + parameter.offset, parameter.bytes));
    if (same) [[likely]]
      continue;
    Status status;
    if (isAddress) {
      uint64_t address = 0;
      std::memcpy(&address, value, sizeof address);
      status = setAddress(i, address);
    } else if (isLocal) {
      status = PUMICE_CL_STATUS(context.cl, clSetKernelArg, handle, i, local[i], nullptr);
    } else {
      status = PUMICE_CL_STATUS(context.cl, clSetKernelArg, handle, i, parameter.bytes, value);
    }
    if (!status.isOk()) {
      isSet = false; // some arguments are new, so the next launch sets all of them
      return status;
    }
  }
  last.assign(block.begin(), block.end());
  isSet = true;
  lastGeneration = generation;
  return Status::ok();
}

/// Lets the kernel follow pointers that it reads from memory. Launches on Intel's runtime are
/// slower then, so only kernels that need it get it. Shared virtual memory has to be named.
Status OpenClKernel::allowPointers() const {
  if (context.addressing == Addressing::Buffers || allowsPointers)
    return Status::ok();
  if (context.addressing == Addressing::Usm) {
    allowsPointers = true;
    cl_bool yes = CL_TRUE;
    for (cl_uint which : {CL_KERNEL_EXEC_INFO_INDIRECT_HOST_ACCESS_INTEL,
                          CL_KERNEL_EXEC_INFO_INDIRECT_DEVICE_ACCESS_INTEL,
                          CL_KERNEL_EXEC_INFO_INDIRECT_SHARED_ACCESS_INTEL})
      // A device without one kind of memory rejects its flag.
      (void)PUMICE_CL(context.cl, clSetKernelExecInfo, handle, which, sizeof yes, &yes);
    return Status::ok();
  }
  std::vector<void *> all = owner.memory.addresses();
  if (all.empty())
    return Status::ok();
  return PUMICE_CL_STATUS(context.cl, clSetKernelExecInfo, handle, CL_KERNEL_EXEC_INFO_SVM_PTRS,
                          all.size() * sizeof(void *), all.data());
}

Status OpenClKernel::enqueue(cl_command_queue queue, std::span<const std::byte> block,
                             const hal::Dispatch &grid, cl_event *done) const {
  if (!parts.parameters.empty())
    PUMICE_RETURN_IF_ERROR(setArguments(block));
  if (grid.touchesUnnamedMemory)
    PUMICE_RETURN_IF_ERROR(allowPointers());
  size_t global[3], offset[3];
  size_t local[3];
  bool isOffset = false;
  for (size_t d = 0; d < 3; ++d) {
    local[d] = parts.workgroupSize[d];
    global[d] = size_t{grid.groups[d]} * local[d];
    offset[d] = grid.globalOffset[d];
    isOffset |= offset[d] != 0;
  }
  return PUMICE_CL_STATUS(context.cl, clEnqueueNDRangeKernel, queue, handle, grid.dimensions,
                          isOffset ? offset : nullptr, global, local, 0, nullptr, done);
}

} // namespace pumice::opencl_driver
