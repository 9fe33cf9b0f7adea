//===- LaneCode.h - code that follows a plan --------------------------------===//
// A lane's part of a tensor is a list of values, its registers. Numbers of lanes and subgroups are
// i32. Values that depend only on a register's number are constants, and cost no code.
//===-------------------------------------------------------------------------===//
#pragma once

#include "compiler/dialect/tile/plan/Axis.h"
#include "compiler/dialect/tile/plan/Conversion.h"

#include "mlir/IR/ImplicitLocOpBuilder.h"
#include "mlir/IR/Value.h"

#include <optional>

namespace pumice::lower::tiles {

using Registers = llvm::SmallVector<mlir::Value>;

/// A truth value that is known at compile time (`known`), or only at run time (`value`).
struct Condition {
  std::optional<bool> known;
  mlir::Value value;
};

class LaneCode {
public:
  /// `lanes` is the number of lanes of a subgroup.
  LaneCode(mlir::OpBuilder &builder, mlir::Location loc, unsigned lanes)
      : b(loc, builder), lanes(lanes) {}

  /// Convert a vector to its elements, and elements to a vector.
  Registers unpack(mlir::Value vector);
  mlir::Value pack(llvm::ArrayRef<mlir::Value> registers);

  mlir::Value constant(uint64_t number); // i32

  /// Returns the value of `number` for this lane and subgroup. It is the XOR of the entries of
  /// `byLane` and `bySubgroup` for the bits that are set in the lane's and the subgroup's number.
  mlir::Value number(const tile::LaneNumber &number);
  /// Returns the XOR of the columns whose bits are set in `value`. If `isNumber` is true, only bits
  /// that have a column may be set in `value`.
  mlir::Value linear(mlir::Value value, llvm::ArrayRef<uint64_t> columns, bool isNumber = false);

  /// Returns one coordinate of the place (`reg`, this lane, this subgroup) under `places`.
  mlir::Value place(const tile::LinearLayout &places, std::string_view output, uint64_t reg);

  /// Returns whether an odd number of the given bits is set in `reg` and in the numbers of the lane
  /// and the subgroup.
  Condition holds(const tile::PlaceBit &bit, uint64_t reg);
  /// Returns whether none of these bits is set in the numbers of the lane and the subgroup.
  Condition isOriginal(uint64_t laneCopies, uint64_t subgroupCopies);

  /// Returns the condition under which register `reg` performs an effect that must happen once for
  /// each element. The register must hold the original element, not a copy, and its mask must hold
  /// if there are masks. Null means always.
  mlir::Value onceWhere(const Condition &original, llvm::ArrayRef<mlir::Value> masks, size_t reg);

  mlir::Value select(const Condition &condition, mlir::Value yes, mlir::Value no);
  Condition either(const Condition &a, const Condition &b);

  /// Returns the `value` of the lane whose number is this lane's number ^ `laneXor`.
  mlir::Value shuffleXor(mlir::Value value, uint64_t laneXor);
  mlir::Value shuffleFrom(mlir::Value value, mlir::Value lane);

  /// Returns the sum of `first`, a distance and the number of this lane.
  mlir::Value countFrom(mlir::Value first, int64_t distance);

  Registers exchange(const tile::LaneExchange &plan, llvm::ArrayRef<mlir::Value> registers);

  mlir::ImplicitLocOpBuilder b;

private:
  mlir::Value laneId();
  mlir::Value subgroupId();
  mlir::Value bits(mlir::Value number, uint64_t mask);
  mlir::Value isOdd(mlir::Value bits, uint64_t mask);
  Registers permute(Registers registers, const tile::LaneNumber &by);

  unsigned lanes;
};

} // namespace pumice::lower::tiles
