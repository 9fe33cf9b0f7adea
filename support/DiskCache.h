//===- DiskCache.h - files that may vanish at any time ----------------------===//
// One folder of the user holds data that can be computed again: pipelines, native code, measured
// maps. Checksums detect files that a crash, another program or a bad disk changed; these are not
// read. Several processes may use the cache at once. Its size is limited: the least recently used
// files are removed first.
//
// The folder is PUMICE_CACHE_DIR, else $XDG_CACHE_HOME/pumice, else ~/.cache/pumice. Only its owner
// can access it. PUMICE_CACHE=off turns the cache off; "on" is the default. PUMICE_CACHE_LIMIT is
// the limit in bytes, or in K, M or G with that suffix.
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
  /// folder is known. InvalidArgument, which names the variable, for a bad value.
  static Result<DiskCache> open();
  /// Like `open`, for callers that also work without a cache. Returns nothing if it is off or no
  /// home folder is known.
  static Result<std::optional<DiskCache>> openIfAny();
  explicit DiskCache(std::filesystem::path folder, uint64_t limitBytes = defaultLimit)
      : root(std::move(folder)), limit(limitBytes) {}

  const std::filesystem::path &folder() const { return root; }
  uint64_t limitBytes() const { return limit; }

  /// Returns the bytes last written as `kind`/`name`. Names consist of letters, digits, '-', '_'
  /// and '.', and begin with a letter or digit. Returns nothing for a missing file. Removes a
  /// damaged file, and returns nothing.
  std::optional<std::vector<uint8_t>> read(std::string_view kind, std::string_view name) const;

  /// Replaces the file atomically: readers see either the old bytes or the new ones. Errors:
  /// InvalidArgument for invalid names, Unsupported if the folder cannot be written.
  Status write(std::string_view kind, std::string_view name, std::span<const uint8_t> bytes) const;

  struct Entry {
    std::string kind, name;
    uint64_t bytes = 0; // on disk
    std::filesystem::file_time_type lastUse;
  };
  /// Lists the files of this cache, the one used last first. Their names and first bytes have the
  /// form that `write` makes.
  std::vector<Entry> list() const;
  /// Removes all files of this cache, and leaves others in the folder. Returns how many bytes that
  /// freed.
  uint64_t clear() const;
  /// Removes the cache's least recently used files until the rest fits into `limitBytes`.
  void trim() const;

private:
  std::filesystem::path root;
  uint64_t limit;
};

/// Parses a size such as "512M" into bytes. Returns nothing for other text.
std::optional<uint64_t> parseByteSize(std::string_view text);

} // namespace pumice
