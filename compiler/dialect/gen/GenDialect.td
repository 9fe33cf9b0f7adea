//===- GenDialect.td - what Intel's GPUs offer to a kernel ------------------===//
// This level is above both of MLIR's leaves, the LLVM dialect and the SPIR-V dialect. LLVM's SPIR-V
// backend turns calls of built-in functions into instructions. docs/gen.md shows both ways.
//===-------------------------------------------------------------------------===//
#ifndef PUMICE_GEN_DIALECT
#define PUMICE_GEN_DIALECT

include "mlir/IR/EnumAttr.td"
include "mlir/IR/OpBase.td"

def GenDialect : Dialect {
  let name = "gen";
  let cppNamespace = "::pumice::gen";
  let dependentDialects = ["::mlir::arith::ArithDialect"];
  let summary = "work-items, sub-groups, matrices and blocks of memory of Intel's GPUs";
  let description = [{
    The operations give a work-item its position, synchronize a work-group, and exchange values
    within a sub-group. Values are scalars and vectors of one work-item. `convert-gen-to-llvm`
    lowers an operation to a call of an OpenCL built-in function, and `convert-gen-to-spirv` lowers
    it to instructions of SPIR-V. Both give the same results.

    The words are those of OpenCL: a work-item is one invocation of a kernel, a sub-group is the
    work-items that execute together, and a work-group is the work-items that share local memory.
  }];
  let useDefaultAttributePrinterParser = 1;
  let hasConstantMaterializer = 1;
}

class Gen_Op<string mnemonic, list<Trait> traits = []> : Op<GenDialect, mnemonic, traits>;

class Gen_Enum<string name, string summary, list<I32EnumAttrCase> cases>
    : I32EnumAttr<name, summary, cases> {
  let cppNamespace = "::pumice::gen";
  let genSpecializedAttr = 0;
}

#endif
