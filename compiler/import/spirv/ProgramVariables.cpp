//===- ProgramVariables.cpp - finds OpenCL's program-scope variables --------===//
#include "compiler/import/spirv/ProgramVariables.h"

#include "mlir/IR/BuiltinOps.h"
#include "llvm/ADT/StringSet.h"

using namespace mlir;

SmallVector<mlir::spirv::GlobalVariableOp> pumice::spirv_import::programVariables(ModuleOp module) {
  llvm::StringSet<> named, holders;
  for (auto variable : module.getOps<mlir::spirv::GlobalVariableOp>())
    if (Attribute initial = variable->getAttr("spvx.initializer"))
      initial.walk([&](FlatSymbolRefAttr symbol) {
        named.insert(symbol.getValue());
        holders.insert(variable.getSymName());
      });
  SmallVector<mlir::spirv::GlobalVariableOp> found;
  for (auto variable : module.getOps<mlir::spirv::GlobalVariableOp>()) {
    auto type = cast<mlir::spirv::PointerType>(variable.getType());
    bool isConstant = type.getStorageClass() == mlir::spirv::StorageClass::UniformConstant;
    if (type.getStorageClass() == mlir::spirv::StorageClass::CrossWorkgroup ||
        (isConstant &&
         (named.contains(variable.getSymName()) || holders.contains(variable.getSymName()))))
      found.push_back(variable);
  }
  return found;
}
