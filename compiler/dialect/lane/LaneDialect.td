//===- LaneDialect.td - what one invocation of a kernel does ----------------===//
// This level is between SPIR-V and SIMD code. Every value is a scalar of one invocation. Composite
// values are split into scalars, and addresses are explicit. Control flow is flat at first, with
// marked merge blocks, and becomes regions later.
//===-------------------------------------------------------------------------===//
#ifndef PUMICE_LANE_DIALECT
#define PUMICE_LANE_DIALECT

include "mlir/IR/OpBase.td"
include "mlir/IR/AttrTypeBase.td"

def LaneDialect : Dialect {
  let name = "lane";
  let cppNamespace = "::pumice::lane";
  let dependentDialects = ["::mlir::LLVM::LLVMDialect", "::mlir::ub::UBDialect"];
  let summary = "one invocation of a compute kernel, in scalars and addresses";
  let description = [{
    A kernel is a `func.func` without arguments or results. Its values are integers of 1 to 64 bits,
    f16, bf16, f32, f64 and `!llvm.ptr`. Operations that do not depend on other invocations are
    those of arith and math. This dialect has the other operations. A later pass decides how SIMD
    code executes several invocations at once (docs/cpu-compiler.md).

    Control flow has two forms. The *flat* form uses cf.br, cf.cond_br and cf.switch. The terminator
    of a header names its merge block, and a loop's continue block, in the attributes `lane.merge`
    and `lane.continue`. Each holds the number of the `lane.label` that opens the block. The
    *structured* form has the regions of lane.if, lane.switch, lane.loop and lane.scope. Exits name
    a depth, as in WebAssembly.

    Attributes of the function: `lane.kernel` (unit), `lane.workgroup_size` (array<i32>),
    `lane.shared_bytes` (i64: bytes of workgroup memory), `lane.push_constant_bytes` (i64),
    `lane.subgroup_size` (i32: the size that the kernel requires, or absent for the machine's),
    `lane.full_subgroups` (unit).
  }];
}

class Lane_Op<string mnemonic, list<Trait> traits = []> : Op<LaneDialect, mnemonic, traits>;

#endif
