//===- EmulateGen.cpp - matrices and blocks without their instructions ------===//
//   before: %d = gen.matrix_mad f16 %a, f16 %b, %c : i16, vector<8xi32>, f32
//   after:  %w = gen.sub_group_shuffle idx %a, %k : i16     for each column k of a
//           %d = %c + extf(%w) * extf(element k of %b) + ...
//
//   before: %v = gen.sub_group_block_read %address : index -> i32
//   after:  %v = llvm.load of the element at the work-item's number
//
// Leaves: no matrices and blocks in the gen dialect.
//===-------------------------------------------------------------------------===//
#include "compiler/gen/Emulation.h"
#include "compiler/gen/IndexWidth.h"
#include "compiler/gen/Passes.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/LLVMIR/LLVMDialect.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/Dialect/SPIRV/IR/SPIRVDialect.h"
#include "mlir/Dialect/Vector/IR/VectorOps.h"
#include "llvm/ADT/TypeSwitch.h"

namespace pumice::gen {
#define GEN_PASS_DEF_EMULATEGEN
#include "compiler/gen/Passes.h.inc"
} // namespace pumice::gen

using namespace mlir;
using namespace pumice;
using namespace pumice::gen;

void pumice::gen::emulate(Operation *op, const ElementMemory &memory) {
  llvm::TypeSwitch<Operation *>(op)
      .Case([](MatrixMadOp product) { emulateMatrix(product); })
      .Case([](BlockPrefetch2DOp prefetch) { prefetch.erase(); })
      .Case<BlockLoad2DOp, BlockStore2DOp, SubGroupBlockReadOp, SubGroupBlockWriteOp>(
          [&](auto block) { emulateBlock(block, memory); });
}

namespace {

struct EmulateGen final : gen::impl::EmulateGenBase<EmulateGen> {
  using EmulateGenBase::EmulateGenBase;

  void runOnOperation() override {
    if (memory != "llvm" && memory != "spirv") {
      getOperation()->emitError("pumice-emulate-gen accesses memory by llvm or spirv, got '")
          << memory << "'";
      return signalPassFailure();
    }
    bool isSpirv = memory == "spirv";
    FailureOr<unsigned> bits = indexBits(getOperation(), indexBitwidth, isSpirv ? 32 : 64);
    if (failed(bits))
      return signalPassFailure();
    if (isSpirv && failed(checkAddresses()))
      return signalPassFailure();
    ElementMemory elements(isSpirv ? MemoryDialect::Spirv : MemoryDialect::Llvm, *bits);
    getOperation()->walk([&](Operation *op) { emulate(op, elements); });
  }

  /// Reports LLVM's pointers, which code for the SPIR-V dialect cannot contain.
  LogicalResult checkAddresses() {
    WalkResult walked = getOperation()->walk([](Operation *op) {
      if (!isa<BlockLoad2DOp, BlockStore2DOp, SubGroupBlockReadOp, SubGroupBlockWriteOp>(op) ||
          llvm::none_of(op->getOperandTypes(), llvm::IsaPred<LLVM::LLVMPointerType>))
        return WalkResult::advance();
      op->emitError("'") << op->getName()
                         << "' has an LLVM pointer, but accesses by spirv need an index: use "
                            "memory=llvm, or an address of type index";
      return WalkResult::interrupt();
    });
    return failure(walked.wasInterrupted());
  }
};

} // namespace
