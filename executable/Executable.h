//===- Executable.h - the contents of a .pumice file as plain data ----------===//
// The compiler's packager writes these structs and the runtime reads them. LLVM and Vulkan are not
// used here. The file is FlatBuffers (Executable.fbs); `write` and `read` translate between it and
// these structs.
//
// An entry point is one kernel as callers see it. A variant is that kernel's code for one kind of
// target. It names what a device must have. For each entry point, it says how arguments reach the
// code.
//===-------------------------------------------------------------------------===//
#pragma once

#include "support/Status.h"

#include <array>
#include <cstdint>
#include <span>
#include <string>
#include <vector>

namespace pumice::executable {

/// Older readers reject a file with a newer major version. Minor versions add optional fields.
inline constexpr uint16_t formatMajor = 1, formatMinor = 3;

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

/// Marks an extent, stride or offset that is known only at launch.
inline constexpr int64_t dynamic = INT64_MIN;

/// One argument as the caller passes it.
struct Argument {
  std::string name;
  ArgumentKind kind = ArgumentKind::Buffer;
  ElementType element = ElementType::f32;
  uint32_t elementBytes = 4;    // bytes of one component
  uint32_t vectorWidth = 1;     // components, tightly packed: >1 for vectors and buffers of them
  std::vector<int64_t> shape;   // buffers: extents in elements, `dynamic` if the caller gives them
  std::vector<int64_t> strides; // buffers: strides in elements, one for each extent
  int64_t offset = 0;           // buffers: offset in elements
  Access access = Access::ReadWrite;
  uint32_t alignment = 4; // the buffer's address is a multiple of this: docs/executable.md

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
  std::array<uint32_t, 3> workgroupSize{0, 0, 0}; // 0: chosen at launch (specialization constant)
  uint32_t workgroupMemoryBytes = 0;              // static part
  bool dynamicWorkgroupMemory = false;            // the launch adds bytes to the static part
  bool touchesUnnamedMemory = false;              // may reach memory that no argument names
  SourceLocation location;
  std::vector<PrintfFormat> printfs;

  bool operator==(const EntryPoint &) const = default;
};

/// Names the source of the bytes at one place of a variant's parameter block.
enum class FieldSource : uint8_t {
  BufferAddress,      // 8 bytes: device address of argument's buffer
  BufferOffset,       // argument's dynamic offset, in elements
  BufferExtent,       // argument's extent along `dimension`
  BufferStride,       // argument's stride along `dimension`, in elements
  Scalar,             // the argument's bytes, little endian, zeros above; the low bytes of an index
  PrintfAddress,      // 8 bytes: device address of the printf buffer
  DynamicMemoryBytes, // the launch's dynamic workgroup memory
  BufferLength,       // argument's bytes from its start to its end
  PrintfWords,        // 32-bit words that the printf buffer holds
};
struct ParameterField {
  FieldSource source = FieldSource::Scalar;
  uint32_t argument = 0, dimension = 0;
  uint32_t offset = 0, size = 0; // bytes in the block

  bool operator==(const ParameterField &) const = default;
};

/// Where a variant reads its parameter block.
enum class ParameterPlace : uint8_t {
  None,
  PushConstants,   // the block itself
  AddressedBuffer, // push constants hold the block's 8-byte device address
  DescribedBuffer, // a storage-buffer descriptor (its set and binding are in `bindings`)
};

enum class BindingSource : uint8_t { Argument, Parameters, Printf };
struct DescriptorBinding {
  uint32_t set = 0, binding = 0;
  BindingSource source = BindingSource::Argument;
  uint32_t argument = 0;
  bool uniform = false; // true: a uniform buffer, false: a storage buffer; since 1.2

  bool operator==(const DescriptorBinding &) const = default;
};

inline constexpr uint32_t noSpecId = UINT32_MAX;

/// Says how one variant's code takes one entry point's arguments.
struct Interface {
  std::string entryPoint; // EntryPoint::name
  std::string symbol;     // the entry point's name in `Variant::code`
  ParameterPlace place = ParameterPlace::None;
  uint32_t parameterBytes = 0;
  std::vector<ParameterField> fields;
  std::vector<DescriptorBinding> bindings;
  std::array<uint32_t, 3> workgroupSizeSpecIds{noSpecId, noSpecId, noSpecId};
  uint32_t dynamicMemorySpecId = noSpecId; // element count of the dynamic workgroup array
  // May exceed the entry point's, since emulation needs scratch memory.
  uint32_t workgroupMemoryBytes = 0;
  uint32_t requiredSubgroupSize = 0; // 0: any
  bool fullSubgroups = false; // the code requires that the size divides the workgroup along x
  // The least number of lanes for which the code is correct; since 1.1.
  uint32_t leastSubgroupSize = 0;
  // size of one such element; 0: not stated (1.0, 1.1); since 1.2
  uint32_t dynamicMemoryElementBytes = 0;
  uint32_t indexBits = 0; // width of the code's element indices: 32 or 64; 0: not stated; since 1.3

  bool operator==(const Interface &) const = default;
};

inline constexpr char measuredMapsSeparator[] = "; ";

/// Lists what a device must have for a variant. Names are Vulkan's.
struct Requirements {
  uint32_t versionMajor = 1, versionMinor = 0;
  std::vector<std::string> extensions;
  std::vector<std::string> features;            // "shaderFloat16"
  uint32_t subgroupOperations = 0;              // VkSubgroupFeatureFlagBits
  std::vector<std::string> cooperativeMatrices; // "16x16x16 f16 f16 f32 f32 subgroup"
  std::string measuredMaps; // fragment maps that the code relies on, separated by
                            // `measuredMapsSeparator`; or empty
  std::string architecture; // native code: "x86-64-v4"

  bool operator==(const Requirements &) const = default;
};

struct Variant {
  VariantKind kind = VariantKind::VulkanSpirv;
  std::string target;    // as the user named it: "rdna3"
  std::string targetEnv; // canonical #vk.target_env text
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

/// Returns the file's bytes. Fails only on contents that `read` would reject, and names the field.
Result<std::vector<uint8_t>> write(const Executable &contents);

/// The largest size of a file. FlatBuffers' offsets reach no further.
inline constexpr uint64_t mostFileBytes = INT32_MAX;

/// Verifies `bytes` completely before using anything. The error names the first bad field.
Result<Executable> read(std::span<const uint8_t> bytes);

/// Return "f32", "read-write", "vulkan-spirv". Return "unknown" for values that this build does not
/// know.
std::string_view toString(ElementType);
std::string_view toString(ArgumentKind);
std::string_view toString(Access);
std::string_view toString(VariantKind);
std::string_view toString(FieldSource);
std::string_view toString(ParameterPlace);
std::string_view toString(BindingSource);

/// Describes everything except the code, for people: the text of `pumice inspect`. Variants are
/// numbered from `firstVariant` on, for callers that have removed some.
std::string describe(const Executable &contents, size_t firstVariant = 0);

} // namespace pumice::executable
