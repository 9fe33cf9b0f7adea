//===- CodeImage.cpp - machine code in memory, loaded as a shared library ---===//
#include "support/CodeImage.h"

#include <atomic>
#include <cstdio>
#include <cstdlib>
#include <filesystem>
#include <random>

#ifdef _WIN32
#define WIN32_LEAN_AND_MEAN
#define NOMINMAX
#include <windows.h>
#else
#include <dlfcn.h>
#include <unistd.h>
#endif
#ifdef __linux__
#include <sys/mman.h>
#endif

namespace pumice {
namespace fs = std::filesystem;
namespace {

#if defined(_WIN32)
constexpr char ending[] = ".dll";
#elif defined(__APPLE__)
constexpr char ending[] = ".dylib";
#else
constexpr char ending[] = ".so";
#endif

std::string fileNameOf(std::string_view name) {
  std::string result;
  for (char c : name.substr(0, 80)) {
    bool plain = (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9');
    result += plain ? c : '_';
  }
  return result.empty() ? "kernel" : result;
}

Status writeWhole(const fs::path &path, std::span<const uint8_t> bytes) {
  std::FILE *file = std::fopen(path.string().c_str(), "wb");
  if (!file)
    return Status(StatusCode::ResourceExhausted, "cannot write '" + path.string() + "'");
  bool written = std::fwrite(bytes.data(), 1, bytes.size(), file) == bytes.size();
  written &= std::fclose(file) == 0;
  return written ? Status::ok()
                 : Status(StatusCode::ResourceExhausted, "cannot write '" + path.string() + "'");
}

#ifdef _WIN32

Result<void *> openLibrary(const std::string &path) {
  HMODULE handle = LoadLibraryW(fs::path(path).wstring().c_str());
  if (!handle)
    return Status(StatusCode::Unsupported,
                  "cannot load native code: Windows error " + std::to_string(GetLastError()));
  return reinterpret_cast<void *>(handle);
}

#else

Result<void *> openLibrary(const std::string &path) {
  void *handle = dlopen(path.c_str(), RTLD_NOW | RTLD_LOCAL);
  if (handle)
    return handle;
  const char *reason = dlerror();
  return Status(StatusCode::Unsupported,
                std::string("cannot load native code: ") + (reason ? reason : "no reason given"));
}

#endif

/// Loads the library through a file in a private folder, which is removed afterwards. On Windows, a
/// loaded file cannot be removed, so `left` becomes the folder.
Result<void *> loadFromFile(std::span<const uint8_t> bytes, const std::string &name,
                            std::string &left) {
  std::error_code error;
  std::random_device random;
  fs::path folder = fs::temp_directory_path(error) /
                    ("pumice-" + std::to_string(random()) + "-" + std::to_string(random()));
  if (error || !fs::create_directory(folder, error))
    return Status(StatusCode::ResourceExhausted,
                  "cannot make the folder '" + folder.string() + "' to load native code from");
  fs::permissions(folder, fs::perms::owner_all, error);
  fs::path path = folder / (name + ending);
  Status written = writeWhole(path, bytes);
  Result<void *> handle = written.isOk() ? openLibrary(path.string()) : Result<void *>(written);
#ifdef _WIN32
  if (handle.isOk()) {
    left = folder.string();
    return handle;
  }
#else
  left.clear();
#endif
  fs::remove_all(folder, error);
  return handle;
}

/// Loads the library through a file that stays, so that debuggers and profilers find it.
Result<void *> loadAndLeave(std::span<const uint8_t> bytes, const std::string &name,
                            const char *folder) {
  std::error_code error;
  fs::create_directories(folder, error);
  std::random_device random;
  fs::path path = fs::path(folder) / (name + "-" + std::to_string(random()) + ending);
  PUMICE_RETURN_IF_ERROR(writeWhole(path, bytes));
  return openLibrary(path.string());
}

#if defined(__linux__) && defined(MFD_CLOEXEC)

/// Returns a number that is different for each call of this copy of the code.
uint64_t nextNumber(const std::atomic<uint64_t> *&copy) {
  static std::atomic<uint64_t> count = 0;
  copy = &count;
  return count.fetch_add(1, std::memory_order_relaxed);
}

/// Returns a unique path of the file. The loader treats equal paths as the same library, and the
/// numbers of file descriptors are reused. So each path is spelled differently, but leads to the
/// file. A process may contain several copies of this code, so the spelling begins with an address
/// in this copy.
std::string pathOf(int file) {
  const std::atomic<uint64_t> *copy = nullptr;
  uint64_t number = nextNumber(copy) + 1;
  auto address = reinterpret_cast<uintptr_t>(copy);
  std::string path = "/proc/self/fd";
  for (int bit = 0; bit < 48; ++bit)
    path += address >> bit & 1 ? "/." : "//.";
  for (; number; number /= 2)
    path += number % 2 ? "/." : "//.";
  return path + "/" + std::to_string(file);
}

struct Loaded {
  void *handle = nullptr;
  std::span<const uint8_t> file = {}; // the mapped file
};

/// Loads a library from memory. This also works without a writable folder, and if folders may not
/// contain executables. Returns null if the system does not support or allow it.
Loaded loadFromMemory(std::span<const uint8_t> bytes, const std::string &name) {
  int file = memfd_create(("pumice-" + name).c_str(), MFD_CLOEXEC);
  if (file < 0)
    return {};
  size_t written = 0;
  while (written < bytes.size()) {
    ssize_t count = write(file, bytes.data() + written, bytes.size() - written);
    if (count <= 0)
      break;
    written += static_cast<size_t>(count);
  }
  Loaded loaded;
  if (written == bytes.size())
    loaded.handle = dlopen(pathOf(file).c_str(), RTLD_NOW | RTLD_LOCAL);
  if (loaded.handle) {
    void *whole = mmap(nullptr, bytes.size(), PROT_READ, MAP_SHARED, file, 0);
    if (whole != MAP_FAILED)
      loaded.file = {static_cast<const uint8_t *>(whole), bytes.size()};
  }
  close(file);
  return loaded;
}

void unmap(std::span<const uint8_t> file) {
  if (!file.empty())
    munmap(const_cast<uint8_t *>(file.data()), file.size());
}

#else

struct Loaded {
  void *handle = nullptr;
  std::span<const uint8_t> file = {};
};

Loaded loadFromMemory(std::span<const uint8_t>, const std::string &) { return {}; }
[[maybe_unused]] void unmap(std::span<const uint8_t>) {}

#endif

} // namespace

Result<CodeImage> CodeImage::load(std::span<const uint8_t> bytes, std::string_view name) {
#if defined(_WIN32)
  PUMICE_RETURN_IF_ERROR(checkPe(bytes));
#elif defined(__APPLE__)
  PUMICE_RETURN_IF_ERROR(checkMacho(bytes));
#else
  PUMICE_RETURN_IF_ERROR(checkElf(bytes));
#endif
  std::string file = fileNameOf(name);
  const char *folder = std::getenv("PUMICE_CPU_CODE_DIR");
  if (folder && *folder) {
    PUMICE_TRY(void *handle, loadAndLeave(bytes, file, folder));
    return CodeImage(handle);
  }
  if (Loaded loaded = loadFromMemory(bytes, file); loaded.handle)
    return CodeImage(loaded.handle, loaded.file);
  std::string left;
  PUMICE_TRY(void *handle, loadFromFile(bytes, file, left));
  CodeImage image(handle);
  image.folder = std::move(left);
  return image;
}

#ifdef _WIN32

CodeImage::~CodeImage() {
  if (handle)
    FreeLibrary(reinterpret_cast<HMODULE>(handle));
  std::error_code error;
  if (!folder.empty())
    fs::remove_all(folder, error);
}

uint64_t CodeImage::fileAddress(uint64_t address) const { return address; }

void *CodeImage::symbol(const char *name) const {
  return reinterpret_cast<void *>(GetProcAddress(reinterpret_cast<HMODULE>(handle), name));
}

#else

CodeImage::~CodeImage() {
  if (handle)
    dlclose(handle);
  unmap(file);
}

uint64_t CodeImage::fileAddress(uint64_t address) const {
  Dl_info about;
  // dli_fbase is the address at which address 0 of the file is loaded.
  bool known = dladdr(reinterpret_cast<void *>(address), &about) != 0;
  return known ? address - reinterpret_cast<uint64_t>(about.dli_fbase) : address;
}

void *CodeImage::symbol(const char *name) const { return dlsym(handle, name); }

#endif

} // namespace pumice
