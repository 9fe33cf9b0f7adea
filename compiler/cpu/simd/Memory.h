//===- Memory.h - loads and stores of a subgroup's lanes ------------------===//
// Only active lanes touch memory. A null mask means that all lanes are active.
//===-------------------------------------------------------------------------===//
#pragma once

#include "compiler/cpu/simd/LaneBuilder.h"
#include "compiler/dialect/lane/LaneDialect.h"

namespace pumice::cpu {

class SimdEmitter;

/// The address base + index * scale of each lane. Without an index, `base` is the whole address.
struct LaneAddress {
  mlir::Value base;  // a scalar
  mlir::Value index; // a vector of i32 or i64
  unsigned scale = 1;
};

/// State that loads and stores of one kernel share.
struct MemoryState {
  mlir::Operation *access = nullptr; // the kernel's load or store that is being emitted; null: none
  mlir::Value nothing;               // zeros that blocks without active lanes load
};

/// Returns the alignment at a distance of `bytes` from an address with this alignment.
inline int64_t alignmentAt(int64_t alignment, int64_t bytes) {
  return bytes ? std::min(alignment, bytes & -bytes) : alignment;
}

LaneAddress addressOf(SimdEmitter &e, mlir::Value pointer);
/// Gathers by an index of any number of lanes, for the lanes in `there`.
mlir::Value gather(SimdEmitter &e, LaneAddress address, int64_t bytes, mlir::Type element,
                   int64_t alignment, mlir::Value there);
void scatter(SimdEmitter &e, const LaneAddress &address, int64_t bytes, mlir::Value value,
             int64_t alignment);
/// Loads a vector from one address, for the lanes in `there`.
mlir::Value loadWhere(SimdEmitter &e, mlir::Type type, mlir::Value place, int64_t alignment,
                      mlir::Value there);
/// Copies attributes of the current access to an operation that is made for it (LaneTranslation.h).
void markAccess(SimdEmitter &e, mlir::Operation *made);

// The following loads avoid a gather. Each returns false if it does not apply.
/// Loads once for each block of lanes that share an address.
bool loadOnceABlock(SimdEmitter &e, lane::LoadOp op);
/// Loads vectors by an index with a remainder by a constant, which seldom wraps.
bool loadUnlessWrapped(SimdEmitter &e, lane::LoadOp op);
/// Loads vectors if the lanes' addresses turn out to be consecutive at run time.
bool loadIfStraight(SimdEmitter &e, lane::LoadOp op);

} // namespace pumice::cpu
