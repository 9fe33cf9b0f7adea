//===- NativeCode.h - the interface of native kernels -----------------------===//
// The interface between the compiler and the CPU driver. A native kernel is a shared object that
// needs no other library and exports one `NativeKernelInfo`. Neither side knows more about the
// other than this header.
//===-------------------------------------------------------------------------===//
#pragma once

#include <cstddef>
#include <cstdint>

namespace pumice::executable {

/// New code has the version `nativeCodeVersion`. Drivers also run older code, from
/// `oldestNativeCode` on.
inline constexpr uint32_t nativeCodeVersion = 4, oldestNativeCode = 2;
/// The versions that added OpenCL's variables of program scope, and `groupPlace`.
inline constexpr uint32_t nativeCodeWithProgram = 3, nativeCodeWithGroupPlace = 4;

/// The name of the exported `const NativeKernelInfo`.
inline constexpr char nativeInfoSymbol[] = "pumice_native_kernel";

/// The name of an exported text. It names the least capable processor that can run the code:
/// "x86-64-v3", "aarch64". It is not a field of NativeKernelInfo, so drivers that do not look for
/// it can still load the code.
inline constexpr char nativeProcessorSymbol[] = "pumice_native_processor";

struct NativeBuffer {
  void *address = nullptr;
  uint64_t bytes = 0;
};

/// A launch. It is the same for all of its workgroups. New fields are only added at the end.
struct NativeLaunch {
  uint32_t groups[3] = {1, 1, 1};        // the size of the whole grid that the kernel sees
  uint32_t firstGroup[3] = {0, 0, 0};    // added to the number of each workgroup
  const NativeBuffer *buffers = nullptr; // in the order of NativeKernelInfo::bindings
  const void *pushConstants = nullptr;
  uint32_t *printf =
      nullptr; // words: their number so far, then messages, as in VK_EXT's debugPrintf
  uint64_t printfWords = 0;
  const uint32_t *cancel = nullptr;     // stop as soon as possible if the word is nonzero
  uint32_t globalOffset[3] = {0, 0, 0}; // OpenCL: added to the global numbers of invocations
  uint32_t dimensions = 3;              // OpenCL: the number of the grid's dimensions
  void *program = nullptr;              // NativeKernelInfo::programBytes, 64-byte aligned
};

/// Runs workgroups [begin, end) of the grid, counted x first, one after the other on the calling
/// thread. `workgroupMemory` has at least `workgroupMemoryBytes` bytes, is aligned to 64 bytes, and
/// is private to the thread. The same holds for `scratch`. Returns 0, or 1 if the launch was
/// cancelled.
using NativeKernelFunction = uint32_t (*)(const NativeLaunch *launch, void *workgroupMemory,
                                          void *scratch, uint64_t begin, uint64_t end);

/// Calls a native kernel. -fsanitize=function reads a hash of the function's type, which is in
/// front of its code. Compiled kernels have no such hash, and if they start at the beginning of a
/// page, the read would fault.
[[clang::no_sanitize("function")]] inline uint32_t runNative(NativeKernelFunction function,
                                                             const NativeLaunch &launch,
                                                             void *workgroupMemory, void *scratch,
                                                             uint64_t begin, uint64_t end) {
  return function(&launch, workgroupMemory, scratch, begin, end);
}

struct NativeBinding {
  uint32_t set = 0, binding = 0, element = 0;
};

/// A message that the code may append to NativeLaunch::printf. Its number is its position in the
/// list.
struct NativePrintf {
  const char *format = nullptr; // docs/printf.md
  const char *types = nullptr;  // one letter per argument: i i32, I i64, f f32, F f64
};

/// An address that the program's memory contains from the beginning.
struct NativeAddress {
  uint64_t offset = 0; // the position of the address in the image
  uint64_t target = 0; // its target, in bytes from the start of the memory
};

inline constexpr uint64_t noGroupPlace = UINT64_MAX;

struct NativeKernelInfo {
  uint32_t version = nativeCodeVersion;
  uint32_t subgroupSize = 0;
  uint32_t workgroupSize[3] = {1, 1, 1};
  uint32_t bindingCount = 0;
  uint64_t workgroupMemoryBytes = 0; // for the code itself; dynamic memory follows it
  // The scratch memory for values of each subgroup that outlive barriers, and for private memory.
  uint64_t scratchBytes = 0;
  uint64_t pushConstantBytes = 0;
  const NativeBinding *bindings = nullptr;
  NativeKernelFunction run = nullptr;
  const NativePrintf *printfs = nullptr;
  uint64_t printfCount = 0;
  // Version 3: OpenCL's variables of program scope. The kernels of a module share this memory,
  // which lives as long as they are loaded. It begins with the image, and zeros follow.
  uint64_t programBytes = 0;
  const uint8_t *programImage = nullptr;
  uint64_t programImageBytes = 0;
  const NativeAddress *programAddresses = nullptr;
  uint64_t programAddressCount = 0;
  // Version 4: the position in scratch memory at which the code stores the number of the current
  // workgroup, as 64 bits. Errors contain this number.
  uint64_t groupPlace = noGroupPlace;
};

} // namespace pumice::executable
