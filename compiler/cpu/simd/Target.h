//===- Target.h - what SIMD code may expect of the processor ----------------===//
#pragma once

#include "llvm/ADT/StringRef.h"

namespace pumice::cpu {

struct SimdTarget {
  unsigned lanes = 16;     // 32-bit numbers of a register
  bool brainPairs = false; // AVX512-BF16: products of pairs of bf16, added up
  bool byteQuads = false;  // AVX512-VNNI: products of quads of bytes, added up
  bool brainTiles = false; // AMX
  bool byteTiles = false;

  /// Features as LLVM writes them, "+avx2,+avx512f".
  static SimdTarget of(unsigned lanes, llvm::StringRef features) {
    bool tiles = features.contains("+amx-tile");
    return {lanes, features.contains("+avx512bf16"), features.contains("+avx512vnni"),
            tiles && features.contains("+amx-bf16"), tiles && features.contains("+amx-int8")};
  }
};

} // namespace pumice::cpu
