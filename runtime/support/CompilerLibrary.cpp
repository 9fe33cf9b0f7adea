//===- CompilerLibrary.cpp - the compiler, loaded when first needed ---------===//
#include "runtime/support/CompilerLibrary.h"

#include "runtime/support/Platform.h"

#include <cstdlib>
#include <filesystem>
#include <mutex>
#include <vector>

namespace pumice {

namespace {

using compiler_interface::Interface;

Result<const Interface *> loadFrom(const std::string &path) {
  PUMICE_TRY(SharedLibrary library, SharedLibrary::open(path));
  auto entry =
      reinterpret_cast<compiler_interface::Entry>(library.symbol(compiler_interface::entryName));
  if (!entry)
    return Status(StatusCode::Unsupported, "'" + path + "' is no compiler library: it has no " +
                                               compiler_interface::entryName);
  const Interface *interface = entry(compiler_interface::version);
  if (!interface || interface->version != compiler_interface::version)
    return Status(StatusCode::Unsupported,
                  "'" + path + "' is of another version of Pumice than this library (" +
                      PUMICE_VERSION + "): install both together");
  return interface;
}

std::vector<std::string> places() {
  const char *named = std::getenv("PUMICE_COMPILER_LIBRARY");
  if (named && *named)
    return {named};
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
                "the compiler library is not there (install it, or name its file in "
                "PUMICE_COMPILER_LIBRARY): " +
                    reasons);
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
           std::to_string(static_cast<long long>(changed)); // libc++ counts in 128 bits
  }
  return {};
}

} // namespace pumice
