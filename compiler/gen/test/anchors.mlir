// Passes that declare functions or variables run on modules.
// RUN: not pumice-opt %s --pass-pipeline='builtin.module(func.func(convert-gen-to-llvm))' 2>&1 | FileCheck %s --check-prefix=LLVM
// RUN: not pumice-opt %s --pass-pipeline='builtin.module(func.func(convert-gen-to-spirv))' 2>&1 | FileCheck %s --check-prefix=SPIRV
// RUN: not pumice-opt %s --pass-pipeline='builtin.module(func.func(pumice-wrap-spirv))' 2>&1 | FileCheck %s --check-prefix=WRAP

// LLVM: error: convert-gen-to-llvm declares functions, so it runs on a module, got 'func.func'
// SPIRV: error: convert-gen-to-spirv declares variables, so it runs on a module, got 'func.func'
// WRAP: error: pumice-wrap-spirv runs on a module of SPIR-V functions, got 'func.func'
func.func @f() {
  return
}
