//===- KernelFrame.h - makes the llvm.func of a kernel ----------------------===//
//   before: func.func @k() attributes {lane.kernel, …}
//   after:  llvm.func @k(launch, workgroup memory, scratch, begin, end) -> i32
//           for each workgroup from begin to end, x first: the kernel for each of its subgroups
// executable/NativeCode.h describes the arguments. The entry block reads the fields of the launch
// once. The function returns 0, or 1 if the launch was cancelled.
//===-------------------------------------------------------------------------===//
#pragma once

#include "compiler/cpu/simd/LaneBuilder.h"
#include "compiler/dialect/lane/LaneDialect.h"

#include "mlir/Dialect/Func/IR/FuncOps.h"

namespace pumice::cpu {

class KernelFrame {
public:
  using Value = mlir::Value;
  using Type = mlir::Type;
  using Block = mlir::Block;

  /// `scratchBytes` is the scratch memory that the plan of the workgroup needs, at offset 0.
  KernelFrame(LaneBuilder &b, mlir::func::FuncOp kernel, int64_t scratchBytes);

  /// Creates the function in front of the kernel, with the kernel's name.
  void create();
  /// Emits the loop over the workgroups. `body` emits one iteration, which ends at `groupEnd`.
  void loopOverWorkgroups(llvm::function_ref<void()> body);
  /// Adds the attributes from which the loader learns about the function. Must be called last.
  void addAttributes();

  // Arguments
  Value launchField(size_t place, Type type);
  /// Reads a field of the buffer that `op` names by set, binding and element.
  Value bufferField(mlir::Operation *op, size_t field, Type type);
  Value sharedMemory() { return function.getArgument(1); }
  Value scratch() { return function.getArgument(2); }
  Value groupNumber(unsigned axis, llvm::StringRef which);
  /// Reserves more scratch memory, and returns its offset.
  int64_t reserveScratch(int64_t bytes);

  // Constants
  Value constantBytes(llvm::StringRef bytes);
  Value tableAddress(lane::TableOp op);
  /// Returns the index of a printf format in the function's table. Equal formats share an index.
  unsigned formatNumber(mlir::Attribute format);

  /// Branches to `goOn`, unless the launch was cancelled.
  void testCancel(Block *goOn);
  /// Calls `emit` at each return of the function.
  void beforeReturns(llvm::function_ref<void()> emit);
  mlir::Region &body() { return function.getBody(); }

  Block *groupEnd = nullptr; // the end of the iteration for one workgroup

private:
  Value cancelWord();
  void addFunctionControl();

  LaneBuilder &b;
  mlir::func::FuncOp kernel;
  mlir::LLVM::LLVMFuncOp function;
  Block *cancelled = nullptr; // returns 1
  llvm::DenseMap<std::pair<uint64_t, Type>, Value> launchFields;
  llvm::DenseMap<uint64_t, unsigned> bindings;
  llvm::SmallVector<int32_t> bindingList;
  llvm::DenseMap<std::pair<unsigned, uint64_t>, Value> bufferFields;
  llvm::SmallVector<mlir::Attribute> printfFormats;
  Value groupSlot[3], cancelPlace;
  int64_t scratchBytes;
  int64_t groupPlace = 0; // the offset of the workgroup's number in scratch memory
};

} // namespace pumice::cpu
