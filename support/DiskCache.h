//===- DiskCache.h - files that may vanish at any time ----------------------===//
// A folder of the user with data that can be computed again: pipelines, native code, measured maps.
// Checksums detect files that a crash, another program or a bad disk has changed. Such files are
// not used. Several processes may use the cache at once. Its size is limited: the least recently
// used files are removed first.
//
// The folder is PUMICE_CACHE_DIR, or else $XDG_CACHE_HOME/pumice, or else ~/.cache/pumice (on
// Windows, %LOCALAPPDATA%\pumice). Only its owner can access it. PUMICE_CACHE=off turns the cache
// off; the default is "on". PUMICE_CACHE_LIMIT is the limit in bytes. It may have the suffix K, M
// or G.
//===-------------------------------------------------------------------------===//
#pragma once

#include "support/Status.h"

#include <cstdint>
#include <filesystem>
#include <optional>
#include <span>
#include <string>
#include <vector>

namespace pumice {

class DiskCache {
public:
  static constexpr uint64_t defaultLimit = uint64_t(1) << 30;

  /// Opens the cache that the environment names. Errors: Unsupported if the cache is off or no home
  /// folder is known; InvalidArgument, which names the variable, for a bad value.
  static Result<DiskCache> open();
  /// Like `open`, for callers that can work without a cache. Returns nothing if the cache is off or
  /// no home folder is known.
  static Result<std::optional<DiskCache>> openIfAny();
  explicit DiskCache(std::filesystem::path folder, uint64_t limitBytes = defaultLimit)
      : root(std::move(folder)), limit(limitBytes) {}

  const std::filesystem::path &folder() const { return root; }
  uint64_t limitBytes() const { return limit; }

  /// Returns the bytes that were last written as `kind`/`name`. Names consist of letters, digits,
  /// '-', '_' and '.', and begin with a letter or digit. Returns nothing if the file is missing. If
  /// the file is damaged, removes it and returns nothing.
  std::optional<std::vector<uint8_t>> read(std::string_view kind, std::string_view name) const;

  /// Replaces the file atomically: readers see either the old bytes or the new bytes. Errors:
  /// InvalidArgument for invalid names, Unsupported if the folder cannot be written.
  Status write(std::string_view kind, std::string_view name, std::span<const uint8_t> bytes) const;

  /// Like `read` and `write`, for keys of any length and content. The file contains the whole key.
  /// If two keys have the same file name, each replaces the file of the other.
  std::optional<std::vector<uint8_t>> readKeyed(std::string_view kind, std::string_view key) const;
  Status writeKeyed(std::string_view kind, std::string_view key,
                    std::span<const uint8_t> bytes) const;

  struct Entry {
    std::string kind, name;
    uint64_t bytes = 0; // on disk
    std::filesystem::file_time_type lastUse;
  };
  /// Lists the files of this cache. The most recently used file comes first. Only files whose names
  /// and first bytes have the form that `write` produces are included.
  std::vector<Entry> list() const;
  /// Removes all files of this cache, but no other files in the folder. Returns the number of bytes
  /// that were freed.
  uint64_t clear() const;
  /// Removes the least recently used files until the others fit in `limitBytes`.
  void trim() const;

private:
  std::filesystem::path root;
  uint64_t limit;
};

/// Parses a size such as "512M" to bytes. Returns nothing for other text.
std::optional<uint64_t> parseByteSize(std::string_view text);

} // namespace pumice
