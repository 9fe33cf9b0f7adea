//===- DiskCache.cpp - files that may vanish at any time --------------------===//
#include "support/DiskCache.h"

#include "support/Platform.h"

#include <algorithm>
#include <atomic>
#include <charconv>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <fstream>
#include <random>

namespace pumice {
namespace fs = std::filesystem;
namespace {

constexpr char suffix[] = ".cache", temporaryPrefix[] = ".new-";

/// The header of each file. It is little-endian, because all known hosts are.
struct EntryHeader {
  char magic[8] = {'P', 'U', 'M', 'I', 'C', 'E', 'C', '1'};
  uint64_t bytes = 0, checksum = 0;
};

uint64_t checksumOf(std::span<const uint8_t> bytes) {
  uint64_t hash = 0xcbf29ce484222325u ^ bytes.size();
  auto mix = [&](uint64_t word) {
    hash = (hash ^ word) * 0x9E3779B97F4A7C15u;
    hash ^= hash >> 32;
  };
  size_t at = 0;
  for (; at + 8 <= bytes.size(); at += 8) {
    uint64_t word;
    std::memcpy(&word, bytes.data() + at, 8);
    mix(word);
  }
  for (; at < bytes.size(); ++at)
    mix(bytes[at]);
  return hash;
}

bool isName(std::string_view name) {
  return !name.empty() && name[0] != '.' && name.size() <= 200 &&
         std::ranges::all_of(name, [](char c) {
           return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') ||
                  c == '-' || c == '_' || c == '.';
         });
}

Status cannot(const char *what, const fs::path &path, const std::error_code &error) {
  return Status(StatusCode::Unsupported, std::string("cannot ") + what + " " + path.string() +
                                             (error ? ": " + error.message() : "") +
                                             "; PUMICE_CACHE_DIR names another folder");
}

/// Makes a folder accessible only to its owner. Folders above it stay unchanged.
Status makePrivate(const fs::path &folder) {
  std::error_code error;
  if (fs::is_directory(folder, error))
    return Status::ok();
  fs::create_directories(folder.parent_path(), error);
  if (!fs::create_directory(folder, error) && !fs::is_directory(folder))
    return cannot("make the folder", folder, error);
  fs::permissions(folder, fs::perms::owner_all, error);
  return Status::ok();
}

/// Returns a file name that no other thread or process uses.
std::string temporaryName() {
  static std::atomic<uint64_t> count = 0;
  std::random_device random;
  uint64_t number = (uint64_t(random()) << 32 | random()) + count.fetch_add(1);
  char text[24];
  std::snprintf(text, sizeof text, "%016llx", static_cast<unsigned long long>(number));
  return temporaryPrefix + std::string(text);
}

bool isTemporaryName(std::string_view name) {
  return name.size() == sizeof temporaryPrefix - 1 + 16 && name.starts_with(temporaryPrefix) &&
         name.find_first_not_of("0123456789abcdef", sizeof temporaryPrefix - 1) == name.npos;
}

Status writeFile(const fs::path &path, std::span<const uint8_t> bytes) {
  EntryHeader header;
  header.bytes = bytes.size();
  header.checksum = checksumOf(bytes);
  std::error_code error;
  std::ofstream file(path, std::ios::binary | std::ios::trunc);
  if (!file)
    return cannot("write", path, error);
  fs::permissions(path, fs::perms::owner_read | fs::perms::owner_write, error);
  file.write(reinterpret_cast<const char *>(&header), sizeof header);
  file.write(reinterpret_cast<const char *>(bytes.data()),
             static_cast<std::streamsize>(bytes.size()));
  file.close();
  return file ? Status::ok() : cannot("write", path, error);
}

/// Reads a file of the cache. `isDamaged` becomes true if it can be opened and has other contents.
std::optional<std::vector<uint8_t>> readFile(const fs::path &path, bool &isDamaged) {
  std::ifstream file(path, std::ios::binary | std::ios::ate);
  if (!file)
    return std::nullopt;
  isDamaged = true;
  auto size = static_cast<uint64_t>(file.tellg());
  EntryHeader header;
  const EntryHeader expected;
  file.seekg(0);
  if (size < sizeof header || !file.read(reinterpret_cast<char *>(&header), sizeof header) ||
      std::memcmp(header.magic, expected.magic, sizeof header.magic) != 0 ||
      header.bytes != size - sizeof header)
    return std::nullopt;
  std::vector<uint8_t> bytes(header.bytes);
  if (!file.read(reinterpret_cast<char *>(bytes.data()),
                 static_cast<std::streamsize>(bytes.size())) ||
      checksumOf(bytes) != header.checksum)
    return std::nullopt;
  isDamaged = false;
  return bytes;
}

/// Returns whether a file begins like the files of the cache. The name alone does not show this,
/// because a user's file may have any name.
bool isSealed(const fs::path &path) {
  char magic[sizeof EntryHeader::magic];
  std::ifstream file(path, std::ios::binary);
  return file.read(magic, sizeof magic) &&
         std::memcmp(magic, EntryHeader().magic, sizeof magic) == 0;
}

/// Visits the plain files in folders of `root` whose names have the form of cache files. Links are
/// skipped, because they lead elsewhere.
template <typename Visit> void forEachFile(const fs::path &root, Visit visit) {
  std::error_code error;
  for (const fs::directory_entry &folder : fs::directory_iterator(root, error)) {
    if (folder.is_symlink(error) || !folder.is_directory(error) ||
        !isName(folder.path().filename().string()))
      continue;
    for (const fs::directory_entry &file : fs::directory_iterator(folder.path(), error))
      if (!file.is_symlink(error) && file.is_regular_file(error))
        visit(file, file.path().filename().string());
  }
}

/// Returns the files whose names look like entries of the cache.
std::vector<DiskCache::Entry> namedEntries(const fs::path &root) {
  std::vector<DiskCache::Entry> entries;
  forEachFile(root, [&](const fs::directory_entry &file, const std::string &name) {
    if (!name.ends_with(suffix))
      return;
    DiskCache::Entry entry;
    entry.kind = file.path().parent_path().filename().string();
    entry.name = name.substr(0, name.size() - (sizeof suffix - 1));
    std::error_code gone; // another process may have removed the file
    entry.bytes = file.file_size(gone);
    entry.lastUse = file.last_write_time(gone);
    if (!gone && isName(entry.name))
      entries.push_back(std::move(entry));
  });
  return entries;
}

/// Removes files that a killed process left behind, including empty ones.
void removeAbandoned(const fs::path &root) {
  auto old = fs::file_time_type::clock::now() - std::chrono::hours(1);
  forEachFile(root, [&](const fs::directory_entry &file, const std::string &name) {
    std::error_code error;
    if (isTemporaryName(name) && file.last_write_time(error) < old && !error &&
        (file.file_size(error) == 0 || isSealed(file.path())))
      fs::remove(file.path(), error);
  });
}

} // namespace

std::optional<uint64_t> parseByteSize(std::string_view text) {
  uint64_t number = 0;
  auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), number);
  std::string_view unit(end, static_cast<size_t>(text.data() + text.size() - end));
  if (error != std::errc() || unit.size() > 1)
    return std::nullopt;
  int shift = unit.empty() ? 0 : unit == "K" ? 10 : unit == "M" ? 20 : unit == "G" ? 30 : -1;
  if (shift < 0 || number > (UINT64_MAX >> shift))
    return std::nullopt;
  return number << shift;
}

Result<DiskCache> DiskCache::open() {
  auto variable = [](const char *name) -> std::string {
    const char *value = std::getenv(name);
    return value ? value : "";
  };
  std::string use = variable("PUMICE_CACHE");
  if (use == "off")
    return Status(StatusCode::Unsupported, "PUMICE_CACHE=off: there is no cache");
  if (!use.empty() && use != "on")
    return Status(StatusCode::InvalidArgument,
                  "PUMICE_CACHE is '" + use +
                      "'; expected on or off; PUMICE_CACHE_DIR names the folder");
  uint64_t limit = defaultLimit;
  if (std::string text = variable("PUMICE_CACHE_LIMIT"); !text.empty()) {
    std::optional<uint64_t> parsed = parseByteSize(text);
    if (!parsed)
      return Status(StatusCode::InvalidArgument, "PUMICE_CACHE_LIMIT is '" + text +
                                                     "'; expected a number of bytes, or one "
                                                     "with K, M or G after it");
    limit = *parsed;
  }
  if (std::string folder = variable("PUMICE_CACHE_DIR"); !folder.empty())
    return DiskCache(folder, limit);
  // The XDG specification says that relative paths are ignored.
  if (fs::path base = variable("XDG_CACHE_HOME"); base.is_absolute())
    return DiskCache(base / "pumice", limit);
  if (fs::path base = folderOfCaches(); base.is_absolute())
    return DiskCache(base / "pumice", limit);
  return Status(StatusCode::Unsupported,
                "found no folder for the cache: none of PUMICE_CACHE_DIR, "
                "XDG_CACHE_HOME and HOME (on Windows, LOCALAPPDATA) is set");
}

Result<std::optional<DiskCache>> DiskCache::openIfAny() {
  Result<DiskCache> opened = open();
  if (opened.isOk())
    return std::optional<DiskCache>(*opened);
  if (opened.status().code() == StatusCode::Unsupported)
    return std::optional<DiskCache>();
  return opened.status();
}

std::optional<std::vector<uint8_t>> DiskCache::read(std::string_view kind,
                                                    std::string_view name) const {
  if (!isName(kind) || !isName(name))
    return std::nullopt;
  fs::path path = root / kind / (std::string(name) + suffix);
  std::error_code ignored;
  if (!fs::is_regular_file(path, ignored))
    return std::nullopt;
  if (!isOnlyOurs(path.parent_path().string()) || !isOnlyOurs(path.string()))
    return std::nullopt;
  bool isDamaged = false;
  std::optional<std::vector<uint8_t>> bytes = readFile(path, isDamaged);
  if (bytes)
    // Marks the file as recently used.
    fs::last_write_time(path, fs::file_time_type::clock::now(), ignored);
  else if (isDamaged)
    fs::remove(path, ignored);
  return bytes;
}

Status DiskCache::write(std::string_view kind, std::string_view name,
                        std::span<const uint8_t> bytes) const {
  for (std::string_view part : {kind, name})
    if (!isName(part))
      return Status(StatusCode::InvalidArgument,
                    "'" + std::string(part) + "' is not a valid name for a file in the cache");
  if (bytes.size() + sizeof(EntryHeader) > limit)
    return Status::ok(); // too large: `trim` would remove it at once
  fs::path folder = root / kind;
  PUMICE_RETURN_IF_ERROR(makePrivate(root));
  PUMICE_RETURN_IF_ERROR(makePrivate(folder));
  if (!isOnlyOurs(folder.string())) // other users could place code there for us to run
    return Status(StatusCode::Unsupported,
                  "the folder " + folder.string() +
                      " can be written by other users: run chmod 700 on it, or set "
                      "PUMICE_CACHE_DIR to another folder");
  fs::path temporary = folder / temporaryName(), path = folder / (std::string(name) + suffix);
  Status status = writeFile(temporary, bytes);
  std::error_code error;
  if (status.isOk()) {
    error = replaceFile(temporary, path);
    if (error)
      status = cannot("write", path, error);
  }
  if (!status.isOk()) {
    fs::remove(temporary, error);
    return status;
  }
  trim();
  return Status::ok();
}

std::vector<DiskCache::Entry> DiskCache::list() const {
  std::vector<Entry> entries = namedEntries(root);
  std::erase_if(entries, [&](const Entry &entry) {
    return !isSealed(root / entry.kind / (entry.name + suffix));
  });
  std::ranges::sort(entries, std::ranges::greater(), &Entry::lastUse);
  return entries;
}

uint64_t DiskCache::clear() const {
  uint64_t freed = 0;
  std::error_code error;
  for (const Entry &entry : list())
    if (fs::remove(root / entry.kind / (entry.name + suffix), error))
      freed += entry.bytes;
  removeAbandoned(root);
  return freed;
}

void DiskCache::trim() const {
  uint64_t total = 0;
  for (const Entry &entry : namedEntries(root))
    total += entry.bytes;
  if (total > limit) { // files are opened only in this case
    total = 0;
    std::error_code error;
    for (const Entry &entry : list())
      if ((total += entry.bytes) > limit)
        fs::remove(root / entry.kind / (entry.name + suffix), error);
  }
  removeAbandoned(root);
}

} // namespace pumice
