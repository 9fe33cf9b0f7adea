//===- Executable.h - the contents of a .pumice file as plain data ----------===//
// The compiler's packager writes these structs, and the runtime reads them. This code uses neither
// LLVM nor Vulkan. The file is a FlatBuffer (Executable.fbs). `write` and `read` convert between it
// and these structs.
//
// An entry point is one kernel, as callers see it. A variant is code for one kind of target. It
// states what a device needs. For each entry point, it has an interface, which says how arguments
// reach the code.
//===-------------------------------------------------------------------------===//
#pragma once

#include "support/Status.h"

#include <array>
#include <cstdint>
#include <span>
#include <string>
#include <vector>

namespace pumice::executable {

/// A reader rejects files with a newer major version. Minor versions add optional fields.
inline constexpr uint16_t formatMajor = 1, formatMinor = 5;

enum class ElementType : uint8_t {
  i1,
  i4,
  i8,
  i16,
  i32,
  i64,
  index,
  f8,
  bf16,
  f16,
  f32,
  f64,
  opaque
};
enum class ArgumentKind : uint8_t { Buffer, Scalar };
enum class Access : uint8_t { None = 0, Read = 1, Write = 2, ReadWrite = 3 };
constexpr bool writes(Access access) { return static_cast<uint8_t>(access) & 2; }
enum class VariantKind : uint8_t { VulkanSpirv, OpenclSpirv, Msl, Native };

/// Stands for an extent, stride or offset that is known only at launch.
inline constexpr int64_t dynamic = INT64_MIN;

/// One argument, as the caller passes it.
struct Argument {
  std::string name;
  ArgumentKind kind = ArgumentKind::Buffer;
  ElementType element = ElementType::f32;
  uint32_t elementBytes = 4;    // the bytes of one component
  uint32_t vectorWidth = 1;     // the components of a vector, which are tightly packed
  std::vector<int64_t> shape;   // for buffers: extents in elements; `dynamic`: the caller's
  std::vector<int64_t> strides; // for buffers: strides in elements, one for each extent
  int64_t offset = 0;           // for buffers: the offset in elements
  Access access = Access::ReadWrite;
  uint32_t alignment = 4; // the buffer's address is a multiple (docs/executable.md)

  bool operator==(const Argument &) const = default;
};

struct SourceLocation {
  std::string file;
  uint32_t line = 0, column = 0;

  bool operator==(const SourceLocation &) const = default;
};

/// One gpu.printf of a kernel. Its record in the printf buffer is {id, arguments as 32-bit words}.
struct PrintfFormat {
  uint32_t id = 0;
  std::string format;
  std::vector<ElementType> arguments;

  bool operator==(const PrintfFormat &) const = default;
};

struct EntryPoint {
  std::string name;
  std::vector<Argument> arguments;
  std::array<uint32_t, 3> workgroupSize{0, 0, 0}; // 0: the launch chooses (specialization constant)
  uint32_t workgroupMemoryBytes = 0;              // the static part
  bool dynamicWorkgroupMemory = false;            // the launch adds bytes to the static part
  bool touchesUnnamedMemory = false;              // may access memory that no argument names
  SourceLocation location;
  std::vector<PrintfFormat> printfs;
  // True if the code is wrong when arguments share memory that the kernel writes. Since 1.5.
  bool assumesNoOverlap = false;

  bool operator==(const EntryPoint &) const = default;
};

/// The source of the bytes of a field in a variant's parameter block.
enum class FieldSource : uint8_t {
  BufferAddress,      // 8 bytes: the device address of the argument's buffer
  BufferOffset,       // the argument's dynamic offset, in elements
  BufferExtent,       // the argument's extent along `dimension`
  BufferStride,       // the argument's stride along `dimension`, in elements
  Scalar,             // the argument's bytes, little endian, zeros above; the low bytes of an index
  PrintfAddress,      // 8 bytes: the device address of the printf buffer
  DynamicMemoryBytes, // the bytes of the launch's dynamic workgroup memory
  BufferLength,       // the bytes of the argument from its start to its end
  PrintfWords,        // the number of 32-bit words in the printf buffer
};
struct ParameterField {
  FieldSource source = FieldSource::Scalar;
  uint32_t argument = 0, dimension = 0;
  uint32_t offset = 0, size = 0; // in bytes, in the block

  bool operator==(const ParameterField &) const = default;
};

/// The place from which a variant reads its parameter block.
enum class ParameterPlace : uint8_t {
  None,
  PushConstants,   // push constants hold the block itself
  AddressedBuffer, // push constants hold the 8-byte device address of the block
  DescribedBuffer, // a storage-buffer descriptor, which `bindings` lists
};

enum class BindingSource : uint8_t { Argument, Parameters, Printf };
struct DescriptorBinding {
  uint32_t set = 0, binding = 0;
  BindingSource source = BindingSource::Argument;
  uint32_t argument = 0;
  bool uniform = false; // true: a uniform buffer; false: a storage buffer; since 1.2

  bool operator==(const DescriptorBinding &) const = default;
};

inline constexpr uint32_t noSpecId = UINT32_MAX;

/// How the code of a variant takes the arguments of one entry point.
struct Interface {
  std::string entryPoint; // EntryPoint::name
  std::string symbol;     // the name of the entry point in `Variant::code`
  ParameterPlace place = ParameterPlace::None;
  uint32_t parameterBytes = 0;
  std::vector<ParameterField> fields;
  std::vector<DescriptorBinding> bindings;
  std::array<uint32_t, 3> workgroupSizeSpecIds{noSpecId, noSpecId, noSpecId};
  uint32_t dynamicMemorySpecId = noSpecId; // the element count of the dynamic workgroup array
  // It may exceed that of the entry point, because emulation needs scratch memory.
  uint32_t workgroupMemoryBytes = 0;
  uint32_t requiredSubgroupSize = 0; // 0: any
  bool fullSubgroups = false;        // the subgroup size must divide the workgroup's x size
  // The smallest number of lanes with which the code is correct; since 1.1.
  uint32_t leastSubgroupSize = 0;
  // The size of one element of the dynamic array; 0: not stated (1.0, 1.1); since 1.2.
  uint32_t dynamicMemoryElementBytes = 0;
  uint32_t indexBits = 0; // the width of element indices: 32 or 64; 0: not stated; since 1.3
  // The size with which this variant was compiled, if it is not that of the entry point; since 1.4.
  std::array<uint32_t, 3> workgroupSize{0, 0, 0};

  bool operator==(const Interface &) const = default;
};

/// Returns the size of the workgroup that a variant's code has. 0: the launch chooses.
inline const std::array<uint32_t, 3> &workgroupSizeOf(const EntryPoint &entry,
                                                      const Interface &interface) {
  return interface.workgroupSize[0] ? interface.workgroupSize : entry.workgroupSize;
}

inline constexpr char measuredMapsSeparator[] = "; ";

/// The needs of a variant. A device must have all of them. Names are those of Vulkan.
struct Requirements {
  uint32_t versionMajor = 1, versionMinor = 0;
  std::vector<std::string> extensions;
  std::vector<std::string> features;            // "shaderFloat16"
  uint32_t subgroupOperations = 0;              // VkSubgroupFeatureFlagBits
  std::vector<std::string> cooperativeMatrices; // "16x16x16 f16 f16 f32 f32 subgroup"
  std::string measuredMaps; // fragment maps that the code needs; see `measuredMapsSeparator`
  std::string architecture; // native code: "x86-64-v4"

  bool operator==(const Requirements &) const = default;
};

struct Variant {
  VariantKind kind = VariantKind::VulkanSpirv;
  std::string target;    // as the user named it: "rdna3"
  std::string targetEnv; // the text of #vk.target_env in its canonical form
  Requirements requirements;
  std::vector<Interface> interfaces;
  std::vector<uint8_t> code;

  bool operator==(const Variant &) const = default;
};

struct Executable {
  std::string producer;
  std::vector<EntryPoint> entryPoints;
  std::vector<Variant> variants;

  bool operator==(const Executable &) const = default;
};

/// Returns the bytes of the file. Fails only for contents that `read` would reject. The error names
/// the field.
Result<std::vector<uint8_t>> write(const Executable &contents);

/// The largest size of a file. Offsets in FlatBuffers cannot be larger.
inline constexpr uint64_t mostFileBytes = INT32_MAX;

/// Verifies all of `bytes` before using anything. The error names the first bad field.
Result<Executable> read(std::span<const uint8_t> bytes);

/// Return names such as "f32", "read-write", "vulkan-spirv". For values that this build does not
/// know, return "unknown".
std::string_view toString(ElementType);
std::string_view toString(ArgumentKind);
std::string_view toString(Access);
std::string_view toString(VariantKind);
std::string_view toString(FieldSource);
std::string_view toString(ParameterPlace);
std::string_view toString(BindingSource);

/// Describes everything except the code, for people. This is the text of `pumice inspect`. Variants
/// are numbered from `firstVariant` on, for callers that have removed some variants.
std::string describe(const Executable &contents, size_t firstVariant = 0);

} // namespace pumice::executable
