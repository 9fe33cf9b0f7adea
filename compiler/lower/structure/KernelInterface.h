//===- KernelInterface.h - how a launch passes arguments to a kernel --------===//
// LowerKernelArguments decides the interface, and the packager writes it into the executable. In
// between, it is an attribute of the kernel, so that each step can be printed and tested.
//===-------------------------------------------------------------------------===//
#pragma once

#include "mlir/IR/BuiltinAttributes.h"
#include "mlir/IR/Value.h"

namespace pumice::lower {

/// DictionaryAttr of a kernel with these keys: arguments, place, bytes, fields, bindings.
inline constexpr llvm::StringLiteral interfaceAttrName = "pumice.interface";
/// Unit attribute of a kernel whose code is wrong if arguments share memory that it writes.
inline constexpr llvm::StringLiteral noOverlapAttrName = "pumice.no_overlap";
/// Unit attribute of the hidden argument that receives the printf buffer.
inline constexpr llvm::StringLiteral printfBufferAttrName = "pumice.printf_buffer";
/// Unit attribute of an i64 argument that is the address of a buffer. A launch passes a buffer of
/// any size, and no extent.
inline constexpr llvm::StringLiteral bufferAddressAttrName = "pumice.buffer_address";
/// ArrayAttr of a kernel, with one dictionary for each gpu.printf.
inline constexpr llvm::StringLiteral printfFormatsAttrName = "pumice.printf_formats";
/// i32 attribute of a kernel whose code relies on one subgroup size.
inline constexpr llvm::StringLiteral requiredSubgroupSizeAttrName = "pumice.required_subgroup_size";
/// i32 attribute of a kernel that is only correct for subgroups of at least this many lanes.
inline constexpr llvm::StringLiteral leastSubgroupSizeAttrName = "pumice.least_subgroup_size";
/// Unit attribute of a kernel whose code relies on full subgroups. In Vulkan they are full if the
/// subgroup size divides the workgroup's size along x. If the launch chooses the workgroup, the
/// runtime checks this.
inline constexpr llvm::StringLiteral fullSubgroupsAttrName = "pumice.full_subgroups";

/// ArrayAttr of a kernel whose code relies on how a device distributes the elements of its
/// matrices. It contains the maps as text, in the form that docs/targets.md describes.
inline constexpr llvm::StringLiteral measuredMapsAttrName = "pumice.measured_maps";

/// Unit attribute of a kernel whose programs exchange buffer contents while they run, for example
/// under a lock. A GPU must not serve reads of such a kernel from caches that may be stale.
inline constexpr llvm::StringLiteral coherentMemoryAttrName = "pumice.coherent_memory";
/// StringAttr of a gpu.module that was split from a larger module and has one kernel. It is the
/// name of the larger module.
inline constexpr llvm::StringLiteral originalModuleAttrName = "pumice.module";

struct BufferAccess {
  bool reads = false, writes = false;
};

/// Returns how the code accesses a buffer, through every view of it. An unknown use counts as both
/// a read and a write.
BufferAccess accessOf(mlir::Value buffer);

} // namespace pumice::lower
