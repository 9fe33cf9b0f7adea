// If programs of a kernel wait for each other, barriers have device scope, and no access may read
// stale values. If the target has the Vulkan memory model, that model expresses this.
// RUN: pumice compile %s --target h200 --emit mlir -o - | FileCheck %s --check-prefixes=CHECK,VULKAN
// RUN: pumice compile %s --target vulkan1.1 --addressing descriptors --emit mlir -o - | FileCheck %s --check-prefixes=CHECK,GLSL
// RUN: pumice compile %s --target cpu --emit mlir -o - | FileCheck %s --check-prefix=CPU

// VULKAN: spirv.module {{.*}} PhysicalStorageBuffer64 Vulkan
// GLSL: spirv.module {{.*}} GLSL450
// CHECK: spirv.Load "{{.*}}StorageBuffer" %{{.*}} ["Volatile
// VULKAN-NEXT: spirv.MemoryBarrier <QueueFamily>, <AcquireRelease|UniformMemory|WorkgroupMemory|MakeAvailable|MakeVisible>
// VULKAN-NEXT: spirv.ControlBarrier <Workgroup>, <Workgroup>, <AcquireRelease|UniformMemory|WorkgroupMemory|MakeAvailable|MakeVisible>
// VULKAN-NEXT: spirv.MemoryBarrier <QueueFamily>
// GLSL-NEXT: spirv.MemoryBarrier <Device>, <AcquireRelease|UniformMemory|WorkgroupMemory>
// GLSL-NEXT: spirv.ControlBarrier <Workgroup>, <Workgroup>, <AcquireRelease|UniformMemory|WorkgroupMemory>
// GLSL-NEXT: spirv.MemoryBarrier <Device>
// CHECK: spirv.Store "{{.*}}StorageBuffer" %{{.*}} ["Volatile
// CPU-NOT: Volatile
// CPU: spirv.ControlBarrier <Workgroup>, <Workgroup>
// CPU-NOT: Volatile
gpu.module @m {
  gpu.func @k(%x: memref<64xi32>) kernel attributes {pumice.coherent_memory, known_block_size = array<i32: 64, 1, 1>} {
    %i = gpu.thread_id x
    %v = memref.load %x[%i] : memref<64xi32>
    gpu.barrier
    memref.store %v, %x[%i] : memref<64xi32>
    gpu.return
  }
}
