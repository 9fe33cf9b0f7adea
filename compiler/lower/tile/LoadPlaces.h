//===- LoadPlaces.h - where the values of a kernel's loads are kept ---------===//
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
  std::string location; // "kernel.py:12:16", with the callers that it was inlined into
  std::string form;     // "pointer", "pointers", "descriptor", "rows of a descriptor"
  std::string type;     // "128x64xf16"
  uint64_t elements = 1;
  /// The number of elements that one access moves: for a lane on GPUs, for neighbouring lanes on
  /// CPUs.
  uint64_t atOnce = 1;
  /// The number of loaded elements that a lane holds at once.
  uint64_t registers = 0;
  /// The number of loops, or pieces of straight code, each of which loads all elements.
  unsigned times = 0;
  bool isAhead = false;        // whether it loads one iteration of its loop ahead
  uint64_t arrayBytes = 0;     // of the private arrays of a lane that keep the values
  uint64_t workgroupBytes = 0; // of workgroup memory that the values take at most at one time
  std::string fragments;       // "factor" or "accumulator" of cooperative matrices, or empty
};

/// Removes the attribute with the places of loads from a kernel, and returns its contents.
std::vector<LoadPlace> takeLoadPlaces(mlir::gpu::GPUFuncOp kernel);

} // namespace pumice::lower::tiles
