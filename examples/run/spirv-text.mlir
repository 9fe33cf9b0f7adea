// Kernels as text of the SPIR-V dialect. Both modules use the same variable names, sets and
// bindings. Each launch binds its own arguments, in the order of the bindings.
//   pumice run examples/run/spirv-text.mlir
spirv.module @doubling Logical GLSL450 requires
    #spirv.vce<v1.0, [Shader], [SPV_KHR_storage_buffer_storage_class]> {
  spirv.GlobalVariable @id built_in("GlobalInvocationId") : !spirv.ptr<vector<3xi32>, Input>
  spirv.GlobalVariable @data bind(0, 0)
      : !spirv.ptr<!spirv.struct<(!spirv.rtarray<f32, stride=4> [0])>, StorageBuffer>
  spirv.func @main() "None" {
    %zero = spirv.Constant 0 : i32
    %address = spirv.mlir.addressof @id : !spirv.ptr<vector<3xi32>, Input>
    %ids = spirv.Load "Input" %address : vector<3xi32>
    %i = spirv.CompositeExtract %ids[0 : i32] : vector<3xi32>
    %buffer = spirv.mlir.addressof @data
        : !spirv.ptr<!spirv.struct<(!spirv.rtarray<f32, stride=4> [0])>, StorageBuffer>
    %at = spirv.AccessChain %buffer[%zero, %i]
        : !spirv.ptr<!spirv.struct<(!spirv.rtarray<f32, stride=4> [0])>, StorageBuffer>, i32, i32
          -> !spirv.ptr<f32, StorageBuffer>
    %x = spirv.Load "StorageBuffer" %at : f32
    %y = spirv.FAdd %x, %x : f32
    spirv.Store "StorageBuffer" %at, %y : f32
    spirv.Return
  }
  spirv.EntryPoint "GLCompute" @main, @id
  spirv.ExecutionMode @main "LocalSize", 4, 1, 1
}
spirv.module @adding Logical GLSL450 requires
    #spirv.vce<v1.0, [Shader], [SPV_KHR_storage_buffer_storage_class]> {
  spirv.GlobalVariable @id built_in("GlobalInvocationId") : !spirv.ptr<vector<3xi32>, Input>
  spirv.GlobalVariable @data bind(0, 0)
      : !spirv.ptr<!spirv.struct<(!spirv.rtarray<f32, stride=4> [0])>, StorageBuffer>
  spirv.GlobalVariable @number
      : !spirv.ptr<!spirv.struct<(f32 [0])>, PushConstant>
  spirv.func @main() "None" {
    %zero = spirv.Constant 0 : i32
    %address = spirv.mlir.addressof @id : !spirv.ptr<vector<3xi32>, Input>
    %ids = spirv.Load "Input" %address : vector<3xi32>
    %i = spirv.CompositeExtract %ids[0 : i32] : vector<3xi32>
    %block = spirv.mlir.addressof @number : !spirv.ptr<!spirv.struct<(f32 [0])>, PushConstant>
    %member = spirv.AccessChain %block[%zero]
        : !spirv.ptr<!spirv.struct<(f32 [0])>, PushConstant>, i32 -> !spirv.ptr<f32, PushConstant>
    %number = spirv.Load "PushConstant" %member : f32
    %buffer = spirv.mlir.addressof @data
        : !spirv.ptr<!spirv.struct<(!spirv.rtarray<f32, stride=4> [0])>, StorageBuffer>
    %at = spirv.AccessChain %buffer[%zero, %i]
        : !spirv.ptr<!spirv.struct<(!spirv.rtarray<f32, stride=4> [0])>, StorageBuffer>, i32, i32
          -> !spirv.ptr<f32, StorageBuffer>
    %x = spirv.Load "StorageBuffer" %at : f32
    %y = spirv.FAdd %x, %number : f32
    spirv.Store "StorageBuffer" %at, %y : f32
    spirv.Return
  }
  spirv.EntryPoint "GLCompute" @main, @id
  spirv.ExecutionMode @main "LocalSize", 4, 1, 1
}

func.func private @printMemrefF32(memref<*xf32>) attributes {llvm.emit_c_interface}

func.func @main() {
  %c1 = arith.constant 1 : index
  %n = arith.constant 4 : index
  %three = arith.constant 3.0 : f32
  %half = arith.constant 0.5 : f32
  %m = gpu.alloc host_shared () : memref<4xf32>
  gpu.memset %m, %three : memref<4xf32>, f32
  gpu.launch_func @doubling::@main blocks in (%c1, %c1, %c1) threads in (%n, %c1, %c1)
      args(%m : memref<4xf32>)
  gpu.launch_func @adding::@main blocks in (%c1, %c1, %c1) threads in (%n, %c1, %c1)
      args(%m : memref<4xf32>, %half : f32)
  %any = memref.cast %m : memref<4xf32> to memref<*xf32>
  call @printMemrefF32(%any) : (memref<*xf32>) -> ()
  gpu.dealloc %m : memref<4xf32>
  return
}
