//===- Reader.cpp - the file's bytes → plain structs ------------------------===//
// Checks the structure first (before any accessor is used), then single values, then their meaning,
// and the checksums last. So an error names the broken field, instead of only saying "damaged".
//===-------------------------------------------------------------------------===//
#include "executable/Checksums.h"
#include "executable/Executable_generated.h"
#include "executable/Structure.h"
#include "executable/Validate.h"

namespace pumice::executable {
namespace {
template <typename T> using Tables = flatbuffers::Vector<flatbuffers::Offset<T>>;

std::string text(const flatbuffers::String *value) { return value ? value->str() : std::string(); }

std::vector<std::string> texts(const Tables<flatbuffers::String> *values) {
  std::vector<std::string> out;
  if (values)
    for (const flatbuffers::String *value : *values)
      out.push_back(value->str());
  return out;
}

/// Reads a vector of scalars. Unknown values of enumerations are kept, and `validate` rejects them.
template <typename T, typename Stored>
std::vector<T> scalars(const flatbuffers::Vector<Stored> *values) {
  std::vector<T> out;
  if (values)
    for (uint32_t i = 0; i < values->size(); ++i)
      out.push_back(static_cast<T>(values->Get(i)));
  return out;
}

template <typename Table, typename T>
std::vector<T> tables(const Tables<Table> *values, T (*one)(const Table &)) {
  std::vector<T> out;
  if (values) {
    out.reserve(values->size());
    for (const Table *value : *values)
      out.push_back(one(*value));
  }
  return out;
}

std::array<uint32_t, 3> size3(const file::Size3 *v, uint32_t absent) {
  if (!v)
    return {absent, absent, absent};
  return {v->x(), v->y(), v->z()};
}

Argument argument(const file::Argument &a) {
  return {.name = text(a.name()),
          .kind = ArgumentKind(a.kind()),
          .element = ElementType(a.element()),
          .elementBytes = a.elementBytes(),
          .vectorWidth = a.vectorWidth(),
          .shape = scalars<int64_t>(a.shape()),
          .strides = scalars<int64_t>(a.strides()),
          .offset = a.offset(),
          .access = Access(a.access()),
          .alignment = a.alignment()};
}

PrintfFormat printfFormat(const file::PrintfFormat &p) {
  return {
      .id = p.id(), .format = text(p.format()), .arguments = scalars<ElementType>(p.arguments())};
}

EntryPoint entryPoint(const file::EntryPoint &e) {
  EntryPoint out{.name = text(e.name()),
                 .arguments = tables(e.arguments(), argument),
                 .workgroupSize = size3(e.workgroupSize(), 0),
                 .workgroupMemoryBytes = e.workgroupMemoryBytes(),
                 .dynamicWorkgroupMemory = e.dynamicWorkgroupMemory(),
                 .touchesUnnamedMemory = e.touchesUnnamedMemory(),
                 .location = {},
                 .printfs = tables(e.printfs(), printfFormat),
                 .assumesNoOverlap = e.assumesNoOverlap()};
  if (const file::SourceLocation *location = e.location())
    out.location = {text(location->file()), location->line(), location->column()};
  return out;
}

ParameterField parameterField(const file::ParameterField &f) {
  return {FieldSource(f.source()), f.argument(), f.dimension(), f.offset(), f.size()};
}

DescriptorBinding descriptorBinding(const file::DescriptorBinding &b) {
  return {b.set(), b.binding(), BindingSource(b.source()), b.argument(), b.uniform()};
}

Interface interfaceOf(const file::Interface &i) {
  return {.entryPoint = text(i.entryPoint()),
          .symbol = text(i.symbol()),
          .place = ParameterPlace(i.place()),
          .parameterBytes = i.parameterBytes(),
          .fields = tables(i.fields(), parameterField),
          .bindings = tables(i.bindings(), descriptorBinding),
          .workgroupSizeSpecIds = size3(i.workgroupSizeSpecIds(), noSpecId),
          .dynamicMemorySpecId = i.dynamicMemorySpecId(),
          .workgroupMemoryBytes = i.workgroupMemoryBytes(),
          .requiredSubgroupSize = i.requiredSubgroupSize(),
          .fullSubgroups = i.fullSubgroups(),
          .leastSubgroupSize = i.leastSubgroupSize(),
          .dynamicMemoryElementBytes = i.dynamicMemoryElementBytes(),
          .indexBits = i.indexBits(),
          .workgroupSize = size3(i.workgroupSize(), 0)};
}

Requirements requirements(const file::Requirements &r) {
  return {.versionMajor = r.versionMajor(),
          .versionMinor = r.versionMinor(),
          .extensions = texts(r.extensions()),
          .features = texts(r.features()),
          .subgroupOperations = r.subgroupOperations(),
          .cooperativeMatrices = texts(r.cooperativeMatrices()),
          .measuredMaps = text(r.measuredMaps()),
          .architecture = text(r.architecture())};
}

Variant variant(const file::Variant &v) {
  Variant out{.kind = VariantKind(v.kind()),
              .target = text(v.target()),
              .targetEnv = text(v.targetEnv()),
              .requirements = {},
              .interfaces = tables(v.interfaces(), interfaceOf),
              .code = {}};
  if (v.requirements())
    out.requirements = requirements(*v.requirements());
  if (v.code())
    out.code.assign(v.code()->begin(), v.code()->end());
  return out;
}

Status checkCode(const file::Variant &variant, std::span<const uint8_t> file,
                 const FieldPath &path) {
  FieldPath code = path.field("code");
  std::span<const uint8_t> bytes(variant.code()->data(), variant.code()->size());
  size_t start = static_cast<size_t>(bytes.data() - file.data());
  if (start % codeAlignment)
    return corrupt(code, "starts at byte ", start, "; expected a multiple of ", codeAlignment);
  if (checksum(bytes) != variant.codeChecksum())
    return corrupt(code, "its bytes do not match codeChecksum: the file is damaged");
  return Status::ok();
}

Status checkDamage(const file::Executable &root, std::span<const uint8_t> file) {
  FieldPath path;
  for (uint32_t i = 0; root.variants() && i < root.variants()->size(); ++i)
    PUMICE_RETURN_IF_ERROR(checkCode(*root.variants()->Get(i), file, path.element("variants", i)));
  FieldPath sum = path.field("checksum");
  auto *at = reinterpret_cast<const flatbuffers::Table &>(root).GetAddressOf(
      file::Executable::VT_CHECKSUM);
  if (!at)
    return corrupt(sum, "missing");
  if (*root.checksum() != checksumAround(file, at - file.data()))
    return corrupt(sum, "the file's bytes do not match it: the file is damaged");
  return Status::ok();
}

Result<Executable> readAligned(std::span<const uint8_t> bytes) {
  PUMICE_RETURN_IF_ERROR(checkStructure(bytes));
  const file::Executable &root = *file::GetSizePrefixedExecutable(bytes.data());
  Executable contents{.producer = text(root.producer()),
                      .entryPoints = tables(root.entryPoints(), entryPoint),
                      .variants = tables(root.variants(), variant)};
  if (Status status = validate(contents); !status.isOk()) {
    // This build does not know values that a newer minor version added. The error says so.
    if (status.code() == StatusCode::Unsupported && root.version()->minor() > formatMinor)
      return Status(StatusCode::Unsupported,
                    concat(status.message(), "; the file has format ", root.version()->major(), ".",
                           root.version()->minor(), ": use a newer Pumice"));
    return status;
  }
  PUMICE_RETURN_IF_ERROR(checkDamage(root, bytes));
  return contents;
}
} // namespace

Result<Executable> read(std::span<const uint8_t> bytes) {
  // Scalars are read in place, so the bytes themselves must be aligned.
  if (reinterpret_cast<uintptr_t>(bytes.data()) % codeAlignment == 0 || bytes.size() > maxFileBytes)
    return readAligned(bytes);
  std::vector<uint8_t> aligned(bytes.begin(), bytes.end());
  return readAligned(aligned);
}

} // namespace pumice::executable
