//===- Platform.h - differences between operating systems -----------------===//
// Only this header, PlatformThreads.h, CodeImage.h, Terminal.h and their source files check which
// system this is.
//===-------------------------------------------------------------------------===//
#pragma once

#include "support/Status.h"

#include <cstddef>
#include <cstdint>
#include <functional>
#include <string>
#include <string_view>

namespace pumice {

/// A loaded shared library; it stays loaded to the end of the process.
class SharedLibrary {
public:
  /// Opens `path`, which has a folder, or a name that the system looks up. Errors: NotFound, with
  /// the loader's message.
  static Result<SharedLibrary> open(const std::string &path);
  /// Returns the symbols that the program itself exports to libraries.
  static SharedLibrary program();
  /// Returns null if the library has no such symbol.
  void *symbol(const char *name) const;
  /// Returns this system's file name for a library: "libpumice-compiler.so" for "pumice-compiler".
  static std::string fileName(std::string_view name);

private:
  explicit SharedLibrary(void *handle) : handle(handle) {}
  void *handle;
};

/// Returns the folder of the library or program that holds this code, or an empty text if it is
/// unknown.
std::string folderOfThisCode();

size_t pageBytes();

/// Reads a whole file. Names are UTF-8. Errors: NotFound, with the system's message;
/// InvalidArgument for devices without an end; ResourceExhausted if the file has more than `most`
/// bytes.
Result<std::string> readFile(const std::string &path, uint64_t most = UINT64_MAX);

/// Reads a file of the command line part by part, and passes the parts to `take`. "-" is standard
/// input. Every command reads its files through this.
Status readInput(const std::string &name, uint64_t most,
                 const std::function<void(std::string_view part)> &take);

/// Returns whether a file or folder belongs to this user, and no one else may write it. Follows
/// links.
bool isOnlyOurs(const std::string &path);

} // namespace pumice
