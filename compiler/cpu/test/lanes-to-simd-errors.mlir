// RUN: pumice-opt %s --pumice-lanes-to-simd --split-input-file --verify-diagnostics

// expected-error @+1 {{a lane kernel takes and returns nothing; read buffers instead}}
func.func @arguments(%x: i32) attributes {lane.kernel} {
  return
}

// -----

// expected-error @+1 {{has subgroups of 12 lanes; expected a power of two from 2 to 64}}
func.func @odd() attributes {lane.kernel, lane.subgroup_size = 12 : i32} {
  return
}

// -----

// expected-error @+1 {{has a workgroup of 0 x 1 x 1 invocations; set lane.workgroup_size to 1 to 1048576 of them}}
func.func @nobody() attributes {lane.kernel, lane.workgroup_size = array<i32: 0, 1, 1>} {
  return
}

// -----

// expected-error @+1 {{has a workgroup of -1 x -1 x 1 invocations}}
func.func @negative() attributes {lane.kernel, lane.workgroup_size = array<i32: -1, -1, 1>} {
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

// -----

func.func @sides() attributes {lane.kernel} {
  %x = arith.constant 1.0 : f32
  // expected-error @+1 {{has a matrix of 3 rows and 4 columns; both must be powers of two}}
  %r = lane.matrix_transpose 3, 4(%x : f32)
  return
}

// -----

func.func @scalars() attributes {lane.kernel} {
  %x = arith.constant 1.0 : f32
  // expected-error @+1 {{has 1 scalars a lane of a matrix of 4 rows and 8 columns, for 16 lanes}}
  %r = lane.matrix_product 4, 4, 8(%x : f32) (%x : f32) (%x : f32)
  return
}

// -----

func.func @kinds() attributes {lane.kernel} {
  %x = arith.constant 1.0 : f32
  %n = arith.constant 1 : i32
  // expected-error @+1 {{needs factors and a sum that are all floats or all integers, got 'i32'}}
  %r = lane.matrix_product 4, 4, 4(%x : f32) (%n : i32) (%x : f32)
  return
}

// -----

func.func @exits() attributes {lane.kernel} {
  %more = arith.constant true
  lane.if %more {
    // expected-error @+1 {{exits construct 3, but is nested only 1 deep}}
    lane.exit 3
  } else {
    lane.end
  }
  return
}
