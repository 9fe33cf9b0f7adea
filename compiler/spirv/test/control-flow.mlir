// RUN: pumice-opt %s --pumice-convert-to-spirv | FileCheck %s
// RUN: pumice compile %S/inputs/loops.mlir --target lavapipe22 --emit spirv -o %t.spv && %validate %t.spv --target lavapipe22

gpu.module @m {
  // A loop without iterations yields its initial value, because the header's phi is the result.
  // CHECK-LABEL: spirv.func @k
  gpu.func @k() kernel attributes {known_block_size = array<i32: 1, 1, 1>} {
    %x = vk.binding set(0) binding(0) : memref<?xf32>
    %n = vk.parameter 0 : i32
    %z = arith.constant 0.0 : f32
    %c0 = arith.constant 0 : i32
    %c1 = arith.constant 1 : i32
    %i0 = arith.constant 0 : index
    // CHECK: %[[R:.*]] = spirv.mlir.loop -> f32 {
    // CHECK:   spirv.Branch ^[[HEADER:.*]](%{{.*}}, %{{.*}} : i32, f32)
    // CHECK: ^[[HEADER]](%[[I:.*]]: i32, %[[S:.*]]: f32):
    // CHECK:   %[[MORE:.*]] = spirv.SLessThan %[[I]], %{{.*}} : i32
    // CHECK:   spirv.BranchConditional %[[MORE]], ^[[BODY:.*]], ^[[MERGE:.*]]
    %r = scf.for %i = %c0 to %n step %c1 iter_args(%s = %z) -> f32 : i32 {
      %k = arith.index_cast %i : i32 to index
      %e = memref.load %x[%k] : memref<?xf32>
      %p = arith.cmpf ogt, %e, %z : f32
      // CHECK: spirv.mlir.selection -> f32
      %t = scf.if %p -> f32 {
        %a = arith.addf %s, %e : f32
        scf.yield %a : f32
      } else {
        scf.yield %s : f32
      }
      scf.yield %t : f32
    }
    // CHECK: ^[[MERGE]]:
    // CHECK:   spirv.mlir.merge %[[S]] : f32
    // CHECK: spirv.Store "StorageBuffer" %{{.*}}, %[[R]]
    memref.store %r, %x[%i0] : memref<?xf32>
    // CHECK: spirv.ULessThan
    scf.for unsigned %i = %c0 to %n step %c1 : i32 {
      %k = arith.index_cast %i : i32 to index
      memref.store %z, %x[%k] : memref<?xf32>
    }
    gpu.return
  }
}
