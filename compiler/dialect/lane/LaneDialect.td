//===- LaneDialect.td - what one invocation of a kernel does ----------------===//
// The level between SPIR-V and SIMD code: every value is a scalar of one invocation. Composite values are
// gone, addresses are explicit, control flow is first flat with marked merges, then regions.
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
    f16, bf16, f32, f64 and `!llvm.ptr`; Operations that do not depend on other invocations are
    those of arith and math. This dialect has the others. How a SIMD register's worth of invocations
    executes it is
    decided later (docs/cpu-compiler.md).

    Control flow has two forms. *Flat*: cf.br, cf.cond_br and cf.switch, where a header's terminator
    names its merge block (and a loop's continue block) by the number of the `lane.label` that opens
    that block, in the attributes `lane.merge` and `lane.continue`. *Structured*: regions of
    lane.if, lane.switch, lane.loop and lane.scope, with exits by depth, as WebAssembly has them.

    Attributes of the function: `lane.kernel` (unit), `lane.workgroup_size` (array<i32>),
    `lane.shared_bytes` (i64: workgroup memory), `lane.push_constant_bytes` (i64),
    `lane.subgroup_size` (i32: required; absent: the machine's), `lane.full_subgroups` (unit).
  }];
}

class Lane_Op<string mnemonic, list<Trait> traits = []> : Op<LaneDialect, mnemonic, traits>;

#endif
