// Vectors of all lengths: reading, computing, rearranging, writing.
module attributes {gpu.container_module} {
  gpu.module @vectors {
    // Rows of five elements. A read past the end gives the padding.
    gpu.func @transfer_1d(%in: memref<?xf32>, %out: memref<?xf32>) kernel
        attributes {known_block_size = array<i32: 4, 1, 1>} {
      %i = gpu.thread_id x
      %c8 = arith.constant 8 : index
      %padding = arith.constant -1.0 : f32
      %two = arith.constant dense<2.0> : vector<8xf32>
      %at = arith.muli %i, %c8 : index
      %v = vector.transfer_read %in[%at], %padding : memref<?xf32>, vector<8xf32>
      %w = arith.mulf %v, %two : vector<8xf32>
      vector.transfer_write %w, %out[%at] : vector<8xf32>, memref<?xf32>
      gpu.return
    }

    // A tile of 3 x 4 at the lower right corner, written transposed.
    gpu.func @transfer_2d(%in: memref<?x?xi32>, %out: memref<?x?xi32>, %r: index, %c: index) kernel
        attributes {known_block_size = array<i32: 1, 1, 1>} {
      %c0 = arith.constant 0 : index
      %padding = arith.constant 77 : i32
      %tile = vector.transfer_read %in[%r, %c], %padding : memref<?x?xi32>, vector<3x4xi32>
      %t = vector.transpose %tile, [1, 0] : vector<3x4xi32> to vector<4x3xi32>
      vector.transfer_write %t, %out[%c0, %c0] : vector<4x3xi32>, memref<?x?xi32>
      gpu.return
    }

    gpu.func @transfer_masked(%in: memref<?xf16>, %out: memref<?xf16>, %count: index) kernel
        attributes {known_block_size = array<i32: 1, 1, 1>} {
      %c0 = arith.constant 0 : index
      %c1 = arith.constant 1 : index
      %padding = arith.constant 3.0 : f16
      %mask = vector.create_mask %count : vector<16xi1>
      %v = vector.transfer_read %in[%c1], %padding, %mask {in_bounds = [true]}
          : memref<?xf16>, vector<16xf16>
      vector.transfer_write %v, %out[%c0] : vector<16xf16>, memref<?xf16>
      gpu.return
    }

    gpu.func @contract(%a: memref<3x5xf32>, %b: memref<5x4xf32>, %c: memref<3x4xf32>) kernel
        attributes {known_block_size = array<i32: 1, 1, 1>} {
      %c0 = arith.constant 0 : index
      %p = arith.constant 0.0 : f32
      %x = vector.transfer_read %a[%c0, %c0], %p {in_bounds = [true, true]}
          : memref<3x5xf32>, vector<3x5xf32>
      %y = vector.transfer_read %b[%c0, %c0], %p {in_bounds = [true, true]}
          : memref<5x4xf32>, vector<5x4xf32>
      %z = vector.transfer_read %c[%c0, %c0], %p {in_bounds = [true, true]}
          : memref<3x4xf32>, vector<3x4xf32>
      %r = vector.contract {indexing_maps = [affine_map<(m, n, k) -> (m, k)>,
                                             affine_map<(m, n, k) -> (k, n)>,
                                             affine_map<(m, n, k) -> (m, n)>],
                            iterator_types = ["parallel", "parallel", "reduction"],
                            kind = #vector.kind<add>} %x, %y, %z
          : vector<3x5xf32>, vector<5x4xf32> into vector<3x4xf32>
      vector.transfer_write %r, %c[%c0, %c0] {in_bounds = [true, true]}
          : vector<3x4xf32>, memref<3x4xf32>
      gpu.return
    }

    gpu.func @gather_scatter(%in: memref<?xi32>, %at: memref<8xindex>, %out: memref<?xi32>) kernel
        attributes {known_block_size = array<i32: 1, 1, 1>} {
      %c0 = arith.constant 0 : index
      %places = vector.load %at[%c0] : memref<8xindex>, vector<8xindex>
      %mask = arith.constant dense<[true, false, true, true, true, false, true, true]> : vector<8xi1>
      %pass = arith.constant dense<-7> : vector<8xi32>
      %v = vector.gather %in[%c0][%places], %mask, %pass
          : memref<?xi32>, vector<8xindex>, vector<8xi1>, vector<8xi32> into vector<8xi32>
      vector.scatter %out[%c0][%places], %mask, %v
          : memref<?xi32>, vector<8xindex>, vector<8xi1>, vector<8xi32>
      %c32 = arith.constant 32 : index
      vector.store %v, %out[%c32] : memref<?xi32>, vector<8xi32>
      gpu.return
    }

    gpu.func @masked_memory(%in: memref<?xi8>, %out: memref<?xi8>) kernel
        attributes {known_block_size = array<i32: 1, 1, 1>} {
      %c0 = arith.constant 0 : index
      %c3 = arith.constant 3 : index
      %mask = arith.constant dense<[true, true, false, true, false, true]> : vector<6xi1>
      %pass = arith.constant dense<99> : vector<6xi8>
      %v = vector.maskedload %in[%c3], %mask, %pass
          : memref<?xi8>, vector<6xi1>, vector<6xi8> into vector<6xi8>
      vector.maskedstore %out[%c0], %mask, %v : memref<?xi8>, vector<6xi1>, vector<6xi8>
      %e = vector.expandload %in[%c3], %mask, %pass
          : memref<?xi8>, vector<6xi1>, vector<6xi8> into vector<6xi8>
      %c8 = arith.constant 8 : index
      vector.store %e, %out[%c8] : memref<?xi8>, vector<6xi8>
      %c17 = arith.constant 17 : index
      vector.compressstore %out[%c17], %mask, %e : memref<?xi8>, vector<6xi1>, vector<6xi8>
      gpu.return
    }

    gpu.func @rearrange(%in: memref<16xi32>, %out: memref<?xi32>, %k: index) kernel
        attributes {known_block_size = array<i32: 1, 1, 1>} {
      %c0 = arith.constant 0 : index
      %c16 = arith.constant 16 : index
      %v = vector.load %in[%c0] : memref<16xi32>, vector<16xi32>
      %low = vector.extract_strided_slice %v {offsets = [0], sizes = [8], strides = [1]}
          : vector<16xi32> to vector<8xi32>
      %high = vector.extract_strided_slice %v {offsets = [8], sizes = [8], strides = [1]}
          : vector<16xi32> to vector<8xi32>
      %zip = vector.interleave %low, %high : vector<8xi32> -> vector<16xi32>
      vector.store %zip, %out[%c0] : memref<?xi32>, vector<16xi32>
      %shuffled = vector.shuffle %low, %high [15, 0, 3, 3, 8, 7, 1]
          : vector<8xi32>, vector<8xi32>
      vector.store %shuffled, %out[%c16] : memref<?xi32>, vector<7xi32>
      %even, %odd = vector.deinterleave %v : vector<16xi32> -> vector<8xi32>
      %d = arith.subi %even, %odd : vector<8xi32>
      %c23 = arith.constant 23 : index
      vector.store %d, %out[%c23] : memref<?xi32>, vector<8xi32>
      %picked = vector.extract %v[%k] : i32 from vector<16xi32>
      %c31 = arith.constant 31 : index
      memref.store %picked, %out[%c31] : memref<?xi32>
      %put = vector.insert %picked, %low[%k] : i32 into vector<8xi32>
      %c32 = arith.constant 32 : index
      vector.store %put, %out[%c32] : memref<?xi32>, vector<8xi32>
      %grid = vector.shape_cast %v : vector<16xi32> to vector<2x8xi32>
      %columns = vector.multi_reduction <add>, %grid, %put [0] : vector<2x8xi32> to vector<8xi32>
      %c40 = arith.constant 40 : index
      vector.store %columns, %out[%c40] : memref<?xi32>, vector<8xi32>
      %sum = vector.reduction <add>, %v : vector<16xi32> into i32
      %c48 = arith.constant 48 : index
      memref.store %sum, %out[%c48] : memref<?xi32>
      %least = vector.reduction <minsi>, %v : vector<16xi32> into i32
      %c49 = arith.constant 49 : index
      memref.store %least, %out[%c49] : memref<?xi32>
      gpu.return
    }

    gpu.func @scan_and_outer(%in: memref<4xf32>, %out: memref<4x4xf32>, %sums: memref<4x4xf32>)
        kernel attributes {known_block_size = array<i32: 1, 1, 1>} {
      %c0 = arith.constant 0 : index
      %v = vector.load %in[%c0] : memref<4xf32>, vector<4xf32>
      %outer = vector.outerproduct %v, %v : vector<4xf32>, vector<4xf32>
      vector.transfer_write %outer, %out[%c0, %c0] {in_bounds = [true, true]}
          : vector<4x4xf32>, memref<4x4xf32>
      %s, %last = vector.scan <add>, %outer, %v {inclusive = false, reduction_dim = 0 : i64}
          : vector<4x4xf32>, vector<4xf32>
      vector.transfer_write %s, %sums[%c0, %c0] {in_bounds = [true, true]}
          : vector<4x4xf32>, memref<4x4xf32>
      gpu.return
    }

    // A vector that a loop carries, and a mask of two dimensions.
    gpu.func @carried(%in: memref<?xf32>, %out: memref<4x6xf32>, %rows: index, %columns: index)
        kernel attributes {known_block_size = array<i32: 1, 1, 1>} {
      %c0 = arith.constant 0 : index
      %c1 = arith.constant 1 : index
      %c4 = arith.constant 4 : index
      %c6 = arith.constant 6 : index
      %zero = arith.constant dense<0.0> : vector<6xf32>
      %sum = scf.for %i = %c0 to %c4 step %c1 iter_args(%s = %zero) -> (vector<6xf32>) {
        %at = arith.muli %i, %c6 : index
        %v = vector.load %in[%at] : memref<?xf32>, vector<6xf32>
        %n = arith.addf %s, %v : vector<6xf32>
        scf.yield %n : vector<6xf32>
      }
      %tile = vector.broadcast %sum : vector<6xf32> to vector<4x6xf32>
      %mask = vector.create_mask %rows, %columns : vector<4x6xi1>
      %other = arith.constant dense<-1.0> : vector<4x6xf32>
      %chosen = arith.select %mask, %tile, %other : vector<4x6xi1>, vector<4x6xf32>
      vector.transfer_write %chosen, %out[%c0, %c0] {in_bounds = [true, true]}
          : vector<4x6xf32>, memref<4x6xf32>
      gpu.return
    }
  }
}
