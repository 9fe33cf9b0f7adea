//===- CodeImage.h - machine code in memory, loaded as a shared library -----===//
// Loads native kernels from the bytes of a shared object. Nothing checks what the code does when it
// runs, so the bytes must come from a trusted source. Code that is damaged or made for another
// machine is rejected before the system's loader sees it.
//===-------------------------------------------------------------------------===//
#pragma once

#include "support/Status.h"

#include <cstdint>
#include <span>

namespace pumice {

/// A shared library that stays loaded as long as this object exists.
class CodeImage {
public:
  /// Loads a shared object. Debuggers and profilers show it as `name`. If PUMICE_CPU_CODE_DIR names
  /// a folder, the bytes are kept there as NAME-NUMBER.so. Errors: DataCorrupt if the library is
  /// incomplete; Unsupported for code of another machine, or with the loader's message.
  static Result<CodeImage> load(std::span<const uint8_t> bytes, std::string_view name);

  CodeImage(CodeImage &&other) noexcept
      : handle(std::exchange(other.handle, nullptr)), file(std::exchange(other.file, {})),
        folder(std::exchange(other.folder, {})) {}
  CodeImage &operator=(CodeImage other) noexcept {
    std::swap(handle, other.handle);
    std::swap(file, other.file);
    std::swap(folder, other.folder);
    return *this;
  }
  ~CodeImage();

  /// Returns the address of a symbol, or null if the image does not have it.
  void *symbol(const char *name) const;

  /// Returns the whole file, including parts that are not loaded, such as debug information. It
  /// takes no additional memory while the code is loaded. It is empty if the system does not keep
  /// the file.
  std::span<const uint8_t> bytes() const { return file; }
  /// Converts the address of an instruction to the address in the file.
  uint64_t fileAddress(uint64_t address) const;

private:
  explicit CodeImage(void *handle, std::span<const uint8_t> file = {})
      : handle(handle), file(file) {}
  void *handle;
  std::span<const uint8_t> file;
  std::string folder; // is removed with the image, unless it is empty
};

/// The instruction sets whose code is known by name.
enum class Machine : uint8_t { Other, X86, X86_64, Arm, Aarch64, RiscV };
#if defined(__x86_64__) || defined(_M_X64)
inline constexpr Machine thisMachine = Machine::X86_64;
#elif defined(__aarch64__) || defined(_M_ARM64)
inline constexpr Machine thisMachine = Machine::Aarch64;
#elif defined(__riscv)
inline constexpr Machine thisMachine = Machine::RiscV;
#else
inline constexpr Machine thisMachine = Machine::Other;
#endif

/// These functions check that `bytes` are a complete shared library for `machine`, in the format of
/// Linux, of Windows and of macOS. Errors: DataCorrupt; Unsupported for code of another machine or
/// system.
Status checkElf(std::span<const uint8_t> bytes, Machine machine = thisMachine);
Status checkPe(std::span<const uint8_t> bytes, Machine machine = thisMachine);
Status checkMacho(std::span<const uint8_t> bytes, Machine machine = thisMachine);

} // namespace pumice
