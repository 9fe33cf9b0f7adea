//===- Structure.cpp - checks whether a file is well formed -----------------===//
// flatbuffers::Verifier only answers yes or no. This file makes the same checks field by field,
// with the schema's reflection tables, so that an error names the field. The generated verifier
// still runs afterwards, to check again that the accessors are safe.
//
// In a hostile file, many offsets may point to one table or string, so that a small file describes
// a huge one. So the number of visited bytes is limited to the size of the file, which a file
// without sharing cannot exceed. Time and memory are linear in the size of the file.
//===-------------------------------------------------------------------------===//
#include "executable/Structure.h"

#include "executable/Executable_generated.h"
#include "executable/Validate.h"

namespace pumice::executable {
namespace {
using flatbuffers::ElementaryType;
using flatbuffers::Table;
using flatbuffers::TypeTable;
using flatbuffers::uoffset_t;
using flatbuffers::voffset_t;

flatbuffers::Verifier::Options verifierOptions() {
  flatbuffers::Verifier::Options options;
  options.max_depth = 8; // the depth of the schema is 4
  options.max_tables = maxFileBytes / sizeof(uoffset_t);
  return options;
}

/// Returns the bytes of a value that is stored in place: a scalar or, in a vector, an offset.
size_t inlineBytes(ElementaryType type) {
  switch (type) {
  case flatbuffers::ET_USHORT:
  case flatbuffers::ET_SHORT:
    return 2;
  case flatbuffers::ET_INT:
  case flatbuffers::ET_UINT:
  case flatbuffers::ET_FLOAT:
  case flatbuffers::ET_STRING:
  case flatbuffers::ET_SEQUENCE:
    return 4;
  case flatbuffers::ET_LONG:
  case flatbuffers::ET_ULONG:
  case flatbuffers::ET_DOUBLE:
    return 8;
  default:
    return 1;
  }
}

/// Returns the size of a struct. In its type table, the size follows the offsets of its fields.
size_t structBytes(const TypeTable &type) { return type.values[type.num_elems]; }
size_t structAlignment(const TypeTable &type) {
  size_t most = 1;
  for (size_t i = 0; i < type.num_elems; ++i)
    most = std::max(most, inlineBytes(ElementaryType(type.type_codes[i].base_type)));
  return most;
}

class StructureWalk {
public:
  explicit StructureWalk(std::span<const uint8_t> file)
      : file(file), verifier(file.data(), file.size(), verifierOptions()), unvisited(file.size()) {}

  Status table(const uint8_t *at, const TypeTable &type, const FieldPath &path) {
    PUMICE_RETURN_IF_ERROR(tableHeader(at, path));
    for (size_t i = 0; i < type.num_elems; ++i) {
      FieldPath child = path.field(type.names[i]);
      PUMICE_RETURN_IF_ERROR(tableField(at, type, i, child));
    }
    verifier.EndTable();
    return Status::ok();
  }

  Status tableHeader(const uint8_t *at, const FieldPath &path) {
    if (!verifier.VerifyTableStart(at))
      return corrupt(path, "its table of fields lies outside the file");
    return visit(sizeof(uoffset_t), path);
  }

  /// Checks one field of the table at `at`, whose header has been checked.
  Status tableField(const uint8_t *at, const TypeTable &type, size_t index, const FieldPath &path) {
    auto slot = static_cast<voffset_t>(sizeof(voffset_t) * (2 + index));
    voffset_t offset = reinterpret_cast<const Table *>(at)->GetOptionalFieldOffset(slot);
    if (!offset)
      return Status::ok();
    flatbuffers::TypeCode code = type.type_codes[index];
    auto base = ElementaryType(code.base_type);
    const TypeTable *inner = code.sequence_ref >= 0 ? type.type_refs[code.sequence_ref]() : nullptr;

    if (!code.is_repeating && base != flatbuffers::ET_STRING) {
      bool isTable = inner && inner->st == flatbuffers::ST_TABLE;
      if (!isTable)
        return inPlace(at, offset, base, inner, path);
    }
    const uint8_t *target = follow(at + offset);
    if (!target)
      return corrupt(path, "its offset points outside the file");
    if (code.is_repeating)
      return vector(target, base, inner, path);
    return base == flatbuffers::ET_STRING ? string(target, path) : table(target, *inner, path);
  }

private:
  Status inPlace(const uint8_t *at, voffset_t offset, ElementaryType base, const TypeTable *inner,
                 const FieldPath &path) {
    bool isStruct = inner && inner->st == flatbuffers::ST_STRUCT;
    size_t bytes = isStruct ? structBytes(*inner) : inlineBytes(base);
    size_t alignment = isStruct ? structAlignment(*inner) : bytes;
    if (!verifier.VerifyFieldStruct(at, offset, bytes, alignment))
      return corrupt(path, "its ", bytes, " bytes lie outside the file or are misaligned");
    return Status::ok();
  }

  Status vector(const uint8_t *at, ElementaryType base, const TypeTable *inner,
                const FieldPath &path) {
    bool byOffset = base == flatbuffers::ET_STRING || base == flatbuffers::ET_SEQUENCE;
    PUMICE_RETURN_IF_ERROR(elements(at, inlineBytes(base), path));
    if (!byOffset)
      return Status::ok();
    uoffset_t count = flatbuffers::ReadScalar<uoffset_t>(at);
    const uint8_t *first = at + sizeof(uoffset_t);
    // Elements of a vector have names like siblings of the vector: "variants" becomes
    // "variants[2]".
    for (uoffset_t i = 0; i < count; ++i) {
      FieldPath child = path.at(i);
      const uint8_t *target = follow(first + i * sizeof(uoffset_t));
      if (!target)
        return corrupt(child, "its offset points outside the file");
      PUMICE_RETURN_IF_ERROR(base == flatbuffers::ET_STRING ? string(target, child)
                                                            : table(target, *inner, child));
    }
    return Status::ok();
  }

  Status elements(const uint8_t *at, size_t elementBytes, const FieldPath &path) {
    if (!verifier.Verify<uoffset_t>(position(at)))
      return corrupt(path, "its count lies outside the file or is misaligned");
    uoffset_t count = flatbuffers::ReadScalar<uoffset_t>(at);
    if (!verifier.VerifyVectorOrString(at, elementBytes))
      return corrupt(path, count, " elements of ", elementBytes, " bytes at byte ", position(at),
                     " do not fit into the file's ", file.size(), " bytes");
    // The verifier only checks the alignment of the count, but the elements are read in place, too.
    if (!verifier.VerifyAlignment(position(at) + sizeof(uoffset_t), elementBytes))
      return corrupt(path, "its elements of ", elementBytes, " bytes are misaligned");
    return visit(sizeof(uoffset_t) + uint64_t{count} * elementBytes, path);
  }

  Status string(const uint8_t *at, const FieldPath &path) {
    PUMICE_RETURN_IF_ERROR(elements(at, 1, path));
    if (!verifier.VerifyString(reinterpret_cast<const flatbuffers::String *>(at)))
      return corrupt(path, "its text does not end in a zero byte");
    return Status::ok();
  }

  /// Returns the target of the offset that is stored at `at`, or null if the target is not in the
  /// file.
  const uint8_t *follow(const uint8_t *at) const {
    uoffset_t offset = verifier.VerifyOffset(position(at));
    return offset ? at + offset : nullptr;
  }

  Status visit(uint64_t bytes, const FieldPath &path) {
    if (bytes > unvisited)
      return corrupt(path, "the parts up to here need more than the file's ", file.size(),
                     " bytes; parts must not overlap");
    unvisited -= bytes;
    return Status::ok();
  }

  size_t position(const uint8_t *at) const { return static_cast<size_t>(at - file.data()); }

  std::span<const uint8_t> file;
  flatbuffers::Verifier verifier;
  uint64_t unvisited; // in bytes
};

/// Checks the size prefix, the offset of the root, and the identifier, which are at fixed places.
Status checkHeader(std::span<const uint8_t> file, const FieldPath &root) {
  constexpr size_t headerBytes = 2 * sizeof(uoffset_t) + flatbuffers::kFileIdentifierLength;
  FieldPath identifier = root.field("identifier"), size = root.field("size");
  if (file.size() < headerBytes)
    return corrupt(size, "an executable has at least ", headerBytes, " bytes, got ", file.size());
  if (file.size() > maxFileBytes)
    return corrupt(size, file.size(), " bytes exceed the format's limit of ", maxFileBytes);
  if (!flatbuffers::BufferHasIdentifier(file.data(), file::ExecutableIdentifier(), true))
    return corrupt(identifier, "bytes 8 to 11 are not '", file::ExecutableIdentifier(),
                   "': this is not a Pumice executable");
  uint64_t recorded = uint64_t{flatbuffers::ReadScalar<uoffset_t>(file.data())} + sizeof(uoffset_t);
  if (recorded > file.size())
    return corrupt(size, "the file was cut short: it had ", recorded, " bytes and has ",
                   file.size());
  if (recorded < file.size())
    return corrupt(size, "the file should end after ", recorded, " bytes, but has ", file.size());
  return Status::ok();
}

/// Checks the version, because a newer major version may have another layout.
Status checkVersion(const file::Executable &executable, const FieldPath &root) {
  FieldPath path = root.field("version");
  const file::Version *version = executable.version();
  if (!version)
    return corrupt(path, "missing");
  if (version->major() == 0)
    return corrupt(path, "format 0.", version->minor(), " never existed");
  if (version->major() > formatMajor)
    return Status(StatusCode::Unsupported,
                  concat(path.text(), ": format ", version->major(), ".", version->minor(),
                         "; this build reads up to ", formatMajor, ".x; use a newer Pumice"));
  return Status::ok();
}
} // namespace

Status checkStructure(std::span<const uint8_t> file) {
  FieldPath root;
  PUMICE_RETURN_IF_ERROR(checkHeader(file, root));
  StructureWalk walk(file);
  uoffset_t offset = flatbuffers::ReadScalar<uoffset_t>(file.data() + sizeof(uoffset_t));
  if (offset > file.size() - sizeof(uoffset_t) * 2)
    return corrupt(root, "its root offset ", offset, " points outside the file's ", file.size(),
                   " bytes");
  const TypeTable &type = *file::ExecutableTypeTable();
  const uint8_t *at = file.data() + sizeof(uoffset_t) + offset;
  FieldPath version = root.field(type.names[0]);
  PUMICE_RETURN_IF_ERROR(walk.tableHeader(at, root));
  PUMICE_RETURN_IF_ERROR(walk.tableField(at, type, 0, version));
  PUMICE_RETURN_IF_ERROR(checkVersion(*file::GetSizePrefixedExecutable(file.data()), root));

  PUMICE_RETURN_IF_ERROR(StructureWalk(file).table(at, type, root));
  flatbuffers::Verifier verifier(file.data(), file.size(), verifierOptions());
  if (!file::VerifySizePrefixedExecutableBuffer(verifier))
    return corrupt(root, "the file fails FlatBuffers' own verification");
  return Status::ok();
}

} // namespace pumice::executable
