// RUN: pumice-opt %s -pumice-emulate-gen=memory=spirv --verify-diagnostics

func.func @read(%address: !llvm.ptr<1>) -> i32 {
  // expected-error@below {{'gen.sub_group_block_read' has an LLVM pointer, but accesses by spirv need an index: use memory=llvm, or an address of type index}}
  %0 = gen.sub_group_block_read %address : !llvm.ptr<1> -> i32
  return %0 : i32
}
