// RUN: pumice-opt %s -pumice-wrap-spirv --split-input-file --verify-diagnostics

// expected-error@below {{expected functions and variables of SPIR-V, got 'func.func': convert it before pumice-wrap-spirv}}
func.func @f() {
  return
}
