//===- Emitter.h - emits a kernel's code for vectors ------------------------===//
// A SimdEmitter visits the regions of one kernel in order and appends blocks to an llvm.func. Its
// parts own their state, and the rules of operations (Rules.h) use the parts. A null mask means
// that all lanes are active. Code runs only if at least one lane is active, except for regions that
// are cheap enough to run without any.
//===-------------------------------------------------------------------------===//
#pragma once

#include "compiler/cpu/simd/CountedLoops.h"
#include "compiler/cpu/simd/KernelFrame.h"
#include "compiler/cpu/simd/LaneBuilder.h"
#include "compiler/cpu/simd/MaskedControl.h"
#include "compiler/cpu/simd/Matrices.h"
#include "compiler/cpu/simd/Memory.h"
#include "compiler/cpu/simd/Target.h"
#include "compiler/cpu/simd/ValueMap.h"
#include "compiler/cpu/simd/Variables.h"
#include "compiler/cpu/simd/WorkgroupPlan.h"
#include "compiler/cpu/simd/WorkgroupSegments.h"

namespace pumice::cpu {

class SimdEmitter {
public:
  /// `target` describes the processor's registers. It does not depend on the subgroup size.
  SimdEmitter(mlir::func::FuncOp kernel, const LaneAnalysis &analysis, const SimdTarget &target);
  SimdEmitter(const SimdEmitter &) = delete; // its parts refer to it
  /// Puts the llvm.func before the kernel. Reports errors as diagnostics.
  mlir::LogicalResult emit();

  // The parts
  const LaneAnalysis &analysis;
  const SimdTarget target;
  const SimdPlan plan;
  LaneBuilder b;
  KernelFrame frame;
  WorkgroupSegments segments;
  ValueMap values;
  Variables variables;
  MaskedControl control;
  CountedLoops loops;
  MemoryState memory;
  MatrixState matrices;

  /// Emits an operation of a segment.
  void emitOp(mlir::Operation *op);
  /// Reports that an operation cannot be emitted. `emit` then fails.
  void fail(mlir::Operation *op, const llvm::Twine &why);

private:
  mlir::func::FuncOp kernel;
  bool failed = false;
};

} // namespace pumice::cpu
