// RUN: pumice-opt %s -pumice-attach-debug-lines -mlir-print-debuginfo | FileCheck %s

// Each operation gets its innermost line. An operation without a line gets no location.
// CHECK-LABEL: llvm.func @k
llvm.func @k(%p: !llvm.ptr) {
  // CHECK: llvm.load {{.*}} loc(#[[LOAD:loc[0-9]*]])
  %x = llvm.load %p : !llvm.ptr -> f32 loc(callsite("a.comp":7:3 at "a.comp":12:5))
  // CHECK: llvm.fadd {{.*}} loc(#[[UNKNOWN:loc[0-9]*]])
  %y = llvm.fadd %x, %x : f32 loc("k.spv":0:99)
  // CHECK: llvm.store {{.*}} loc(#[[STORE:loc[0-9]*]])
  llvm.store %y, %p : f32, !llvm.ptr loc("lib/b.h":3:1)
  llvm.return loc("a.comp":13:1)
} loc("a.comp":10:1)

// CHECK-LABEL: llvm.func @without
llvm.func @without() {
  llvm.return loc("k.spv":0:9)
} loc("k.spv":0:5)
// CHECK-DAG: #[[UNKNOWN]] = loc(unknown)
// CHECK-DAG: #[[SEVEN:loc[0-9]*]] = loc("a.comp":7:3)
// CHECK-DAG: #[[B:loc[0-9]*]] = loc("lib/b.h":3:1)
// CHECK-DAG: #[[LOAD]] = loc(fused<#[[K:di_subprogram[0-9]*]]>[#[[SEVEN]]])
// CHECK-DAG: #[[K]] = #llvm.di_subprogram<{{.*}}name = "k", linkageName = "k", file = #[[A:di_file[0-9]*]], line = 10
// CHECK-DAG: #[[A]] = #llvm.di_file<"a.comp" in "">
// CHECK-DAG: #[[BLOCK:di_lexical_block_file[0-9]*]] = #llvm.di_lexical_block_file<scope = #[[K]], file = #[[FILE:di_file[0-9]*]], discriminator = 0>
// CHECK-DAG: #[[FILE]] = #llvm.di_file<"b.h" in "lib">
// CHECK-DAG: #[[STORE]] = loc(fused<#[[BLOCK]]>[#[[B]]])
// CHECK-NOT: name = "without"
