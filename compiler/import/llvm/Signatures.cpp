//===- Signatures.cpp - names and parameters of built-in functions ----------===//
#include "compiler/import/llvm/Builtins.h"

#include "llvm/Demangle/Demangle.h"

using namespace mlir;
using namespace pumice;
using namespace pumice::llvm_import;

/// Reads a parameter in the demangler's words, such as "float vector[4] const AS1*".
static Parameter parameterOf(StringRef text) {
  Parameter made;
  made.isPointer = text.contains('*');
  if (auto [before, after] = text.split("vector["); !after.empty())
    after.consumeInteger(10, made.lanes);
  auto [first, rest] = text.split(' ');
  bool isUnsigned = first == "unsigned";
  if (isUnsigned || first == "signed")
    first = rest.split(' ').first;
  first = first.take_while([](char c) { return llvm::isAlnum(c) || c == '_'; });
  made.bits = llvm::StringSwitch<unsigned>(first)
                  .Cases({"char", "bool"}, 8)
                  .Cases({"short", "half", "_Float16"}, 16)
                  .Cases({"int", "float"}, 32)
                  .Cases({"long", "double"}, 64)
                  .Default(0);
  made.isFloat = first == "half" || first == "_Float16" || first == "float" || first == "double";
  made.isSigned = made.bits && !made.isFloat && !isUnsigned && first != "bool";
  return made;
}

Signature pumice::llvm_import::signatureOf(StringRef mangled) {
  std::string text = llvm::demangle(mangled);
  StringRef whole = text;
  size_t open = whole.find('(');
  if (!mangled.starts_with("_Z") || open == StringRef::npos)
    return {mangled.str(), {}};
  Signature made{whole.take_front(open).str(), {}};
  SmallVector<StringRef> parts;
  whole.drop_front(open + 1).drop_back().split(parts, ", ", -1, /*KeepEmpty=*/false);
  for (StringRef part : parts)
    made.parameters.push_back(parameterOf(part));
  return made;
}

SmallVector<PointerAccess> pumice::llvm_import::accessesOf(const llvm::CallBase &call) {
  const llvm::Function *callee = call.getCalledFunction();
  if (!callee || callee->isIntrinsic())
    return {};
  SmallVector<PointerAccess> made;
  for (auto [i, parameter] : llvm::enumerate(signatureOf(callee->getName()).parameters)) {
    if (!parameter.isPointer || !parameter.bits || i >= call.arg_size() ||
        !call.getArgOperand(i)->getType()->isPointerTy())
      continue;
    llvm::LLVMContext &context = call.getContext();
    llvm::Type *element = llvm::Type::getIntNTy(context, parameter.bits);
    if (parameter.isFloat)
      element = parameter.bits == 16   ? llvm::Type::getHalfTy(context)
                : parameter.bits == 32 ? llvm::Type::getFloatTy(context)
                                       : llvm::Type::getDoubleTy(context);
    made.push_back({static_cast<unsigned>(i), element});
  }
  return made;
}
