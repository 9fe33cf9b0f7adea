//===- Files.cpp - whole files, with errors that name them ------------------===//
#include "tests/support/Files.h"

#include <cerrno>
#include <cstdio>
#include <cstring>

namespace pumice::tests {
namespace {

Status failure(const std::string &name) {
  return Status(errno == ENOENT ? StatusCode::NotFound : StatusCode::Internal,
                name + ": " + std::strerror(errno));
}

} // namespace

Result<std::vector<uint8_t>> readFile(const std::string &name) {
  FILE *file = name == "-" ? stdin : std::fopen(name.c_str(), "rb");
  if (!file)
    return failure(name);
  std::vector<uint8_t> bytes;
  uint8_t chunk[65536];
  while (size_t count = std::fread(chunk, 1, sizeof chunk, file))
    bytes.insert(bytes.end(), chunk, chunk + count);
  bool broken = std::ferror(file);
  if (file != stdin)
    std::fclose(file);
  if (broken)
    return failure(name);
  return bytes;
}

Result<std::vector<uint32_t>> readWords(const std::string &name) {
  Result<std::vector<uint8_t>> bytes = readFile(name);
  if (!bytes.isOk())
    return bytes.status();
  if (bytes->size() % sizeof(uint32_t))
    return Status(StatusCode::DataCorrupt,
                  name + ": " + std::to_string(bytes->size()) + " bytes are no whole words");
  std::vector<uint32_t> words(bytes->size() / sizeof(uint32_t));
  std::memcpy(words.data(), bytes->data(), bytes->size());
  return words;
}

Status writeFile(const std::string &name, const void *bytes, size_t size) {
  FILE *file = std::fopen(name.c_str(), "wb");
  if (!file)
    return failure(name);
  bool written = std::fwrite(bytes, 1, size, file) == size;
  if (std::fclose(file) != 0 || !written)
    return failure(name);
  return Status::ok();
}

} // namespace pumice::tests
