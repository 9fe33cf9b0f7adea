//===- SpirvReflection.h - what a SPIR-V module says about itself -----------===//
// Reads the entry points, descriptors, push constants and specialization constants of a binary, as
// a caller that runs it needs them. Accepts any bytes. Data that is not a module is an error;
// unknown parts are left out. spirv-val decides whether a module is valid.
//===-------------------------------------------------------------------------===//
#pragma once

#include "executable/Executable.h"
#include "executable/FieldPath.h"

#include <optional>

namespace pumice::executable {

/// `WorkgroupMemory`: an OpenCL kernel's pointer to it, which is given as a number of bytes.
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

/// Some equal steps through memory: an array, the columns of a matrix, the components of a vector.
struct SpirvDimension {
  uint64_t count = 0; // 0: as many as the buffer holds
  uint64_t stride = 0;
  bool isVector = false; // components that lie side by side: one value of a program

  bool operator==(const SpirvDimension &) const = default;
};

/// A number, or an array of numbers, in a block. Members of structs in it have dotted names.
struct SpirvMember {
  std::string name; // "scale"; "[2]" where the module gives no name to member 2
  uint64_t offset = 0;
  SpirvScalar scalar = SpirvScalar::Other;
  uint32_t bytes = 0;                     // of one number
  std::vector<SpirvDimension> dimensions; // outermost first

  bool operator==(const SpirvMember &) const = default;
};

struct SpirvBlock {
  std::string name;           // the variable's, else its type's
  uint64_t bytes = 0;         // up to the end of the last member; runtime arrays have none
  uint64_t runtimeStride = 0; // of the array that the block ends with; 0: it has a fixed size
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
  uint64_t count = 1; // of an array of descriptors; 0: as many as the layout says
  Access access = Access::ReadWrite;
  SpirvBlock block; // of buffers; others have only its name
};

/// A scalar specialization constant. Operations on such constants are left out.
struct SpirvSpecConstant {
  uint32_t id = 0;
  std::string name; // empty where the module has none
  SpirvScalar scalar = SpirvScalar::Other;
  uint32_t bytes = 4; // of its type; Vulkan takes booleans as 4
  uint64_t defaultBits = 0;
};

/// A parameter of an OpenCL kernel: which of its block's members it consists of.
struct SpirvParameter {
  std::string name; // "[2]" where the module gives none
  size_t firstMember = 0, members = 0;
  std::string refused; // not empty: "an image"; nothing can be passed for it

  bool operator==(const SpirvParameter &) const = default;
};

struct SpirvEntryPoint {
  std::string name;
  uint32_t model = 0;                             // 5: GLCompute, 6: Kernel
  std::vector<uint32_t> interface;                // ids, as the module lists them
  std::array<uint32_t, 3> workgroupSize{0, 0, 0}; // all 0: the module says none
  std::array<uint32_t, 3> workgroupSizeSpecIds{noSpecId, noSpecId, noSpecId};
  uint64_t workgroupMemoryBytes = 0;     // of the variables that its functions use, unpadded
  uint64_t openWorkgroupMemoryBytes = 0; // of it, what has its size from specialization constants
  bool readsNumWorkgroups = false;
  // That its functions use, by set and binding. Several variables of one kind may stand for one:
  // it has all their accesses, and where they look at it differently, the members of all.
  std::vector<SpirvDescriptor> descriptors;
  bool hasPushConstants = false;
  // The parameters of a Kernel, one after the other, each aligned to its type. Parameters that are
  // structs are named by their numbers.
  SpirvBlock pushConstants;
  std::vector<SpirvParameter> parameters; // of a Kernel
};

/// An array that the module's constants give no element; Vulkan wants one at least.
struct SpirvEmptyArray {
  int64_t length = 0;
  uint32_t specId = noSpecId; // a constant that makes it so
};

struct SpirvModule {
  uint32_t versionMajor = 1, versionMinor = 0;
  std::vector<uint32_t> capabilities;
  std::vector<std::string> extensions;
  bool physicalAddresses = false; // of storage buffers: the addressing model says so
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

/// The module as `constants` specialize it: sizes that depend on them are what they make of them;
/// others have their defaults. Errors: DataCorrupt, naming the word; ResourceExhausted for modules
/// that describe more than any program does.
Result<SpirvModule> reflectSpirv(std::span<const uint8_t> code, const FieldPath &path = {},
                                 std::span<const SpirvConstantValue> constants = {});

/// "storage buffer".
std::string_view toString(DescriptorKind kind);
/// Returns "f32", "u64" or "address", or "value" for types that are not numbers.
std::string typeName(SpirvScalar scalar, uint32_t bytes);

} // namespace pumice::executable
