//===- Target.h - the processor's features that SIMD code uses --------------===//
#pragma once

#include "llvm/ADT/StringRef.h"

namespace pumice::cpu {

struct SimdTarget {
  unsigned lanes = 16;     // the number of 32-bit elements in a register
  bool brainPairs = false; // AVX512-BF16: adds products of bf16 in pairs
  bool byteQuads = false;  // AVX512-VNNI: adds products of bytes in quads
  bool brainTiles = false; // AMX
  bool byteTiles = false;

  /// Parses a list of features in LLVM's format, such as "+avx2,+avx512f".
  static SimdTarget of(unsigned lanes, llvm::StringRef features) {
    bool tiles = features.contains("+amx-tile");
    return {lanes, features.contains("+avx512bf16"), features.contains("+avx512vnni"),
            tiles && features.contains("+amx-bf16"), tiles && features.contains("+amx-int8")};
  }
};

} // namespace pumice::cpu
