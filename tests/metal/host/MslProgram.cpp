//===- MslProgram.cpp - MSL compiled for the host ---------------------------===//
#include "tests/metal/host/MslProgram.h"

#include <atomic>
#include <cstdio>
#include <cstdlib>
#include <dlfcn.h>
#include <filesystem>
#include <fstream>
#include <sys/wait.h>
#include <unistd.h>

namespace pumice::msl {
namespace {

std::string fromEnvironment(const char *name, const std::string &otherwise) {
  const char *value = std::getenv(name);
  return value && *value ? value : otherwise;
}

uint64_t hashOf(const std::string &text) {
  uint64_t hash = 0xcbf29ce484222325;
  for (unsigned char c : text)
    hash = (hash ^ c) * 0x100000001b3;
  return hash;
}

Result<std::string> run(const std::string &command) {
  FILE *pipe = popen((command + " 2>&1").c_str(), "r");
  if (!pipe)
    return Status(StatusCode::Internal, "cannot run '" + command + "'");
  std::string said;
  char bytes[4096];
  while (size_t count = fread(bytes, 1, sizeof bytes, pipe))
    said.append(bytes, count);
  if (pclose(pipe) != 0)
    return Status(StatusCode::InvalidArgument, said);
  return said;
}

/// Compiles the text to a library, whose path it returns. The folder keeps it.
Result<std::string> compileText(const std::string &text) {
  const std::string compiler = fromEnvironment("PUMICE_MSL_CLANG", "clang++-22");
  const std::string options =
      " -std=c++20 -O1 -march=native -ffp-contract=off -Xclang -ffloat16-excess-precision=none "
      "-fdeclspec -Xclang -cl-single-precision-constant" // as in MSL, which has no f64
      " -fno-math-errno -fno-strict-aliasing -fno-exceptions -fno-rtti -fwrapv -fPIC -shared -w"
      " -isystem " PUMICE_MSL_SHIM;
  std::error_code ignored;
  std::filesystem::path folder =
      fromEnvironment("PUMICE_MSL_CACHE", (std::filesystem::temp_directory_path() /
                                           ("pumice-msl-" + std::to_string(getuid()))));
  std::filesystem::create_directories(folder, ignored);
  char name[32];
  std::snprintf(
      name, sizeof name, "%016llx",
      static_cast<unsigned long long>(hashOf(compiler + options + PUMICE_MSL_VERSION + text)));
  std::filesystem::path library = folder / (std::string(name) + ".so");
  if (std::filesystem::exists(library))
    return library.string();
  static std::atomic<unsigned> count; // threads may compile the same text at once
  std::string stem = (folder / (std::string(name) + "-" + std::to_string(getpid()) + "-" +
                                std::to_string(++count)))
                         .string();
  std::ofstream(stem + ".cpp") << text;
  Result<std::string> said =
      run(compiler + options + " -o '" + stem + ".so' '" + stem + ".cpp' -lm");
  if (!fromEnvironment("PUMICE_MSL_KEEP", "").empty())
    std::filesystem::rename(stem + ".cpp", folder / (std::string(name) + ".cpp"), ignored);
  std::filesystem::remove(stem + ".cpp", ignored);
  if (!said.isOk())
    return said.status();
  std::filesystem::rename(stem + ".so", library, ignored);
  return library.string();
}

} // namespace

Result<std::shared_ptr<Program>> Program::compile(const std::string &msl, const std::string &kernel,
                                                  const Constants &constants) {
  PUMICE_TRY(Prepared prepared, prepare(msl, kernel, constants));
  PUMICE_TRY(std::string path, compileText(prepared.text));
  std::shared_ptr<Program> program(new Program);
  program->needsFibres = prepared.needsFibres;
  program->library = dlopen(path.c_str(), RTLD_NOW | RTLD_LOCAL);
  if (!program->library)
    return Status(StatusCode::Internal, dlerror());
  program->kernel = static_cast<const shim::Kernel *>(dlsym(program->library, "shim_kernel"));
  if (!program->kernel)
    return Status(StatusCode::Internal, path + " has no kernel");
  return program;
}

Program::~Program() {
  if (library)
    dlclose(library);
}

} // namespace pumice::msl
