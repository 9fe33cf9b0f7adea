//===- CacheKeys.cpp - files of the disk cache with long keys ---------------===//
#include "support/DiskCache.h"

#include <algorithm>
#include <cstdio>
#include <cstring>

namespace pumice {

static std::string nameOfFile(std::string_view key) {
  uint64_t hash[2] = {0x9e3779b97f4a7c15u, 0xcbf29ce484222325u};
  for (size_t at = 0; at < key.size(); at += 8) {
    uint64_t word = 0;
    std::memcpy(&word, key.data() + at, std::min<size_t>(8, key.size() - at));
    hash[0] = (hash[0] ^ word) * 0x2545f4914f6cdd1du;
    hash[0] ^= hash[0] >> 29;
    hash[1] = (hash[1] + word) * 0xd1342543de82ef95u;
    hash[1] ^= hash[1] >> 32;
  }
  char text[33];
  std::snprintf(text, sizeof text, "%016llx%016llx", static_cast<unsigned long long>(hash[0]),
                static_cast<unsigned long long>(hash[1]));
  return text;
}

std::optional<std::vector<uint8_t>> DiskCache::readKeyed(std::string_view kind,
                                                         std::string_view key) const {
  std::optional<std::vector<uint8_t>> file = read(kind, nameOfFile(key));
  if (!file || file->size() < key.size() || std::memcmp(file->data(), key.data(), key.size()) != 0)
    return std::nullopt;
  file->erase(file->begin(), file->begin() + static_cast<ptrdiff_t>(key.size()));
  return file;
}

Status DiskCache::writeKeyed(std::string_view kind, std::string_view key,
                             std::span<const uint8_t> bytes) const {
  std::vector<uint8_t> file(key.begin(), key.end());
  file.insert(file.end(), bytes.begin(), bytes.end());
  return write(kind, nameOfFile(key), file);
}

} // namespace pumice
