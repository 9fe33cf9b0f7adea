//===- NativeCode.h - the interface of native kernels -----------------------===//
// This is the interface between the compiler and the CPU driver. A native kernel is a shared object
// that needs no other library and exports one `NativeKernelInfo`. Neither side knows more about the
// other than this header.
//===-------------------------------------------------------------------------===//
#pragma once

#include <cstddef>
#include <cstdint>

namespace pumice::executable {

/// New code has the first version. Drivers run code of the second and later.
inline constexpr uint32_t nativeCodeVersion = 4, oldestNativeCode = 2;
/// The versions that added OpenCL's variables of program scope, and `groupPlace`.
inline constexpr uint32_t nativeCodeWithProgram = 3, nativeCodeWithGroupPlace = 4;

/// The exported `const NativeKernelInfo`.
inline constexpr char nativeInfoSymbol[] = "pumice_native_kernel";

/// The exported text that names the least processor that runs the code: "x86-64-v3", "aarch64". It
/// is not a field of NativeKernelInfo, so drivers that do not look for it still load the code.
inline constexpr char nativeProcessorSymbol[] = "pumice_native_processor";

struct NativeBuffer {
  void *address = nullptr;
  uint64_t bytes = 0;
};

/// A launch, which is the same for all its workgroups. New fields are only added at the end.
struct NativeLaunch {
  uint32_t groups[3] = {1, 1, 1};        // the size of the whole grid, as the kernel sees it
  uint32_t firstGroup[3] = {0, 0, 0};    // added to every workgroup's number
  const NativeBuffer *buffers = nullptr; // in the order of NativeKernelInfo::bindings
  const void *pushConstants = nullptr;
  uint32_t *printf =
      nullptr; // words: their number so far, then messages, as in VK_EXT's debugPrintf
  uint64_t printfWords = 0;
  const uint32_t *cancel = nullptr;     // if the word is not zero, stop as soon as possible
  uint32_t globalOffset[3] = {0, 0, 0}; // OpenCL: added to invocations' global numbers
  uint32_t dimensions = 3;              // OpenCL: the number of dimensions of the grid
  void *program = nullptr;              // NativeKernelInfo::programBytes, 64-byte aligned
};

/// Runs workgroups [begin, end) of the grid, counted x first, one after the other on the calling
/// thread. `workgroupMemory` has at least `workgroupMemoryBytes`, is 64-byte aligned and private to
/// the thread. The same holds for `scratch`. Returns 0, or 1 if it was cancelled.
using NativeKernelFunction = uint32_t (*)(const NativeLaunch *launch, void *workgroupMemory,
                                          void *scratch, uint64_t begin, uint64_t end);

/// Calls a native kernel. -fsanitize=function reads a hash of the function's type in front of its
/// code. Compiled kernels have none, and at the start of a page that read would fault.
[[clang::no_sanitize("function")]] inline uint32_t runNative(NativeKernelFunction function,
                                                             const NativeLaunch &launch,
                                                             void *workgroupMemory, void *scratch,
                                                             uint64_t begin, uint64_t end) {
  return function(&launch, workgroupMemory, scratch, begin, end);
}

struct NativeBinding {
  uint32_t set = 0, binding = 0, element = 0;
};

/// A message that the code may append to NativeLaunch::printf, by its position in the list.
struct NativePrintf {
  const char *format = nullptr; // docs/printf.md
  const char *types = nullptr;  // a letter for each argument: i i32, I i64, f f32, F f64
};

/// An address that the program's memory contains from the beginning.
struct NativeAddress {
  uint64_t offset = 0; // where the address is, in the image
  uint64_t target = 0; // its target: a number of bytes from the start of the memory
};

inline constexpr uint64_t noGroupPlace = UINT64_MAX;

struct NativeKernelInfo {
  uint32_t version = nativeCodeVersion;
  uint32_t subgroupSize = 0;
  uint32_t workgroupSize[3] = {1, 1, 1};
  uint32_t bindingCount = 0;
  uint64_t workgroupMemoryBytes = 0; // used by the code itself; the launch's dynamic memory follows
  // For values of each subgroup that outlive barriers, and for private memory.
  uint64_t scratchBytes = 0;
  uint64_t pushConstantBytes = 0;
  const NativeBinding *bindings = nullptr;
  NativeKernelFunction run = nullptr;
  const NativePrintf *printfs = nullptr;
  uint64_t printfCount = 0;
  // Version 3: OpenCL's variables of program scope. The kernels of one module share this memory,
  // and it lives as long as they are loaded. It begins with the image, followed by zeros.
  uint64_t programBytes = 0;
  const uint8_t *programImage = nullptr;
  uint64_t programImageBytes = 0;
  const NativeAddress *programAddresses = nullptr;
  uint64_t programAddressCount = 0;
  // Version 4: the byte of the scratch memory where the code stores the number of the current
  // workgroup, as 64 bits. Errors name this number.
  uint64_t groupPlace = noGroupPlace;
};

} // namespace pumice::executable
