// RUN: pumice-opt %s -split-input-file -verify-diagnostics --pass-pipeline="builtin.module(spirv.module(pumice-finalize-spirv))" | FileCheck %s

// The module gets exactly the requirements of its operations, by the names of Vulkan and of SPIR-V.
// CHECK-LABEL: spirv.module @exact Logical GLSL450 requires #spirv.vce<v1.3, [Shader, Float64], []>
// CHECK-SAME: features = ["shaderFloat64"]
spirv.module @exact Logical GLSL450 attributes {vk.target_env = #vk.target_env<v1.1, r(0), [], {shaderFloat64, shaderInt64, shaderInt16}>} {
  spirv.GlobalVariable @binding_0_0 bind(0, 0) : !spirv.ptr<!spirv.struct<(!spirv.rtarray<f64, stride=8> [0]), Block>, StorageBuffer>
  spirv.func @k() "None" attributes {known_block_size = array<i32: 8, 4, 1>} {
    %0 = spirv.Constant 0 : i32
    %x = spirv.mlir.addressof @binding_0_0 : !spirv.ptr<!spirv.struct<(!spirv.rtarray<f64, stride=8> [0]), Block>, StorageBuffer>
    %p = spirv.AccessChain %x[%0, %0] : !spirv.ptr<!spirv.struct<(!spirv.rtarray<f64, stride=8> [0]), Block>, StorageBuffer>, i32, i32 -> !spirv.ptr<f64, StorageBuffer>
    %v = spirv.Load "StorageBuffer" %p : f64
    %s = spirv.FAdd %v, %v : f64
    spirv.Store "StorageBuffer" %p, %s : f64
    spirv.Return
  }
  // Before SPIR-V 1.4, the interface lists only inputs.
  // CHECK: spirv.EntryPoint "GLCompute" @k
  // CHECK-NOT: @binding_0_0
  // CHECK: spirv.ExecutionMode @k "LocalSize", 8, 4, 1
}

// -----

// An addition of floats needs the capability of its width, whatever else the target supports.
// CHECK-LABEL: spirv.module @float_additions Logical GLSL450 requires #spirv.vce<v1.3,
// CHECK-SAME: [Shader, AtomicFloat32AddEXT], [SPV_EXT_shader_atomic_float_add]>
// CHECK-SAME: features = ["shaderBufferFloat32AtomicAdd"]
spirv.module @float_additions Logical GLSL450 attributes {vk.target_env = #vk.target_env<v1.1, r(0), [VK_EXT_shader_atomic_float, VK_EXT_shader_atomic_float2], {shaderFloat64, shaderBufferFloat16AtomicAdd, shaderBufferFloat32AtomicAdd, shaderBufferFloat64AtomicAdd}>} {
  spirv.GlobalVariable @binding_0_0 bind(0, 0) : !spirv.ptr<!spirv.struct<(!spirv.rtarray<f32, stride=4> [0]), Block>, StorageBuffer>
  spirv.func @k() "None" attributes {known_block_size = array<i32: 1, 1, 1>} {
    %0 = spirv.Constant 0 : i32
    %v = spirv.Constant 1.0 : f32
    %x = spirv.mlir.addressof @binding_0_0 : !spirv.ptr<!spirv.struct<(!spirv.rtarray<f32, stride=4> [0]), Block>, StorageBuffer>
    %p = spirv.AccessChain %x[%0, %0] : !spirv.ptr<!spirv.struct<(!spirv.rtarray<f32, stride=4> [0]), Block>, StorageBuffer>, i32, i32 -> !spirv.ptr<f32, StorageBuffer>
    %s = spirv.EXT.AtomicFAdd <Device> <None> %p, %v : !spirv.ptr<f32, StorageBuffer>
    spirv.Return
  }
}

// -----

spirv.module @no_wide_additions Logical GLSL450 attributes {vk.target_env = #vk.target_env<v1.1, r(0), [VK_EXT_shader_atomic_float], {deviceName = "lean", shaderFloat64, shaderBufferFloat32AtomicAdd}>} {
  spirv.GlobalVariable @binding_0_0 bind(0, 0) : !spirv.ptr<!spirv.struct<(!spirv.rtarray<f64, stride=8> [0]), Block>, StorageBuffer>
  spirv.func @k() "None" attributes {known_block_size = array<i32: 1, 1, 1>} {
    %0 = spirv.Constant 0 : i32
    %v = spirv.Constant 1.0 : f64
    %x = spirv.mlir.addressof @binding_0_0 : !spirv.ptr<!spirv.struct<(!spirv.rtarray<f64, stride=8> [0]), Block>, StorageBuffer>
    %p = spirv.AccessChain %x[%0, %0] : !spirv.ptr<!spirv.struct<(!spirv.rtarray<f64, stride=8> [0]), Block>, StorageBuffer>, i32, i32 -> !spirv.ptr<f64, StorageBuffer>
    // expected-error @below {{needs the feature shaderBufferFloat64AtomicAdd, which target 'lean' lacks}}
    %s = spirv.EXT.AtomicFAdd <Device> <None> %p, %v : !spirv.ptr<f64, StorageBuffer>
    spirv.Return
  }
}

// -----

spirv.module @lacks Logical GLSL450 attributes {vk.target_env = #vk.target_env<v1.1, r(0), [], {deviceName = "lean"}>} {
  spirv.func @k() "None" attributes {known_block_size = array<i32: 1, 1, 1>} {
    // expected-error @below {{needs the feature shaderFloat64, which target 'lean' lacks}}
    %0 = spirv.Constant 0.0 : f64
    spirv.Return
  }
}

// -----

spirv.module @subgroups Logical GLSL450 attributes {vk.target_env = #vk.target_env<v1.1, r(0), [], {deviceName = "lean"}>} {
  spirv.func @k() "None" attributes {known_block_size = array<i32: 1, 1, 1>} {
    %t = spirv.Constant true
    // expected-error @below {{needs subgroup operation 'ballot' (subgroupFeatures bit 3), which target 'lean' lacks}}
    %0 = spirv.GroupNonUniformBallot <Subgroup> %t : vector<4xi32>
    spirv.Return
  }
}

// -----

spirv.module @size Logical GLSL450 attributes {vk.target_env = #vk.target_env<v1.1, r(0), [], {deviceName = "lean"}>} {
  // expected-error @below {{has workgroups of 256 invocations, but target 'lean' allows 128 (maxComputeWorkGroupInvocations)}}
  spirv.func @k() "None" attributes {known_block_size = array<i32: 64, 4, 1>} {
    spirv.Return
  }
}

// -----

spirv.module @memory Logical GLSL450 attributes {vk.target_env = #vk.target_env<v1.1, r(0), [], {deviceName = "lean"}>} {
  // expected-error @below {{brings workgroup memory to 32768 bytes, but target 'lean' has 16384 (maxComputeSharedMemorySize)}}
  spirv.GlobalVariable @tile : !spirv.ptr<!spirv.array<8192 x f32>, Workgroup>
  spirv.func @k() "None" attributes {known_block_size = array<i32: 1, 1, 1>} {
    spirv.Return
  }
}

// -----

// Validators follow the pointers in a push-constant block. Bytes to which they point have the same
// requirements as bytes in the block.
// CHECK-LABEL: spirv.module @pushed PhysicalStorageBuffer64 GLSL450 requires
// CHECK-SAME:    #spirv.vce<v1.5, [Shader, StorageBuffer8BitAccess, StoragePushConstant8, PhysicalStorageBufferAddresses], []>
!bytes = !spirv.ptr<!spirv.struct<(!spirv.rtarray<i8, stride=1> [0]), Block>, PhysicalStorageBuffer>
spirv.module @pushed PhysicalStorageBuffer64 GLSL450 attributes {vk.target_env = #vk.target_env<v1.2, r(0), [], {bufferDeviceAddress, storageBuffer8BitAccess, storagePushConstant8}>} {
  spirv.GlobalVariable @parameters : !spirv.ptr<!spirv.struct<(!bytes [0]), Block>, PushConstant>
  spirv.func @k() "None" attributes {known_block_size = array<i32: 1, 1, 1>} {
    %0 = spirv.Constant 0 : i32
    %block = spirv.mlir.addressof @parameters : !spirv.ptr<!spirv.struct<(!bytes [0]), Block>, PushConstant>
    %member = spirv.AccessChain %block[%0] : !spirv.ptr<!spirv.struct<(!bytes [0]), Block>, PushConstant>, i32 -> !spirv.ptr<!bytes, PushConstant>
    %x = spirv.Load "PushConstant" %member : !bytes
    %p = spirv.AccessChain %x[%0, %0] : !bytes, i32, i32 -> !spirv.ptr<i8, PhysicalStorageBuffer>
    %v = spirv.Load "PhysicalStorageBuffer" %p ["Aligned", 1] : i8
    spirv.Store "PhysicalStorageBuffer" %p, %v ["Aligned", 1] : i8
    spirv.Return
  }
}

// -----

!words = !spirv.ptr<!spirv.struct<(!spirv.rtarray<i16, stride=2> [0]), Block>, PhysicalStorageBuffer>
spirv.module @pushed_lacks PhysicalStorageBuffer64 GLSL450 attributes {vk.target_env = #vk.target_env<v1.2, r(0), [], {deviceName = "lean", bufferDeviceAddress, storageBuffer16BitAccess}>} {
  // expected-error @below {{needs the feature storagePushConstant16, which target 'lean' lacks}}
  spirv.GlobalVariable @parameters : !spirv.ptr<!spirv.struct<(!words [0]), Block>, PushConstant>
  spirv.func @k() "None" attributes {known_block_size = array<i32: 1, 1, 1>} {
    spirv.Return
  }
}

// -----

spirv.module @old Logical GLSL450 attributes {vk.target_env = #vk.target_env<v1.0, r(0), [], {deviceName = "oldest"}>} {
  // expected-error @below {{needs VK_KHR_storage_buffer_storage_class or Vulkan 1.1, which target 'oldest' lacks}}
  spirv.GlobalVariable @binding_0_0 bind(0, 0) : !spirv.ptr<!spirv.struct<(!spirv.rtarray<f32, stride=4> [0]), Block>, StorageBuffer>
  spirv.func @k() "None" attributes {known_block_size = array<i32: 1, 1, 1>} {
    spirv.Return
  }
}

// -----

// Before SPIR-V 1.4, one condition cannot select between vectors.
// CHECK-LABEL: spirv.module @old
spirv.module @old Logical GLSL450 attributes {vk.target_env = #vk.target_env<v1.1, r(0), [], {}>} {
  spirv.func @k() "None" attributes {known_block_size = array<i32: 1, 1, 1>} {
    // CHECK: %[[C:.*]] = spirv.Constant true
    %c = spirv.Constant true
    %a = spirv.Constant dense<[1, 2]> : vector<2xi32>
    %b = spirv.Constant dense<[3, 4]> : vector<2xi32>
    // CHECK: %[[CC:.*]] = spirv.CompositeConstruct %[[C]], %[[C]] : (i1, i1) -> vector<2xi1>
    // CHECK: spirv.Select %[[CC]], %{{.*}} : vector<2xi1>, vector<2xi32>
    %s = spirv.Select %c, %a, %b : i1, vector<2xi32>
    spirv.Return
  }
}

// -----

// CHECK-LABEL: spirv.module @new
spirv.module @new Logical GLSL450 attributes {vk.target_env = #vk.target_env<v1.2, r(0), [], {}>} {
  spirv.func @k() "None" attributes {known_block_size = array<i32: 1, 1, 1>} {
    %c = spirv.Constant true
    %a = spirv.Constant dense<[1, 2]> : vector<2xi32>
    // CHECK: spirv.Select %{{.*}} : i1, vector<2xi32>
    %s = spirv.Select %c, %a, %a : i1, vector<2xi32>
    spirv.Return
  }
}

// -----

// If the target can only store bytes, a constant byte becomes a truncated word.
// CHECK-LABEL: spirv.module @bytes
spirv.module @bytes Logical GLSL450 attributes {vk.target_env = #vk.target_env<v1.2, r(0), [], {storageBuffer8BitAccess}>} {
  spirv.GlobalVariable @binding_0_0 bind(0, 0) : !spirv.ptr<!spirv.struct<(!spirv.rtarray<i8, stride=1> [0]), Block>, StorageBuffer>
  spirv.func @k() "None" attributes {known_block_size = array<i32: 1, 1, 1>} {
    %0 = spirv.Constant 0 : i32
    // CHECK: %[[WORD:.*]] = spirv.Constant 253 : i32
    // CHECK: %[[BYTE:.*]] = spirv.UConvert %[[WORD]] : i32 to i8
    // CHECK: spirv.Store "StorageBuffer" %{{.*}}, %[[BYTE]] : i8
    %v = spirv.Constant -3 : i8
    %x = spirv.mlir.addressof @binding_0_0 : !spirv.ptr<!spirv.struct<(!spirv.rtarray<i8, stride=1> [0]), Block>, StorageBuffer>
    %p = spirv.AccessChain %x[%0, %0] : !spirv.ptr<!spirv.struct<(!spirv.rtarray<i8, stride=1> [0]), Block>, StorageBuffer>, i32, i32 -> !spirv.ptr<i8, StorageBuffer>
    spirv.Store "StorageBuffer" %p, %v : i8
    spirv.Return
  }
}
