// RUN: pumice-opt %s -split-input-file -pumice-flatten-spirv -verify-diagnostics
// Code that has no flat form is rejected at its location.

spirv.module Logical GLSL450 {
  spirv.func @f() "None" {
    spirv.Return
  }
}
spirv.module Logical GLSL450 {
  // expected-error @below {{another spirv.module has @f too}}
  spirv.func @f() "None" {
    spirv.Return
  }
}

// -----

spirv.module Logical GLSL450 {
  spirv.func @fragment() "None" {
    spirv.Return
  }
  // expected-error @below {{@fragment is not a compute shader or kernel}}
  spirv.EntryPoint "Fragment" @fragment
}
