// Accesses through descriptors happen only inside the bound buffers.
// RUN: pumice-opt %s --pumice-bound-accesses --split-input-file --verify-diagnostics | FileCheck %s

// CHECK-LABEL: func @load
func.func @load() attributes {lane.kernel} {
  %buffer = lane.buffer 0, 1
  %shared = lane.shared 0
  %i = lane.builtin local_index
  %wide = arith.extsi %i : i32 to i64
  %four = arith.constant 4 : i64
  // CHECK: arith.muli %{{.*}}, %{{.*}} : i64
  %bytes = arith.muli %wide, %four overflow<nsw> : i64
  %p = lane.offset %buffer[%bytes]
  // CHECK: %[[P:.*]] = lane.offset %[[BUFFER:.*]][
  // CHECK: %[[LENGTH:.*]] = lane.buffer_bytes 0, 1
  // CHECK: %[[AT:.*]] = llvm.ptrtoint %[[P]]
  // CHECK: %[[FROM:.*]] = llvm.ptrtoint %[[BUFFER]]
  // CHECK: %[[DISTANCE:.*]] = arith.subi %[[AT]], %[[FROM]] : i64
  // CHECK: %[[C8:.*]] = arith.constant 8 : i64
  // CHECK: %[[LAST:.*]] = arith.subi %[[LENGTH]], %[[C8]] : i64
  // CHECK: %[[STARTS:.*]] = arith.cmpi ule, %[[DISTANCE]], %[[LAST]] : i64
  // CHECK: %[[FITS:.*]] = arith.cmpi uge, %[[LENGTH]], %{{.*}} : i64
  // CHECK: %[[INSIDE:.*]] = arith.andi %[[STARTS]], %[[FITS]] : i1
  // CHECK: lane.set %[[X:.*]], %{{.*}} overwrite : f32
  // CHECK: lane.set %[[Y:.*]], %{{.*}} overwrite : f32
  // CHECK: lane.if %[[INSIDE]] {
  // CHECK-NEXT: %[[V:.*]]:2 = lane.load %[[P]] align 4 : f32, f32
  // CHECK-NEXT: lane.set %[[X]], %[[V]]#0 : f32
  // CHECK-NEXT: lane.set %[[Y]], %[[V]]#1 : f32
  // CHECK-NEXT: lane.end
  // CHECK-NEXT: } else {
  // CHECK-NEXT: lane.end
  %v:2 = lane.load %p align 4 : f32, f32
  // CHECK: lane.get %[[X]] : f32
  // The workgroup's own memory has no descriptor.
  // CHECK: lane.store %{{.*}} to %{{.*}} align 4 : f32
  // CHECK-NEXT: lane.return
  lane.store %v#0 to %shared align 4 : f32
  lane.return
}

// -----

// CHECK-LABEL: func @others
func.func @others() attributes {lane.kernel} {
  %buffer = lane.buffer 0, 0
  %one = arith.constant 1 : i32
  // CHECK: lane.if
  // CHECK-NEXT: lane.store
  lane.store %one to %buffer align 4 : i32
  // CHECK: lane.if
  // CHECK-NEXT: lane.atomic add monotonic
  %a = lane.atomic add monotonic %buffer, %one : i32
  // CHECK: lane.if
  // CHECK-NEXT: lane.compare_exchange
  %b = lane.compare_exchange monotonic %buffer, %one, %a : i32
  // CHECK: lane.return
  lane.return
}

// -----

// The pointer may point into either of two buffers.
// CHECK-LABEL: func @chosen
func.func @chosen() attributes {lane.kernel} {
  %x = lane.buffer 0, 0
  %y = lane.buffer 0, 1 element 3
  %i = lane.builtin local_index
  %one = arith.constant 1 : i32
  %c = arith.cmpi eq, %i, %one : i32
  %slot = lane.var !llvm.ptr
  %p = arith.select %c, %x, %y : !llvm.ptr
  lane.set %slot, %p overwrite : !llvm.ptr
  %q = lane.get %slot : !llvm.ptr
  // CHECK-DAG: lane.buffer_bytes 0, 0
  // CHECK-DAG: lane.buffer_bytes 0, 1 element 3
  // CHECK: %[[INSIDE:.*]] = arith.ori
  // CHECK: lane.if %[[INSIDE]]
  lane.store %one to %q align 4 : i32
  lane.return
}

// -----

// If the module uses physical addresses, addresses that come from memory have no range to check.
module attributes {spvx.addressing = 5348 : i32} {
  // CHECK-LABEL: func @physical
  func.func @physical() attributes {lane.kernel} {
    %push = lane.push_constants
    %p = lane.load %push align 8 : !llvm.ptr
    %one = arith.constant 1 : i32
    // CHECK-NOT: lane.if
    lane.store %one to %p align 4 : i32
    lane.return
  }
}

// -----

module attributes {spvx.addressing = 0 : i32} {
  func.func @lost() attributes {lane.kernel} {
    %buffer = lane.buffer 0, 0
    %pointers = lane.array 2 x !llvm.ptr
    %i = lane.builtin local_index
    lane.array_set %pointers[%i], %buffer : !llvm.ptr
    %p = lane.array_get %pointers[%i] : !llvm.ptr
    %one = arith.constant 1 : i32
    // expected-error @+1 {{robust access: the buffer of a pointer is unknown}}
    lane.store %one to %p align 4 : i32
    lane.return
  }
}
