//===- Files.cpp - reads and writes whole files -----------------------------===//
#include "tools/run/Files.h"

#include "support/EnglishText.h"
#include "support/Platform.h"

#include <cerrno>
#include <charconv>
#include <cstdio>
#include <cstring>
#include <filesystem>

namespace pumice::run {

Result<std::vector<uint8_t>> readFile(const std::string &name, uint64_t most) {
  std::vector<uint8_t> bytes;
  PUMICE_RETURN_IF_ERROR(readInput(name, most, [&](std::string_view part) {
    bytes.insert(bytes.end(), part.begin(), part.end());
  }));
  return bytes;
}

Status writeFile(const std::string &name, std::span<const uint8_t> bytes) {
  FILE *out = std::fopen(name.c_str(), "wb");
  bool written = out && std::fwrite(bytes.data(), 1, bytes.size(), out) == bytes.size();
  int error = errno;
  if (out && std::fclose(out) != 0 && written)
    written = false, error = errno;
  if (!written)
    return Status(StatusCode::InvalidArgument,
                  "cannot write '" + name + "': " + std::strerror(error));
  return Status::ok();
}

Status checkFolderOf(const std::string &name) {
  std::string folder = folderOf(name);
  std::error_code error;
  if (folder.empty() || std::filesystem::is_directory(folder, error))
    return Status::ok();
  return Status(StatusCode::NotFound, "cannot write '" + name + "': there is no folder '" + folder +
                                          "'; create it, or name a file elsewhere");
}

std::string inFolder(const std::string &folder, const std::string &name) {
  return (std::filesystem::path(folder) / name).string(); // an absolute name replaces the folder
}

std::string folderOf(const std::string &file) {
  return std::filesystem::path(file).parent_path().string();
}

std::string FileNames::take(std::string name) {
  for (char &c : name)
    if (c == '/' || c == '\\' || c == '\0' || c == ':')
      c = '_';
  if (name.empty() || name[0] == '.')
    name = "_" + name;
  auto isNew = [this](std::string other) {
    for (char &c : other)
      c = c >= 'A' && c <= 'Z' ? char(c - 'A' + 'a') : c;
    return taken.insert(std::move(other)).second;
  };
  std::string unique = name;
  for (int i = 2; !isNew(unique); ++i)
    unique = name + "-" + std::to_string(i);
  return unique;
}

namespace {
struct NumpyType {
  std::string_view descr;
  Type type;
};
// The first character of one-byte types may be '|' or '<'.
constexpr NumpyType numpyTypes[] = {
    {"i1", Type::i8},  {"u1", Type::u8},  {"b1", Type::i1},   {"i2", Type::i16}, {"u2", Type::u16},
    {"i4", Type::i32}, {"u4", Type::u32}, {"i8", Type::i64},  {"u8", Type::u64}, {"f2", Type::f16},
    {"f4", Type::f32}, {"f8", Type::f64}, {"V2", Type::bf16},
};

Status corruptNumpy(const std::string &what) {
  return Status(StatusCode::DataCorrupt, "no .npy file that can be read: " + what);
}

/// Returns the text after `key` and its colon in the header, which is a Python dictionary literal.
std::string_view entry(std::string_view header, std::string_view key) {
  size_t at = header.find("'" + std::string(key) + "'");
  if (at == header.npos)
    return {};
  at = header.find(':', at);
  at = at == header.npos ? at : header.find_first_not_of(' ', at + 1);
  return at == header.npos ? std::string_view() : header.substr(at);
}

Status parseShape(std::string_view text, NumpyArray &array, uint64_t &count) {
  if (!text.starts_with('('))
    return corruptNumpy("its header names no shape");
  text.remove_prefix(1);
  while (true) {
    text.remove_prefix(std::min(text.find_first_not_of(" ,"), text.size()));
    if (text.starts_with(')'))
      return Status::ok();
    int64_t extent = 0;
    auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), extent);
    if (error != std::errc() || extent < 0 ||
        (extent && count > (uint64_t{1} << 48) / uint64_t(extent)))
      return corruptNumpy("its header has a bad shape");
    array.shape.push_back(extent);
    count *= uint64_t(extent);
    text.remove_prefix(size_t(end - text.data()));
  }
}
} // namespace

std::optional<Type> NumpyArray::type() const {
  for (const NumpyType &known : numpyTypes)
    if (descr.size() == 3 && descr.substr(1) == known.descr)
      return known.type;
  return std::nullopt;
}

bool isNumpyFile(const std::string &name) { return name.ends_with(".npy"); }

Result<NumpyArray> parseNumpy(std::span<const uint8_t> file) {
  constexpr std::string_view magic = "\x93NUMPY";
  if (file.size() < 12 || std::memcmp(file.data(), magic.data(), magic.size()) != 0)
    return corruptNumpy("it does not begin with NumPy's magic number");
  bool wide = file[6] >= 2; // version 1 has a length field of two bytes
  size_t start = wide ? 12 : 10;
  size_t length = file[8] | size_t{file[9]} << 8;
  if (wide)
    length |= size_t{file[10]} << 16 | size_t{file[11]} << 24;
  if (length > file.size() - start)
    return corruptNumpy("its header is longer than the file");
  std::string_view header(reinterpret_cast<const char *>(file.data()) + start, length);

  NumpyArray array;
  std::string_view descr = entry(header, "descr");
  if (descr.size() < 2 || descr[0] != '\'' || descr.find('\'', 1) == descr.npos)
    return corruptNumpy("its header names no element type");
  array.descr = descr.substr(1, descr.find('\'', 1) - 1);
  if (!array.type() || array.descr[0] == '>')
    return Status(StatusCode::Unsupported, "elements of NumPy's type '" + array.descr +
                                               "' cannot be read; there are little-endian i1 to "
                                               "i8, u1 to u8, f2, f4, f8, b1");
  if (!entry(header, "fortran_order").starts_with("False"))
    return Status(StatusCode::Unsupported,
                  "the array is in Fortran's order; store numpy.ascontiguousarray of it");
  uint64_t count = 1;
  PUMICE_RETURN_IF_ERROR(parseShape(entry(header, "shape"), array, count));
  std::span<const uint8_t> data = file.subspan(start + length);
  if (data.size() != count * byteSize(*array.type()))
    return corruptNumpy("its shape needs " + counted(count * byteSize(*array.type()), "byte") +
                        ", it has " + std::to_string(data.size()));
  array.bytes.assign(data.begin(), data.end());
  return array;
}

std::vector<uint8_t> numpyFile(Type type, std::span<const int64_t> shape,
                               std::span<const uint8_t> bytes) {
  std::string descr;
  for (const NumpyType &known : numpyTypes)
    if (known.type == type)
      descr = (byteSize(type) == 1 || type == Type::bf16 ? "|" : "<") + std::string(known.descr);
  std::string header = "{'descr': '" + descr + "', 'fortran_order': False, 'shape': (";
  for (int64_t extent : shape)
    header += std::to_string(extent) + ", ";
  header += "), }";
  constexpr size_t prefix = 10, alignment = 64;
  header.resize((prefix + header.size() + alignment) / alignment * alignment - prefix, ' ');
  header.back() = '\n';
  std::vector<uint8_t> file{0x93, 'N', 'U', 'M', 'P', 'Y', 1, 0};
  file.push_back(uint8_t(header.size()));
  file.push_back(uint8_t(header.size() >> 8));
  file.insert(file.end(), header.begin(), header.end());
  file.insert(file.end(), bytes.begin(), bytes.end());
  return file;
}

} // namespace pumice::run
