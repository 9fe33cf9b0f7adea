//===- WorkgroupTrips.h - sends registers through workgroup memory ----------===//
// The kernel has an attribution for each type, which is as large as the largest trip needs. A trip
// begins with a barrier, since other lanes may still be reading the results of an earlier trip.
//===-------------------------------------------------------------------------===//
#pragma once

#include "compiler/lower/tile/LaneCode.h"

#include "mlir/IR/Operation.h"

namespace pumice::lower::tiles {

class WorkgroupTrips {
public:
  /// Emits code with `code` before the operation `op` of a gpu.func.
  WorkgroupTrips(LaneCode &code, mlir::Operation *op) : code(code), op(op) {}

  /// Performs any conversion. Conversions within a subgroup do not use memory.
  Registers convert(const tile::Conversion &plan, llvm::ArrayRef<mlir::Value> registers);

  /// Stores all elements as `access` describes, and returns the elements at these offsets.
  Registers read(const tile::MemoryAccess &store, llvm::ArrayRef<mlir::Value> registers,
                 llvm::ArrayRef<mlir::Value> offsets);

  /// Counts the values whose conditions hold (all values if there are no conditions), and returns
  /// each lane's counts. The count of value n is stored where `trip` stores element n.
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
