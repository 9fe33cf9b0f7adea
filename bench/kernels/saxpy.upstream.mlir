// saxpy.mlir in the form that upstream's GPU-to-SPIR-V conversion accepts. It has storage classes
// instead of memory spaces, SPIR-V's attribute for the workgroup size, and the target on the
// module. From SPIR-V 1.4 on, upstream's output is invalid, with the interface of an older version.
!buffer = memref<?xf32, #spirv.storage_class<StorageBuffer>>
module attributes {spirv.target_env = #spirv.target_env<
    #spirv.vce<v1.3, [Shader], [SPV_KHR_storage_buffer_storage_class]>, api=Vulkan, #spirv.resource_limits<>>} {
  gpu.module @saxpy {
    gpu.func @saxpy(%n: i32, %a: f32, %x: !buffer, %y: !buffer) kernel
        attributes {spirv.entry_point_abi = #spirv.entry_point_abi<workgroup_size = [64, 1, 1]>} {
      %i = gpu.global_id x
      %count = arith.index_cast %n : i32 to index
      %inside = arith.cmpi ult, %i, %count : index
      scf.if %inside {
        %xi = memref.load %x[%i] : !buffer
        %yi = memref.load %y[%i] : !buffer
        %product = arith.mulf %a, %xi : f32
        %sum = arith.addf %product, %yi : f32
        memref.store %sum, %y[%i] : !buffer
      }
      gpu.return
    }
  }
}
