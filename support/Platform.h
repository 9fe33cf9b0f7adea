//===- Platform.h - differences between operating systems -------------------===//
// Only this header, PlatformThreads.h, CodeImage.h, Terminal.h and their source files depend on the
// operating system.
//===-------------------------------------------------------------------------===//
#pragma once

#include "support/Status.h"

#include <cstddef>
#include <cstdint>
#include <filesystem>
#include <functional>
#include <string>
#include <string_view>
#include <system_error>

namespace pumice {

/// A loaded shared library. It stays loaded until the process ends.
class SharedLibrary {
public:
  /// Opens `path`, which contains a folder, or is a name that the system looks up. Errors:
  /// NotFound, with the loader's message.
  static Result<SharedLibrary> open(const std::string &path);
  /// Returns a library with the symbols that the program itself exports.
  static SharedLibrary program();
  /// Returns the address of a symbol, or null if the library does not have it.
  void *symbol(const char *name) const;
  /// Returns the file name of a library on this system: "libpumice-compiler.so" for
  /// "pumice-compiler".
  static std::string fileName(std::string_view name);

private:
  explicit SharedLibrary(void *handle) : handle(handle) {}
  void *handle;
};

/// Returns the folder of the library or program that contains this code, or an empty text if the
/// folder is unknown.
std::string folderOfThisCode();

size_t pageBytes();

/// Reads a whole file. Names are UTF-8. Errors: NotFound, with the system's message;
/// InvalidArgument for devices that have no end; ResourceExhausted if the file has more than `most`
/// bytes.
Result<std::string> readFile(const std::string &path, uint64_t most = UINT64_MAX);

/// Reads a file that the command line names, and passes it to `take` part by part. "-" means
/// standard input. Every command reads its files with this function.
Status readInput(const std::string &name, uint64_t most,
                 const std::function<void(std::string_view part)> &take);

/// Returns the folder for caches of this user, or an empty path if the environment does not name
/// it.
std::filesystem::path folderOfCaches();

/// Renames a file. It replaces another one, which threads and processes may be reading.
std::error_code replaceFile(const std::filesystem::path &from, const std::filesystem::path &to);

/// Returns whether a file or folder belongs to this user, and no one else may write to it. Follows
/// links.
bool isOnlyOurs(const std::string &path);

} // namespace pumice
