// Computes y[i] = x[i] * x[i] if x[i] is not negative.
spirv.module Logical GLSL450 requires #spirv.vce<v1.3, [Shader], [SPV_KHR_storage_buffer_storage_class]> {
  spirv.GlobalVariable @id built_in("GlobalInvocationId") : !spirv.ptr<vector<3xi32>, Input>
  spirv.GlobalVariable @x bind(0, 0) : !spirv.ptr<!spirv.struct<(!spirv.rtarray<f32, stride=4> [0])>, StorageBuffer>
  spirv.GlobalVariable @y bind(0, 1) : !spirv.ptr<!spirv.struct<(!spirv.rtarray<f32, stride=4> [0])>, StorageBuffer>
  spirv.func @square() "None" {
    %zero = spirv.Constant 0 : i32
    %none = spirv.Constant 0.0 : f32
    %idAddress = spirv.mlir.addressof @id : !spirv.ptr<vector<3xi32>, Input>
    %xAddress = spirv.mlir.addressof @x : !spirv.ptr<!spirv.struct<(!spirv.rtarray<f32, stride=4> [0])>, StorageBuffer>
    %yAddress = spirv.mlir.addressof @y : !spirv.ptr<!spirv.struct<(!spirv.rtarray<f32, stride=4> [0])>, StorageBuffer>
    %ids = spirv.Load "Input" %idAddress : vector<3xi32>
    %i = spirv.CompositeExtract %ids[0 : i32] : vector<3xi32>
    %from = spirv.AccessChain %xAddress[%zero, %i] : !spirv.ptr<!spirv.struct<(!spirv.rtarray<f32, stride=4> [0])>, StorageBuffer>, i32, i32 -> !spirv.ptr<f32, StorageBuffer>
    %value = spirv.Load "StorageBuffer" %from : f32
    %positive = spirv.FOrdGreaterThanEqual %value, %none : f32
    spirv.mlir.selection {
      spirv.BranchConditional %positive, ^then, ^merge
    ^then:
      %square = spirv.FMul %value, %value : f32
      %to = spirv.AccessChain %yAddress[%zero, %i] : !spirv.ptr<!spirv.struct<(!spirv.rtarray<f32, stride=4> [0])>, StorageBuffer>, i32, i32 -> !spirv.ptr<f32, StorageBuffer>
      spirv.Store "StorageBuffer" %to, %square : f32
      spirv.Branch ^merge
    ^merge:
      spirv.mlir.merge
    }
    spirv.Return
  }
  spirv.EntryPoint "GLCompute" @square, @id
  spirv.ExecutionMode @square "LocalSize", 64, 1, 1
}
