// RUN: pumice-opt %s -pumice-structure-lanes -split-input-file -verify-diagnostics

// The rejected code uses values of code that has been structured already.
func.func @twoWays() attributes {lane.kernel} {
  %x = lane.builtin local_id_x
  %c4 = arith.constant 4 : i32
  %p = lane.buffer 0, 0
  %c = arith.cmpi ult, %x, %c4 : i32
  %y = arith.addi %x, %c4 : i32
  cf.cond_br %c, ^a, ^b {lane.merge = 1 : i32}
^a:
  cf.br ^twice
^b:
  cf.br ^twice
^twice:
  lane.store %y to %p align 4 : i32
  // expected-error @+1 {{control flow is not structured: the block that ends here has two predecessors, but is not a merge block}}
  cf.br ^m
^m:
  lane.label 1
  lane.store %x to %p align 4 : i32
  return
}

// -----

func.func @noMerge() attributes {lane.kernel} {
  %n = lane.builtin local_id_x
  %p = lane.buffer 0, 0
  // expected-error @+1 {{a switch names no merge block (lane.merge)}}
  cf.switch %n : i32, [
    default: ^m,
    0: ^a
  ]
^a:
  lane.store %n to %p align 4 : i32
  cf.br ^m
^m:
  return
}
