//===- CompilerLibrary.cpp - the compiler, loaded when first needed ---------===//
#include "support/CompilerLibrary.h"

#include "support/CompileProgress.h"
#include "support/Platform.h"
#include "support/Version.h"

#include <cstdlib>
#include <filesystem>
#include <mutex>
#include <vector>

namespace pumice {

namespace {

using compiler_interface::Interface;

compiler_interface::Entry entryOf(const SharedLibrary &library) {
  return reinterpret_cast<compiler_interface::Entry>(library.symbol(compiler_interface::entryName));
}

bool isNamed() {
  const char *named = std::getenv("PUMICE_COMPILER_LIBRARY");
  return named && *named;
}

/// Returns the compiler that is linked into this program, or null. `pumice` is such a program.
const Interface *ofThisProgram() {
  compiler_interface::Entry entry = entryOf(SharedLibrary::program());
  return entry ? entry(compiler_interface::version) : nullptr;
}

Result<const Interface *> loadFrom(const std::string &path) {
  PUMICE_TRY(SharedLibrary library, SharedLibrary::open(path));
  compiler_interface::Entry entry = entryOf(library);
  if (!entry)
    return Status(StatusCode::Unsupported, "'" + path + "' is not a compiler library: it has no " +
                                               compiler_interface::entryName);
  const Interface *interface = entry(compiler_interface::version);
  if (!interface || interface->version != compiler_interface::version)
    return Status(StatusCode::Unsupported,
                  "'" + path + "' belongs to another version of Pumice than this library (" +
                      PUMICE_VERSION_TEXT + "): install both together");
  return interface;
}

std::vector<std::string> places() {
  if (isNamed())
    return {std::getenv("PUMICE_COMPILER_LIBRARY")};
  std::string file = SharedLibrary::fileName("pumice-compiler");
  std::string folder = folderOfThisCode();
  if (folder.empty())
    return {file};
  return {folder + "/" + file, folder + "/../lib/" + file, file};
}

} // namespace

Result<const Interface *> compilerLibrary() {
  static std::mutex mutex;
  static const Interface *loaded = nullptr;
  std::lock_guard lock(mutex);
  if (!loaded && !isNamed())
    loaded = ofThisProgram();
  if (loaded)
    return loaded;
  std::string reasons;
  for (const std::string &path : places()) {
    Result<const Interface *> found = loadFrom(path);
    if (found.isOk())
      return loaded = *found;
    reasons += (reasons.empty() ? "" : "; ") + found.status().message();
  }
  return Status(StatusCode::Unsupported,
                "the compiler library is missing (install it, or name its file in "
                "PUMICE_COMPILER_LIBRARY): " +
                    reasons);
}

void watchProgress(compiler_interface::Progress &progress) {
  if (progress::Compilation::isWatched())
    progress.reached = [](void *, compiler_interface::Text stage) {
      progress::Compilation::reach({stage.data, stage.size});
    };
}

/// Returns the bytes or the error of a response, which it releases.
static Result<std::vector<uint8_t>> taken(const Interface &compiler,
                                          compiler_interface::Response &response) {
  Status status;
  std::vector<uint8_t> bytes;
  if (response.code == 0) {
    bytes.assign(response.executable.data, response.executable.data + response.executable.size);
  } else {
    // If there are diagnostics, they are more useful than the one-line message.
    const compiler_interface::Text &said =
        response.diagnostics.size ? response.diagnostics : response.message;
    std::string text(said.data, said.size);
    text.erase(text.find_last_not_of('\n') + 1);
    status = Status(static_cast<StatusCode>(response.code), std::move(text));
  }
  compiler.release(&response);
  PUMICE_RETURN_IF_ERROR(status);
  return bytes;
}

Result<std::vector<uint8_t>> compileNative(const compiler_interface::NativeRequest &given) {
  PUMICE_TRY(const Interface *compiler, compilerLibrary());
  if (!compiler->compileNative)
    return Status(StatusCode::Unsupported,
                  "the compiler library was built without code generation for CPUs: install one "
                  "that has it, or choose another device");
  compiler_interface::NativeRequest request = given;
  progress::Compilation shown({request.entryPoint.data, request.entryPoint.size}, "native code");
  watchProgress(request.progress);
  compiler_interface::Response response;
  compiler->compileNative(&request, &response);
  return taken(*compiler, response);
}

Result<std::vector<uint8_t>> compileShader(const compiler_interface::ShaderRequest &given) {
  PUMICE_TRY(const Interface *compiler, compilerLibrary());
  compiler_interface::ShaderRequest request = given;
  progress::Compilation shown({request.entryPoint.data, request.entryPoint.size}, "OpenCL code");
  watchProgress(request.progress);
  compiler_interface::Response response;
  compiler->compileShader(&request, &response);
  return taken(*compiler, response);
}

std::string sourceLineOf(std::span<const uint8_t> sharedObject, uint64_t address) {
  Result<const Interface *> compiler = compilerLibrary();
  if (!compiler.isOk() || sharedObject.empty())
    return {};
  compiler_interface::Response response;
  (*compiler)->lineOf({reinterpret_cast<const char *>(sharedObject.data()), sharedObject.size()},
                      address, &response);
  std::string line(response.executable.data, response.executable.size);
  (*compiler)->release(&response);
  return line;
}

std::string compilerLibraryStamp() {
  namespace fs = std::filesystem;
  for (const std::string &path : places()) {
    std::error_code error;
    uintmax_t size = fs::file_size(path, error);
    if (error)
      continue;
    auto changed = fs::last_write_time(path, error).time_since_epoch().count();
    return std::to_string(size) + "-" +
           std::to_string(static_cast<long long>(changed)); // the count has 128 bits in libc++
  }
  return {};
}

} // namespace pumice
