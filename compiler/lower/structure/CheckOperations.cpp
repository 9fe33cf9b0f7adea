//===- CheckOperations.cpp - rejects unsupported operations early -----------===//
//   before: %p = memref.alloc() : memref<8xf32>
//   after:  error: 'memref.alloc' cannot be compiled: a kernel cannot allocate device memory; use
//   ...
//
// Leaves: operations that Operations.def lists as native, emulated or structure, and those of
// SPIR-V's dialect.
//===-------------------------------------------------------------------------===//
#include "compiler/lower/Passes.h"
#include "compiler/lower/structure/MemorySpace.h"
#include "compiler/source/Operations.h"

#include "mlir/Dialect/MemRef/IR/MemRef.h"

namespace pumice::lower {
#define GEN_PASS_DEF_CHECKOPERATIONS
#include "compiler/lower/Passes.h.inc"
} // namespace pumice::lower

using namespace mlir;
using namespace pumice;

namespace {

/// Checks an argument. A launch passes only buffers and numbers. Memory of the workgroup or of a
/// lane belongs to the kernel.
LogicalResult checkArgument(gpu::GPUFuncOp kernel, unsigned number) {
  BlockArgument argument = kernel.getArgument(number);
  auto refuse = [&](const Twine &why) -> LogicalResult {
    return mlir::emitError(argument.getLoc())
           << "argument " << number << " of type " << argument.getType() << " " << why;
  };
  if (isa<gpu::MMAMatrixType>(argument.getType()))
    return refuse("is spread over a subgroup, which a launch cannot pass; load it from a buffer");
  if (auto number = dyn_cast<IntegerType>(argument.getType()); number && !number.isSignless())
    return refuse("has a sign, but arith has only signless types; pass one of i" +
                  Twine(number.getWidth()));
  auto memory = dyn_cast<MemRefType>(argument.getType());
  switch (memory ? lower::memorySpaceOf(memory) : lower::MemorySpace::Global) {
  case lower::MemorySpace::Global:
    return success();
  case lower::MemorySpace::Workgroup:
  case lower::MemorySpace::Private:
    return refuse("is memory of the kernel's own, which a launch cannot pass; make it a workgroup "
                  "or private attribution");
  case lower::MemorySpace::Unknown:
    return refuse("is in a memory space that kernels do not have; use #gpu.address_space<global>, "
                  "or none");
  }
  llvm_unreachable("four memory spaces");
}

LogicalResult checkFunction(gpu::GPUFuncOp func) {
  SmallVector<BlockArgument> attributions(func.getWorkgroupAttributions());
  llvm::append_range(attributions, func.getPrivateAttributions());
  for (BlockArgument own : attributions)
    if (!cast<MemRefType>(own.getType()).hasStaticShape())
      return mlir::emitError(own.getLoc())
             << "attribution of type " << own.getType()
             << " has a dynamic extent; make it static, or use gpu.dynamic_shared_memory, "
                "whose size the launch gives";
  for (unsigned i = 0; func.isKernel() && i < func.getNumArguments(); ++i)
    if (failed(checkArgument(func, i)))
      return failure();
  return success();
}

/// Returns whether a format is for tensor cores or special processors only, so that no kernel can
/// compute with it.
bool isForeignFloat(Type type) {
  if (auto shaped = dyn_cast<ShapedType>(type))
    type = shaped.getElementType();
  return isa<FloatTF32Type, Float80Type, Float128Type>(getElementTypeOrSelf(type));
}

LogicalResult checkUpdate(memref::AtomicRMWOp update) {
  Type type = update.getValue().getType();
  if (!type.isFloat() || type.getIntOrFloatBitWidth() >= 16 ||
      update.getKind() == arith::AtomicRMWKind::assign)
    return success();
  return update.emitError() << "'memref.atomic_rmw' cannot compute "
                            << arith::stringifyAtomicRMWKind(update.getKind()) << " on " << type
                            << ", a format that is only kept in memory; keep the value that is "
                               "updated as f32, or use memref.generic_atomic_rmw with conversions";
}

LogicalResult check(Operation *op) {
  StringRef name = op->getName().getStringRef();
  StringRef dialect = op->getName().getDialectNamespace();
  // Subgroup operations and conversions, among others, may be written in SPIR-V's own dialect.
  // Operations of gen have verifiers of their own.
  if (dialect == "spirv" || dialect == "vk" || dialect == "gen")
    return success();
  const OperationInfo *info = findOperation(name);
  if (!info)
    return op->emitError() << "'" << name
                           << "' is not an operation that a kernel may hold; lower it "
                           << "to gpu, arith, math, memref, scf, cf, vector, index or func first";
  if (info->state == pumice::OperationState::Rejected)
    return op->emitError() << "'" << name << "' cannot be compiled: " << info->note;
  if (info->state == pumice::OperationState::Host)
    return op->emitError() << "'" << name << "' is not allowed in a kernel: it is " << info->note;
  for (Type type : llvm::concat<const Type>(op->getOperandTypes(), op->getResultTypes())) {
    Type held = isa<MemRefType>(type) ? cast<MemRefType>(type).getElementType() : type;
    if (auto vector = dyn_cast<VectorType>(held); vector && vector.isScalable())
      return op->emitError()
             << "'" << name << "' uses " << type
             << ", whose length the target chooses; kernels for Vulkan need vectors "
                "of a known length";
    if (isa<UnrankedMemRefType>(type))
      return op->emitError() << "'" << name << "' uses a memref of unknown rank; give it a rank";
    if (isForeignFloat(type))
      return op->emitError() << "'" << name << "' uses " << type
                             << ", a format that kernels do not compute with; use f16, bf16, f32 "
                                "or f64";
  }
  if (auto func = dyn_cast<gpu::GPUFuncOp>(op))
    return checkFunction(func);
  if (auto update = dyn_cast<memref::AtomicRMWOp>(op))
    return checkUpdate(update);
  auto alloca = dyn_cast<memref::AllocaOp>(op);
  if (alloca && alloca.getType().getMemorySpace() &&
      lower::memorySpaceOf(alloca.getType()) != lower::MemorySpace::Private)
    return op->emitError() << "'" << name << "' makes " << alloca.getType()
                           << ", but each lane's memory is private; for workgroup memory, use an "
                              "attribution of the function";
  return success();
}

struct CheckOperations final : lower::impl::CheckOperationsBase<CheckOperations> {
  void runOnOperation() override {
    // Visits outer operations first, so that the outermost unsupported operation is reported.
    WalkResult walked = getOperation()->walk<WalkOrder::PreOrder>([](Operation *op) {
      return failed(check(op)) ? WalkResult::interrupt() : WalkResult::advance();
    });
    if (walked.wasInterrupted())
      signalPassFailure();
  }
};

} // namespace
