// RUN: pumice-opt %s --pumice-print-tile-plans --verify-diagnostics
// RUN: pumice-opt %s --pumice-print-tile-plans=draw -o /dev/null 2>/dev/null | FileCheck %s
// RUN: not pumice-opt %s --pumice-print-tile-plans=workgroup-bytes=64 2>&1 | FileCheck %s --check-prefix=SMALL

#rows = #tile.layout<[4, 8], register = [[0, 1], [2, 0]], lane = [[0, 2], [0, 4], [1, 0]],
                     subgroup = []>
#columns = #tile.layout<[4, 8], register = [[1, 0], [2, 0]], lane = [[0, 1], [0, 2], [0, 4]],
                        subgroup = []>
#swapped = #tile.layout<[4, 8], register = [[2, 0], [0, 1]], lane = [[0, 2], [0, 4], [1, 0]],
                        subgroup = []>
#wide = #tile.layout<[32], register = [1], lane = [2, 4, 8], subgroup = [16]>
#tall = #tile.layout<[32], register = [16], lane = [1, 2, 4], subgroup = [8]>

// CHECK: [4, 8], register = {{.*}}
// CHECK-NEXT: 0:0 0:1 1:0 1:1 2:0 2:1 3:0 3:1
// CHECK-NEXT: 4:0 4:1 5:0 5:1 6:0 6:1 7:0 7:1
// CHECK-NEXT: 0:2 0:3 1:2 1:3 2:2 2:3 3:2 3:3
// CHECK-NEXT: 4:2 4:3 5:2 5:3 6:2 6:3 7:2 7:3

func.func @plans(%x: memref<?xf32>, %i: tensor<4x8xi32, #rows>, %w: tensor<32xi32, #wide>)
    -> (tensor<4x8xf32, #columns>, tensor<32xi32, #wide>) {
  %t = tile.load from %x at %i
      : (memref<?xf32>, tensor<4x8xi32, #rows>) -> tensor<4x8xf32, #rows>
  // expected-remark @below {{registers: 0 selects}}
  %s = tile.convert_layout %t : tensor<4x8xf32, #rows> -> tensor<4x8xf32, #swapped>
  // expected-remark @below {{shuffles: 4 rounds, 8 selects}}
  %c = tile.convert_layout %t : tensor<4x8xf32, #rows> -> tensor<4x8xf32, #columns>
  // SMALL: error: 'tile.convert_layout' op going from [32], register = [1], {{.*}} takes 128 bytes of workgroup memory at least; there are 64
  // expected-remark @below {{workgroup memory: 128 bytes, 1 piece; stores 2 vectors of 1, no bank conflicts; loads 2 vectors of 1, no bank conflicts}}
  %m = tile.convert_layout %w : tensor<32xi32, #wide> -> tensor<32xi32, #tall>
  // expected-remark @below {{registers: 2 to 1; shuffles: 3 steps; 2 partial results by workgroup memory: 8 bytes}}
  %sum = tile.reduce %w axis 0 : (tensor<32xi32, #wide>) -> i32 {
  ^bb0(%a: i32, %b: i32):
    %r = arith.addi %a, %b : i32
    tile.yield %r : i32
  }
  // expected-remark @below {{1 run of 2; shuffles: 3 levels; 2 blocks by workgroup memory: 8 bytes}}
  %scan = tile.scan %w axis 0 : (tensor<32xi32, #wide>) -> tensor<32xi32, #wide> {
  ^bb0(%a: i32, %b: i32):
    %r = arith.addi %a, %b : i32
    tile.yield %r : i32
  }
  // expected-remark @below {{workgroup memory: 128 bytes}}
  %g = tile.gather %scan[%w] axis 0
      : (tensor<32xi32, #wide>, tensor<32xi32, #wide>) -> tensor<32xi32, #wide>
  return %c, %g : tensor<4x8xf32, #columns>, tensor<32xi32, #wide>
}
