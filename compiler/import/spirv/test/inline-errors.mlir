// RUN: pumice-opt %s -split-input-file -pumice-inline-spirv-calls -verify-diagnostics
// Recursion is rejected, and the error names the cycle.

spirv.func @main() "None" attributes {spvx.entry_point = "main"} {
  spirv.FunctionCall @even() : () -> ()
  spirv.Return
}
spirv.func @even() "None" {
  spirv.FunctionCall @odd() : () -> ()
  spirv.Return
}
spirv.func @odd() "None" {
  // expected-error @below {{kernels cannot recurse: 'even' calls 'odd' calls 'even'; use a loop}}
  spirv.FunctionCall @even() : () -> ()
  spirv.Return
}
