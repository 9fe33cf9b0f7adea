//===- SpirvReflection.h - the interface of a SPIR-V module -----------------===//
// Reads those entry points, descriptors, push constants and specialization constants of a binary
// that a caller needs to run it. Accepts any bytes. Reports an error if the data is not a module,
// and ignores unknown parts. spirv-val decides whether a module is valid.
//===-------------------------------------------------------------------------===//
#pragma once

#include "executable/Executable.h"
#include "executable/FieldPath.h"

#include <optional>

namespace pumice::executable {

/// `WorkgroupMemory` is the pointer of an OpenCL kernel to workgroup memory. A launch passes a
/// number of bytes for it.
enum class SpirvScalar : uint8_t {
  Int,
  Uint,
  Float,
  Bfloat,
  Bool,
  Address,
  WorkgroupMemory,
  Other,
};

/// A number of equal steps through memory: an array, the columns of a matrix, or the components of
/// a vector.
struct SpirvDimension {
  uint64_t count = 0; // 0: as many as fit in the buffer
  uint64_t stride = 0;
  bool isVector = false; // adjacent components, which programs treat as one value

  bool operator==(const SpirvDimension &) const = default;
};

/// A number, or an array of numbers, in a block. Members of nested structs have names with dots.
struct SpirvMember {
  std::string name; // "scale", or "[2]" if the module does not name member 2
  uint64_t offset = 0;
  SpirvScalar scalar = SpirvScalar::Other;
  uint32_t bytes = 0;                     // the size of one number
  std::vector<SpirvDimension> dimensions; // the outermost one first

  bool operator==(const SpirvMember &) const = default;
};

struct SpirvBlock {
  std::string name;           // the name of the variable, or else of its type
  uint64_t bytes = 0;         // to the end of the last member, without a runtime array
  uint64_t runtimeStride = 0; // of the runtime array at the end; 0: there is none
  std::vector<SpirvMember> members;
};

enum class DescriptorKind : uint8_t {
  StorageBuffer,
  UniformBuffer,
  StorageImage,
  SampledImage,
  CombinedImageSampler,
  Sampler,
  StorageTexelBuffer,
  UniformTexelBuffer,
  InputAttachment,
  AccelerationStructure,
  Unknown,
};

struct SpirvDescriptor {
  uint32_t set = 0, binding = 0;
  DescriptorKind kind = DescriptorKind::Unknown;
  uint64_t count = 1; // the length of an array of descriptors; 0: the layout decides
  Access access = Access::ReadWrite;
  SpirvBlock block; // for buffers; for other descriptors, only its name
};

/// A scalar specialization constant. Results of OpSpecConstantOp are not included.
struct SpirvSpecConstant {
  uint32_t id = 0;
  std::string name; // empty if the module does not name it
  SpirvScalar scalar = SpirvScalar::Other;
  uint32_t bytes = 4; // the size of its type; booleans have 4, as in Vulkan
  uint64_t defaultBits = 0;
};

/// A parameter of an OpenCL kernel, and the members of the block that belong to it.
struct SpirvParameter {
  std::string name; // or "[2]" if the module does not name it
  size_t firstMember = 0, members = 0;
  std::string refused;            // why nothing can be passed for it, such as "an image"
  uint64_t offset = 0, bytes = 0; // in the block, with the padding that its type ends with

  bool operator==(const SpirvParameter &) const = default;
};

struct SpirvEntryPoint {
  std::string name;
  uint32_t model = 0;                             // 5: GLCompute, 6: Kernel
  std::vector<uint32_t> interface;                // ids, in the order of the module
  std::array<uint32_t, 3> workgroupSize{0, 0, 0}; // all 0: the module does not state it
  std::array<uint32_t, 3> workgroupSizeSpecIds{noSpecId, noSpecId, noSpecId};
  uint64_t workgroupMemoryBytes = 0; // of the variables that its functions use, without padding
  // The part of that memory whose size depends on specialization constants.
  uint64_t openWorkgroupMemoryBytes = 0;
  bool readsNumWorkgroups = false;
  // The descriptors that its functions use, sorted by set and binding. If several variables of one
  // kind share a descriptor, the descriptor has the accesses of all of them. If their types differ,
  // it has the members of all types.
  std::vector<SpirvDescriptor> descriptors;
  bool hasPushConstants = false;
  // The parameters of a Kernel, one after the other, each aligned to its type. Parameters that are
  // structs have their numbers as names.
  SpirvBlock pushConstants;
  std::vector<SpirvParameter> parameters; // for a Kernel
};

/// An array without elements, as the module's constants determine. Vulkan requires at least one
/// element.
struct SpirvEmptyArray {
  int64_t length = 0;
  uint32_t specId = noSpecId; // the constant that is the cause
};

struct SpirvModule {
  uint32_t versionMajor = 1, versionMinor = 0;
  std::vector<uint32_t> capabilities;
  std::vector<std::string> extensions;
  bool physicalAddresses = false; // the addressing model gives storage buffers addresses
  bool openCl = false;            // whether the memory model is that of OpenCL
  std::vector<SpirvEntryPoint> entryPoints;
  std::vector<SpirvSpecConstant> specConstants; // sorted by id
  std::optional<SpirvEmptyArray> emptyArray;    // the first one
};

/// The value to which a specialization constant is set. Bits above its type are ignored.
struct SpirvConstantValue {
  uint32_t id = 0;
  uint64_t bits = 0;
};

/// Reads the module, specialized by `constants`, on which sizes may depend. Other constants have
/// their defaults. Errors: DataCorrupt, which names the word; ResourceExhausted for modules that
/// describe more than any real program. They begin with `path`.
Result<SpirvModule> reflectSpirv(std::span<const uint8_t> code,
                                 const FieldPath &path = FieldPath::input(),
                                 std::span<const SpirvConstantValue> constants = {});

/// Returns a text such as "storage buffer".
std::string_view toString(DescriptorKind kind);
/// Returns a text such as "f32", "u64" or "address", or "value" for types that are not numbers.
std::string typeName(SpirvScalar scalar, uint32_t bytes);

} // namespace pumice::executable
