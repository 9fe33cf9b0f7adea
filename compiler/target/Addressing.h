//===- Addressing.h - two ways for kernels to reach memory ------------------===//
#pragma once

namespace pumice {

/// How kernels reach their buffers: two ways to address memory, one IR.
enum class Addressing {
  Automatic,   // physical if the target has buffer device addresses, else descriptors
  Physical,    // 64-bit device addresses in one parameter block
  Descriptors, // one storage-buffer binding for each buffer
};

} // namespace pumice
