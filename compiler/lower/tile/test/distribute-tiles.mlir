// RUN: pumice-opt %s --pumice-distribute-tiles --canonicalize --cse | FileCheck %s

#quarters = #tile.layout<[4096], register = [1, 2, 4, 8, 16, 32, 64, 128], lane = [256, 512], subgroup = [1024, 2048]>
#others = #tile.layout<[4096], register = [1, 2, 4, 8, 16, 32, 64, 128], lane = [256, 1024], subgroup = [512, 2048]>
#row = #tile.layout<[16], register = [8], lane = [1, 2, 4], subgroup = []>
#pairs = #tile.layout<[16], register = [1], lane = [2, 4, 8], subgroup = []>
#few = #tile.layout<[4], register = [], lane = [1, 2, 0], subgroup = []>
#two = #tile.layout<[32], register = [1], lane = [2, 4, 8], subgroup = [16]>
#across = #tile.layout<[32], register = [1], lane = [4, 8, 16], subgroup = [2]>
#alone = #tile.layout<[16], register = [8], lane = [], subgroup = [1, 2, 4]>

gpu.module @tiles {

// Elements of a lane are loaded one by one, if the mask allows it. Consecutive lanes load
// consecutive elements. The workgroup is one subgroup of eight lanes.
// CHECK-LABEL: gpu.func @scale
// CHECK-SAME: known_block_size = array<i32: 8, 1, 1>
// CHECK-SAME: pumice.full_subgroups, pumice.required_subgroup_size = 8 : i32
gpu.func @scale(%x: memref<?xf32>, %n: i32) kernel {
  // CHECK: %[[LANE:.*]] = arith.index_cast %{{.*}} : index to i32
  // CHECK: %[[NEXT:.*]] = arith.addi %[[LANE]], %c8_i32
  // CHECK: %[[PLACES:.*]] = vector.from_elements %[[LANE]], %[[NEXT]] : vector<2xi32>
  // CHECK: %[[MASK:.*]] = arith.cmpi slt, %[[PLACES]], %{{.*}} : vector<2xi32>
  // CHECK: %[[M:.*]]:2 = vector.to_elements %[[MASK]]
  // CHECK: scf.if %[[M]]#0 -> (f32)
  // CHECK: memref.load
  // CHECK: scf.if %[[M]]#1 -> (f32)
  %i = tile.range 0 to 16 : tensor<16xi32, #row>
  %limit = tile.splat %n : i32 -> tensor<16xi32, #row>
  %m = arith.cmpi slt, %i, %limit : tensor<16xi32, #row>
  %t = tile.load from %x at %i mask %m
      : (memref<?xf32>, tensor<16xi32, #row>, tensor<16xi1, #row>) -> tensor<16xf32, #row>
  // CHECK: arith.mulf %{{.*}}, %cst : vector<2xf32>
  %two = arith.constant dense<2.0> : tensor<16xf32, #row>
  %s = arith.mulf %t, %two : tensor<16xf32, #row>
  // CHECK: scf.if %[[M]]#0 {
  // CHECK: memref.store
  tile.store %s to %x at %i mask %m
      : (tensor<16xf32, #row>, memref<?xf32>, tensor<16xi32, #row>, tensor<16xi1, #row>)
  gpu.return
}

// If several lanes hold an element, one of them stores it.
// CHECK-LABEL: gpu.func @once
gpu.func @once(%x: memref<?xi32>) kernel {
  // CHECK: %[[COPY:.*]] = arith.andi %{{.*}}, %c4_i32
  // CHECK: %[[IS:.*]] = arith.cmpi eq, %[[COPY]], %c0_i32
  // CHECK: scf.if %[[IS]]
  %i = tile.range 0 to 4 : tensor<4xi32, #few>
  tile.store %i to %x at %i : (tensor<4xi32, #few>, memref<?xi32>, tensor<4xi32, #few>)
  gpu.return
}

// A flag that another program sets is read again in each iteration. Loads after the loop are not moved before the flag's.
// CHECK-LABEL: gpu.func @wait
// CHECK-SAME: pumice.coherent_memory
gpu.func @wait(%x: memref<?xi32>) kernel {
  // CHECK: scf.while
  // CHECK: vk.memory_barrier
  // CHECK: memref.load
  // CHECK: vk.memory_barrier
  // CHECK: scf.condition
  scf.while : () -> () {
    %i = tile.range 0 to 4 : tensor<4xi32, #few>
    %t = tile.load from %x at %i {volatile} : (memref<?xi32>, tensor<4xi32, #few>) -> tensor<4xi32, #few>
    %flag = tile.reduce %t axis 0 : (tensor<4xi32, #few>) -> i32 {
    ^bb0(%a: i32, %b: i32):
      %both = arith.ori %a, %b : i32
      tile.yield %both : i32
    }
    %c0 = arith.constant 0 : i32
    %more = arith.cmpi eq, %flag, %c0 : i32
    scf.condition(%more)
  } do {
    scf.yield
  }
  gpu.return
}

// A register bit and a lane bit are exchanged: one select, one shuffle, one select for each half.
// CHECK-LABEL: gpu.func @convert
gpu.func @convert(%x: memref<?xi32>) kernel {
  // CHECK-COUNT-2: gpu.shuffle idx
  // CHECK-NOT: gpu.shuffle
  // CHECK: gpu.return
  %i = tile.range 0 to 16 : tensor<16xi32, #row>
  %t = tile.load from %x at %i : (memref<?xi32>, tensor<16xi32, #row>) -> tensor<16xi32, #row>
  %c = tile.convert_layout %t : tensor<16xi32, #row> -> tensor<16xi32, #pairs>
  tile.store %c to %x at %c : (tensor<16xi32, #pairs>, memref<?xi32>, tensor<16xi32, #pairs>)
  gpu.return
}

// Loops carry tensors.
// CHECK-LABEL: gpu.func @loop
gpu.func @loop(%x: memref<?xf32>, %n: index) kernel {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %i = tile.range 0 to 16 : tensor<16xi32, #row>
  %zero = arith.constant dense<0.0> : tensor<16xf32, #row>
  // CHECK: scf.for {{.*}} iter_args(%{{.*}} = %{{.*}}) -> (vector<2xf32>)
  %sum = scf.for %k = %c0 to %n step %c1 iter_args(%s = %zero) -> (tensor<16xf32, #row>) {
    %t = tile.load from %x at %i : (memref<?xf32>, tensor<16xi32, #row>) -> tensor<16xf32, #row>
    %a = arith.addf %s, %t : tensor<16xf32, #row>
    scf.yield %a : tensor<16xf32, #row>
  }
  // Registers are combined first, then a shuffle combines each bit of the lane's number.
  // CHECK: arith.addf
  // CHECK-COUNT-3: gpu.shuffle xor
  // CHECK-NOT: gpu.shuffle
  %r = tile.reduce %sum axis 0 : (tensor<16xf32, #row>) -> f32 {
  ^bb0(%a: f32, %b: f32):
    %c = arith.addf %a, %b : f32
    tile.yield %c : f32
  }
  memref.store %r, %x[%c0] : memref<?xf32>
  gpu.return
}

// Elements of other subgroups go through workgroup memory, two at a time. One lane stores the
// partial results of a reduction.
// CHECK-LABEL: gpu.func @subgroups
// CHECK-SAME: workgroup(%[[MEMORY:.*]] : memref<32xi32, #gpu.address_space<workgroup>>)
// CHECK-SAME: known_block_size = array<i32: 16, 1, 1>
gpu.func @subgroups(%x: memref<?xi32>) kernel {
  %i = tile.range 0 to 32 : tensor<32xi32, #two>
  %t = tile.load from %x at %i : (memref<?xi32>, tensor<32xi32, #two>) -> tensor<32xi32, #two>
  // CHECK: gpu.barrier
  // CHECK: vector.store %{{.*}}, %[[MEMORY]][%{{.*}}] : {{.*}}, vector<2xi32>
  // CHECK: gpu.barrier
  // CHECK: vector.load %[[MEMORY]][%{{.*}}] : {{.*}}, vector<2xi32>
  %c = tile.convert_layout %t : tensor<32xi32, #two> -> tensor<32xi32, #across>
  // CHECK: arith.addi
  // CHECK-COUNT-3: gpu.shuffle xor
  // CHECK: gpu.barrier
  // CHECK: scf.if
  // CHECK-NEXT: memref.store %{{.*}}, %[[MEMORY]]
  // CHECK: gpu.barrier
  %s = tile.reduce %c axis 0 : (tensor<32xi32, #across>) -> i32 {
  ^bb0(%a: i32, %b: i32):
    %r = arith.addi %a, %b : i32
    tile.yield %r : i32
  }
  %all = tile.splat %s : i32 -> tensor<32xi32, #two>
  tile.store %all to %x at %i : (tensor<32xi32, #two>, memref<?xi32>, tensor<32xi32, #two>)
  gpu.return
}

// One of the lanes that hold an element updates it, and the others get the result from memory.
// An update with an order waits for all lanes: they have written before it, and read after it.
// CHECK-LABEL: gpu.func @atomics
// CHECK-SAME: pumice.coherent_memory
gpu.func @atomics(%x: memref<?xi32>) kernel {
  %i = tile.range 0 to 4 : tensor<4xi32, #few>
  // CHECK: %[[COPY:.*]] = arith.andi %{{.*}}, %c4_i32
  // CHECK: %[[FIRST:.*]] = arith.cmpi eq, %[[COPY]], %c0_i32
  // CHECK: gpu.barrier
  // CHECK: scf.if %[[FIRST]] -> (i32)
  // CHECK: memref.atomic_rmw addi %{{.*}}, %{{.*}} {pumice.acquire_release}
  // CHECK: gpu.barrier
  // CHECK: gpu.barrier
  %old = tile.atomic_rmw "add" "acq_rel" %i to %x at %i
      : (tensor<4xi32, #few>, memref<?xi32>, tensor<4xi32, #few>) -> tensor<4xi32, #few>
  // A result without uses is not shared.
  // CHECK: memref.generic_atomic_rmw
  // CHECK: arith.cmpi eq
  // CHECK: arith.select
  // CHECK-NOT: gpu.barrier
  // CHECK: gpu.return
  %seen = tile.atomic_cas "relaxed" %i, %old to %x at %i
      : (tensor<4xi32, #few>, tensor<4xi32, #few>, memref<?xi32>, tensor<4xi32, #few>)
      -> tensor<4xi32, #few>
  gpu.return
}

// A half at an address may be inside a word. The update is one of the whole word.
// CHECK-LABEL: gpu.func @atomics_of_halves
gpu.func @atomics_of_halves(%a: i64) kernel {
  %one = arith.constant dense<1.0> : tensor<4xf16, #few>
  %at = tile.splat %a : i64 -> tensor<4xi64, #few>
  // CHECK: %[[WITHIN:.*]] = arith.andi %[[ADDRESS:.*]], %c3_i64
  // CHECK: %[[WORD:.*]] = arith.subi %[[ADDRESS]], %[[WITHIN]] : i64
  // CHECK: %[[HALF:.*]] = arith.shrui %[[WITHIN]], %c1_i64
  // CHECK: %[[MEMORY:.*]] = vk.at_address %[[WORD]] : memref<?xf16>
  // CHECK: %[[INDEX:.*]] = arith.index_cast %[[HALF]] : i64 to index
  // CHECK: memref.atomic_rmw addf %{{.*}}, %[[MEMORY]][%[[INDEX]]]
  %old = tile.atomic_rmw "fadd" "relaxed" %one at %at
      : (tensor<4xf16, #few>, tensor<4xi64, #few>) -> tensor<4xf16, #few>
  gpu.return
}

// Booleans are stored as bytes.
// CHECK-LABEL: gpu.func @arrays
gpu.func @arrays(%first: i32) kernel {
  // CHECK: %[[ARRAY:.*]] = memref.alloca() : memref<8xi8
  // CHECK: %[[A:.*]] = arith.index_cast %{{.*}} : i32 to index
  // CHECK: %[[X:.*]] = memref.load %[[ARRAY]][%[[A]]]
  // CHECK: arith.trunci %[[X]] : i8 to i1
  // CHECK: %[[PLACE:.*]] = arith.addi %{{.*}}, %c2_i32 : i32
  // CHECK: memref.store %{{.*}}, %[[ARRAY]]
  %array = memref.alloca() : memref<8xi8, #gpu.address_space<private>>
  %t = tile.array_load %array[%first] [0, 2]
      : memref<8xi8, #gpu.address_space<private>> -> tensor<16xi1, #row>
  tile.array_store %t to %array[%first] [1, 3]
      : tensor<16xi1, #row> to memref<8xi8, #gpu.address_space<private>>
  gpu.return
}

// Registers that are neighbours in memory are one access, with its alignment, as far as the layout
// holds neighbours.
// CHECK-LABEL: gpu.func @neighbours
gpu.func @neighbours(%x: memref<?xf32>, %n: i32) kernel {
  // CHECK: scf.if %{{.*}} -> (vector<2xf32>)
  // CHECK: vector.load %{{.*}}[%{{.*}}] {alignment = 8 : i64} : memref<?xf32>, vector<2xf32>
  // CHECK-NOT: vector.load
  // CHECK: vector.store %{{.*}} {alignment = 8 : i64} : memref<?xf32>, vector<2xf32>
  %i = tile.range 0 to 16 : tensor<16xi32, #pairs>
  %limit = tile.splat %n : i32 -> tensor<16xi32, #pairs>
  %m = arith.cmpi slt, %i, %limit : tensor<16xi32, #pairs>
  %t = tile.load from %x at %i mask %m {neighbours = 4 : i32}
      : (memref<?xf32>, tensor<16xi32, #pairs>, tensor<16xi1, #pairs>) -> tensor<16xf32, #pairs>
  tile.store %t to %x at %i {neighbours = 2 : i32}
      : (tensor<16xf32, #pairs>, memref<?xf32>, tensor<16xi32, #pairs>)
  gpu.return
}

// Memory of two types does not fit together: the larger one moves in two pieces.
// CHECK-LABEL: gpu.func @together
// CHECK-SAME: workgroup(%{{.*}} : memref<4096xi32, {{.*}}>, %{{.*}} : memref<2048xi64, {{.*}}>)
gpu.func @together(%y: memref<?xi64>) kernel {
  %i = tile.range 0 to 4096 : tensor<4096xi32, #quarters>
  %c = tile.convert_layout %i : tensor<4096xi32, #quarters> -> tensor<4096xi32, #others>
  %l = arith.extsi %i : tensor<4096xi32, #quarters> to tensor<4096xi64, #quarters>
  %d = tile.convert_layout %l : tensor<4096xi64, #quarters> -> tensor<4096xi64, #others>
  tile.store %d to %y at %c : (tensor<4096xi64, #others>, memref<?xi64>, tensor<4096xi32, #others>)
  gpu.return
}

// With one lane per subgroup, subgroups are the invocations of the workgroup, whatever size the device's
// subgroups have. They exchange elements through memory.
// CHECK-LABEL: gpu.func @alone
// CHECK-SAME: workgroup(%[[MEMORY:.*]] : memref<8xf32, #gpu.address_space<workgroup>>)
// CHECK-SAME: known_block_size = array<i32: 8, 1, 1>
// CHECK-NOT: pumice.
gpu.func @alone(%x: memref<?xf32>) kernel {
  // CHECK: gpu.thread_id x
  // CHECK-NOT: gpu.{{lane_id|subgroup_id|shuffle}}
  // CHECK: gpu.barrier
  // CHECK: memref.store %{{.*}}, %[[MEMORY]]
  // CHECK: gpu.barrier
  // CHECK-NOT: gpu.{{lane_id|subgroup_id|shuffle}}
  // CHECK: gpu.return
  %i = tile.range 0 to 16 : tensor<16xi32, #alone>
  %t = tile.load from %x at %i : (memref<?xf32>, tensor<16xi32, #alone>) -> tensor<16xf32, #alone>
  %s = tile.reduce %t axis 0 : (tensor<16xf32, #alone>) -> f32 {
  ^bb0(%a: f32, %b: f32):
    %r = arith.addf %a, %b : f32
    tile.yield %r : f32
  }
  %all = tile.splat %s : f32 -> tensor<16xf32, #alone>
  tile.store %all to %x at %i : (tensor<16xf32, #alone>, memref<?xf32>, tensor<16xi32, #alone>)
  gpu.return
}

}
