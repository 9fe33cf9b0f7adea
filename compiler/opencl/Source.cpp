//===- Source.cpp - OpenCL C and LLVM IR as sources of kernels --------------===//
#include "compiler/opencl/Source.h"

#include "compiler/opencl/LlvmToSpirv.h"
#include "compiler/opencl/OpenClC.h"

using namespace pumice;

bool opencl::isSource(llvm::StringRef bytes, llvm::StringRef name) {
  return looksLikeOpenClC(name) || looksLikeLlvm(bytes, name);
}

Result<std::string> opencl::sourceToLlvm(llvm::StringRef bytes, llvm::StringRef name) {
  if (!looksLikeOpenClC(name))
    return bytes.str();
  return openClToLlvm(bytes, name);
}

Result<std::vector<uint8_t>> opencl::sourceToSpirv(llvm::StringRef bytes, llvm::StringRef name,
                                                   const target::TargetEnv &target,
                                                   LeftCalls leaves) {
  PUMICE_TRY(std::string llvm, sourceToLlvm(bytes, name));
  return llvmToSpirv(llvm, name, target, leaves);
}
