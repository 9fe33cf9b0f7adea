// RUN: pumice-opt %s --canonicalize | FileCheck %s

#a = #tile.layout<[16], register = [8], lane = [1, 2, 4], subgroup = []>
#b = #tile.layout<[16], register = [1], lane = [2, 4, 8], subgroup = []>

// A conversion there and back disappears.
// CHECK-LABEL: func.func @back
// CHECK-SAME: %[[T:.*]]: tensor
func.func @back(%t: tensor<16xf32, #a>) -> tensor<16xf32, #a> {
  %there = tile.convert_layout %t : tensor<16xf32, #a> -> tensor<16xf32, #b>
  %back = tile.convert_layout %there : tensor<16xf32, #b> -> tensor<16xf32, #a>
  // CHECK-NEXT: return %[[T]]
  return %back : tensor<16xf32, #a>
}

// A value that is the same everywhere need not move.
// CHECK-LABEL: func.func @same
func.func @same(%x: f32) -> tensor<16xf32, #b> {
  // CHECK-NEXT: %[[S:.*]] = tile.splat %{{.*}} : f32 -> tensor<16xf32, #[[B:.*]]>
  // CHECK-NEXT: return %[[S]]
  %s = tile.splat %x : f32 -> tensor<16xf32, #a>
  %c = tile.convert_layout %s : tensor<16xf32, #a> -> tensor<16xf32, #b>
  return %c : tensor<16xf32, #b>
}
