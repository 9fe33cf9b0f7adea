//===- WorkgroupTrips.h - registers that go through workgroup memory --------===//
// The kernel has a memory attribution for each type, as large as the largest trip. A trip begins
// with a barrier, since other lanes may still read what an earlier one left.
//===-------------------------------------------------------------------------===//
#pragma once

#include "compiler/lower/tile/LaneCode.h"

#include "mlir/IR/Operation.h"

namespace pumice::lower::tiles {

class WorkgroupTrips {
public:
  /// Makes code in front of `op`, an operation of a gpu.func, by `code`.
  WorkgroupTrips(LaneCode &code, mlir::Operation *op) : code(code), op(op) {}

  /// Makes any conversion. Those within a subgroup need no memory.
  Registers convert(const tile::Conversion &plan, llvm::ArrayRef<mlir::Value> registers);

  /// Stores all elements that `access` describes, and reads elements at these offsets.
  Registers read(const tile::MemoryAccess &store, llvm::ArrayRef<mlir::Value> registers,
                 llvm::ArrayRef<mlir::Value> offsets);

  /// Counts values whose conditions hold (all values, if there are no conditions), and gives each
  /// lane its counts. A value's count is at the place where `trip` holds the element of that
  /// number.
  Registers count(const tile::MemoryTrip &trip, llvm::ArrayRef<mlir::Value> values,
                  llvm::ArrayRef<mlir::Value> conditions);

private:
  mlir::Value memory(mlir::Type type, uint64_t elements);
  void barrier();
  void store(const tile::MemoryAccess &access, uint64_t piece,
             llvm::ArrayRef<mlir::Value> registers, mlir::Value memory);
  void load(const tile::MemoryAccess &access, uint64_t piece, mlir::Value memory,
            Registers &result);
  mlir::Value index(const tile::MemoryAccess &access, uint64_t reg);

  LaneCode &code;
  mlir::Operation *op;
};

} // namespace pumice::lower::tiles
