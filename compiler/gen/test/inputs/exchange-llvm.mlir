llvm.func spir_kernelcc @exchange_all(%in: !llvm.ptr<1>, %out: !llvm.ptr<1>)
    attributes {intel_reqd_sub_group_size = 16 : i32} {
  %lane = gen.sub_group_local_id
  %from = llvm.getelementptr %in[%lane] : (!llvm.ptr<1>, i32) -> !llvm.ptr<1>, i32
  %value = llvm.load %from : !llvm.ptr<1> -> i32
  %result = func.call @exchange(%value) : (i32) -> i32
  %to = llvm.getelementptr %out[%lane] : (!llvm.ptr<1>, i32) -> !llvm.ptr<1>, i32
  llvm.store %result, %to : i32, !llvm.ptr<1>
  llvm.return
}
