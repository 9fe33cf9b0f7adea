//===- Platform.h - what operating systems do differently -------------------===//
// The only place, with PlatformThreads.h, CodeImage.h, Terminal.h and their source files, that asks
// which system this is.
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
  /// `path` with a folder in it, or a name that the system looks up. Errors: NotFound, with the
  /// loader's words.
  static Result<SharedLibrary> open(const std::string &path);
  /// Returns the symbols that the program itself exports to libraries.
  static SharedLibrary program();
  /// Null if the library has no such symbol.
  void *symbol(const char *name) const;
  /// "libpumice-compiler.so" for "pumice-compiler", as this system calls it.
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

/// The same for what a command line names, where "-" is standard input: `take` gets it part after
/// part. Every command reads its files through this.
Status readInput(const std::string &name, uint64_t most,
                 const std::function<void(std::string_view part)> &take);

/// Whether a file or folder belongs to this user, and no other may write it. Links are followed.
bool isOnlyOurs(const std::string &path);

} // namespace pumice
