//===- Platform.cpp - what operating systems do differently -----------------===//
#include "runtime/support/Platform.h"

#include <cerrno>
#include <cstdio>
#include <cstring>

#ifdef _WIN32
#define WIN32_LEAN_AND_MEAN
#define NOMINMAX
#include <windows.h>
#else
#include <dlfcn.h>
#include <sys/stat.h>
#include <unistd.h>
#endif

namespace pumice {

#ifdef _WIN32

namespace {

std::wstring wide(std::string_view text) {
  std::wstring result(text.size(), L'\0'); // never longer
  int length = MultiByteToWideChar(CP_UTF8, 0, text.data(), static_cast<int>(text.size()),
                                   result.data(), static_cast<int>(result.size()));
  result.resize(static_cast<size_t>(length));
  return result;
}

std::string narrow(std::wstring_view text) {
  std::string result(text.size() * 3, '\0');
  int length =
      WideCharToMultiByte(CP_UTF8, 0, text.data(), static_cast<int>(text.size()), result.data(),
                          static_cast<int>(result.size()), nullptr, nullptr);
  result.resize(static_cast<size_t>(length));
  return result;
}

} // namespace

Result<SharedLibrary> SharedLibrary::open(const std::string &path) {
  bool inFolder = path.find_first_of("/\\") != std::string::npos;
  HMODULE handle =
      LoadLibraryExW(wide(path).c_str(), nullptr, inFolder ? LOAD_WITH_ALTERED_SEARCH_PATH : 0);
  if (!handle)
    return Status(StatusCode::NotFound,
                  "cannot load '" + path + "': Windows error " + std::to_string(GetLastError()));
  return SharedLibrary(reinterpret_cast<void *>(handle));
}

SharedLibrary SharedLibrary::program() {
  return SharedLibrary(reinterpret_cast<void *>(GetModuleHandleW(nullptr)));
}

void *SharedLibrary::symbol(const char *name) const {
  return reinterpret_cast<void *>(GetProcAddress(reinterpret_cast<HMODULE>(handle), name));
}

std::string SharedLibrary::fileName(std::string_view name) { return std::string(name) + ".dll"; }

std::string folderOfThisCode() {
  HMODULE self = nullptr;
  constexpr DWORD flags =
      GET_MODULE_HANDLE_EX_FLAG_FROM_ADDRESS | GET_MODULE_HANDLE_EX_FLAG_UNCHANGED_REFCOUNT;
  if (!GetModuleHandleExW(flags, reinterpret_cast<LPCWSTR>(&folderOfThisCode), &self))
    return {};
  std::wstring path(1 << 15, L'\0');
  path.resize(GetModuleFileNameW(self, path.data(), static_cast<DWORD>(path.size())));
  std::string text = narrow(path);
  size_t slash = text.find_last_of("/\\");
  return slash == std::string::npos ? std::string() : text.substr(0, slash);
}

size_t pageBytes() {
  SYSTEM_INFO info;
  GetSystemInfo(&info);
  return info.dwPageSize;
}

// Access lists, which a folder passes on to its files: a user's own ones let no other write.
bool isOnlyOurs(const std::string &) { return true; }

static std::FILE *openToRead(const std::string &path) { return _wfopen(wide(path).c_str(), L"rb"); }

#else

Result<SharedLibrary> SharedLibrary::open(const std::string &path) {
  // Lazily: of the functions that the compiler's libraries call, a kernel needs few, and looking up
  // all of them takes 13 ms.
  void *handle = dlopen(path.c_str(), RTLD_LAZY | RTLD_LOCAL);
  if (!handle) {
    const char *reason = dlerror();
    return Status(StatusCode::NotFound,
                  "cannot load '" + path + "': " + (reason ? reason : "no reason given"));
  }
  return SharedLibrary(handle);
}

SharedLibrary SharedLibrary::program() { return SharedLibrary(dlopen(nullptr, RTLD_LAZY)); }

void *SharedLibrary::symbol(const char *name) const { return dlsym(handle, name); }

std::string SharedLibrary::fileName(std::string_view name) {
#ifdef __APPLE__
  return "lib" + std::string(name) + ".dylib";
#else
  return "lib" + std::string(name) + ".so";
#endif
}

std::string folderOfThisCode() {
  Dl_info info;
  if (!dladdr(reinterpret_cast<const void *>(&folderOfThisCode), &info) || !info.dli_fname)
    return {};
  std::string path = info.dli_fname;
  size_t slash = path.rfind('/');
#ifdef __linux__
  // A program's own name is what it was called by: one that PATH found has no folder in it.
  if (slash == std::string::npos) {
    char self[4096];
    ssize_t length = readlink("/proc/self/exe", self, sizeof self);
    path = length > 0 ? std::string(self, static_cast<size_t>(length)) : "";
    slash = path.rfind('/');
  }
#endif
  return slash == std::string::npos ? std::string() : path.substr(0, slash);
}

size_t pageBytes() {
  static const long size = sysconf(_SC_PAGESIZE);
  return size > 0 ? static_cast<size_t>(size) : 4096;
}

bool isOnlyOurs(const std::string &path) {
  struct stat about;
  return stat(path.c_str(), &about) == 0 && about.st_uid == geteuid() &&
         (about.st_mode & (S_IWGRP | S_IWOTH)) == 0;
}

static std::FILE *openToRead(const std::string &path) { return std::fopen(path.c_str(), "rb"); }

#endif

Result<std::string> readFile(const std::string &path, uint64_t most) {
  std::FILE *file = openToRead(path);
  if (!file)
    return Status(StatusCode::NotFound, "cannot read '" + path + "': " + std::strerror(errno));
  std::string bytes, block(1 << 16, '\0');
  size_t got = 0;
  while (bytes.size() <= most && (got = std::fread(block.data(), 1, block.size(), file)) > 0)
    bytes.append(block, 0, got);
  bool failed = std::ferror(file);
  std::string reason = failed ? std::strerror(errno) : "";
  std::fclose(file);
  if (failed)
    return Status(StatusCode::NotFound, "cannot read '" + path + "': " + reason);
  if (bytes.size() > most)
    return Status(StatusCode::ResourceExhausted, "cannot read '" + path + "': it has more than " +
                                                     std::to_string(most) + " bytes");
  return bytes;
}

} // namespace pumice
