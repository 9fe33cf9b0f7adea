//===- KernelConverter.h - types and pointers of SPIR-V kernels -------------===//
// One lowering serves both addressing modes: a buffer is a pointer to a struct that holds a runtime
// array. Its class is PhysicalStorageBuffer if its address came with the parameters, and
// StorageBuffer if it was bound. Only roots and wide accesses distinguish the two.
//===-------------------------------------------------------------------------===//
#pragma once

#include "compiler/target/TargetEnv.h"

#include "mlir/Dialect/SPIRV/IR/SPIRVAttributes.h"
#include "mlir/Dialect/SPIRV/IR/SPIRVTypes.h"
#include "mlir/Dialect/SPIRV/Transforms/SPIRVConversion.h"
#include "llvm/ADT/DenseMap.h"

namespace pumice::spirv {
namespace spv = mlir::spirv;

/// Says how one module reaches memory. All kernels of a module use the same style.
struct MemoryStyle {
  bool physical = false;     // buffers by address, not by descriptor
  bool vulkanModel = false;  // the Vulkan memory model, which cooperative matrices require
  bool coherent = false;     // other workgroups may write buffers during the launch
  bool castsPointers = true; // pointers may be cast to other element types; otherwise only whole
                             // elements are accessed
  // Whether the target computes on these types. Only then can a pointer to a type narrower than 32
  // bits be cast. A device that merely stores these types moves and converts values.
  bool int8 = false, int16 = false, float16 = false, int64 = false;

  bool canCastPointersTo(mlir::Type element) const;
};

/// Converts gpu, memref and builtin types. It allows every capability. FinalizeSpirv reports what a
/// target lacks, at the operation that needs it and by the feature's name.
class KernelTypeConverter : public mlir::SPIRVTypeConverter {
public:
  KernelTypeConverter(mlir::MLIRContext *context, MemoryStyle style, unsigned indexBits);

  MemoryStyle style() const { return memoryStyle; }
  spv::StorageClass storageClassOf(mlir::MemRefType type) const;

private:
  mlir::Type convertMemRef(mlir::MemRefType type);

  MemoryStyle memoryStyle;
};

/// Returns whether declaring `capability` would make a module an OpenCL one.
bool impliesKernel(spv::Capability capability);

/// Returns struct { T elements[]; }, with the layout of an array of T on the host.
spv::StructType runtimeArrayOf(mlir::Type element);

/// The parameter block of one kernel: a struct with a member for each vk.parameter.
struct ParameterBlock {
  spv::StructType type;
  llvm::DenseMap<std::pair<uint32_t, mlir::Type>, unsigned> memberAt; // by offset and type
};

/// Holds parameter blocks by kernel name, and how kernels reach them.
struct ModuleInterface {
  enum class Place { PushConstants, AddressedBuffer, DescribedBuffer };
  struct Kernel {
    ParameterBlock block;
    Place place = Place::PushConstants;
    uint32_t set = 0, binding = 0; // DescribedBuffer
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
void populateGpuPatterns(const KernelTypeConverter &converter, mlir::RewritePatternSet &patterns);
void populateMatrixTypes(KernelTypeConverter &converter);
void populateMatrixPatterns(const KernelTypeConverter &converter,
                            mlir::RewritePatternSet &patterns);
void populateFloatPatterns(const KernelTypeConverter &converter, mlir::RewritePatternSet &patterns);
void populateMathPatterns(const KernelTypeConverter &converter, mlir::RewritePatternSet &patterns);

/// Returns a pointer to element `index` of the buffer that `pointer` was converted from.
mlir::Value elementPointer(mlir::OpBuilder &builder, mlir::Location loc, mlir::Value pointer,
                           mlir::Value index);

/// The memory operands of an access through a pointer. The alignment is given if the storage class
/// requires it. Under the Vulkan memory model, they make the access available to other invocations.
struct AccessFlags {
  spv::MemoryAccessAttr flags; // null: none
  mlir::IntegerAttr alignment; // null: none
};
AccessFlags accessFlags(mlir::OpBuilder &builder, const MemoryStyle &style, mlir::Value pointer,
                        uint64_t alignment, bool nontemporal);

} // namespace pumice::spirv
