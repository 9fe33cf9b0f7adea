//===- Platform.cpp - functions that differ between operating systems -------===//
#include "support/Platform.h"

#include <cerrno>
#include <chrono>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <thread>

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
  std::wstring result(text.size(), L'\0'); // the result is never longer
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

// Windows uses access control lists, which files inherit from their folders. By default, no other
// user may write in a user's own folders.
bool isOnlyOurs(const std::string &) { return true; }

std::filesystem::path folderOfCaches() {
  const wchar_t *folder = _wgetenv(L"LOCALAPPDATA");
  return folder ? folder : L"";
}

// A file that someone has open cannot be replaced. Readers of small files close them soon.
std::error_code replaceFile(const std::filesystem::path &from, const std::filesystem::path &to) {
  constexpr int attempts = 200;
  for (int i = 0; i < attempts; ++i) {
    if (MoveFileExW(from.c_str(), to.c_str(), MOVEFILE_REPLACE_EXISTING))
      return {};
    DWORD error = GetLastError();
    if (error != ERROR_ACCESS_DENIED && error != ERROR_SHARING_VIOLATION)
      return std::error_code(static_cast<int>(error), std::system_category());
    std::this_thread::sleep_for(std::chrono::milliseconds(1));
  }
  return std::make_error_code(std::errc::permission_denied);
}

static std::FILE *openToRead(const std::string &path) { return _wfopen(wide(path).c_str(), L"rb"); }

// On Windows, file names cannot lead to devices without an end.
static uint64_t sizeOnDisk(std::FILE *) { return 0; }
static bool isDevice(std::FILE *) { return false; }

#else

std::filesystem::path folderOfCaches() {
  const char *home = std::getenv("HOME");
  return home && *home ? std::filesystem::path(home) / ".cache" : std::filesystem::path();
}

std::error_code replaceFile(const std::filesystem::path &from, const std::filesystem::path &to) {
  std::error_code error;
  std::filesystem::rename(from, to, error);
  return error;
}

Result<SharedLibrary> SharedLibrary::open(const std::string &path) {
  // Binds lazily, because a kernel needs few of the functions that the compiler's libraries call,
  // and binding all of them takes 13 ms.
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
  // The program itself has the name in its command line. If it was found through PATH, this name
  // has no folder.
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

/// Returns the size of a file, or 0 if the size is unknown, as for a pipe.
static uint64_t sizeOnDisk(std::FILE *file) {
  struct stat about;
  return fstat(fileno(file), &about) == 0 && S_ISREG(about.st_mode)
             ? static_cast<uint64_t>(about.st_size)
             : 0;
}

/// Returns whether reading might never end. Terminals do not count, because the user ends the
/// input.
static bool isDevice(std::FILE *file) {
  struct stat about;
  return fstat(fileno(file), &about) == 0 && (S_ISCHR(about.st_mode) || S_ISBLK(about.st_mode)) &&
         isatty(fileno(file)) == 0;
}

#endif

static Status cannotRead(StatusCode code, const std::string &name, const std::string &why) {
  return Status(code, "cannot read '" + name + "': " + why);
}

static Status readParts(std::FILE *file, const std::string &name, uint64_t most,
                        const std::function<void(std::string_view part)> &take) {
  auto tooLong = [&] {
    return cannotRead(StatusCode::ResourceExhausted, name,
                      "it has more than " + std::to_string(most) +
                          " bytes, which is the most that Pumice reads");
  };
  if (sizeOnDisk(file) > most)
    return tooLong();
  std::string part(1 << 16, '\0');
  uint64_t total = 0;
  size_t got = 0;
  while ((got = std::fread(part.data(), 1, part.size(), file)) > 0) {
    if (isDevice(file)) // an empty device, such as /dev/null, is allowed
      return cannotRead(StatusCode::InvalidArgument, name,
                        "it is a device, which may never end; name a file");
    if ((total += got) > most)
      return tooLong();
    take({part.data(), got});
  }
  // A folder can be opened, but reading it fails.
  return std::ferror(file) ? cannotRead(StatusCode::NotFound, name, std::strerror(errno))
                           : Status::ok();
}

static Status readNamed(const std::string &path, uint64_t most,
                        const std::function<void(std::string_view part)> &take) {
  std::FILE *file = openToRead(path);
  if (!file)
    return cannotRead(StatusCode::NotFound, path, std::strerror(errno));
  Status status = readParts(file, path, most, take);
  std::fclose(file);
  return status;
}

Result<std::string> readFile(const std::string &path, uint64_t most) {
  std::string bytes;
  PUMICE_RETURN_IF_ERROR(readNamed(path, most, [&](std::string_view part) { bytes += part; }));
  return bytes;
}

Status readInput(const std::string &name, uint64_t most,
                 const std::function<void(std::string_view part)> &take) {
  return name == "-" ? readParts(stdin, name, most, take) : readNamed(name, most, take);
}

} // namespace pumice
