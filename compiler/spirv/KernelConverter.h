//===- KernelConverter.h - types and pointers of SPIR-V kernels -------------===//
// One lowering serves both ways of addressing: a buffer is a pointer to a struct that contains a
// runtime array. Its storage class is PhysicalStorageBuffer if its address is a parameter, and
// StorageBuffer if it is bound. Only roots and wide accesses distinguish the two. For OpenCL, a
// buffer is a pointer to its first element, in CrossWorkgroup memory.
//===-------------------------------------------------------------------------===//
#pragma once

#include "compiler/target/TargetEnv.h"

#include "mlir/Dialect/SPIRV/IR/SPIRVAttributes.h"
#include "mlir/Dialect/SPIRV/IR/SPIRVTypes.h"
#include "mlir/Dialect/SPIRV/Transforms/SPIRVConversion.h"
#include "llvm/ADT/DenseMap.h"

namespace pumice::spirv {
namespace spv = mlir::spirv;

/// How a module accesses memory. It is the same for all kernels of a module.
struct MemoryStyle {
  bool physical = false;    // buffers are addresses, not descriptors
  bool openCl = false;      // modules are for OpenCL, not for Vulkan
  bool vulkanModel = false; // required by cooperative matrices
  bool coherent = false;    // other workgroups may write buffers during the launch
  // True if pointers may be cast to other element types. If not, only whole elements are accessed.
  bool castsPointers = true;
  // True for types with which the target computes. Only then may a pointer to a type narrower than
  // 32 bits be cast. A device that only stores these types can move and convert their values.
  bool int8 = false, int16 = false, float16 = false, int64 = false;

  bool canCastPointersTo(mlir::Type element) const;
  /// Returns the memory semantics that cover buffers.
  spv::MemorySemantics bufferSemantics() const {
    return openCl ? spv::MemorySemantics::CrossWorkgroupMemory
                  : spv::MemorySemantics::UniformMemory;
  }
};

/// Converts gpu, memref and builtin types. It allows every capability. If the target lacks one,
/// FinalizeSpirv reports the operation that needs it, and the name of the feature.
class KernelTypeConverter : public mlir::SPIRVTypeConverter {
public:
  KernelTypeConverter(mlir::MLIRContext *context, MemoryStyle style, unsigned indexBits);

  MemoryStyle style() const { return memoryStyle; }
  spv::StorageClass storageClassOf(mlir::MemRefType type) const;

private:
  mlir::Type convertMemRef(mlir::MemRefType type);

  MemoryStyle memoryStyle;
};

/// Returns whether a module that declares `capability` would be for the other API: an OpenCL module
/// (Kernel), or a Vulkan module (Shader).
bool isForeign(spv::Capability capability, bool openCl);

/// Returns struct { T elements[]; }. The array has the same layout as an array of T on the host.
spv::StructType runtimeArrayOf(mlir::Type element);

/// The parameter block of a kernel. It is a struct with one member for each vk.parameter.
struct ParameterBlock {
  spv::StructType type;
  llvm::DenseMap<std::pair<uint32_t, mlir::Type>, unsigned> memberAt; // by offset and type
};

/// The parameter blocks of all kernels, by name, and how the kernels access them.
struct ModuleInterface {
  enum class Place { PushConstants, AddressedBuffer, DescribedBuffer };
  /// A parameter of an OpenCL kernel, and its offset in the block that a launch fills.
  struct Parameter {
    uint32_t offset = 0;
    mlir::Type type;
  };
  struct Kernel {
    ParameterBlock block;
    Place place = Place::PushConstants;
    uint32_t set = 0, binding = 0;           // if the block is a DescribedBuffer
    llvm::SmallVector<Parameter> parameters; // for OpenCL, instead of a block
    mlir::Type dynamicMemory;                // the type of the last parameter, or null
  };
  llvm::StringMap<Kernel> kernels;
};

void populateInterfacePatterns(const KernelTypeConverter &converter,
                               const ModuleInterface &interface, mlir::RewritePatternSet &patterns);
void populateControlFlowPatterns(const KernelTypeConverter &converter,
                                 mlir::RewritePatternSet &patterns);
void populateMemoryPatterns(const KernelTypeConverter &converter,
                            mlir::RewritePatternSet &patterns);
void populateAtomicPatterns(const KernelTypeConverter &converter,
                            mlir::RewritePatternSet &patterns);
void populateGpuPatterns(const KernelTypeConverter &converter, const ModuleInterface &interface,
                         mlir::RewritePatternSet &patterns);
void populateMatrixTypes(KernelTypeConverter &converter);
void populateMatrixPatterns(const KernelTypeConverter &converter,
                            mlir::RewritePatternSet &patterns);
void populateFloatPatterns(const KernelTypeConverter &converter, mlir::RewritePatternSet &patterns);
void populateMathPatterns(const KernelTypeConverter &converter, mlir::RewritePatternSet &patterns);

/// Returns a pointer to element `index` of a buffer. `pointer` is the converted buffer.
mlir::Value elementPointer(mlir::OpBuilder &builder, mlir::Location loc, mlir::Value pointer,
                           mlir::Value index);

/// The memory operands of an access through a pointer. They include the alignment if the storage
/// class requires it. Under the Vulkan memory model, they make the access available to other
/// invocations.
struct AccessFlags {
  spv::MemoryAccessAttr flags; // null: none
  mlir::IntegerAttr alignment; // null: none
};
AccessFlags accessFlags(mlir::OpBuilder &builder, const MemoryStyle &style, mlir::Value pointer,
                        uint64_t alignment, bool nontemporal);

} // namespace pumice::spirv
