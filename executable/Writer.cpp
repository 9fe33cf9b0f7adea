//===- Writer.cpp - plain structs → the file's bytes ------------------------===//
// A FlatBuffer is built from the leaves up: each function writes the children of a struct, and then
// its table. Equal contents give equal bytes.
//===-------------------------------------------------------------------------===//
#include "executable/Checksums.h"
#include "executable/Executable_generated.h"
#include "executable/Validate.h"

namespace pumice::executable {
namespace {
using flatbuffers::Offset;
template <typename T> using VectorOffset = Offset<flatbuffers::Vector<T>>;

class FileWriter {
public:
  Result<std::vector<uint8_t>> encode(const Executable &contents) {
    return FileWriter().write(contents);
  }

  Result<std::vector<uint8_t>> write(const Executable &contents) {
    auto producer = text(contents.producer);
    auto entryPoints = tables(contents.entryPoints, &FileWriter::entryPoint);
    auto variants = tables(contents.variants, &FileWriter::variant);
    if (tooLarge)
      return Status(StatusCode::ResourceExhausted,
                    concat("size: the contents exceed the format's limit of ", maxFileBytes,
                           " bytes; leave out variants or split the kernels over several files"));
    file::Version version(formatMajor, formatMinor);
    builder.FinishSizePrefixed(
        file::CreateExecutable(builder, &version, 0, producer, entryPoints, variants),
        file::ExecutableIdentifier());
    std::vector<uint8_t> bytes(builder.GetBufferPointer(),
                               builder.GetBufferPointer() + builder.GetSize());
    if (!seal(bytes))
      return Status(StatusCode::Internal, "the executable just written has a broken structure");
    return bytes;
  }

private:
  /// Returns whether `bytes` more bytes can be written. FlatBuffers itself does not check this.
  bool fits(size_t bytes) {
    tooLarge |= bytes > maxFileBytes || builder.GetSize() + bytes > maxFileBytes;
    return !tooLarge;
  }

  Offset<flatbuffers::String> text(std::string_view value) {
    if (value.empty() || !fits(value.size()))
      return 0;
    return builder.CreateString(value.data(), value.size());
  }

  template <typename T, typename Stored = T> VectorOffset<Stored> scalars(const std::vector<T> &v) {
    if (v.empty() || !fits(v.size() * sizeof(T)))
      return 0;
    return builder.CreateVector(reinterpret_cast<const Stored *>(v.data()), v.size());
  }

  VectorOffset<Offset<flatbuffers::String>> texts(const std::vector<std::string> &values) {
    std::vector<Offset<flatbuffers::String>> offsets;
    for (const std::string &value : values)
      offsets.push_back(fits(value.size()) ? builder.CreateString(value) : 0);
    return tooLarge || offsets.empty() ? 0 : builder.CreateVector(offsets);
  }

  template <typename T, typename Table>
  VectorOffset<Offset<Table>> tables(const std::vector<T> &values,
                                     Offset<Table> (FileWriter::*one)(const T &)) {
    std::vector<Offset<Table>> offsets;
    for (const T &value : values)
      offsets.push_back(fits(0) ? (this->*one)(value) : 0);
    return tooLarge || offsets.empty() ? 0 : builder.CreateVector(offsets);
  }

  static file::Size3 size3(const std::array<uint32_t, 3> &v) {
    return file::Size3(v[0], v[1], v[2]);
  }

  Offset<file::Argument> argument(const Argument &a) {
    auto name = text(a.name);
    auto shape = scalars(a.shape);
    auto strides = scalars(a.strides);
    return file::CreateArgument(builder, name, file::ArgumentKind(a.kind),
                                file::ElementType(a.element), a.elementBytes, a.vectorWidth, shape,
                                strides, a.offset, file::Access(a.access), a.alignment);
  }

  Offset<file::PrintfFormat> printfFormat(const PrintfFormat &p) {
    auto format = text(p.format);
    auto arguments = scalars<ElementType, uint8_t>(p.arguments);
    return file::CreatePrintfFormat(builder, p.id, format, arguments.o);
  }

  Offset<file::EntryPoint> entryPoint(const EntryPoint &e) {
    auto name = text(e.name);
    auto arguments = tables(e.arguments, &FileWriter::argument);
    auto path = text(e.location.file);
    auto location = file::CreateSourceLocation(builder, path, e.location.line, e.location.column);
    auto printfs = tables(e.printfs, &FileWriter::printfFormat);
    file::Size3 workgroupSize = size3(e.workgroupSize);
    return file::CreateEntryPoint(builder, name, arguments, &workgroupSize, e.workgroupMemoryBytes,
                                  e.dynamicWorkgroupMemory, e.touchesUnnamedMemory, location,
                                  printfs, e.assumesNoOverlap);
  }

  Offset<file::ParameterField> parameterField(const ParameterField &f) {
    return file::CreateParameterField(builder, file::FieldSource(f.source), f.argument, f.dimension,
                                      f.offset, f.size);
  }

  Offset<file::DescriptorBinding> descriptorBinding(const DescriptorBinding &b) {
    return file::CreateDescriptorBinding(builder, b.set, b.binding, file::BindingSource(b.source),
                                         b.argument, b.uniform);
  }

  Offset<file::Interface> interfaceTable(const Interface &i) {
    auto entryPoint = text(i.entryPoint);
    auto symbol = text(i.symbol);
    auto fields = tables(i.fields, &FileWriter::parameterField);
    auto bindings = tables(i.bindings, &FileWriter::descriptorBinding);
    file::Size3 specIds = size3(i.workgroupSizeSpecIds), size = size3(i.workgroupSize);
    return file::CreateInterface(
        builder, entryPoint, symbol, file::ParameterPlace(i.place), i.parameterBytes, fields,
        bindings, &specIds, i.dynamicMemorySpecId, i.workgroupMemoryBytes, i.requiredSubgroupSize,
        i.fullSubgroups, i.leastSubgroupSize, i.dynamicMemoryElementBytes, i.indexBits, &size);
  }

  Offset<file::Variant> variant(const Variant &v) {
    auto target = text(v.target);
    auto targetEnv = text(v.targetEnv);
    const Requirements &r = v.requirements;
    auto extensions = texts(r.extensions);
    auto features = texts(r.features);
    auto matrices = texts(r.cooperativeMatrices);
    auto maps = text(r.measuredMaps);
    auto architecture = text(r.architecture);
    auto requirements =
        file::CreateRequirements(builder, r.versionMajor, r.versionMinor, extensions, features,
                                 r.subgroupOperations, matrices, maps, architecture);
    auto interfaces = tables(v.interfaces, &FileWriter::interfaceTable);
    builder.ForceVectorAlignment(v.code.size(), 1, codeAlignment);
    auto code = scalars(v.code);
    // By default, a zero would be omitted, but the checksum needs the space.
    builder.ForceDefaults(true);
    auto table = file::CreateVariant(builder, file::VariantKind(v.kind), target, targetEnv,
                                     requirements, interfaces, code, 0);
    builder.ForceDefaults(false);
    return table;
  }

  flatbuffers::FlatBufferBuilder builder;
  bool tooLarge = false;
};
} // namespace

Result<std::vector<uint8_t>> encode(const Executable &contents) {
  return FileWriter().write(contents);
}

Result<std::vector<uint8_t>> write(const Executable &contents) {
  if (Status status = validate(contents); !status.isOk()) {
    // For the caller of the writer, such an error is an invalid argument instead of a damaged file.
    bool flawed = status.code() == StatusCode::DataCorrupt;
    return flawed ? Status(StatusCode::InvalidArgument, status.message()) : status;
  }
  return encode(contents);
}

} // namespace pumice::executable
