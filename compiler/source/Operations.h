//===- Operations.h - the support for each operation in a kernel ------------===//
// This is Operations.def as an array. The compiler uses it to reject operations, and 'pumice
// operations' prints it.
//===-------------------------------------------------------------------------===//
#pragma once

#include "llvm/ADT/ArrayRef.h"
#include "llvm/ADT/StringRef.h"

namespace pumice {

enum class OperationState { Native, Emulated, Structure, Host, Rejected };

struct OperationInfo {
  llvm::StringRef name;
  OperationState state;
  llvm::StringRef note;
};

llvm::ArrayRef<OperationInfo> allOperations();
const OperationInfo *findOperation(llvm::StringRef name);
llvm::StringRef toString(OperationState state);

/// The dialects that the table covers completely.
llvm::ArrayRef<llvm::StringRef> kernelDialects();

} // namespace pumice
