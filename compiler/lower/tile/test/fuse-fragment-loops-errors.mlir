// RUN: not pumice-opt %s --pumice-fuse-fragment-loops=unrolled=3 2>&1 | FileCheck %s

// CHECK: error: unrolled = 3, product-registers = 16, depth-unrolled = 1: all must be powers of two
gpu.module @tiles {
}
