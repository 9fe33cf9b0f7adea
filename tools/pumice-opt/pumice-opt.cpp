//===- pumice-opt.cpp - any pass of Pumice or MLIR on a file of MLIR --------===//
#include "compiler/Pipeline.h"

#include "mlir/IR/DialectRegistry.h"
#include "mlir/InitAllExtensions.h"
#include "mlir/InitAllPasses.h"
#include "mlir/Tools/mlir-opt/MlirOptMain.h"

int main(int argc, char **argv) {
  mlir::DialectRegistry registry;
  pumice::registerDialects(registry);
  mlir::registerAllExtensions(registry);
  mlir::registerAllPasses();
  pumice::registerPasses();
  return mlir::failed(
      mlir::MlirOptMain(argc, argv, "Pumice: passes from GPU kernels to SPIR-V\n", registry));
}
