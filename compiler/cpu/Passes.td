//===- Passes.td - from SPIR-V to SIMD code ---------------------------------===//
// Passes are in alphabetical order here. docs/cpu-compiler.md lists them in the order in which they
// run.
//===-------------------------------------------------------------------------===//
include "mlir/Pass/PassBase.td"

def BoundAccesses : Pass<"pumice-bound-accesses", "::mlir::func::FuncOp"> {
  let summary = "Make accesses through descriptors only if they are inside the bound buffers";
  let description = [{
    Implements robust access. Each load, store and atomic by an address that leads into a bound
    buffer becomes a lane.if. Outside the buffer, loads and atomics give 0, and nothing is written.
    An access of several scalars is inside as a whole or not at all. If a pointer may belong to
    several buffers, an access inside any of them is allowed. In a module of logical addressing, a
    pointer whose buffer is unknown is an error. Flags that promise that indices do not overflow
    are dropped.
  }];
  let dependentDialects = ["::mlir::arith::ArithDialect", "::mlir::LLVM::LLVMDialect",
                           "::pumice::lane::LaneDialect"];
}

def ExpandLaneMath : Pass<"pumice-expand-lane-math", "::mlir::func::FuncOp"> {
  let summary = "Turn functions that a CPU lacks into arithmetic";
  let description = [{
    Exponentials, logarithms, powers, trigonometric functions and related functions become
    polynomials, which SIMD code computes for all lanes at once
    (compiler/lower/polyfill/ExpandMath.h). docs/precision.md lists their errors. Half precision is
    computed in f32. Roots, roundings, fma and bit counts stay; fma of f16 stays if the processor
    has it. Polynomials use fma or, if a processor lacks it, products and sums. Their error bounds
    hold in both cases. If a polyfill branches, the branch is a lane.if: the function is
    structured.
  }];
  let options = [Option<"avx512", "avx512", "bool", "false",
                        "leave exp and exp2 of f32 to pumice-simd-to-llvm">,
                 Option<"fused", "fused", "bool", "true", "the processor has fma">,
                 Option<"halves", "halves", "bool", "false", "the processor computes in f16">];
  let dependentDialects = ["::mlir::arith::ArithDialect", "::mlir::math::MathDialect",
                           "::pumice::lane::LaneDialect", "::mlir::scf::SCFDialect", "::mlir::vector::VectorDialect"];
}

def FindMerges : Pass<"pumice-find-merges", "::mlir::func::FuncOp"> {
  let summary = "Mark where branches without merge instructions meet again";
  let description = [{
    OpenCL's kernels have no merge instructions. In a flat function with `lane.unmarked`, every
    cycle becomes a loop with one header and one latch, which `lane.merge` and `lane.continue`
    name. A block with several predecessors becomes a merge of the block that dominates it. Cycles
    with several entries (irreducible flow) start with a switch by the number of the entry. Lanes
    that diverge meet again as early as possible. The function's results do not change.
  }];
  let dependentDialects = ["::mlir::arith::ArithDialect", "::mlir::cf::ControlFlowDialect",
                           "::mlir::ub::UBDialect", "::pumice::lane::LaneDialect"];
}

def FoldNanChecks : Pass<"pumice-fold-nan-checks", "::mlir::func::FuncOp"> {
  let summary = "Fold maxima and minima that prefer numbers to NaN into one operation";
  let description = [{
    A maximum or minimum of two floats with NaN checks becomes arith.maxnumf or arith.minnumf, if
    each NaN is replaced by the other operand. Checks without other users are removed.
  }];
  let dependentDialects = ["::mlir::arith::ArithDialect"];
}

def AttachDebugLines : Pass<"pumice-attach-debug-lines", "::mlir::ModuleOp"> {
  let summary = "Attach the source's lines to SIMD code as debug information";
  let description = [{
    Functions of the llvm dialect whose operations have lines get a DISubprogram. Each operation
    gets the innermost line of its location, for debuggers and profilers. Inlined functions have
    lines but no frames. If no operation has a line (line 0 does not count), nothing changes.
  }];
  let dependentDialects = ["::mlir::LLVM::LLVMDialect"];
}

def LanesToSimd : Pass<"pumice-lanes-to-simd", "::mlir::ModuleOp"> {
  let summary = "Execute structured lane kernels a subgroup at a time, on vectors";
  let description = [{
    Every `func.func` with `lane.kernel` becomes an `llvm.func` with the interface in
    executable/NativeCode.h. It loops over workgroups, the segments between barriers, and
    subgroups. Uniform values are scalars, and others are vectors with one element for each lane.
    Masks implement divergent control flow. docs/cpu-compiler.md lists the function's attributes,
    which the code generator reads.

    Only operations of llvm, arith and math on scalars and vectors remain.
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
  let summary = "Merge neighbouring products of matrices that share a factor";
  let description = [{
    Products in one block with the same left factor become one, with their right factors side by
    side. Products with the same right factor become one, with their left factors one below the
    other. The limit is 64 columns and rows: two rows and two columns of 16×16 fragments become one
    product of 32×32. If only the next product uses a product, as its accumulator, the two become
    one, up to a depth of 128. Each element is the same sum as before; larger tiles need fewer
    loads for each element. A result that is needed before the last product of a group prevents the
    merge.
  }];
  let dependentDialects = ["::pumice::lane::LaneDialect"];
}

def PromoteVariables : Pass<"pumice-promote-variables", "::mlir::func::FuncOp"> {
  let summary = "Promote the variables of flat kernels to values";
  let description = [{
    A lane.var that is only read and set becomes values and block arguments, as by mem2reg. The
    time grows with the code and the arguments that are needed, whereas mem2reg visits every block
    for each variable. Variables that are reset, or that operations in regions use, stay.
  }];
  let dependentDialects = ["::mlir::ub::UBDialect"];
}

def SimdToLlvm : Pass<"pumice-simd-to-llvm", "::mlir::ModuleOp"> {
  let summary = "Turn the arithmetic of SIMD code into the llvm dialect";
  let description = [{
    Functions and control flow are in the llvm dialect already. This pass converts the arith, math,
    ub and vector operations on one-dimensional vectors that remain.
  }];
  let options = [Option<"avx512", "avx512", "bool", "false",
                        "use instructions that processors with AVX-512 have">];
  let dependentDialects = ["::mlir::LLVM::LLVMDialect"];
}

def SpirvToLanes : Pass<"pumice-spirv-to-lanes", "::mlir::ModuleOp"> {
  let summary = "Turn each entry point into the work of one invocation on scalars and addresses";
  let description = [{
    Every compute entry point of a spirv module (flat functions without calls) becomes a
    `func.func` of its name with the attribute `lane.kernel`. Composite values become scalars,
    pointers become addresses or paths into variables, and instructions become arith, math and lane
    operations. Blocks and the marks of their headers stay. An instruction without a rule is
    rejected by name.

    Results that SPIR-V leaves undefined have a value here and are never poison. Integer division
    by zero gives all ones, and the dividend as remainder. The smallest integer divided by -1
    wraps. Shift amounts are taken modulo the width. Floats that do not fit an integer are clamped,
    and NaN becomes its lowest value. OpUndef and unset scalar variables are 0.

    Cooperative matrices are divided among the lanes of a subgroup (docs/cpu-compiler.md). A kernel
    with such matrices gets the subgroup's size as `lane.subgroup_size`.
  }];
  let options = [Option<"width", "width", "unsigned", "16",
                        "lanes of a subgroup, where a kernel has no lane.subgroup_size">,
                 Option<"listArguments", "list-arguments", "bool", "false",
                        "OpenCL kernels get `lane.arguments`: types and offsets of arguments">];
  let dependentDialects = ["::mlir::arith::ArithDialect", "::mlir::cf::ControlFlowDialect",
                           "::mlir::func::FuncDialect", "::mlir::LLVM::LLVMDialect",
                           "::mlir::math::MathDialect", "::pumice::lane::LaneDialect"];
}

def SplitRegisters : Pass<"pumice-split-registers", "::mlir::LLVM::LLVMFuncOp"> {
  let summary = "Split vectors of several registers into one vector for each register";
  let description = [{
    A subgroup may hold the lanes of several registers. Each operation on such vectors becomes one
    operation for each register, including loads, stores, masks and shuffles. An operation that
    needs all lanes at once gets them joined. Vectors whose number of lanes is not a multiple of
    `lanes` stay.
  }];
  let options = [Option<"lanes", "lanes", "unsigned", "16", "of 32 bits in a register">];
  let dependentDialects = ["::mlir::LLVM::LLVMDialect"];
}

def StructureLanes : Pass<"pumice-structure-lanes", "::mlir::func::FuncOp"> {
  let summary = "Turn flat control flow with marked merges into regions";
  let description = [{
    Follows the marks (`lane.merge`, `lane.continue`) from the entry block. A header becomes a
    lane.if, lane.switch, lane.loop or lane.scope, whose regions end at the merge. Other branches
    become exits by depth. Block arguments, and values that are used outside the region that
    computes them, pass through lane.var. Constants and values of the launch move to the function's
    beginning. Functions of one block without marks do not change. A block with two predecessors
    that is not a merge is rejected.
  }];
  let dependentDialects = ["::pumice::lane::LaneDialect"];
}

def UnrollMatrixLoops : Pass<"pumice-unroll-matrix-loops", "::mlir::func::FuncOp"> {
  let summary = "Unroll small loops of kernels that multiply matrices";
  let description = [{
    In structured kernels with lane.matrix_product, loops with a known number of at most 32
    iterations are unrolled, inner loops first. Their counters become constants. Arrays that only
    constants index become variables, and reads of variables become the values that were set
    before. Arrays of fragments are then values, which pumice-merge-matrix-products can compare.
  }];
  let dependentDialects = ["::mlir::arith::ArithDialect", "::pumice::lane::LaneDialect"];
}
