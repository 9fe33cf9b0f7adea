// RUN: pumice-opt %s --split-input-file --verify-diagnostics

func.func @position(%dimension: i64) {
  // expected-note@above {{prior use here}}
  // expected-error@below {{expects different type than prior uses: 'i32' vs 'i64'}}
  %0 = gen.local_id %dimension
  return
}

// -----

func.func @memory() {
  // expected-error@below {{custom op 'private' is unknown}}
  gen.barrier private
  return
}

// -----

func.func @shuffle(%value: vector<4xf32>, %lane: i32) {
  // expected-error@below {{operand #0 must be 8-bit signless integer or 16-bit signless integer}}
  %0 = gen.sub_group_shuffle idx %value, %lane : vector<4xf32>
  return
}

// -----

func.func @reduce_integers(%value: i32) {
  // expected-error@below {{cannot combine values of 'i32' by 'min'; expected add, mul, smin, smax, umin, umax, and, or or xor}}
  %0 = gen.sub_group_reduce min %value : i32
  return
}

// -----

func.func @scan_floats(%value: f16) {
  // expected-error@below {{cannot combine values of 'f16' by 'xor'; expected add, mul, min or max}}
  %0 = gen.sub_group_scan xor %value exclusive : f16
  return
}
