//===- Passes.td - from SPIR-V to SIMD code ---------------------------------===//
// In alphabetical order; docs/cpu-compiler.md has them in the order in which they run.
//===-------------------------------------------------------------------------===//
include "mlir/Pass/PassBase.td"

def BoundAccesses : Pass<"pumice-bound-accesses", "::mlir::func::FuncOp"> {
  let summary = "Make accesses through descriptors only where they are inside of what is bound";
  let description = [{
    What robust access asks for. Each load, store and atomic by an address that leads into a bound
    buffer becomes a lane.if: outside, loads and atomics give 0 and nothing is written. An access of
    several scalars is inside as a whole or not at all. Of a pointer chosen among buffers, any of
    them will do. In a module of logical addressing, a pointer of which nobody knows where it leads
    is an error. Indices may overflow afterwards: promises that they do not are dropped.
  }];
  let dependentDialects = ["::mlir::arith::ArithDialect", "::mlir::LLVM::LLVMDialect",
                           "::pumice::lane::LaneDialect"];
}

def ExpandLaneMath : Pass<"pumice-expand-lane-math", "::mlir::func::FuncOp"> {
  let summary = "Turn functions that a CPU lacks into arithmetic";
  let description = [{
    Exponentials, logarithms, powers, trigonometric functions and their relatives become polynomials
    (compiler/lower/polyfill/ExpandMath.h; docs/precision.md has their errors), which SIMD code computes for
    all lanes at once. Half precision is computed in f32. Roots, roundings, fma and what counts bits
    stay; fma of f16 stays where the processor has it. Polynomials are of fma, or, where a processor has none, of products and sums: their bounds
    hold either way. Where a polyfill branches, the branch is a lane.if: the function is structured.
  }];
  let options = [Option<"avx512", "avx512", "bool", "false",
                        "leave exp and exp2 of f32 to pumice-simd-to-llvm">,
                 Option<"fused", "fused", "bool", "true", "the processor has fma">,
                 Option<"halves", "halves", "bool", "false", "the processor computes in f16">];
  let dependentDialects = ["::mlir::arith::ArithDialect", "::mlir::math::MathDialect",
                           "::pumice::lane::LaneDialect", "::mlir::scf::SCFDialect", "::mlir::vector::VectorDialect"];
}

def FindMerges : Pass<"pumice-find-merges", "::mlir::func::FuncOp"> {
  let summary = "Mark where branches that name no merge meet again";
  let description = [{
    OpenCL's kernels carry no merge instructions. In a flat function with `lane.unmarked` every cycle
    becomes a loop with one header and one latch, which `lane.merge` and `lane.continue` name; a block
    that is reached in several ways becomes a merge of the block that dominates it. Cycles with several
    entries (irreducible flow) begin with a switch by a number that says which one is meant.
    Lanes that part meet again as early as they can. The function does what it did.
  }];
  let dependentDialects = ["::mlir::arith::ArithDialect", "::mlir::cf::ControlFlowDialect",
                           "::mlir::ub::UBDialect", "::pumice::lane::LaneDialect"];
}

def FoldNanChecks : Pass<"pumice-fold-nan-checks", "::mlir::func::FuncOp"> {
  let summary = "Make one operation of maxima and minima that prefer numbers to NaN";
  let description = [{
    The larger or smaller of two floats, of which each is checked for NaN and then gives way to the
    other, becomes arith.maxnumf or arith.minnumf. Checks that nobody else asks for are gone.
  }];
  let dependentDialects = ["::mlir::arith::ArithDialect"];
}

def AttachDebugLines : Pass<"pumice-attach-debug-lines", "::mlir::ModuleOp"> {
  let summary = "Give SIMD code its source's lines as debug information";
  let description = [{
    Functions of the llvm dialect whose operations have lines get a DISubprogram, and each operation
    the innermost line of its location: debuggers and profilers show them. Inlined functions have
    lines but no frames. Where no operation has a line (a line of 0 is none) nothing changes.
  }];
  let dependentDialects = ["::mlir::LLVM::LLVMDialect"];
}

def LanesToSimd : Pass<"pumice-lanes-to-simd", "::mlir::ModuleOp"> {
  let summary = "Execute structured lane kernels a subgroup at a time, on vectors";
  let description = [{
    Every `func.func` with `lane.kernel` becomes an `llvm.func` as executable/NativeCode.h calls it:
    loops over workgroups, the segments between barriers, and subgroups; uniform values as scalars,
    others as vectors with a lane each; divergent control flow by masks. docs/cpu-compiler.md has
    the attributes that the function carries for whoever makes an object of it.

    What remains are operations of llvm, arith and math on scalars and vectors.
  }];
  let options = [
    Option<"width", "width", "unsigned", "16",
           "lanes of a register, and of a subgroup, where a kernel has no lane.subgroup_size">,
    Option<"features", "features", "std::string", "\"\"",
           "the processor's, as LLVM writes them: instructions for products of matrices">,
    Option<"mayWiden", "may-widen", "bool", "false",
           "take more lanes for kernels that cannot tell, so that several registers are in flight">,
    Option<"annotateOnly", "annotate-only", "bool", "false",
           "write what the analysis finds into attributes, and change nothing else">];
  let dependentDialects = ["::mlir::LLVM::LLVMDialect", "::mlir::arith::ArithDialect"];
}

def MergeMatrixProducts : Pass<"pumice-merge-matrix-products", "::mlir::func::FuncOp"> {
  let summary = "Make one product of neighbouring products of matrices that share a factor";
  let description = [{
    Products of one block with the same left factor become one with their right factors beside each
    other, and products with the same right factor one with their left factors under each other, up
    to 64 columns and rows: two rows and two columns of 16×16 fragments are one product of 32×32.
    A product that is only added to by the next one becomes one with it, up to a depth of 128.
    Each element is the same sum as before; larger tiles need fewer loads for each of them. Results
    that are needed before the last product of a group keep it from being merged.
  }];
  let dependentDialects = ["::pumice::lane::LaneDialect"];
}

def PromoteVariables : Pass<"pumice-promote-variables", "::mlir::func::FuncOp"> {
  let summary = "Make values of the variables of flat kernels";
  let description = [{
    A lane.var that is only read and set becomes values and arguments of blocks, as by mem2reg, in
    time that grows with the code and the arguments that are needed: mem2reg looks at every block for
    each variable. Variables that are reset, or that operations in regions use, stay.
  }];
  let dependentDialects = ["::mlir::ub::UBDialect"];
}

def SimdToLlvm : Pass<"pumice-simd-to-llvm", "::mlir::ModuleOp"> {
  let summary = "Turn the arithmetic of SIMD code into the llvm dialect";
  let description = [{
    Functions and control flow are in the llvm dialect already; what is left are arith, math, ub and
    vector operations on vectors of one dimension.
  }];
  let options = [Option<"avx512", "avx512", "bool", "false",
                        "use instructions that processors with AVX-512 have">];
  let dependentDialects = ["::mlir::LLVM::LLVMDialect"];
}

def SpirvToLanes : Pass<"pumice-spirv-to-lanes", "::mlir::ModuleOp"> {
  let summary = "Turn each entry point into one invocation's work on scalars and addresses";
  let description = [{
    Every compute entry point of a spirv module (flat functions without calls) becomes a `func.func`
    of its name with the attribute `lane.kernel`: composite values are their scalars, pointers are
    addresses or paths into variables, instructions are arith, math and lane operations. Blocks and
    the marks of their headers stay. An instruction without a rule is refused by its name.

    What SPIR-V leaves undefined has a value here, never poison: integers divided by zero give all
    ones, and the dividend as remainder; the smallest integer by -1 wraps; shifts take their amount
    modulo the width; floats that do not fit an integer are clamped, NaN to its lowest value; OpUndef
    and scalar variables that were never set are 0.

    Cooperative matrices are divided among the lanes of a subgroup (docs/cpu-compiler.md); a kernel
    that has them leaves with the subgroup's size as `lane.subgroup_size`.
  }];
  let options = [Option<"width", "width", "unsigned", "16",
                        "lanes of a subgroup, where a kernel has no lane.subgroup_size">];
  let dependentDialects = ["::mlir::arith::ArithDialect", "::mlir::cf::ControlFlowDialect",
                           "::mlir::func::FuncDialect", "::mlir::LLVM::LLVMDialect",
                           "::mlir::math::MathDialect", "::pumice::lane::LaneDialect"];
}

def SplitRegisters : Pass<"pumice-split-registers", "::mlir::LLVM::LLVMFuncOp"> {
  let summary = "Split vectors of several registers into one for each";
  let description = [{
    A subgroup may hold the lanes of several registers. Each operation on such vectors becomes one for
    each register, loads, stores, masks and shuffles included; whatever needs all lanes at once gets
    them joined. Vectors whose number of lanes is no multiple of `lanes` stay.
  }];
  let options = [Option<"lanes", "lanes", "unsigned", "16", "of 32 bits in a register">];
  let dependentDialects = ["::mlir::LLVM::LLVMDialect"];
}

def StructureLanes : Pass<"pumice-structure-lanes", "::mlir::func::FuncOp"> {
  let summary = "Make regions of flat control flow with marked merges";
  let description = [{
    Follows the marks (`lane.merge`, `lane.continue`) from the entry block: a header becomes a
    lane.if, lane.switch, lane.loop or lane.scope, whose regions end where the merge begins; other
    branches become exits by depth. Block arguments, and values that are used outside the region that
    computes them, go through lane.var; constants and what the launch gives move to the function's
    beginning. Functions without marks, of one block, stay as they are. A block that is reached in
    two ways without being a merge is refused.
  }];
  let dependentDialects = ["::pumice::lane::LaneDialect"];
}

def UnrollMatrixLoops : Pass<"pumice-unroll-matrix-loops", "::mlir::func::FuncOp"> {
  let summary = "Unroll small loops of kernels that multiply matrices";
  let description = [{
    In structured kernels with lane.matrix_product, loops of up to 32 turns whose number is known are
    written out, their counters constants; inner ones first. Arrays that only constants index become
    variables, and reads of variables the values that were set before them. So arrays of fragments
    are values, which pumice-merge-matrix-products can compare.
  }];
  let dependentDialects = ["::mlir::arith::ArithDialect", "::pumice::lane::LaneDialect"];
}
