// Kernels for OpenCL: parameters instead of a block, pointers to CrossWorkgroup memory, built-in variables of 64 bits,
// functions of OpenCL.std, and no capability of shaders.
// RUN: pumice compile %s --target opencl-3.0 --emit mlir | FileCheck %s
// RUN: pumice compile %s --target opencl-3.0 --emit spirv-asm | FileCheck %s --check-prefix=ASM
// RUN: pumice compile %s --target opencl-3.0 -o %t.pumice && pumice inspect %t.pumice --no-asm | FileCheck %s --check-prefix=FILE
// RUN: pumice compile %s --target opencl-3.0 --target vulkan1.3 -o %t.both.pumice && pumice inspect %t.both.pumice --no-asm | FileCheck %s --check-prefix=BOTH
// RUN: not pumice compile %s --target opencl-3.0 --addressing descriptors 2>&1 | FileCheck %s --check-prefix=DESCRIPTORS

gpu.module @m {
  gpu.func @scale(%x: memref<?x4xf32>, %a: f32, %small: i16, %y: memref<8xf32>) kernel {
    %c0 = arith.constant 0 : index
    %i = gpu.global_id x
    %n = gpu.block_dim x
    %v = vector.load %x[%i, %c0] : memref<?x4xf32>, vector<4xf32>
    %s = vector.reduction <add>, %v : vector<4xf32> into f32
    %e = math.exp %s : f32
    %w = arith.extsi %small : i16 to i32
    %f = arith.sitofp %w : i32 to f32
    %p = arith.mulf %e, %a : f32
    %q = arith.addf %p, %f : f32
    gpu.barrier
    memref.store %q, %y[%n] : memref<8xf32>
    gpu.return
  }
}

// CHECK:      spirv.module @m Physical64 OpenCL requires #spirv.vce<v1.0, [Addresses, {{.*}}Kernel{{.*}}], []>
// CHECK:      spirv.GlobalVariable @{{.*}}WorkgroupSize{{.*}} built_in("WorkgroupSize") : !spirv.ptr<vector<3xi64>, Input>
// CHECK:      spirv.func @scale(%[[X:.*]]: !spirv.ptr<f32, CrossWorkgroup>, %{{.*}}: i32, %[[A:.*]]: f32, %[[S:.*]]: i32, %[[Y:.*]]: !spirv.ptr<f32, CrossWorkgroup>) "None"
// CHECK:      %[[FIRST:.*]] = spirv.InBoundsPtrAccessChain %[[X]]
// CHECK:      spirv.Bitcast %[[FIRST]] : !spirv.ptr<f32, CrossWorkgroup> to !spirv.ptr<vector<4xf32>, CrossWorkgroup>
// CHECK-NEXT: spirv.Load "CrossWorkgroup" %{{.*}} ["Aligned", 4] : vector<4xf32>
// CHECK:      spirv.CL.exp
// CHECK-NOT:  no_contraction
// CHECK:      spirv.ControlBarrier <Workgroup>, <Workgroup>, <AcquireRelease|WorkgroupMemory|CrossWorkgroupMemory>
// CHECK:      spirv.EntryPoint "Kernel" @scale
// CHECK-NOT:  LocalSize
// CHECK:      spirv.ExecutionMode @scale "ContractionOff"

// ASM-NOT: OpCapability Shader
// ASM:     OpMemoryModel Physical64 OpenCL
// ASM-NOT: DescriptorSet
// ASM-NOT: PushConstant

// FILE: variant 0: opencl-spirv for opencl-3.0
// FILE-NEXT: requires OpenCL 3.0
// FILE: offset bytes holds
// FILE-NEXT: 0 8 address of arg0
// FILE-NEXT: 8 4 extent 0 of arg0
// FILE-NEXT: 12 4 arg1
// FILE-NEXT: 16 4 arg2
// FILE-NEXT: 24 8 address of arg3

// BOTH: variant 0: opencl-spirv for opencl-3.0
// BOTH: variant 1: vulkan-spirv for vulkan1.3

// DESCRIPTORS: descriptors do not exist in OpenCL, which target 'opencl-3.0' describes
