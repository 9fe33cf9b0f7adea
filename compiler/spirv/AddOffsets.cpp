//===- AddOffsets.cpp - computes addresses as sums --------------------------===//
//   before: %p = spirv.AccessChain %x[%zero, %i] : !memory, i32, i32 -> !element
//   after:  %base = spirv.ConvertPtrToU %x : !memory to i64
//           %far = spirv.SConvert %i : i32 to i64
//           %bytes = spirv.IMul %far, %size : i64
//           %sum = spirv.IAdd %base, %bytes : i64
//           %p = spirv.ConvertUToPtr %sum : i64 to !element
// SPIR-V treats every index as signed. NVIDIA's driver (580.159.04) treats it as unsigned, whatever
// type the index has. If an element is before a pointer into the middle of memory, the driver
// accesses memory 16 GiB behind that pointer.
// Needs: JoinHalves, which compares indices.
//===-------------------------------------------------------------------------===//
#include "compiler/spirv/Passes.h"

#include "compiler/dialect/vk/VkDialect.h"

#include "mlir/Dialect/SPIRV/IR/SPIRVOps.h"

namespace pumice::spirv {
#define GEN_PASS_DEF_ADDOFFSETS
#include "compiler/spirv/Passes.h.inc"
} // namespace pumice::spirv

using namespace mlir;
using namespace pumice;
namespace spv = mlir::spirv;

namespace {

/// Returns the array whose element `op` points to, if buffers are addresses.
spv::RuntimeArrayType arrayOf(spv::AccessChainOp op) {
  auto pointer = cast<spv::PointerType>(op.getBasePtr().getType());
  auto block = dyn_cast<spv::StructType>(pointer.getPointeeType());
  if (pointer.getStorageClass() != spv::StorageClass::PhysicalStorageBuffer || !block ||
      op.getIndices().size() != 2)
    return {};
  return dyn_cast<spv::RuntimeArrayType>(block.getElementType(0));
}

struct AddOffsets final : pumice::spirv::impl::AddOffsetsBase<AddOffsets> {
  void runOnOperation() override {
    FailureOr<target::TargetEnv> env = vk::lookupTarget(getOperation());
    if (failed(env))
      return signalPassFailure();
    if (!env->needs(target::Workaround::noNegativeIndices) ||
        !env->has(target::Feature::shaderInt64))
      return;
    bases.clear();
    getOperation().walk([&](spv::AccessChainOp op) {
      APInt known;
      bool isBehind =
          matchPattern(op.getIndices().back(), m_ConstantInt(&known)) && known.isNonNegative();
      if (spv::RuntimeArrayType array = isBehind ? spv::RuntimeArrayType() : arrayOf(op))
        add(op, array.getArrayStride());
    });
  }

private:
  void add(spv::AccessChainOp op, unsigned bytes) {
    Location loc = op.getLoc();
    OpBuilder b(op);
    Type i64 = b.getI64Type();
    Value offset = op.getIndices().back();
    if (offset.getType() != i64)
      offset = spv::SConvertOp::create(b, loc, i64, offset);
    if (bytes != 1)
      offset = spv::IMulOp::create(
          b, loc, offset, spv::ConstantOp::create(b, loc, i64, b.getI64IntegerAttr(bytes)));
    Value sum = spv::IAddOp::create(b, loc, baseOf(op.getBasePtr()), offset);
    Value pointer = spv::ConvertUToPtrOp::create(b, loc, op.getType(), sum);
    op.replaceAllUsesWith(pointer);
    op.erase();
  }

  /// Returns the address of `buffer` as a number, computed where the buffer is defined.
  Value baseOf(Value buffer) {
    Value &base = bases[buffer];
    if (!base) {
      OpBuilder b(buffer.getContext());
      b.setInsertionPointAfterValue(buffer);
      base = spv::ConvertPtrToUOp::create(b, buffer.getLoc(), b.getI64Type(), buffer);
    }
    return base;
  }

  llvm::DenseMap<Value, Value> bases; // by buffer
};

} // namespace
