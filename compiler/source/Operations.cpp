//===- Operations.cpp - the support for each operation in a kernel ----------===//
#include "compiler/source/Operations.h"

#include "llvm/ADT/StringMap.h"

using namespace pumice;

static const OperationInfo operations[] = {
#define PUMICE_OPERATION(name, state, note) {name, OperationState::state, note},
#include "compiler/source/Operations.def"
};

llvm::ArrayRef<OperationInfo> pumice::allOperations() { return operations; }

const OperationInfo *pumice::findOperation(llvm::StringRef name) {
  static const llvm::StringMap<const OperationInfo *> byName = [] {
    llvm::StringMap<const OperationInfo *> map;
    for (const OperationInfo &info : operations)
      map[info.name] = &info;
    return map;
  }();
  return byName.lookup(name);
}

llvm::StringRef pumice::toString(OperationState state) {
  switch (state) {
  case OperationState::Native:
    return "native";
  case OperationState::Emulated:
    return "emulated";
  case OperationState::Structure:
    return "structure";
  case OperationState::Host:
    return "host";
  case OperationState::Rejected:
    return "rejected";
  }
  return "unknown";
}

llvm::ArrayRef<llvm::StringRef> pumice::kernelDialects() {
  static const llvm::StringRef dialects[] = {"gpu", "arith",  "math",  "memref", "scf",
                                             "cf",  "vector", "index", "func",   "ub"};
  return dialects;
}
