// RUN: pumice-opt %s --pumice-inline-triton-calls --mlir-print-debuginfo | FileCheck %s
// Calls, nested calls and calls in regions are inlined. Locations name the lines of the calls.

// CHECK-LABEL: tt.func public @kernel
// CHECK-NEXT: %[[A:.*]] = arith.addi %arg1, %arg1 : i32 loc(#[[TWICE:.*]])
// CHECK-NEXT: %[[B:.*]] = arith.addi %[[A]], %[[A]] : i32 loc
// CHECK-NEXT: tt.store %arg0, %[[B]]
// CHECK-NEXT: "tt.reduce"
// CHECK-NEXT: ^bb0(%[[X:.*]]: i32 {{.*}}, %[[Y:.*]]: i32
// CHECK-NEXT: %[[Z:.*]] = arith.maxsi %[[X]], %[[Y]]
// CHECK-NEXT: tt.reduce.return %[[Z]]
// CHECK: tt.return
// CHECK-NOT: tt.func
// CHECK: #[[PLACE:.*]] = loc("kernel.py":2:11)
// CHECK: #[[CALL:.*]] = loc("kernel.py":6:8)
// CHECK: #[[TWICE]] = loc(callsite(#[[PLACE]] at #[[CALL]]))
tt.func public @kernel(%p: !tt.ptr<i32>, %n: i32, %v: tensor<8xi32>) attributes {noinline = false} {
  %a = tt.call @twice(%n) : (i32) -> i32 loc("kernel.py":6:8)
  %b = tt.call @twice(%a) : (i32) -> i32 loc("kernel.py":7:8)
  tt.call @write(%p, %b) : (!tt.ptr<i32>, i32) -> ()
  %m = "tt.reduce"(%v) <{axis = 0 : i32}> ({
  ^bb0(%x: i32, %y: i32):
    %z = tt.call @greater(%x, %y) : (i32, i32) -> i32
    tt.reduce.return %z : i32
  }) : (tensor<8xi32>) -> i32
  tt.return
}
tt.func private @write(%p: !tt.ptr<i32>, %n: i32) attributes {noinline = true} {
  %same = tt.call @same(%n) : (i32) -> i32
  tt.store %p, %same : !tt.ptr<i32>
  tt.return
}
tt.func private @same(%n: i32) -> i32 attributes {noinline = false} {
  tt.return %n : i32
}
tt.func private @twice(%n: i32) -> i32 attributes {noinline = true} {
  %r = arith.addi %n, %n : i32 loc("kernel.py":2:11)
  tt.return %r : i32
}
tt.func private @greater(%a: i32, %b: i32) -> i32 attributes {noinline = false} {
  %r = arith.maxsi %a, %b : i32
  tt.return %r : i32
}
