//===- Memory.h - loads and stores of a subgroup's lanes --------------------===//
// Only active lanes access memory. A null mask means that all lanes are active.
//===-------------------------------------------------------------------------===//
#pragma once

#include "compiler/cpu/simd/LaneBuilder.h"
#include "compiler/dialect/lane/LaneDialect.h"

namespace pumice::cpu {

class SimdEmitter;

/// The address of each lane, base + index * scale. Without an index, `base` is the whole address.
struct LaneAddress {
  mlir::Value base;  // a scalar
  mlir::Value index; // a vector of i32 or i64
  unsigned scale = 1;
};

/// State that loads and stores of one kernel share.
struct MemoryState {
  mlir::Operation *access = nullptr; // the kernel's load or store that is being emitted, if any
  mlir::Value nothing;               // zeros for blocks without active lanes
};

/// Returns the alignment of an address that is `bytes` away from an address with this alignment.
inline int64_t alignmentAt(int64_t alignment, int64_t bytes) {
  return bytes ? std::min(alignment, bytes & -bytes) : alignment;
}

LaneAddress addressOf(SimdEmitter &e, mlir::Value pointer);
/// Gathers for the lanes in `there`. The index may have any number of lanes.
mlir::Value gather(SimdEmitter &e, LaneAddress address, int64_t bytes, mlir::Type element,
                   int64_t alignment, mlir::Value there);
void scatter(SimdEmitter &e, const LaneAddress &address, int64_t bytes, mlir::Value value,
             int64_t alignment);
/// Loads a vector from consecutive addresses, for the lanes in `there`.
mlir::Value loadWhere(SimdEmitter &e, mlir::Type type, mlir::Value place, int64_t alignment,
                      mlir::Value there);
/// Copies attributes of the current access to an operation that implements it (LaneTranslation.h).
void markAccess(SimdEmitter &e, mlir::Operation *made);

// The following functions load without a gather. Each returns false if it does not apply. This one
// loads once for each block of lanes that share an address.
bool loadOnceABlock(SimdEmitter &e, lane::LoadOp op);
/// Loads vectors if the index is a remainder that seldom wraps within them.
bool loadUnlessWrapped(SimdEmitter &e, lane::LoadOp op);
/// Tests at run time whether the lanes' addresses are consecutive, or all the same, if they may be.
/// If so, loads vectors, or one element.
bool loadIfTogether(SimdEmitter &e, lane::LoadOp op);

} // namespace pumice::cpu
