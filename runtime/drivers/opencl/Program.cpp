//===- Program.cpp - a module that the device's driver has compiled ---------===//
// The cache on disk keeps the driver's binaries. The key has the device, the
// driver and its version, the constants and the code. If the driver rejects a binary, the code is
// compiled again, and the file is replaced.
//===-------------------------------------------------------------------------===//
#include "runtime/drivers/opencl/Program.h"

#include "runtime/drivers/opencl/DiskKey.h"

#include "support/Version.h"

namespace pumice::opencl_driver {
namespace {

constexpr char programKind[] = "opencl";

std::string keyOf(const Context &context, const ProgramSource &source) {
  std::string key;
  appendToKey(key, PUMICE_VERSION_TEXT);
  appendToKey(key, context.facts.platformName);
  appendToKey(key, context.facts.name);
  appendToKey(key, context.facts.driverVersion);
  appendToKey(key, source.constants.size());
  for (const hal::SpecializationConstant &constant : source.constants) {
    appendToKey(key, uint64_t{constant.id} << 32 | constant.bytes);
    appendToKey(key, constant.bits);
  }
  appendToKey(key, std::string_view(reinterpret_cast<const char *>(source.code.data()),
                                    source.code.size()));
  return key;
}

std::string buildLog(const Context &context, cl_program program) {
  size_t size = 0;
  cl_device_id device = context.facts.device;
  context.cl.clGetProgramBuildInfo(program, device, CL_PROGRAM_BUILD_LOG, 0, nullptr, &size);
  std::string log(size, '\0');
  context.cl.clGetProgramBuildInfo(program, device, CL_PROGRAM_BUILD_LOG, size, log.data(),
                                   nullptr);
  log.resize(std::min(log.find('\0'), log.size()));
  log.erase(log.find_last_not_of(" \n\r\t") + 1);
  return log;
}

Status build(const Context &context, cl_program program) {
  Status status = PUMICE_CL_STATUS(context.cl, clBuildProgram, program, 1, &context.facts.device,
                                   "", nullptr, nullptr);
  if (status.isOk())
    return status;
  std::string log = buildLog(context, program);
  if (log.empty())
    return status;
  return Status(status.code(), status.message() + ":\n" + log);
}

/// Returns a lock for drivers that compile only one program at a time. PoCL 6.0 runs a program that
/// translates SPIR-V, and loses its output if two threads do so. It then rejects constants that the
/// module has.
std::unique_lock<std::mutex> compileAlone(const Context &context) {
  static std::mutex &gate = *new std::mutex; // also used while the process ends
  if (!context.isPocl())
    return {};
  return std::unique_lock(gate);
}

Result<Ref<Program>> compile(const std::shared_ptr<const Context> &kept,
                             const ProgramSource &source) {
  const Context &context = *kept;
  std::unique_lock<std::mutex> alone = compileAlone(context);
  cl_int result = CL_SUCCESS;
  cl_program made = PUMICE_CL_MAKE(result, context.cl, clCreateProgramWithIL, context.handle,
                                   source.code.data(), source.code.size());
  PUMICE_RETURN_IF_ERROR(toStatus(result, "clCreateProgramWithIL"));
  auto program = makeRef<Program>(kept, made);
  for (const hal::SpecializationConstant &constant : source.constants)
    PUMICE_RETURN_IF_ERROR(PUMICE_CL_STATUS(context.cl, clSetProgramSpecializationConstant, made,
                                            constant.id, constant.bytes, &constant.bits));
  PUMICE_RETURN_IF_ERROR(build(context, made));
  return program;
}

/// Returns the program from the driver's own bytes, or null if the driver rejects them.
Ref<Program> load(const std::shared_ptr<const Context> &kept, std::span<const uint8_t> binary) {
  const Context &context = *kept;
  const unsigned char *bytes = binary.data();
  size_t size = binary.size();
  cl_int result = CL_SUCCESS, status = CL_SUCCESS;
  cl_program made = PUMICE_CL_MAKE(result, context.cl, clCreateProgramWithBinary, context.handle, 1,
                                   &context.facts.device, &size, &bytes, &status);
  if (result != CL_SUCCESS || !made)
    return nullptr;
  auto program = makeRef<Program>(kept, made);
  if (status != CL_SUCCESS || !build(context, made).isOk())
    return nullptr;
  return program;
}

std::vector<uint8_t> binaryOf(const Context &context, cl_program program) {
  size_t size = 0;
  if (PUMICE_CL(context.cl, clGetProgramInfo, program, CL_PROGRAM_BINARY_SIZES, sizeof size, &size,
                nullptr) != CL_SUCCESS)
    return {};
  std::vector<uint8_t> bytes(size);
  unsigned char *place = bytes.data();
  if (PUMICE_CL(context.cl, clGetProgramInfo, program, CL_PROGRAM_BINARIES, sizeof place, &place,
                nullptr) != CL_SUCCESS)
    return {};
  return bytes;
}

Ref<Program> readDisk(const std::shared_ptr<const Context> &context, const DiskCache &disk,
                      std::string_view key) {
  std::optional<std::vector<uint8_t>> binary = disk.readKeyed(programKind, key);
  return binary && !binary->empty() ? load(context, *binary) : nullptr;
}

void writeDisk(const Context &context, const DiskCache &disk, std::string_view key,
               cl_program program) {
  std::vector<uint8_t> binary = binaryOf(context, program);
  if (!binary.empty()) // a cache that is full or missing is not an error
    (void)disk.writeKeyed(programKind, key, binary);
}

} // namespace

Program::~Program() {
  if (!context->isAbandoned())
    context->cl.clReleaseProgram(handle);
}

Result<Ref<Program>> ScopePrograms::get(const std::shared_ptr<const Context> &context,
                                        const std::optional<DiskCache> &disk,
                                        const ProgramSource &source) {
  std::string key = keyOf(*context, source);
  std::lock_guard lock(mutex);
  if (auto found = programs.find(key); found != programs.end())
    return found->second;
  Ref<Program> program = disk ? readDisk(context, *disk, key) : nullptr;
  if (!program) {
    PUMICE_TRY(program, compile(context, source));
    if (disk)
      writeDisk(*context, *disk, key, program->handle);
  }
  return programs.emplace(std::move(key), std::move(program)).first->second;
}

} // namespace pumice::opencl_driver
