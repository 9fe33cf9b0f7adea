//===- Memory.h - loads and stores of a subgroup's lanes --------------------===//
// Only active lanes touch memory. A null mask is full.
//===-------------------------------------------------------------------------===//
#pragma once

#include "compiler/cpu/simd/LaneBuilder.h"
#include "compiler/dialect/lane/LaneDialect.h"

namespace pumice::cpu {

class SimdEmitter;

/// Describes base + index * scale for each lane; without an index `base` is all of the address.
struct LaneAddress {
  mlir::Value base;  // a scalar
  mlir::Value index; // a vector of i32 or i64
  unsigned scale = 1;
};

/// Holds what loads and stores of one kernel share.
struct MemoryState {
  mlir::Operation *access = nullptr; // the kernel's load or store that is emitted; null: none
  mlir::Value nothing;               // zeros that absent blocks load
};

/// Returns the alignment of what lies `bytes` after something of this alignment.
inline int64_t alignmentAt(int64_t alignment, int64_t bytes) {
  return bytes ? std::min(alignment, bytes & -bytes) : alignment;
}

LaneAddress addressOf(SimdEmitter &e, mlir::Value pointer);
/// Loads by an index of any number of lanes, for the lanes of `there`.
mlir::Value gather(SimdEmitter &e, LaneAddress address, int64_t bytes, mlir::Type element,
                   int64_t alignment, mlir::Value there);
void scatter(SimdEmitter &e, const LaneAddress &address, int64_t bytes, mlir::Value value,
             int64_t alignment);
/// Loads a vector from one place, for the lanes of `there`.
mlir::Value loadWhere(SimdEmitter &e, mlir::Type type, mlir::Value place, int64_t alignment,
                      mlir::Value there);
/// Gives what the kernel says of the access at hand to what is made of it (LaneTranslation.h).
void markAccess(SimdEmitter &e, mlir::Operation *made);

// Ways to load that avoid a gather: each returns false for what it does not cover.
/// Loads once a block of lanes, which have one address each.
bool loadOnceABlock(SimdEmitter &e, lane::LoadOp op);
/// Loads vectors by an index that a remainder by a constant seldom wraps.
bool loadUnlessWrapped(SimdEmitter &e, lane::LoadOp op);
/// Loads vectors if the lanes' addresses turn out to be consecutive at run time.
bool loadIfStraight(SimdEmitter &e, lane::LoadOp op);

} // namespace pumice::cpu
