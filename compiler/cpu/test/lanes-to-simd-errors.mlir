// RUN: pumice-opt %s --pumice-lanes-to-simd --split-input-file --verify-diagnostics

// expected-error @+1 {{a lane kernel takes and returns nothing; read buffers instead}}
func.func @arguments(%x: i32) attributes {lane.kernel} {
  return
}

// -----

// expected-error @+1 {{has subgroups of 12 lanes; there are powers of two from 2 to 64}}
func.func @odd() attributes {lane.kernel, lane.subgroup_size = 12 : i32} {
  return
}

// -----

// expected-error @+1 {{has a workgroup of 0 invocations; set lane.workgroup_size to 1 to 1048576}}
func.func @nobody() attributes {lane.kernel, lane.workgroup_size = array<i32: 0, 1, 1>} {
  return
}

// -----

// expected-error @+1 {{has several blocks: run pumice-structure-lanes first}}
func.func @flat() attributes {lane.kernel} {
  cf.br ^end
^end:
  return
}

// -----

func.func @unknown() attributes {lane.kernel} {
  %i = lane.builtin local_index
  // expected-error @+1 {{has no SIMD code: lower it to the lane dialect, arith, math or llvm first}}
  func.call @elsewhere() : () -> ()
  return
}
func.func private @elsewhere()
