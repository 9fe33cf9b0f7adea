// op: gpu.launch
gpu.module @sample {
  gpu.func @kernel(%n: index) kernel {
    gpu.launch blocks(%a, %b, %c) in (%d = %n, %e = %n, %f = %n)
        threads(%g, %h, %i) in (%j = %n, %k = %n, %l = %n) {
      gpu.terminator
    }
    gpu.return
  }
}
// -----
// op: gpu.launch_func
module attributes {gpu.container_module} {
  gpu.module @sample {
    gpu.func @other() kernel {
      gpu.return
    }
    gpu.func @kernel(%n: index) kernel {
      gpu.launch_func @sample::@other blocks in (%n, %n, %n) threads in (%n, %n, %n)
      gpu.return
    }
  }
}
// -----
// op: gpu.binary
gpu.module @sample {
  gpu.binary @other [#gpu.object<#spirv.target_env<#spirv.vce<v1.0, [], []>, #spirv.resource_limits<>>, "">]
  gpu.func @kernel() kernel {
    gpu.return
  }
}
// -----
// op: gpu.alloc
gpu.module @sample {
  gpu.func @kernel(%n: index) kernel {
    %a = gpu.alloc (%n) : memref<?xf32>
    gpu.return
  }
}
// -----
// op: gpu.dealloc
gpu.module @sample {
  gpu.func @kernel(%a: memref<?xf32>) kernel {
    gpu.dealloc %a : memref<?xf32>
    gpu.return
  }
}
// -----
// op: gpu.memcpy
gpu.module @sample {
  gpu.func @kernel(%a: memref<?xf32>, %b: memref<?xf32>) kernel {
    gpu.memcpy %a, %b : memref<?xf32>, memref<?xf32>
    gpu.return
  }
}
// -----
// op: gpu.memset
gpu.module @sample {
  gpu.func @kernel(%a: memref<?xf32>, %x: f32) kernel {
    gpu.memset %a, %x : memref<?xf32>, f32
    gpu.return
  }
}
// -----
// op: gpu.wait
gpu.module @sample {
  gpu.func @kernel() kernel {
    %t = gpu.wait async
    gpu.return
  }
}
// -----
// op: gpu.host_register
gpu.module @sample {
  gpu.func @kernel(%a: memref<*xf32>) kernel {
    gpu.host_register %a : memref<*xf32>
    gpu.return
  }
}
// -----
// op: gpu.host_unregister
gpu.module @sample {
  gpu.func @kernel(%a: memref<*xf32>) kernel {
    gpu.host_unregister %a : memref<*xf32>
    gpu.return
  }
}
// -----
// op: gpu.set_default_device
gpu.module @sample {
  gpu.func @kernel(%n: i32) kernel {
    gpu.set_default_device %n
    gpu.return
  }
}
// -----
// op: gpu.create_2to4_spmat
gpu.module @sample {
  gpu.func @kernel(%n: index, %i: memref<?xindex>, %v: memref<?xf32>) kernel {
    %m = gpu.create_2to4_spmat {PRUNE_AND_CHECK} %n, %n, %v : memref<?xf32>
    gpu.return
  }
}
// -----
// op: gpu.create_bsr
gpu.module @sample {
  gpu.func @kernel(%n: index, %i: memref<?xindex>, %v: memref<?xf32>) kernel {
    %m = gpu.create_bsr %n, %n, %n, %n, %n, %i, %i, %v
      : memref<?xindex>, memref<?xindex>, memref<?xf32>
    gpu.return
  }
}
// -----
// op: gpu.create_coo
gpu.module @sample {
  gpu.func @kernel(%n: index, %i: memref<?xindex>, %v: memref<?xf32>) kernel {
    %m = gpu.create_coo %n, %n, %n, %i, %i, %v
      : memref<?xindex>, memref<?xindex>, memref<?xf32>
    gpu.return
  }
}
// -----
// op: gpu.create_csc
gpu.module @sample {
  gpu.func @kernel(%n: index, %i: memref<?xindex>, %v: memref<?xf32>) kernel {
    %m = gpu.create_csc %n, %n, %n, %i, %i, %v
      : memref<?xindex>, memref<?xindex>, memref<?xf32>
    gpu.return
  }
}
// -----
// op: gpu.create_csr
gpu.module @sample {
  gpu.func @kernel(%n: index, %i: memref<?xindex>, %v: memref<?xf32>) kernel {
    %m = gpu.create_csr %n, %n, %n, %i, %i, %v
      : memref<?xindex>, memref<?xindex>, memref<?xf32>
    gpu.return
  }
}
// -----
// op: gpu.create_coo_aos
gpu.module @sample {
  gpu.func @kernel(%n: index, %i: memref<?xindex>, %v: memref<?xf32>) kernel {
    %m = gpu.create_coo_aos %n, %n, %n, %i, %v : memref<?xindex>, memref<?xf32>
    gpu.return
  }
}
// -----
// op: gpu.create_dn_tensor
gpu.module @sample {
  gpu.func @kernel(%n: index, %i: memref<?xindex>, %v: memref<?xf32>) kernel {
    %m = gpu.create_dn_tensor %v, %n : index into memref<?xf32>
    gpu.return
  }
}
// -----
// op: gpu.destroy_dn_tensor
gpu.module @sample {
  gpu.func @kernel(%s: !gpu.sparse.spmat_handle, %d: !gpu.sparse.dntensor_handle, %b: memref<?xi8>) kernel {
    gpu.destroy_dn_tensor %d
    gpu.return
  }
}
// -----
// op: gpu.destroy_sp_mat
gpu.module @sample {
  gpu.func @kernel(%s: !gpu.sparse.spmat_handle, %d: !gpu.sparse.dntensor_handle, %b: memref<?xi8>) kernel {
    gpu.destroy_sp_mat %s
    gpu.return
  }
}
// -----
// op: gpu.sddmm
gpu.module @sample {
  gpu.func @kernel(%s: !gpu.sparse.spmat_handle, %d: !gpu.sparse.dntensor_handle, %b: memref<?xi8>) kernel {
    gpu.sddmm %d, %d, %s, %b : memref<?xi8> into f32
    gpu.return
  }
}
// -----
// op: gpu.sddmm_buffer_size
gpu.module @sample {
  gpu.func @kernel(%s: !gpu.sparse.spmat_handle, %d: !gpu.sparse.dntensor_handle, %b: memref<?xi8>) kernel {
    %z = gpu.sddmm_buffer_size %d, %d, %s into f32
    gpu.return
  }
}
// -----
// op: gpu.set_csr_pointers
gpu.module @sample {
  gpu.func @kernel(%s: !gpu.sparse.spmat_handle, %d: !gpu.sparse.dntensor_handle, %b: memref<?xi8>,
                   %i: memref<?xindex>) kernel {
    gpu.set_csr_pointers %s, %i, %i, %b : memref<?xindex>, memref<?xindex>, memref<?xi8>
    gpu.return
  }
}
// -----
// op: gpu.spgemm_copy
gpu.module @sample {
  gpu.func @kernel(%s: !gpu.sparse.spmat_handle, %g: !gpu.sparse.spgemmop_handle, %n: index, %b: memref<?xi8>) kernel {
    gpu.spgemm_copy %s, %s, %s, %g : f32
    gpu.return
  }
}
// -----
// op: gpu.spgemm_create_descr
gpu.module @sample {
  gpu.func @kernel() kernel {
    %g = gpu.spgemm_create_descr
    gpu.return
  }
}
// -----
// op: gpu.spgemm_destroy_descr
gpu.module @sample {
  gpu.func @kernel(%s: !gpu.sparse.spmat_handle, %g: !gpu.sparse.spgemmop_handle, %n: index, %b: memref<?xi8>) kernel {
    gpu.spgemm_destroy_descr %g
    gpu.return
  }
}
// -----
// op: gpu.spgemm_work_estimation_or_compute
gpu.module @sample {
  gpu.func @kernel(%s: !gpu.sparse.spmat_handle, %g: !gpu.sparse.spgemmop_handle, %n: index, %b: memref<?xi8>) kernel {
    %z = gpu.spgemm_work_estimation_or_compute {COMPUTE} %s, %s, %s, %g, %n, %b
      : f32 into memref<?xi8>
    gpu.return
  }
}
// -----
// op: gpu.spmat_get_size
gpu.module @sample {
  gpu.func @kernel(%s: !gpu.sparse.spmat_handle, %d: !gpu.sparse.dntensor_handle, %b: memref<?xi8>) kernel {
    %x, %y, %z = gpu.spmat_get_size %s
    gpu.return
  }
}
// -----
// op: gpu.spmm
gpu.module @sample {
  gpu.func @kernel(%s: !gpu.sparse.spmat_handle, %d: !gpu.sparse.dntensor_handle, %b: memref<?xi8>) kernel {
    gpu.spmm %s, %d, %d, %b : memref<?xi8> into f32
    gpu.return
  }
}
// -----
// op: gpu.spmm_buffer_size
gpu.module @sample {
  gpu.func @kernel(%s: !gpu.sparse.spmat_handle, %d: !gpu.sparse.dntensor_handle, %b: memref<?xi8>) kernel {
    %z = gpu.spmm_buffer_size %s, %d, %d : index into f32
    gpu.return
  }
}
// -----
// op: gpu.spmv
gpu.module @sample {
  gpu.func @kernel(%s: !gpu.sparse.spmat_handle, %d: !gpu.sparse.dntensor_handle, %b: memref<?xi8>) kernel {
    gpu.spmv %s, %d, %d, %b : memref<?xi8> into f32
    gpu.return
  }
}
// -----
// op: gpu.spmv_buffer_size
gpu.module @sample {
  gpu.func @kernel(%s: !gpu.sparse.spmat_handle, %d: !gpu.sparse.dntensor_handle, %b: memref<?xi8>) kernel {
    %z = gpu.spmv_buffer_size %s, %d, %d into f32
    gpu.return
  }
}
// -----
// op: gpu.cluster_block_id
gpu.module @sample {
  gpu.func @kernel(%r: memref<?xindex>) kernel {
    %z = gpu.cluster_block_id x
    memref.store %z, %r[%z] : memref<?xindex>
    gpu.return
  }
}
// -----
// op: gpu.cluster_dim
gpu.module @sample {
  gpu.func @kernel(%r: memref<?xindex>) kernel {
    %z = gpu.cluster_dim x
    memref.store %z, %r[%z] : memref<?xindex>
    gpu.return
  }
}
// -----
// op: gpu.cluster_dim_blocks
gpu.module @sample {
  gpu.func @kernel(%r: memref<?xindex>) kernel {
    %z = gpu.cluster_dim_blocks x
    memref.store %z, %r[%z] : memref<?xindex>
    gpu.return
  }
}
// -----
// op: gpu.cluster_id
gpu.module @sample {
  gpu.func @kernel(%r: memref<?xindex>) kernel {
    %z = gpu.cluster_id x
    memref.store %z, %r[%z] : memref<?xindex>
    gpu.return
  }
}
// -----
// op: gpu.warp_execute_on_lane_0
gpu.module @sample {
  gpu.func @kernel(%r: memref<?xindex>) kernel {
    %l = gpu.lane_id
    gpu.warp_execute_on_lane_0(%l)[32] {
      memref.store %l, %r[%l] : memref<?xindex>
    }
    gpu.return
  }
}
