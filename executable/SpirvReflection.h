//===- SpirvReflection.h - the interface of a SPIR-V module -----------------===//
// Reads the entry points, descriptors, push constants and specialization constants of a binary, as
// a caller that runs it needs them. Accepts any bytes. Data that is not a module is an error, and
// unknown parts are left out. spirv-val decides whether a module is valid.
//===-------------------------------------------------------------------------===//
#pragma once

#include "executable/Executable.h"
#include "executable/FieldPath.h"

#include <optional>

namespace pumice::executable {

/// `WorkgroupMemory` is an OpenCL kernel's pointer to workgroup memory. A launch passes a number of
/// bytes for it.
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
  uint64_t count = 0; // 0: as many as the buffer holds
  uint64_t stride = 0;
  bool isVector = false; // adjacent components, which are one value of a program

  bool operator==(const SpirvDimension &) const = default;
};

/// A number, or an array of numbers, in a block. Members of structs in it have dotted names.
struct SpirvMember {
  std::string name; // "scale", or "[2]" if the module does not name member 2
  uint64_t offset = 0;
  SpirvScalar scalar = SpirvScalar::Other;
  uint32_t bytes = 0;                     // of one number
  std::vector<SpirvDimension> dimensions; // outermost first

  bool operator==(const SpirvMember &) const = default;
};

struct SpirvBlock {
  std::string name;           // of the variable, or else of its type
  uint64_t bytes = 0;         // up to the end of the last member, without runtime arrays
  uint64_t runtimeStride = 0; // of the array at the end of the block; 0: the block has a fixed size
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
  uint64_t count = 1; // of an array of descriptors; 0: the layout decides
  Access access = Access::ReadWrite;
  SpirvBlock block; // of buffers; other descriptors have only its name
};

/// A scalar specialization constant. Results of OpSpecConstantOp are not listed.
struct SpirvSpecConstant {
  uint32_t id = 0;
  std::string name; // empty if the module has none
  SpirvScalar scalar = SpirvScalar::Other;
  uint32_t bytes = 4; // of its type; booleans have 4, as in Vulkan
  uint64_t defaultBits = 0;
};

/// A parameter of an OpenCL kernel, and the members of its block that belong to it.
struct SpirvParameter {
  std::string name; // or "[2]" if the module has none
  size_t firstMember = 0, members = 0;
  std::string refused; // if not empty, such as "an image", nothing can be passed for it

  bool operator==(const SpirvParameter &) const = default;
};

struct SpirvEntryPoint {
  std::string name;
  uint32_t model = 0;                             // 5: GLCompute, 6: Kernel
  std::vector<uint32_t> interface;                // ids, as the module lists them
  std::array<uint32_t, 3> workgroupSize{0, 0, 0}; // all 0: the module does not state it
  std::array<uint32_t, 3> workgroupSizeSpecIds{noSpecId, noSpecId, noSpecId};
  uint64_t workgroupMemoryBytes = 0; // of the variables that its functions use, unpadded
  // The part of it whose size depends on specialization constants.
  uint64_t openWorkgroupMemoryBytes = 0;
  bool readsNumWorkgroups = false;
  // The descriptors that its functions use, by set and binding. If several variables of one kind
  // share a descriptor, it has all their accesses. If their types differ, it has the members of
  // all.
  std::vector<SpirvDescriptor> descriptors;
  bool hasPushConstants = false;
  // The parameters of a Kernel, one after the other, each aligned to its type. Parameters that are
  // structs are named by their numbers.
  SpirvBlock pushConstants;
  std::vector<SpirvParameter> parameters; // of a Kernel
};

/// An array without elements, because of the module's constants. Vulkan requires at least one.
struct SpirvEmptyArray {
  int64_t length = 0;
  uint32_t specId = noSpecId; // the constant that causes it
};

struct SpirvModule {
  uint32_t versionMajor = 1, versionMinor = 0;
  std::vector<uint32_t> capabilities;
  std::vector<std::string> extensions;
  bool physicalAddresses = false; // of storage buffers, by the addressing model
  bool openCl = false;            // the memory model is OpenCL's
  std::vector<SpirvEntryPoint> entryPoints;
  std::vector<SpirvSpecConstant> specConstants; // by id
  std::optional<SpirvEmptyArray> emptyArray;    // the first one
};

/// The value that a specialization constant is set to. Bits above its type are ignored.
struct SpirvConstantValue {
  uint32_t id = 0;
  uint64_t bits = 0;
};

/// Reads the module with specialization by `constants`, which sizes may depend on. Other constants
/// have their defaults. Errors: DataCorrupt, which names the word. ResourceExhausted for modules
/// that describe more than any real program.
Result<SpirvModule> reflectSpirv(std::span<const uint8_t> code, const FieldPath &path = {},
                                 std::span<const SpirvConstantValue> constants = {});

/// Returns, for example, "storage buffer".
std::string_view toString(DescriptorKind kind);
/// Returns "f32", "u64" or "address", or "value" for types that are not numbers.
std::string typeName(SpirvScalar scalar, uint32_t bytes);

} // namespace pumice::executable
