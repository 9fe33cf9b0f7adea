//===- ConvertGenToSpirv.cpp - gen → the SPIR-V dialect ---------------------===//
//   before: %0 = gen.local_id %c0_i32
//   after:  %a = spirv.mlir.addressof @__spirv_BuiltInLocalInvocationId
//           %v = spirv.Load "Input" %a : vector<3xi32>
//           %0 = spirv.VectorExtractDynamic %v[%c0_i32] : vector<3xi32>, i32
//
// SpirvPatterns.cpp has the patterns.
//===-------------------------------------------------------------------------===//
#include "compiler/dialect/gen/GenDialect.h"
#include "compiler/gen/Capabilities.h"
#include "compiler/gen/ConversionPatterns.h"
#include "compiler/gen/IndexWidth.h"
#include "compiler/gen/Passes.h"

#include "mlir/Conversion/ArithToSPIRV/ArithToSPIRV.h"
#include "mlir/Conversion/ControlFlowToSPIRV/ControlFlowToSPIRV.h"
#include "mlir/Conversion/FuncToSPIRV/FuncToSPIRV.h"
#include "mlir/Conversion/IndexToSPIRV/IndexToSPIRV.h"
#include "mlir/Conversion/SCFToSPIRV/SCFToSPIRV.h"
#include "mlir/Dialect/SPIRV/IR/SPIRVDialect.h"
#include "mlir/Dialect/SPIRV/Transforms/SPIRVConversion.h"

namespace pumice::gen {
#define GEN_PASS_DEF_CONVERTGENTOSPIRV
#include "compiler/gen/Passes.h.inc"
} // namespace pumice::gen

using namespace mlir;
using namespace pumice;
using namespace pumice::gen;

namespace {

struct ConvertGenToSpirv final : gen::impl::ConvertGenToSpirvBase<ConvertGenToSpirv> {
  using ConvertGenToSpirvBase::ConvertGenToSpirvBase;

  void runOnOperation() override {
    Operation *module = getOperation();
    if (!module->hasTrait<OpTrait::SymbolTable>()) {
      module->emitError("convert-gen-to-spirv declares variables, so it runs on a module, got '")
          << module->getName() << "'";
      return signalPassFailure();
    }
    FailureOr<unsigned> bits = indexBits(module, indexBitwidth, 32);
    spirv::TargetEnvAttr env = spirv::lookupTargetEnvOrDefault(module);
    if (failed(bits) || failed(checkCapabilities(module, spirv::TargetEnv(env), extensions, *bits)))
      return signalPassFailure();
    SPIRVConversionOptions options;
    options.use64bitIndex = *bits == 64;
    options.emulateLT32BitScalarTypes = false; // a type that the target lacks has been reported
    SPIRVTypeConverter converter(env, options);
    std::unique_ptr<ConversionTarget> target = SPIRVConversionTarget::get(env);
    target->addIllegalDialect<GenDialect>();
    RewritePatternSet patterns(&getContext());
    populateGenToSpirvPatterns(converter, patterns);
    populateGenBlocksToSpirvPatterns(converter, patterns);
    ScfToSPIRVContext loops;
    if (options.use64bitIndex)
      populateIndexPatterns(converter, loops, patterns);
    if (failed(applyPartialConversion(module, *target, std::move(patterns))))
      signalPassFailure();
  }

  /// Adds the patterns of other dialects, whose own passes know only an index of 32 bits.
  static void populateIndexPatterns(const SPIRVTypeConverter &converter, ScfToSPIRVContext &loops,
                                    RewritePatternSet &patterns) {
    populateBuiltinFuncToSPIRVPatterns(converter, patterns);
    populateFuncToSPIRVPatterns(converter, patterns);
    arith::populateArithToSPIRVPatterns(converter, patterns);
    cf::populateControlFlowToSPIRVPatterns(converter, patterns);
    index::populateIndexToSPIRVPatterns(converter, patterns);
    populateSCFToSPIRVPatterns(converter, loops, patterns);
  }
};

} // namespace
