//===- WrapSpirv.cpp - a spirv.module around functions and variables --------===//
//   before: module { spirv.GlobalVariable @v  spirv.func @f() }
//   after:  module { spirv.module @__spv__ Physical32 OpenCL { spirv.GlobalVariable @v  ... } }
//
// Needs: operations of the SPIR-V dialect only. Leaves: a spirv.module without its requirements.
//===-------------------------------------------------------------------------===//
#include "compiler/gen/IndexWidth.h"
#include "compiler/gen/Passes.h"

#include "mlir/Dialect/SPIRV/IR/SPIRVOps.h"
#include "mlir/Dialect/SPIRV/IR/TargetAndABI.h"
#include "mlir/IR/SymbolTable.h"

namespace pumice::gen {
#define GEN_PASS_DEF_WRAPSPIRV
#include "compiler/gen/Passes.h.inc"
} // namespace pumice::gen

using namespace mlir;
using namespace pumice;
using namespace pumice::gen;

namespace {

struct WrapSpirv final : gen::impl::WrapSpirvBase<WrapSpirv> {
  using WrapSpirvBase::WrapSpirvBase;

  void runOnOperation() override {
    Operation *around = getOperation();
    if (failed(checkContents(around)))
      return signalPassFailure();
    FailureOr<unsigned> bits = indexBits(around, indexBitwidth, 32);
    spirv::TargetEnvAttr env = spirv::lookupTargetEnvOrDefault(around);
    FailureOr<spirv::MemoryModel> memory = spirv::getMemoryModel(env);
    if (failed(bits) || failed(memory))
      return signalPassFailure();

    Block &body = around->getRegion(0).front();
    auto inside = llvm::to_vector(llvm::make_pointer_range(body.getOperations()));
    auto builder = OpBuilder::atBlockBegin(&body);
    auto module = spirv::ModuleOp::create(
        builder, around->getLoc(), spirv::getAddressingModel(env, *bits == 64), *memory,
        /*vceTriple=*/std::nullopt, ("__spv__" + moduleName(around)).str());
    if (spirv::TargetEnvAttr given = spirv::lookupTargetEnv(around))
      module->setAttr(spirv::getTargetEnvAttrName(), given);
    for (Operation *op : inside)
      if (!op->hasTrait<OpTrait::IsTerminator>())
        op->moveBefore(module.getBody(), module.getBody()->end());
  }

  StringRef moduleName(Operation *around) const {
    if (!name.empty())
      return name;
    auto symbol = around->getAttrOfType<StringAttr>(SymbolTable::getSymbolAttrName());
    return symbol ? symbol.getValue() : "";
  }

  static LogicalResult checkContents(Operation *around) {
    if (!around->hasTrait<OpTrait::SymbolTable>() || isa<spirv::ModuleOp>(around))
      return around->emitError("pumice-wrap-spirv runs on a module of SPIR-V functions, got '")
             << around->getName() << "'";
    for (Operation &op : around->getRegion(0).front())
      if (!isa_and_nonnull<spirv::SPIRVDialect>(op.getDialect()) &&
          !op.hasTrait<OpTrait::IsTerminator>())
        return op.emitError("expected functions and variables of SPIR-V, got '")
               << op.getName() << "': convert it before pumice-wrap-spirv";
    return success();
  }
};

} // namespace
