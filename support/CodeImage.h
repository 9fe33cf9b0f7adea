//===- CodeImage.h - machine code in memory, loaded as a shared library -----===//
// Native kernels are loaded from the bytes of a shared object. Nothing checks what such code does
// when it runs, so untrusted bytes must not get here. Code that is damaged, or made for another
// machine, is rejected before the system's loader sees it.
//===-------------------------------------------------------------------------===//
#pragma once

#include "support/Status.h"

#include <cstdint>
#include <span>

namespace pumice {

/// A shared library that is loaded while the object lives.
class CodeImage {
public:
  /// Loads a shared object. Debuggers and profilers call it `name`. If PUMICE_CPU_CODE_DIR names a
  /// folder, the bytes stay there as NAME-NUMBER.so. Errors: DataCorrupt if the library is not
  /// complete; Unsupported for another machine's code, or with the loader's message.
  static Result<CodeImage> load(std::span<const uint8_t> bytes, std::string_view name);

  CodeImage(CodeImage &&other) noexcept
      : handle(std::exchange(other.handle, nullptr)), file(std::exchange(other.file, {})) {}
  CodeImage &operator=(CodeImage other) noexcept {
    std::swap(handle, other.handle);
    std::swap(file, other.file);
    return *this;
  }
  ~CodeImage();

  /// Returns null if the image has no such symbol.
  void *symbol(const char *name) const;

  /// Returns the whole file, including parts that are not loaded, such as debug information. It
  /// takes no additional memory while the code is loaded. Empty if the system does not keep it.
  std::span<const uint8_t> bytes() const { return file; }
  /// Converts the address of an instruction to its address in the file.
  uint64_t fileAddress(uint64_t address) const;

private:
  explicit CodeImage(void *handle, std::span<const uint8_t> file = {})
      : handle(handle), file(file) {}
  void *handle;
  std::span<const uint8_t> file;
};

/// Checks that `bytes` are a complete ELF shared object for this machine's architecture. Errors:
/// DataCorrupt, Unsupported.
Status checkElf(std::span<const uint8_t> bytes);

} // namespace pumice
