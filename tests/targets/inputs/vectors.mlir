// Vectors of 2, 3, 4 and 8 elements.
gpu.module @kernels {
  gpu.func @vectors(%x: memref<?xf32>, %y: memref<?xvector<4xf32>>) kernel
      attributes {known_block_size = array<i32: 64, 1, 1>} {
    %i = gpu.global_id x
    %a = memref.load %y[%i] : memref<?xvector<4xf32>>
    %b = vector.load %x[%i] : memref<?xf32>, vector<8xf32>
    %low = vector.extract_strided_slice %b {offsets = [0], sizes = [4], strides = [1]} : vector<8xf32> to vector<4xf32>
    %product = vector.fma %a, %low, %a : vector<4xf32>
    %three = vector.shuffle %product, %low [0, 5, 2] : vector<4xf32>, vector<4xf32>
    %sum = vector.reduction <add>, %three : vector<3xf32> into f32
    %two = vector.from_elements %sum, %sum : vector<2xf32>
    vector.store %two, %x[%i] : memref<?xf32>, vector<2xf32>
    memref.store %product, %y[%i] : memref<?xvector<4xf32>>
    gpu.return
  }
}
