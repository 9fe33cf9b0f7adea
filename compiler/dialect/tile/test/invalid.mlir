// RUN: pumice-opt %s --split-input-file --verify-diagnostics

// expected-error @below {{layout, character 19: expected '['}}
func.func @text(%t: tensor<4xf32, #tile.layout<[4], register = [1,], lane = [2]>>)

// -----

// expected-error @below {{the layout is of a tensor of sizes [4], not 'tensor<8xf32>'}}
func.func @sizes(%t: tensor<8xf32, #tile.layout<[4], register = [1, 2], lane = [], subgroup = []>>)

// -----

// expected-error @below {{some elements are held nowhere}}
func.func @holes(%t: tensor<4xf32, #tile.layout<[4], register = [1], lane = [], subgroup = []>>)

// -----

// expected-error @below {{are not register, lane and subgroup}}
func.func @inputs(%t: tensor<4xf32, #tile.layout<[4], lane = [1, 2]>>)

// -----

func.func @plain(%t: tensor<4xf32>) {
  // expected-error @below {{operand #0 must be tensor of numbers with a #tile.layout}}
  %r = "tile.unsplat"(%t) : (tensor<4xf32>) -> f32
  return
}

// -----

#l = #tile.layout<[4], register = [1, 2], lane = [], subgroup = []>
func.func @range() {
  // expected-error @below {{counts 5 numbers, which is not the size of}}
  %r = tile.range 0 to 5 : tensor<4xi32, #l>
  return
}

// -----

#l = #tile.layout<[4], register = [1, 2], lane = [], subgroup = []>
func.func @splat(%x: f16) {
  // expected-error @below {{does not turn elements of 'f16' into 'f32'}}
  %r = tile.splat %x : f16 -> tensor<4xf32, #l>
  return
}

// -----

#l = #tile.layout<[4], register = [1, 2], lane = [], subgroup = []>
func.func @unsplat(%t: tensor<4xf32, #l>) {
  // expected-error @below {{takes a tensor of one element}}
  %r = tile.unsplat %t : tensor<4xf32, #l> -> f32
  return
}

// -----

#l = #tile.layout<[4], register = [1, 2], lane = [], subgroup = []>
func.func @addresses(%a: tensor<4xi32, #l>) {
  // expected-error @below {{takes addresses of i64, not 'i32'}}
  %r = tile.load at %a : (tensor<4xi32, #l>) -> tensor<4xf32, #l>
  return
}

// -----

#l = #tile.layout<[4], register = [1, 2], lane = [], subgroup = []>
func.func @elements(%x: memref<?xf16>, %a: tensor<4xi32, #l>) {
  // expected-error @below {{moves elements of 'f32', but memory has 'f16'}}
  %r = tile.load from %x at %a : (memref<?xf16>, tensor<4xi32, #l>) -> tensor<4xf32, #l>
  return
}

// -----

#l = #tile.layout<[4], register = [1, 2], lane = [], subgroup = []>
#m = #tile.layout<[4], register = [2, 1], lane = [], subgroup = []>
func.func @layouts(%x: memref<?xf32>, %a: tensor<4xi32, #l>) {
  // expected-error @below {{has tensors of different layouts}}
  %r = tile.load from %x at %a : (memref<?xf32>, tensor<4xi32, #l>) -> tensor<4xf32, #m>
  return
}

// -----

#l = #tile.layout<[4], register = [1, 2], lane = [], subgroup = []>
func.func @kind(%x: memref<?xi32>, %a: tensor<4xi32, #l>) {
  // expected-error @below {{does not know the kind 'nand'; there are: add, fadd,}}
  %r = tile.atomic_rmw "nand" "relaxed" %a to %x at %a
      : (tensor<4xi32, #l>, memref<?xi32>, tensor<4xi32, #l>) -> tensor<4xi32, #l>
  return
}

// -----

#l = #tile.layout<[4], register = [1, 2], lane = [], subgroup = []>
func.func @order(%x: memref<?xi32>, %a: tensor<4xi32, #l>) {
  // expected-error @below {{does not know the order 'seq_cst'; there are: relaxed,}}
  %r = tile.atomic_cas "seq_cst" %a, %a to %x at %a
      : (tensor<4xi32, #l>, tensor<4xi32, #l>, memref<?xi32>, tensor<4xi32, #l>)
      -> tensor<4xi32, #l>
  return
}

// -----

#l = #tile.layout<[4], register = [1, 2], lane = [], subgroup = []>
#m = #tile.layout<[2, 2], register = [[0, 1], [1, 0]], lane = [], subgroup = []>
#n = #tile.layout<[2, 2], register = [[1, 0], [0, 1]], lane = [], subgroup = []>
func.func @reshape(%t: tensor<4xf32, #l>) {
  %r = tile.reshape %t : tensor<4xf32, #l> -> tensor<2x2xf32, #m>
  // expected-error @below {{has the layout [2, 2], register = [[1, 0], [0, 1]], lane = [], subgroup = [] for its result; the layout that moves nothing is [2, 2], register = [[0, 1], [1, 0]], lane = [], subgroup = []}}
  %s = tile.reshape %t : tensor<4xf32, #l> -> tensor<2x2xf32, #n>
  return
}

// -----

#l = #tile.layout<[1, 4], register = [[0, 1]], lane = [[0, 2]], subgroup = []>
#m = #tile.layout<[2, 4], register = [[0, 1], [0, 2]], lane = [[1, 0]], subgroup = []>
func.func @broadcast(%t: tensor<1x4xf32, #l>) {
  // expected-error @below {{needs elements from other lanes; the operand's layout would have to be [1, 4], register = [[0, 1], [0, 2]], lane = [[0, 0]], subgroup = []}}
  %r = tile.broadcast %t : tensor<1x4xf32, #l> -> tensor<2x4xf32, #m>
  return
}

// -----

#l = #tile.layout<[2, 2], register = [[0, 1]], lane = [[1, 0]], subgroup = []>
#m = #tile.layout<[2, 4], register = [[0, 1], [0, 2]], lane = [[1, 0]], subgroup = []>
func.func @repeat(%t: tensor<2x2xf32, #l>) {
  // expected-error @below {{repeats dimension 1, whose size is 2, not 1}}
  %r = tile.broadcast %t : tensor<2x2xf32, #l> -> tensor<2x4xf32, #m>
  return
}

// -----

#l = #tile.layout<[2, 2], register = [[1, 0]], lane = [[0, 1]], subgroup = []>
#m = #tile.layout<[2], register = [1], lane = [0], subgroup = []>
func.func @split(%t: tensor<2x2xf32, #l>) {
  // expected-error @below {{is not in a register bit of its own}}
  %a, %b = tile.split %t : tensor<2x2xf32, #l> -> tensor<2xf32, #m>, tensor<2xf32, #m>
  return
}

// -----

#l = #tile.layout<[4], register = [1], lane = [2], subgroup = []>
#m = #tile.layout<[4], register = [], lane = [1, 2], subgroup = []>
func.func @convert(%t: tensor<4xf32, #l>) {
  // expected-error @below {{differ in the number of lanes}}
  %r = tile.convert_layout %t : tensor<4xf32, #l> -> tensor<4xf32, #m>
  return
}

// -----

#l = #tile.layout<[4], register = [1], lane = [2], subgroup = []>
#m = #tile.layout<[1], register = [], lane = [0], subgroup = []>
func.func @reduce(%t: tensor<4xf32, #l>) {
  // expected-error @below {{gives scalars, not 'tensor<1xf32,}}
  %r = tile.reduce %t axis 0 : (tensor<4xf32, #l>) -> tensor<1xf32, #m> {
  ^bb0(%a: f32, %b: f32):
    tile.yield %a : f32
  }
  return
}

// -----

#l = #tile.layout<[4], register = [1], lane = [2], subgroup = []>
func.func @axis(%t: tensor<4xf32, #l>) {
  // expected-error @below {{has no dimension 1}}
  %r = tile.scan %t axis 1 : (tensor<4xf32, #l>) -> tensor<4xf32, #l> {
  ^bb0(%a: f32, %b: f32):
    tile.yield %a : f32
  }
  return
}

// -----

#l = #tile.layout<[4], register = [1], lane = [2], subgroup = []>
func.func @arguments(%t: tensor<4xf32, #l>) {
  // expected-error @below {{has a region with the arguments ('f32'), expected ('f32', 'f32')}}
  %r = tile.scan %t axis 0 : (tensor<4xf32, #l>) -> tensor<4xf32, #l> {
  ^bb0(%a: f32):
    tile.yield %a : f32
  }
  return
}

// -----

#l = #tile.layout<[4], register = [1], lane = [2], subgroup = []>
func.func @yield(%t: tensor<4xf32, #l>) {
  // expected-error @below {{has a region that yields (), expected ('f32')}}
  %r = tile.reduce %t axis 0 : (tensor<4xf32, #l>) -> f32 {
  ^bb0(%a: f32, %b: f32):
    "tile.yield"() : () -> ()
  }
  return
}

// -----

#l = #tile.layout<[4], register = [1], lane = [2], subgroup = []>
#m = #tile.layout<[2, 2], register = [[0, 1]], lane = [[1, 0]], subgroup = []>
func.func @gather(%t: tensor<4xf32, #l>, %i: tensor<2x2xi32, #m>) {
  // expected-error @below {{differ in more than the dimension that is gathered along}}
  %r = tile.gather %t[%i] axis 0 : (tensor<4xf32, #l>, tensor<2x2xi32, #m>) -> tensor<2x2xf32, #m>
  return
}

// -----

#l = #tile.layout<[2, 4], register = [[0, 1]], lane = [[0, 2], [1, 0]], subgroup = []>
func.func @dot(%t: tensor<2x4xf32, #l>) {
  // expected-error @below {{has the shapes [2, 4] and [2, 4], whose product is not [2, 4]}}
  %r = tile.dot %t, %t, %t : tensor<2x4xf32, #l>, tensor<2x4xf32, #l> -> tensor<2x4xf32, #l>
  return
}

// -----

#l = #tile.layout<[4, 4], register = [[0, 1], [2, 0]], lane = [[0, 2], [1, 0]], subgroup = []>
func.func @sums(%t: tensor<4x4xf32, #l>, %c: tensor<4x4xf16, #l>) {
  // expected-error @below {{cannot sum products of 'f32' in 'f16'; the sum must also be floating-point, and at least as wide}}
  %r = tile.dot %t, %t, %c : tensor<4x4xf32, #l>, tensor<4x4xf32, #l> -> tensor<4x4xf16, #l>
  return
}

// -----

#l = #tile.layout<[4], register = [1, 2], lane = [], subgroup = []>
#m = #tile.layout<[2, 2], register = [[0, 1], [1, 0]], lane = [], subgroup = []>
func.func @histogram(%t: tensor<4xi32, #l>) {
  // expected-error @below {{needs a tensor of i32 and a one-dimensional result of i32, got}}
  %r = tile.histogram %t : (tensor<4xi32, #l>) -> tensor<2x2xi32, #m>
  return
}

// -----

// expected-error @below {{the layout is of a tensor of sizes [4], not 'tensor<?xf32>'}}
func.func @dynamic(%t: tensor<?xf32, #tile.layout<[4], register = [1, 2], lane = [], subgroup = []>>)

// -----

#l = #tile.layout<[2, 2], register = [[0, 1], [1, 0]], lane = [], subgroup = []>
func.func @complex(%t: tensor<2x2xcomplex<f32>, #l>) {
  // expected-error @below {{operand #0 must be tensor of numbers with a #tile.layout}}
  %r = tile.dot %t, %t, %t
      : tensor<2x2xcomplex<f32>, #l>, tensor<2x2xcomplex<f32>, #l> -> tensor<2x2xcomplex<f32>, #l>
  return
}

// -----

#l = #tile.layout<[4], register = [1, 2], lane = [], subgroup = []>
func.func @few_places(%a: memref<8xf32>, %i: i32) {
  // expected-error @below {{must list one element of the array for each of the 4 registers of a lane, but lists 2}}
  %t = tile.array_load %a[%i] [0, 1] : memref<8xf32> -> tensor<4xf32, #l>
  return
}

// -----

#l = #tile.layout<[4], register = [1, 2], lane = [], subgroup = []>
func.func @map(%t: tensor<4xi32, #l>) {
  // expected-error @below {{has a region that yields ('i32'), expected ('i32', 'i32')}}
  %r = tile.map %t pack 2 : (tensor<4xi32, #l>) -> tensor<4xi32, #l> {
  ^bb0(%a: i32, %b: i32):
    tile.yield %a : i32
  }
  return
}

// -----

#l = #tile.layout<[4], register = [1, 2], lane = [], subgroup = []>
func.func @beyond(%a: memref<8xf32>, %i: i32, %t: tensor<4xf32, #l>) {
  // expected-error @below {{lists element 8, which is out of range for 'memref<8xf32>'}}
  tile.array_store %t to %a[%i] [0, 1, 7, 8] : tensor<4xf32, #l> to memref<8xf32>
  return
}

// -----

#l = #tile.layout<[4], register = [1, 2], lane = [], subgroup = []>
func.func @bits_in_an_array(%a: memref<8xi1>, %i: i32) {
  // expected-error @below {{needs an array of 'i8' for elements of 'i1', got an array of 'i1'}}
  %t = tile.array_load %a[%i] [0, 1, 2, 3] : memref<8xi1> -> tensor<4xi1, #l>
  return
}

// -----

#l = #tile.layout<[4], register = [1, 2], lane = [], subgroup = []>
func.func @print(%n: i32) {
  // expected-error @below {{has no tensor, and so no lanes; use gpu.printf}}
  tile.print "%d"(%n) : (i32)
  return
}
