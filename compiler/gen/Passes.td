//===- Passes.td - passes to and from the gen dialect -----------------------===//
// house-allow(pass-description): the three conversions have the names of MLIR's own conversions,
// which the proposal of the dialect uses in its pipelines.
include "mlir/Pass/PassBase.td"

def ConvertGpuToGen : Pass<"convert-gpu-to-gen"> {
  let summary = "Convert positions, barriers and sub-group operations of gpu to gen";
  let description = [{
    Positions in the grid, barriers, shuffles, broadcasts and reductions over a whole subgroup become
    operations of the gen dialect, with arithmetic where they differ. Kernels and their arguments
    stay as they are. An operation over subgroups that gen lacks is reported.
  }];
  let dependentDialects = ["::mlir::arith::ArithDialect", "::pumice::gen::GenDialect"];
}

def ConvertGenToLlvm : Pass<"convert-gen-to-llvm"> {
  let summary = "Convert the gen dialect to calls of OpenCL's built-in functions";
  let description = [{
    LLVM's SPIR-V backend turns the calls into instructions. Names are mangled as clang mangles
    those of OpenCL C. A function is declared in the module that calls it. Only constants are passed
    as dimensions: if a dimension is known only at run time, all three are queried, and one is
    selected. The results for other dimensions are those that OpenCL specifies.

    An index has the width that the module's data layout states, or 64 bits.
  }];
  let options = [
    Option<"indexBitwidth", "index-bitwidth", "unsigned", /*default=*/"0",
           "Bits of index: 32 or 64; 0 takes the data layout's">,
    Option<"spirCalls", "spir-calls", "bool", /*default=*/"false",
           "Call built-in functions with their own convention, spir_funccc, as is needed if their "
           "definitions are linked">
  ];
  let dependentDialects = ["::mlir::LLVM::LLVMDialect"];
}

def ConvertGenToSpirv : Pass<"convert-gen-to-spirv"> {
  let summary = "Convert the gen dialect to the SPIR-V dialect";
  let description = [{
    Positions are read from built-in variables, which have the names that LLVM's SPIR-V backend
    gives them. An operation that needs a capability or an extension which `spirv.target_env` lacks
    is reported. MLIR has no name for some of Intel's extensions; the option `extensions` lists those
    that the device has. Their instructions are calls of imported functions, which
    `writeIntelInstructions` (compiler/gen/IntelInstructions.h) replaces in the finished module.

    An index has the width that the module's data layout states, or 32 bits. MLIR's conversions of
    other dialects to SPIR-V know only an index of 32 bits. With 64 bits, this pass therefore also
    converts `func`, `arith`, `cf`, `index` and `scf`.
  }];
  let options = [
    Option<"indexBitwidth", "index-bitwidth", "unsigned", /*default=*/"0",
           "Bits of index: 32 or 64; 0 takes the data layout's">,
    ListOption<"extensions", "extensions", "std::string",
               "Extensions of the device that spirv.target_env cannot name">
  ];
  let dependentDialects = ["::mlir::spirv::SPIRVDialect"];
}

def WrapSpirv : Pass<"pumice-wrap-spirv"> {
  let summary = "Move the functions and variables of a module into a spirv.module";
  let description = [{
    The addressing model follows the width of index, and the memory model follows
    `spirv.target_env`. This pass runs after all conversions to SPIR-V, and before MLIR's
    `spirv-update-vce`, which states the version, capabilities and extensions.
  }];
  let options = [
    Option<"name", "name", "std::string", /*default=*/"\"\"",
           "Name of the module without its prefix; by default that of the module around it">,
    Option<"indexBitwidth", "index-bitwidth", "unsigned", /*default=*/"0",
           "Bits of index: 32 or 64; 0 takes the data layout's">
  ];
  let dependentDialects = ["::mlir::spirv::SPIRVDialect"];
}

def EmulateGen : Pass<"pumice-emulate-gen"> {
  let summary = "Write matrices and blocks of gen as shuffles, arithmetic and accesses of elements";
  let description = [{
    For devices without `SPV_INTEL_subgroup_matrix_multiply_accumulate`, `SPV_INTEL_2d_block_io` or
    `SPV_INTEL_subgroups`. Afterwards there is no gen.matrix_mad, gen.block_load_2d,
    gen.block_store_2d, gen.block_prefetch_2d, gen.sub_group_block_read or gen.sub_group_block_write.
    Products are summed in the type of the accumulator, in the order of columns. A kernel must run
    with the size of sub-group that the operations imply.

    Elements in memory are accessed through `llvm` or `spirv` operations, whichever dialect the code
    is converted to later. The other operations are those of arith, math, scf and vector.
  }];
  let options = [
    Option<"memory", "memory", "std::string", /*default=*/"\"llvm\"",
           "Dialect of accesses: llvm or spirv">,
    Option<"indexBitwidth", "index-bitwidth", "unsigned", /*default=*/"0",
           "Bits of index: 32 or 64; 0 takes the data layout's">
  ];
  let dependentDialects = ["::mlir::arith::ArithDialect", "::mlir::scf::SCFDialect",
                           "::mlir::vector::VectorDialect", "::mlir::LLVM::LLVMDialect",
                           "::mlir::spirv::SPIRVDialect", "::pumice::gen::GenDialect"];
}
