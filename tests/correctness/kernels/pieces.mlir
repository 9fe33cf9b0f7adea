// Vectors that are built from elements and split again. Memory is accessed element by element.
module attributes {gpu.container_module} {
  gpu.module @pieces {
    func.func private @load6(%in: memref<?xf32>) -> vector<2x3xf32> {
      %c0 = arith.constant 0 : index
      %c1 = arith.constant 1 : index
      %c2 = arith.constant 2 : index
      %c3 = arith.constant 3 : index
      %c4 = arith.constant 4 : index
      %c5 = arith.constant 5 : index
      %a = memref.load %in[%c0] : memref<?xf32>
      %b = memref.load %in[%c1] : memref<?xf32>
      %c = memref.load %in[%c2] : memref<?xf32>
      %d = memref.load %in[%c3] : memref<?xf32>
      %e = memref.load %in[%c4] : memref<?xf32>
      %f = memref.load %in[%c5] : memref<?xf32>
      %v = vector.from_elements %a, %b, %c, %d, %e, %f : vector<2x3xf32>
      return %v : vector<2x3xf32>
    }

    func.func private @store6(%v: vector<2x3xf32>, %out: memref<?x6xf32>, %row: index) {
      %c0 = arith.constant 0 : index
      %c1 = arith.constant 1 : index
      %c2 = arith.constant 2 : index
      %c3 = arith.constant 3 : index
      %c4 = arith.constant 4 : index
      %c5 = arith.constant 5 : index
      %e:6 = vector.to_elements %v : vector<2x3xf32>
      memref.store %e#0, %out[%row, %c0] : memref<?x6xf32>
      memref.store %e#1, %out[%row, %c1] : memref<?x6xf32>
      memref.store %e#2, %out[%row, %c2] : memref<?x6xf32>
      memref.store %e#3, %out[%row, %c3] : memref<?x6xf32>
      memref.store %e#4, %out[%row, %c4] : memref<?x6xf32>
      memref.store %e#5, %out[%row, %c5] : memref<?x6xf32>
      return
    }

    // Rows: v * w + v; a constant mask; a piece of v put into w; columns swapped; the broadcast of a
    // reduction; v by its bits.
    gpu.func @pieces(%x: memref<?xf32>, %y: memref<?xf32>, %out: memref<?x6xf32>) kernel
        attributes {known_block_size = array<i32: 1, 1, 1>} {
      %c0 = arith.constant 0 : index
      %c1 = arith.constant 1 : index
      %c2 = arith.constant 2 : index
      %c3 = arith.constant 3 : index
      %c4 = arith.constant 4 : index
      %c5 = arith.constant 5 : index
      %v = func.call @load6(%x) : (memref<?xf32>) -> vector<2x3xf32>
      %w = func.call @load6(%y) : (memref<?xf32>) -> vector<2x3xf32>
      %fused = vector.fma %v, %w, %v : vector<2x3xf32>
      func.call @store6(%fused, %out, %c0) : (vector<2x3xf32>, memref<?x6xf32>, index) -> ()
      %mask = vector.constant_mask [1, 2] : vector<2x3xi1>
      %masked = arith.select %mask, %v, %w : vector<2x3xi1>, vector<2x3xf32>
      func.call @store6(%masked, %out, %c1) : (vector<2x3xf32>, memref<?x6xf32>, index) -> ()
      %piece = vector.extract_strided_slice %v {offsets = [0, 0], sizes = [1, 2], strides = [1, 1]}
          : vector<2x3xf32> to vector<1x2xf32>
      %put = vector.insert_strided_slice %piece, %w {offsets = [1, 1], strides = [1, 1]}
          : vector<1x2xf32> into vector<2x3xf32>
      func.call @store6(%put, %out, %c2) : (vector<2x3xf32>, memref<?x6xf32>, index) -> ()
      %t = vector.transpose %v, [1, 0] : vector<2x3xf32> to vector<3x2xf32>
      %flat = vector.shape_cast %t : vector<3x2xf32> to vector<2x3xf32>
      func.call @store6(%flat, %out, %c3) : (vector<2x3xf32>, memref<?x6xf32>, index) -> ()
      %row = vector.extract %v[1] : vector<3xf32> from vector<2x3xf32>
      %least = vector.reduction <minnumf>, %row : vector<3xf32> into f32
      %bits = vector.bitcast %v : vector<2x3xf32> to vector<2x3xi32>
      %one = arith.constant dense<0x80000000> : vector<2x3xi32>
      %flipped = arith.xori %bits, %one : vector<2x3xi32>
      %negated = vector.bitcast %flipped : vector<2x3xi32> to vector<2x3xf32>
      %all = vector.broadcast %least : f32 to vector<2x3xf32>
      %both = arith.addf %all, %w : vector<2x3xf32>
      func.call @store6(%both, %out, %c4) : (vector<2x3xf32>, memref<?x6xf32>, index) -> ()
      func.call @store6(%negated, %out, %c5) : (vector<2x3xf32>, memref<?x6xf32>, index) -> ()
      gpu.return
    }

    // Rows: an outer product; a product of matrices; the sums of columns; their running sums, and
    // those that begin with a row.
    gpu.func @sums(%x: memref<?xf32>, %y: memref<?xf32>, %out: memref<?x6xf32>) kernel
        attributes {known_block_size = array<i32: 1, 1, 1>} {
      %c0 = arith.constant 0 : index
      %c1 = arith.constant 1 : index
      %c2 = arith.constant 2 : index
      %c3 = arith.constant 3 : index
      %c4 = arith.constant 4 : index
      %v = func.call @load6(%x) : (memref<?xf32>) -> vector<2x3xf32>
      %w = func.call @load6(%y) : (memref<?xf32>) -> vector<2x3xf32>
      %row = vector.extract %v[0] : vector<3xf32> from vector<2x3xf32>
      %a = vector.extract %w[1, 0] : f32 from vector<2x3xf32>
      %b = vector.extract %w[1, 2] : f32 from vector<2x3xf32>
      %pair = vector.from_elements %a, %b : vector<2xf32>
      %outer = vector.outerproduct %pair, %row : vector<2xf32>, vector<3xf32>
      func.call @store6(%outer, %out, %c0) : (vector<2x3xf32>, memref<?x6xf32>, index) -> ()
      %square = vector.extract_strided_slice %v {offsets = [0, 1], sizes = [2, 2], strides = [1, 1]}
          : vector<2x3xf32> to vector<2x2xf32>
      %product = vector.contract {indexing_maps = [affine_map<(m, n, k) -> (m, k)>,
                                                   affine_map<(m, n, k) -> (k, n)>,
                                                   affine_map<(m, n, k) -> (m, n)>],
                                  iterator_types = ["parallel", "parallel", "reduction"],
                                  kind = #vector.kind<add>} %square, %w, %v
          : vector<2x2xf32>, vector<2x3xf32> into vector<2x3xf32>
      func.call @store6(%product, %out, %c1) : (vector<2x3xf32>, memref<?x6xf32>, index) -> ()
      %columns = vector.multi_reduction <add>, %w, %row [0] : vector<2x3xf32> to vector<3xf32>
      %tall = vector.broadcast %columns : vector<3xf32> to vector<2x3xf32>
      func.call @store6(%tall, %out, %c2) : (vector<2x3xf32>, memref<?x6xf32>, index) -> ()
      %running, %last = vector.scan <add>, %w, %row {inclusive = true, reduction_dim = 0 : i64}
          : vector<2x3xf32>, vector<3xf32>
      func.call @store6(%running, %out, %c3) : (vector<2x3xf32>, memref<?x6xf32>, index) -> ()
      %before, %all = vector.scan <add>, %w, %row {inclusive = false, reduction_dim = 0 : i64}
          : vector<2x3xf32>, vector<3xf32>
      func.call @store6(%before, %out, %c4) : (vector<2x3xf32>, memref<?x6xf32>, index) -> ()
      gpu.return
    }

    gpu.func @gather_fixed(%in: memref<?xi32>, %out: memref<?xi32>) kernel
        attributes {known_block_size = array<i32: 1, 1, 1>} {
      %c1 = arith.constant 1 : index
      %c2 = arith.constant 2 : index
      %from = arith.constant dense<[9, 0, 4, 4, 7]> : vector<5xindex>
      %to = arith.constant dense<[3, 1, 8, 0, 5]> : vector<5xindex>
      %mask = arith.constant dense<[true, false, true, true, true]> : vector<5xi1>
      %some = arith.constant dense<[true, true, true, false, true]> : vector<5xi1>
      %pass = arith.constant dense<-7> : vector<5xi32>
      %v = vector.gather %in[%c1][%from], %mask, %pass
          : memref<?xi32>, vector<5xindex>, vector<5xi1>, vector<5xi32> into vector<5xi32>
      vector.scatter %out[%c2][%to], %some, %v
          : memref<?xi32>, vector<5xindex>, vector<5xi1>, vector<5xi32>
      gpu.return
    }

    // Elements split in two, or joined.
    gpu.func @recast(%in: memref<?xi32>, %out: memref<?xi32>) kernel
        attributes {known_block_size = array<i32: 8, 1, 1>} {
      %i = gpu.global_id x
      %x = memref.load %in[%i] : memref<?xi32>
      %v = vector.from_elements %x : vector<1xi32>
      %bytes = vector.bitcast %v : vector<1xi32> to vector<4xi8>
      %turned = vector.shuffle %bytes, %bytes [3, 2, 1, 0] : vector<4xi8>, vector<4xi8>
      %halves = vector.bitcast %turned : vector<4xi8> to vector<2xi16>
      %low, %high = vector.deinterleave %halves : vector<2xi16> -> vector<1xi16>
      %swapped = vector.interleave %high, %low : vector<1xi16> -> vector<2xi16>
      %word = vector.bitcast %swapped : vector<2xi16> to vector<1xi32>
      %y = vector.extract %word[0] : i32 from vector<1xi32>
      memref.store %y, %out[%i] : memref<?xi32>
      gpu.return
    }

    // 0, 1, 2, ...; a lane of it by its number, and one replaced.
    gpu.func @steps(%at: memref<?xi32>, %out: memref<2x?xindex>) kernel
        attributes {known_block_size = array<i32: 8, 1, 1>} {
      %c0 = arith.constant 0 : index
      %c1 = arith.constant 1 : index
      %c50 = arith.constant 50 : index
      %i = gpu.global_id x
      %k = memref.load %at[%i] : memref<?xi32>
      %n = arith.index_cast %k : i32 to index
      %steps = vector.step : vector<8xindex>
      %e = vector.extract %steps[%n] : index from vector<8xindex>
      memref.store %e, %out[%c0, %i] : memref<2x?xindex>
      %changed = vector.insert %c50, %steps[%n] : index into vector<8xindex>
      %sum = vector.reduction <add>, %changed : vector<8xindex> into index
      memref.store %sum, %out[%c1, %i] : memref<2x?xindex>
      gpu.return
    }

    // Reads, sums and writes the first `count` elements of a half of eight.
    gpu.func @masks(%in: memref<?xf16>, %out: memref<?xf16>, %sum: memref<?xf16>, %count: index)
        kernel attributes {known_block_size = array<i32: 1, 1, 1>} {
      %c0 = arith.constant 0 : index
      %c1 = arith.constant 1 : index
      %padding = arith.constant 2.0 : f16
      %pass = arith.constant dense<3.0> : vector<8xf16>
      %m = vector.create_mask %count : vector<8xi1>
      %v = vector.mask %m, %pass {
        vector.transfer_read %in[%c1], %padding : memref<?xf16>, vector<8xf16>
      } : vector<8xi1> -> vector<8xf16>
      %s = vector.mask %m {
        vector.reduction <add>, %v : vector<8xf16> into f16
      } : vector<8xi1> -> f16
      memref.store %s, %sum[%c0] : memref<?xf16>
      memref.store %padding, %sum[%c1] : memref<?xf16>
      vector.mask %m {
        vector.transfer_write %v, %out[%c1] : vector<8xf16>, memref<?xf16>
      } : vector<8xi1>
      gpu.return
    }

    gpu.func @whole_vector(%a: memref<2x4xi8>) kernel
        attributes {known_block_size = array<i32: 1, 1, 1>} {
      %b = vector.type_cast %a : memref<2x4xi8> to memref<vector<2x4xi8>>
      %x = memref.load %b[] : memref<vector<2x4xi8>>
      %y = arith.addi %x, %x : vector<2x4xi8>
      memref.store %y, %b[] : memref<vector<2x4xi8>>
      gpu.return
    }
  }
}
