//===- Program.cpp - a module that the device's driver has compiled ---------===//
// The cache on disk keeps the driver's binaries. A file begins with its whole key: the device, the
// driver and its version, the constants and the code. It is used only if every byte of the key is
// the same. If the driver rejects a binary, the code is compiled again, and the file is replaced.
//===-------------------------------------------------------------------------===//
#include "runtime/drivers/opencl/Program.h"

#include "support/Version.h"

#include <cstdio>
#include <cstring>

namespace pumice::opencl {
namespace {

constexpr char diskKind[] = "opencl";

void append(std::string &key, uint64_t number) {
  key.append(reinterpret_cast<const char *>(&number), sizeof number);
}
void append(std::string &key, std::string_view text) {
  append(key, text.size());
  key += text;
}

std::string keyOf(const Context &context, const ProgramSource &source) {
  std::string key;
  append(key, PUMICE_VERSION_TEXT);
  append(key, context.facts.platformName);
  append(key, context.facts.name);
  append(key, context.facts.driverVersion);
  append(key, source.constants.size());
  for (const hal::SpecializationConstant &constant : source.constants) {
    append(key, uint64_t{constant.id} << 32 | constant.bytes);
    append(key, constant.bits);
  }
  append(key,
         std::string_view(reinterpret_cast<const char *>(source.code.data()), source.code.size()));
  return key;
}

/// Returns the name of the file for a key. Keys with equal names replace each other's file.
std::string fileNameOf(std::string_view key) {
  uint64_t hash[2] = {0x6a09e667f3bcc908u, 0xbb67ae8584caa73bu};
  for (size_t at = 0; at < key.size(); at += 8) {
    uint64_t word = 0;
    std::memcpy(&word, key.data() + at, std::min<size_t>(8, key.size() - at));
    hash[0] = (hash[0] ^ word) * 0x9e3779b97f4a7c15u;
    hash[0] ^= hash[0] >> 31;
    hash[1] = (hash[1] + word) * 0xbf58476d1ce4e5b9u;
    hash[1] ^= hash[1] >> 30;
  }
  char text[33];
  std::snprintf(text, sizeof text, "%016llx%016llx", static_cast<unsigned long long>(hash[0]),
                static_cast<unsigned long long>(hash[1]));
  return text;
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
  std::optional<std::vector<uint8_t>> file = disk.read(diskKind, fileNameOf(key));
  if (!file || file->size() <= key.size() || std::memcmp(file->data(), key.data(), key.size()) != 0)
    return nullptr;
  return load(context, std::span(*file).subspan(key.size()));
}

void writeDisk(const Context &context, const DiskCache &disk, std::string_view key,
               cl_program program) {
  std::vector<uint8_t> binary = binaryOf(context, program);
  if (binary.empty())
    return;
  std::vector<uint8_t> file(key.begin(), key.end());
  file.insert(file.end(), binary.begin(), binary.end());
  // A cache that is full or missing is not an error.
  (void)disk.write(diskKind, fileNameOf(key), file);
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

} // namespace pumice::opencl
