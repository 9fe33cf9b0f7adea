// RUN: pumice-opt %s --pass-pipeline='builtin.module(gpu.module(pumice-lower-printf))' | FileCheck %s

gpu.module @m {
  // The buffer is the last argument, before the attributions. Equal formats share a number.
  // CHECK-LABEL: gpu.func @print
  // CHECK-SAME:    (%[[X:.*]]: f32, %[[N:.*]]: i32, %[[BUF:.*]]: memref<?xi32> {pumice.printf_buffer})
  // CHECK-SAME:    workgroup(%{{.*}} : memref<4xf32, #gpu.address_space<workgroup>>)
  // CHECK-SAME:    pumice.printf_formats = [
  // CHECK-SAME:      {format = "x = %f, n = %d\0A", id = 0 : i32, types = ["f32", "i32"]},
  // CHECK-SAME:      {format = "100%%\0A", id = 1 : i32, types = []}]
  // CHECK:         %[[XW:.*]] = arith.bitcast %[[X]] : f32 to i32
  // CHECK:         %[[HEAD:.*]] = arith.constant 196608 : i32
  // CHECK:         %[[SIZE:.*]] = arith.constant 3 : i32
  // CHECK:         %[[USED:.*]] = memref.atomic_rmw addi %[[SIZE]], %[[BUF]][%{{.*}}]
  // CHECK:         %[[DIM:.*]] = memref.dim %[[BUF]]
  // CHECK:         %[[CAP:.*]] = arith.index_castui %[[DIM]] : index to i32
  // CHECK:         %[[NEED:.*]] = arith.constant 4 : i32
  // CHECK:         %[[EVER:.*]] = arith.cmpi ule, %[[NEED]], %[[CAP]] : i32
  // CHECK:         %[[LAST:.*]] = arith.subi %[[CAP]], %[[NEED]] : i32
  // CHECK:         %[[NOW:.*]] = arith.cmpi ule, %[[USED]], %[[LAST]] : i32
  // CHECK:         %[[FITS:.*]] = arith.andi %[[EVER]], %[[NOW]] : i1
  // CHECK:         scf.if %[[FITS]] {
  // CHECK:           %[[AT:.*]] = arith.index_castui %[[USED]] : i32 to index
  // CHECK:           %[[I1:.*]] = arith.addi %[[AT]], %c1
  // CHECK:           memref.store %[[HEAD]], %[[BUF]][%[[I1]]]
  // CHECK:           memref.store %[[XW]]
  // CHECK:           memref.store %[[N]]
  // CHECK-NOT:       memref.store
  // CHECK:         }
  // CHECK:         arith.constant 65537 : i32
  // CHECK:         arith.constant 196608 : i32
  // CHECK-NOT:     gpu.printf
  gpu.func @print(%x: f32, %n: i32) workgroup(%w: memref<4xf32, #gpu.address_space<workgroup>>) kernel {
    gpu.printf "x = %f, n = %d\n", %x, %n : f32, i32
    gpu.printf "100%%\n"
    gpu.printf "x = %f, n = %d\n", %x, %n : f32, i32
    gpu.return
  }

  // CHECK-LABEL: gpu.func @types
  // CHECK-SAME:    types = ["f32", "i32", "i32", "i64", "f64", "i64", "i32"]
  // CHECK:         arith.extf %{{.*}} : bf16 to f32
  // CHECK:         arith.extsi %{{.*}} : i8 to i32
  // CHECK:         arith.extui %{{.*}} : i8 to i32
  // CHECK:         arith.shrui %{{.*}} : i64
  // CHECK:         arith.bitcast %{{.*}} : f64 to i64
  // CHECK:         arith.shrsi %{{.*}} : index
  // CHECK:         arith.shrsi %{{.*}} : index
  // CHECK:         arith.extui %{{.*}} : i1 to i32
  // Ten words of arguments, after one word for the format.
  // CHECK:         memref.atomic_rmw addi %c11_i32
  gpu.func @types(%h: bf16, %b: i8, %l: i64, %d: f64, %i: index, %p: i1) kernel {
    gpu.printf "%5.2e %hhd %x %lld %g %zu %d", %h, %b, %b, %l, %d, %i, %p : bf16, i8, i8, i64, f64, index, i1
    gpu.return
  }

  // CHECK-LABEL: gpu.func @silent
  // CHECK-NOT:     pumice.printf
  // CHECK:         gpu.return
  gpu.func @silent(%x: f32) kernel {
    gpu.return
  }
}
