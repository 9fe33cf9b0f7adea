//===- DiskKey.h - the keys of files in the disk cache ---------------------------===//
#pragma once

#include <cstdint>
#include <string>
#include <string_view>

namespace pumice::opencl_driver {

/// Appends a number to the key of a cached file.
inline void appendToKey(std::string &key, uint64_t number) {
  key.append(reinterpret_cast<const char *>(&number), sizeof number);
}

/// Appends a text to the key of a cached file, so that no other text continues it.
inline void appendToKey(std::string &key, std::string_view text) {
  appendToKey(key, uint64_t{text.size()});
  key += text;
}

} // namespace pumice::opencl_driver
