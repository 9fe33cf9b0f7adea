//===- SplitIntegers.cpp - vectors of integers, element by element ----------===//
//   before: %r = spirv.Select %c, %a, %b : vector<2xi1>, vector<2xi32>
//   after:  %c0 = spirv.CompositeExtract %c[0], %a0 = ..., %b0 = ...
//           %r0 = spirv.Select %c0, %a0, %b0 : i1, i32                   (and %r1 of those at 1)
//           %r = spirv.CompositeConstruct %r0, %r1
// NVIDIA's compiler (580.159.04) ends the process if a module with cooperative matrices computes
// absolute values of vectors, however they are written, and also calls a function, as divisions do.
// Remainders of signed integers use absolute values, and most indices use remainders.
//===-------------------------------------------------------------------------===//
#include "compiler/spirv/Passes.h"

#include "compiler/dialect/vk/VkDialect.h"

#include "mlir/Dialect/SPIRV/IR/SPIRVOps.h"

namespace pumice::spirv {
#define GEN_PASS_DEF_SPLITINTEGERS
#include "compiler/spirv/Passes.h.inc"
} // namespace pumice::spirv

using namespace mlir;
using namespace pumice;
namespace spv = mlir::spirv;

namespace {

bool hasMatrices(spv::ModuleOp module) {
  return module
      .walk([](Operation *op) {
        return llvm::any_of(op->getResultTypes(), llvm::IsaPred<spv::CooperativeMatrixType>)
                   ? WalkResult::interrupt()
                   : WalkResult::advance();
      })
      .wasInterrupted();
}

/// Returns whether `op` computes each element only from the elements at the same position, and some
/// of them are integers.
bool isOfIntegersByPlace(Operation *op) {
  auto isOfIntegers = [](Type type) {
    auto vector = dyn_cast<VectorType>(type);
    return vector && isa<IntegerType>(vector.getElementType());
  };
  return op->getNumResults() == 1 && isa<VectorType>(op->getResult(0).getType()) &&
         (isOfIntegers(op->getResult(0).getType()) ||
          llvm::any_of(op->getOperandTypes(), isOfIntegers)) &&
         (op->hasTrait<OpTrait::SameOperandsAndResultType>() ||
          op->hasTrait<OpTrait::SameOperandsAndResultShape>() ||
          isa<spv::IAddOp, spv::ISubOp, spv::IMulOp, spv::SDivOp, spv::UDivOp, spv::SModOp,
              spv::SRemOp, spv::UModOp, spv::SNegateOp, spv::BitFieldInsertOp,
              spv::BitFieldSExtractOp, spv::BitFieldUExtractOp, spv::SelectOp>(op));
}

struct SplitIntegers final : pumice::spirv::impl::SplitIntegersBase<SplitIntegers> {
  void runOnOperation() override {
    FailureOr<target::TargetEnv> env = vk::lookupTarget(getOperation());
    if (failed(env))
      return signalPassFailure();
    if (!env->needs(target::Workaround::noIntegerVectors) || !hasMatrices(getOperation()))
      return;
    components.clear();
    getOperation().walk([&](Operation *op) {
      if (isOfIntegersByPlace(op))
        split(op);
    });
    SmallVector<spv::CompositeConstructOp> made;
    getOperation().walk([&](spv::CompositeConstructOp op) { made.push_back(op); });
    for (spv::CompositeConstructOp op : llvm::reverse(made))
      if (op->use_empty())
        op->erase();
  }

private:
  void split(Operation *op) {
    OpBuilder b(op);
    auto type = cast<VectorType>(op->getResult(0).getType());
    SmallVector<Value> numbers;
    for (int32_t i = 0; i < type.getNumElements(); ++i) {
      OperationState state(op->getLoc(), op->getName());
      for (Value operand : op->getOperands())
        state.operands.push_back(component(operand, i));
      state.addTypes(type.getElementType());
      state.addAttributes(op->getAttrs());
      numbers.push_back(b.create(state)->getResult(0));
    }
    Value vector = spv::CompositeConstructOp::create(b, op->getLoc(), type, numbers);
    components[vector] = numbers;
    op->getResult(0).replaceAllUsesWith(vector);
    op->erase();
  }

  /// Extracts a component where `value` is defined, so that all users can share it.
  Value component(Value value, int32_t i) {
    auto type = dyn_cast<VectorType>(value.getType());
    if (!type) // `value` is the scalar condition of a select
      return value;
    SmallVector<Value> &taken = components[value];
    if (taken.empty()) {
      OpBuilder b(value.getContext());
      b.setInsertionPointAfterValue(value);
      for (int32_t each = 0; each < type.getNumElements(); ++each)
        taken.push_back(
            b.createOrFold<spv::CompositeExtractOp>(value.getLoc(), value, ArrayRef(each)));
    }
    return taken[i];
  }

  llvm::DenseMap<Value, SmallVector<Value>> components; // by vector
};

} // namespace
