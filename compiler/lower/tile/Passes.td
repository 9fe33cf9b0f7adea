//===- Passes.td - from tensors of a workgroup to what a lane does ----------===//
include "mlir/Pass/PassBase.td"

def DistributeTiles : Pass<"pumice-distribute-tiles", "::mlir::gpu::GPUModuleOp"> {
  let summary = "Give each lane the registers that it holds of every tensor";
  let description = [{
    A tensor with a #tile.layout becomes a vector of as many elements as a lane has registers for it.
    Element by element, arith and math stay what they are; tile operations become loads, stores,
    shuffles and selects, as their plans say (compiler/dialect/tile/plan). Kernels get the workgroup
    and the subgroup size that their layouts have. Tensors may be carried by scf operations.

    What goes through workgroup memory does so in attributions of the kernel, between barriers: these
    operations must be reached by all invocations. Products of matrices are written
    out, each lane by itself. Refused, by name: 64-bit addresses.
  }];
  let dependentDialects = ["::mlir::arith::ArithDialect", "::mlir::gpu::GPUDialect",
                           "::mlir::math::MathDialect", "::mlir::memref::MemRefDialect",
                           "::mlir::scf::SCFDialect", "::mlir::vector::VectorDialect"];
}
