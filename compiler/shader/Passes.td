//===- Passes.td - from the lane dialect to OpenCL kernels ------------------===//
#ifndef PUMICE_SHADER_PASSES
#define PUMICE_SHADER_PASSES

include "mlir/Pass/PassBase.td"

def ExpandAtomics : Pass<"pumice-expand-atomics", "::mlir::func::FuncOp"> {
  let summary = "Turn atomics that an OpenCL device lacks into loops of exchanges";
  let description = [{
    Additions, minima and maxima of floats become a loop around lane.compare_exchange on their bits,
    unless an option says that the device has them. So do counters that wrap.
  }];
  let options = [Option<"floatAdd", "float-add", "bool", "false",
                        "the device adds f32 and f64 atomically">];
  let dependentDialects = ["::mlir::arith::ArithDialect", "::mlir::cf::ControlFlowDialect",
                           "::pumice::lane::LaneDialect"];
}

def FlattenLanes : Pass<"pumice-flatten-lanes", "::mlir::func::FuncOp"> {
  let summary = "Turn lane operations with regions into branches";
  let description = [{
    The branches are those of the cf dialect. In flat functions, such operations come from copies
    of large values and from the checks of robust access.
  }];
  let dependentDialects = ["::mlir::cf::ControlFlowDialect", "::mlir::func::FuncDialect",
                           "::mlir::LLVM::LLVMDialect"];
}

def LanesToKernels : Pass<"pumice-lanes-to-kernels", "::mlir::ModuleOp"> {
  let summary = "Turn flat lane functions into OpenCL kernels of the llvm dialect";
  let description = [{
    Each function with `lane.kernel` becomes an llvm.func for LLVM's SPIR-V backend. Its parameters
    are an address and a length for each slot, then the push constants as 64-bit words. Each slot
    is three numbers: set, binding and element. OpenCL kernels with `lane.arguments` keep their own
    parameters. Without the option, the slots are those that the code uses, sorted. Addresses are
    generic pointers, so that LLVM's InferAddressSpaces finds their address spaces. Operations
    between lanes, and mathematical functions, become calls of OpenCL C's functions.
  }];
  let options = [ListOption<"slots", "slots", "int64_t", "set, binding and element of each slot">,
                 Option<"pushConstantBytes", "push-constant-bytes", "int64_t", "0",
                        "bytes of push constants; more if the code has more">,
                 Option<"fixedSubgroups", "fixed-subgroups", "bool", "false",
                        "kernels may require a subgroup size">];
  let dependentDialects = ["::mlir::LLVM::LLVMDialect"];
}

#endif
