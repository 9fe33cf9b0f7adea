//===- MemoryTrip.h - converts layouts through workgroup memory -------------===//
// Every subgroup stores its elements and waits for all others. Then every subgroup loads the
// elements that it needs. The offset of an element in memory is a linear map as well. It lets both
// sides move whole vectors if they have them. Lanes that access memory together reach different
// banks.
//
// Memory consists of rows of banks · bankBytes bytes. Different rows of one bank cannot be accessed
// at once. Elements that a side accesses together span a space of the size of a row: P for the
// stores and Q for the loads. The elements of one bank should form a common complement S of P and
// Q. Then no two elements of P share a bank, and no two elements of Q do. Let I be the intersection
// of P and Q, with P = I ⊕ {a…} and Q = I ⊕ {b…}. Then a ⊕ b… and a complement of P + Q span S.
// This is the XOR swizzle.
//===-------------------------------------------------------------------------===//
#pragma once

#include "compiler/dialect/tile/plan/Distributed.h"

namespace pumice::tile {

/// The properties of a target's workgroup memory that the planner uses.
struct WorkgroupMemory {
  uint64_t bytes = 32768;
  unsigned banks = 32, bankBytes = 4; // powers of two
  unsigned widestAccess = 16;         // bytes that a lane moves at once
};

inline constexpr std::string_view pieceSpace = "piece", offsetSpace = "offset";

/// Says how one side, the source or the result, accesses memory.
struct MemoryAccess {
  /// Maps register, lane and subgroup to the piece and the offset in it, in elements.
  LinearLayout places;
  /// The XOR differences from the first register of a vector to its second element, its third, its
  /// fifth, and so on. There is one for each bit of the vector's length.
  std::vector<uint64_t> vector;
  /// The registers that begin a vector, in ascending order.
  std::vector<uint64_t> starts;
  /// Register r holds a copy of register combine(original, r), in all lanes. Copies are neither
  /// stored nor loaded.
  std::vector<uint64_t> original;
  /// Lanes and subgroups whose number has one of these bits hold copies, so they need not store.
  uint64_t laneCopies = 0, subgroupCopies = 0;
  /// The number of rows of a bank that one access needs. 1 means no conflict.
  unsigned conflicts = 1;

  uint64_t length() const { return uint64_t(1) << vector.size(); }
};

struct MemoryTrip {
  /// Maps the dimensions of the tensor to the piece and offset of each element.
  LinearLayout addresses;
  MemoryAccess store, load;
  uint64_t bytes = 0;  // of workgroup memory
  unsigned pieces = 1; // the number of trips, one after the other, each with two barriers
};

/// Plans a trip. Returns errors of checkConvertible, or an error if the tensor does not fit. A
/// tensor cannot be moved in pieces if each lane holds too little of it.
Result<MemoryTrip> planMemoryTrip(const LinearLayout &from, const LinearLayout &to,
                                  unsigned elementBytes, const WorkgroupMemory &memory);

/// Plans how a layout accesses elements at `addresses`. Vectors are as long as the registers and
/// `vectorBits` allow. Returns an error if the spaces do not match.
Result<MemoryAccess> planAccess(const LinearLayout &layout, const LinearLayout &addresses,
                                unsigned vectorBits, unsigned elementBytes,
                                const WorkgroupMemory &memory);

} // namespace pumice::tile
