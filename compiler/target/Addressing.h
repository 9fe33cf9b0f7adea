//===- Addressing.h - two ways for kernels to reach memory ------------------===//
#pragma once

namespace pumice {

/// How kernels access their buffers. One IR serves both ways.
enum class Addressing {
  Automatic,   // physical if supported, else descriptors
  Physical,    // 64-bit device addresses in one parameter block
  Descriptors, // one storage-buffer binding for each buffer
};

} // namespace pumice
