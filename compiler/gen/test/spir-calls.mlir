// RUN: pumice-opt %s -convert-gen-to-llvm=spir-calls | FileCheck %s
// Calls can have the convention of the functions.

func.func @size() -> i32 {
  // CHECK: llvm.call spir_funccc @_Z18get_sub_group_sizev() : () -> i32
  %0 = gen.sub_group_size
  return %0 : i32
}
