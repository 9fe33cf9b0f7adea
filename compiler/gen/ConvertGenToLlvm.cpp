//===- ConvertGenToLlvm.cpp - gen → calls of OpenCL's built-in functions ----===//
//   before: %0 = gen.local_id %c0_i32
//   after:  %0 = llvm.call @_Z12get_local_idj(%c0_i32) : (i32) -> i64
//
//   before: %0 = gen.local_id %dimension
//   after:  three calls with 0, 1 and 2, and a select of one result, or of 0
//
// LlvmPatterns.cpp has the patterns.
//===-------------------------------------------------------------------------===//
#include "compiler/dialect/gen/GenDialect.h"
#include "compiler/gen/ConversionPatterns.h"
#include "compiler/gen/IndexWidth.h"
#include "compiler/gen/Passes.h"

#include "mlir/Conversion/LLVMCommon/ConversionTarget.h"
#include "mlir/Conversion/LLVMCommon/TypeConverter.h"
#include "mlir/Interfaces/DataLayoutInterfaces.h"
#include "mlir/Transforms/DialectConversion.h"
#include "llvm/IR/DataLayout.h"
#include "llvm/Support/Error.h"

namespace pumice::gen {
#define GEN_PASS_DEF_CONVERTGENTOLLVM
#include "compiler/gen/Passes.h.inc"
} // namespace pumice::gen

using namespace mlir;
using namespace pumice;
using namespace pumice::gen;

namespace {

struct ConvertGenToLlvm final : gen::impl::ConvertGenToLlvmBase<ConvertGenToLlvm> {
  using ConvertGenToLlvmBase::ConvertGenToLlvmBase;

  void runOnOperation() override {
    Operation *module = getOperation();
    FailureOr<unsigned> bits = indexBits(module, indexBitwidth, 64);
    if (failed(bits) || failed(checkModule(module, *bits)))
      return signalPassFailure();
    LowerToLLVMOptions options(&getContext(), DataLayout::closest(module));
    options.overrideIndexBitwidth(*bits);
    LLVMTypeConverter converter(&getContext(), options);
    LLVMConversionTarget target(getContext());
    target.addIllegalDialect<GenDialect>();
    RewritePatternSet patterns(&getContext());
    CallStyle style = {.spirCalls = spirCalls};
    populateGenToLlvmPatterns(converter, style, patterns);
    populateGenBlocksToLlvmPatterns(converter, style, patterns);
    if (failed(applyPartialConversion(module, target, std::move(patterns))))
      signalPassFailure();
  }

  /// Checks that functions can be declared, and that the data layout in LLVM's notation agrees.
  static LogicalResult checkModule(Operation *module, unsigned bits) {
    if (!module->hasTrait<OpTrait::SymbolTable>())
      return module->emitError("convert-gen-to-llvm declares functions, so it runs on a module, "
                               "got '")
             << module->getName() << "'";
    auto layout = module->getAttrOfType<StringAttr>(LLVM::LLVMDialect::getDataLayoutAttrName());
    if (!layout)
      return success();
    llvm::Expected<llvm::DataLayout> parsed = llvm::DataLayout::parse(layout.getValue());
    if (!parsed)
      return module->emitError("llvm.data_layout: ") << llvm::toString(parsed.takeError());
    if (unsigned pointer = parsed->getPointerSizeInBits(0); pointer != bits)
      return module->emitError("llvm.data_layout has pointers of ")
             << pointer << " bits, but an index has " << bits
             << " bits: state index in dlti.dl_spec, or use index-bitwidth=" << pointer
             << " in this and other conversions to LLVM";
    return success();
  }
};

} // namespace
