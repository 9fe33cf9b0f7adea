//===- LoadPlaces.h - places of the values that a kernel loads --------------===//
#pragma once

#include <cstdint>
#include <string>
#include <vector>

namespace mlir::gpu {
class GPUFuncOp;
}

namespace pumice::lower::tiles {

/// Describes where pumice-place-loads found the values of a Triton kernel's load.
struct LoadPlace {
  std::string location; // "kernel.py:12:16", and the callers into which it was inlined
  std::string form;     // "pointer", "pointers", "descriptor", "rows of a descriptor"
  std::string type;     // "128x64xf16"
  uint64_t elements = 1;
  /// The number of elements that one access moves. On GPUs, a lane moves them; on CPUs,
  /// neighbouring lanes do.
  uint64_t atOnce = 1;
  /// The number of loaded elements that a lane holds at once.
  uint64_t registers = 0;
  /// The number of loops or sections of straight-line code that load the elements. Each loads all
  /// of them.
  unsigned times = 0;
  bool isAhead = false;        // whether it loads for the next iteration of its loop
  uint64_t arrayBytes = 0;     // of the private arrays of a lane that keep the values
  uint64_t workgroupBytes = 0; // the most workgroup memory that the values take at one time
  std::string fragments;       // "factor" or "accumulator" of cooperative matrices, or empty
};

/// Removes the attribute with the places of loads from a kernel, and returns its contents.
std::vector<LoadPlace> takeLoadPlaces(mlir::gpu::GPUFuncOp kernel);

} // namespace pumice::lower::tiles
