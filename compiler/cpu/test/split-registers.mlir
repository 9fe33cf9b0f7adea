// RUN: pumice-opt %s -pass-pipeline='builtin.module(llvm.func(pumice-split-registers{lanes=4}))' | FileCheck %s

// Arithmetic, constants, selections and memory accesses become one operation for each register.
// CHECK-LABEL: llvm.func @lanewise
llvm.func @lanewise(%p: !llvm.ptr, %s: f32) {
  %one = llvm.mlir.constant(1 : i64) : i64
  %zero = llvm.mlir.constant(0 : i32) : i32
  // CHECK-COUNT-2: llvm.alloca %{{.+}} x vector<4xf32>
  %slot = llvm.alloca %one x vector<8xf32> : (i64) -> !llvm.ptr
  // CHECK: %[[FIRST:.+]] = llvm.getelementptr %arg0[0]
  // CHECK: %[[A:.+]] = llvm.load %[[FIRST]] {alignment = 4 : i64} : !llvm.ptr -> vector<4xf32>
  // CHECK: %[[NEXT:.+]] = llvm.getelementptr %arg0[4] : (!llvm.ptr) -> !llvm.ptr, f32
  // CHECK: %[[B:.+]] = llvm.load %[[NEXT]] {alignment = 4 : i64} : !llvm.ptr -> vector<4xf32>
  %x = llvm.load %p {alignment = 4 : i64} : !llvm.ptr -> vector<8xf32>
  %poison = llvm.mlir.poison : vector<8xf32>
  %first = llvm.insertelement %s, %poison[%zero : i32] : vector<8xf32>
  // CHECK: %[[S:.+]] = llvm.shufflevector %{{.+}}, %{{.+}} [0, 0, 0, 0] : vector<4xf32>
  %same = llvm.shufflevector %first, %first [0, 0, 0, 0, 0, 0, 0, 0] : vector<8xf32>
  // CHECK: arith.addf %[[A]], %[[S]] : vector<4xf32>
  // CHECK: arith.addf %[[B]], %[[S]] : vector<4xf32>
  %sum = arith.addf %x, %same : vector<8xf32>
  llvm.store %sum, %slot : vector<8xf32>, !llvm.ptr
  %held = llvm.load %slot : !llvm.ptr -> vector<8xf32>
  %numbers = llvm.mlir.constant(dense<[0.0, 1.0, 2.0, 3.0, 4.0, 5.0, 6.0, 7.0]> : vector<8xf32>) : vector<8xf32>
  %c = llvm.fcmp "olt" %held, %numbers : vector<8xf32>
  // CHECK-COUNT-2: llvm.select %{{.+}}, %{{.+}}, %{{.+}} : vector<4xi1>, vector<4xf32>
  %r = llvm.select %c, %held, %x : vector<8xi1>, vector<8xf32>
  // CHECK-COUNT-2: llvm.store %{{.+}}, %{{.+}} {alignment = 4 : i64} : vector<4xf32>, !llvm.ptr
  llvm.store %r, %p {alignment = 4 : i64} : vector<8xf32>, !llvm.ptr
  // CHECK-NOT: vector<8x
  llvm.return
}

// The test whether any lane is active uses the parts of the mask.
// CHECK-LABEL: llvm.func @any
llvm.func @any(%p: !llvm.ptr) -> i1 {
  %x = llvm.load %p : !llvm.ptr -> vector<8xi32>
  %none = llvm.mlir.constant(dense<0> : vector<8xi32>) : vector<8xi32>
  %mask = llvm.icmp "ne" %x, %none : vector<8xi32>
  // CHECK: %[[ANY:.+]] = llvm.or %{{.+}}, %{{.+}} : vector<4xi1>
  // CHECK: %[[BITS:.+]] = llvm.bitcast %[[ANY]] : vector<4xi1> to i4
  // CHECK: llvm.icmp "ne" %[[BITS]]
  %bits = llvm.bitcast %mask : vector<8xi1> to i8
  %zero = llvm.mlir.constant(0 : i8) : i8
  %any = llvm.icmp "ne" %bits, %zero : i8
  llvm.return %any : i1
}

// Operations that take all lanes get the joined vector.
// CHECK-LABEL: llvm.func @whole
llvm.func @whole(%p: !llvm.ptr) -> i32 {
  // CHECK-COUNT-2: llvm.load %{{.+}} : !llvm.ptr -> vector<4xi32>
  %x = llvm.load %p : !llvm.ptr -> vector<8xi32>
  // CHECK: %[[ALL:.+]] = llvm.shufflevector %{{.+}}, %{{.+}} [0, 1, 2, 3, 4, 5, 6, 7] : vector<4xi32>
  // CHECK: "llvm.intr.vector.reduce.add"(%[[ALL]])
  %sum = "llvm.intr.vector.reduce.add"(%x) : (vector<8xi32>) -> i32
  llvm.return %sum : i32
}

// A part with every second lane takes elements of both registers. A known lane comes from its
// register.
// CHECK-LABEL: llvm.func @shuffles
llvm.func @shuffles(%p: !llvm.ptr) -> i32 {
  %five = llvm.mlir.constant(5 : i32) : i32
  %x = llvm.load %p : !llvm.ptr -> vector<8xi32>
  // CHECK: %[[EVEN:.+]] = llvm.shufflevector %{{.+}}, %{{.+}} [0, 2, 4, 6] : vector<4xi32>
  %even = llvm.shufflevector %x, %x [0, 2, 4, 6] : vector<8xi32>
  llvm.store %even, %p : vector<4xi32>, !llvm.ptr
  // CHECK: %[[ONE:.+]] = llvm.mlir.constant(1 : i32) : i32
  // CHECK: llvm.extractelement %{{.+}}[%[[ONE]] : i32] : vector<4xi32>
  %lane = llvm.extractelement %x[%five : i32] : vector<8xi32>
  llvm.return %lane : i32
}

// A bitcast to another width moves data between lanes. So it takes the joined vector, and its
// result is split again if parts of it are used. A bitcast that keeps the lanes is done part by
// part.
// CHECK-LABEL: llvm.func @bits
llvm.func @bits(%p: !llvm.ptr, %q: !llvm.ptr) {
  // CHECK-COUNT-2: llvm.load %{{.+}} : !llvm.ptr -> vector<4xi16>
  %x = llvm.load %p : !llvm.ptr -> vector<8xi16>
  // CHECK: %[[ALL:.+]] = llvm.shufflevector %{{.+}}, %{{.+}} [0, 1, 2, 3, 4, 5, 6, 7] : vector<4xi16>
  // CHECK: %[[BYTES:.+]] = llvm.bitcast %[[ALL]] : vector<8xi16> to vector<16xi8>
  // CHECK-COUNT-4: llvm.shufflevector %[[BYTES]], %[[BYTES]] {{.+}} : vector<16xi8>
  %bytes = llvm.bitcast %x : vector<8xi16> to vector<16xi8>
  // CHECK-COUNT-4: llvm.store %{{.+}}, %{{.+}} : vector<4xi8>, !llvm.ptr
  llvm.store %bytes, %q : vector<16xi8>, !llvm.ptr
  // CHECK: %[[AGAIN:.+]] = llvm.bitcast %[[BYTES]] : vector<16xi8> to vector<8xi16>
  %again = llvm.bitcast %bytes : vector<16xi8> to vector<8xi16>
  // CHECK-COUNT-2: llvm.bitcast %{{.+}} : vector<4xi16> to vector<4xf16>
  %halves = llvm.bitcast %again : vector<8xi16> to vector<8xf16>
  llvm.store %halves, %q : vector<8xf16>, !llvm.ptr
  // The bits of a scalar are not lanes, so the scalar is not split.
  // CHECK: llvm.bitcast %{{.+}} : i64 to vector<8xi8>
  %number = llvm.load %p : !llvm.ptr -> i64
  %eight = llvm.bitcast %number : i64 to vector<8xi8>
  llvm.store %eight, %q : vector<8xi8>, !llvm.ptr
  llvm.return
}
