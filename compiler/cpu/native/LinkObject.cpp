//===- LinkObject.cpp - object files → a shared object ----------------------===//
// The linker lld runs inside this process: that takes one millisecond, and starting it as a process
// takes ten. lld only reads and writes files. So the objects become short-lived files in the
// system's temporary folder. The format of the result follows from the system: ELF for Linux, a
// signed Mach-O library for macOS, a DLL for Windows.
//===-------------------------------------------------------------------------===//
#include "compiler/cpu/native/LinkObject.h"

#include "compiler/cpu/native/LibraryCalls.h"

#include "lld/Common/CommonLinkerContext.h"
#include "lld/Common/Driver.h"
#include "llvm/Object/COFFImportFile.h"
#include "llvm/Support/FileSystem.h"
#include "llvm/Support/MemoryBuffer.h"
#include "llvm/Support/raw_ostream.h"
#include "llvm/TargetParser/Triple.h"

#include <csignal>
#include <list>
#include <mutex>
#include <optional>
#include <string>

LLD_HAS_DRIVER(coff)
LLD_HAS_DRIVER(elf)
LLD_HAS_DRIVER(macho)

using namespace pumice;

namespace {
/// A folder of this process. The destructor removes it, and the files that were made in it. They
/// have fixed names, because linkers copy the name of their output into it.
class TemporaryFolder {
public:
  static Result<TemporaryFolder> make() {
    TemporaryFolder folder;
    if (std::error_code error = llvm::sys::fs::createUniqueDirectory("pumice-link", folder.path))
      return Status(StatusCode::ResourceExhausted,
                    "cannot make a temporary folder: " + error.message());
    return folder;
  }
  TemporaryFolder(TemporaryFolder &&other) noexcept
      : path(std::exchange(other.path, {})), files(std::exchange(other.files, {})) {}
  TemporaryFolder &operator=(TemporaryFolder &&) = delete;
  ~TemporaryFolder() {
    for (const std::string &file : files)
      (void)llvm::sys::fs::remove(file);
    if (!path.empty())
      (void)llvm::sys::fs::remove(path);
  }

  /// Returns the path of a file that something else makes.
  const char *place(const std::string &name) {
    files.push_back((path + "/" + name).str());
    return files.back().c_str();
  }
  /// Makes a file, and returns its path.
  Result<const char *> write(const std::string &name, llvm::StringRef contents) {
    const char *file = place(name);
    std::error_code error;
    llvm::raw_fd_ostream out(file, error);
    if (!error) {
      out << contents;
      out.close();
      error = out.error();
      out.clear_error();
    }
    if (error)
      return Status(StatusCode::ResourceExhausted,
                    "cannot write a temporary file: " + error.message());
    return file;
  }

private:
  TemporaryFolder() = default;
  llvm::SmallString<64> path;
  std::list<std::string> files; // their addresses do not change
};

/// Restores signal handlers and this thread's signal stack, because the compiler must not change
/// the host process. At lld's first output, LLVM installs handlers for fatal signals, which would
/// remove the file. LLVM does so only once, but other code may change handlers later.
class SignalsAsTheyWere {
public:
  SignalsAsTheyWere() {
    for (int signal = 1; signal < count; ++signal)
      known[signal] = sigaction(signal, nullptr, &actions[signal]) == 0;
    sigaltstack(nullptr, &stack);
  }
  SignalsAsTheyWere(const SignalsAsTheyWere &) = delete;
  SignalsAsTheyWere &operator=(const SignalsAsTheyWere &) = delete;
  ~SignalsAsTheyWere() {
    for (int signal = 1; signal < count; ++signal) {
      struct sigaction now;
      if (known[signal] && sigaction(signal, nullptr, &now) == 0 &&
          now.sa_sigaction != actions[signal].sa_sigaction)
        sigaction(signal, &actions[signal], nullptr);
    }
    sigaltstack(&stack, nullptr);
  }

private:
  static constexpr int count = 32; // LLVM handles no real-time signals
  struct sigaction actions[count];
  bool known[count] = {};
  stack_t stack{};
};
} // namespace

using Arguments = std::vector<const char *>;

/// Symbols that no object defines stay undefined. The process provides functions such as memcpy.
static Arguments elfArguments(const char *output) {
  return {"ld.lld",
          "-shared",
          "-o",
          output,
          "--build-id=none",
          "-Bsymbolic",
          "--hash-style=gnu",
          "--no-dynamic-linker",
          "-z",
          "noseparate-code",
          "--threads=1"};
}

/// Describes the part of libSystem that native code may call, as Apple's SDKs describe libraries.
static std::string libSystem(const llvm::Triple &system) {
  std::string symbols = "dyld_stub_binder"; // binds functions at their first call
  for (llvm::StringRef name : cpu::functionsOf(system))
    symbols += ", _" + name.str();
  return "--- !tapi-tbd\ntbd-version: 4\ntargets: [ arm64-macos ]\n"
         "install-name: '/usr/lib/libSystem.B.dylib'\nexports:\n"
         "  - targets: [ arm64-macos ]\n    symbols: [ " +
         symbols + " ]\n...\n";
}

/// macOS runs only signed code on these processors. lld signs it ad hoc: with hashes of its pages,
/// and without a certificate.
static Result<Arguments> machoArguments(const llvm::Triple &system, const char *output,
                                        TemporaryFolder &folder) {
  PUMICE_TRY(const char *library, folder.write("libSystem.tbd", libSystem(system)));
  return Arguments{
      "ld64.lld",    "-dylib", "-arch",         "arm64",         "-platform_version", "macos",
      "11.0",        "11.0",   "-install_name", "@rpath/kernel", "-adhoc_codesign",   "-x",
      "--threads=1", "-o",     output,          library};
}

/// Writes an import library for some functions of a library of Windows.
static Result<const char *> importsOf(const char *library, llvm::ArrayRef<const char *> names,
                                      TemporaryFolder &folder) {
  std::vector<llvm::object::COFFShortExport> exports;
  for (const char *name : names)
    exports.emplace_back().Name = name;
  const char *file = folder.place(std::string(library) + ".lib");
  if (llvm::Error error = llvm::object::writeImportLibrary(
          library, file, exports, llvm::COFF::IMAGE_FILE_MACHINE_AMD64, /*MinGW=*/false))
    return Status(StatusCode::ResourceExhausted,
                  "cannot write an import library: " + llvm::toString(std::move(error)));
  return file;
}

/// The libraries are part of Windows 10 and later. Their functions are those of
/// `cpu::functionsOf`.
static Result<Arguments> coffArguments(std::string &out, TemporaryFolder &folder) {
  PUMICE_TRY(const char *c,
             importsOf("ucrtbase.dll", {"memcpy", "memmove", "memset", "fma"}, folder));
  PUMICE_TRY(
      const char *system,
      importsOf("kernel32.dll", {"QueryPerformanceCounter", "QueryPerformanceFrequency"}, folder));
  return Arguments{"lld-link", "/dll",        "/noentry",      "/nodefaultlib", "/machine:x64",
                   "/Brepro",  "/debug:none", "/threads:1",    "/opt:noref",    c,
                   system,     "/noimplib",   "/lldignoreenv", out.c_str()};
}

static bool runLinker(const llvm::Triple &system, const Arguments &arguments, std::string &said) {
  llvm::raw_string_ostream out(said);
  auto link = system.isOSBinFormatMachO()  ? lld::macho::link
              : system.isOSBinFormatCOFF() ? lld::coff::link
                                           : lld::elf::link;
  bool linked = link(arguments, out, out, /*exitEarly=*/false, /*disableOutput=*/false);
  lld::CommonLinkerContext::destroy();
  return linked;
}

Result<std::vector<uint8_t>> cpu::linkObjects(const llvm::Triple &system,
                                              std::span<const std::span<const char>> objects) {
  static std::mutex one; // lld has global state, so links take turns
  std::lock_guard lock(one);
  PUMICE_TRY(TemporaryFolder folder, TemporaryFolder::make());
  const char *output = folder.place("kernel");
  std::string option = std::string("/out:") + output;
  Result<Arguments> arguments = system.isOSBinFormatMachO() ? machoArguments(system, output, folder)
                                : system.isOSBinFormatCOFF() ? coffArguments(option, folder)
                                                             : elfArguments(output);
  if (!arguments.isOk())
    return arguments.status();
  for (std::span<const char> object : objects) {
    PUMICE_TRY(const char *input, folder.write(std::to_string(arguments->size()) + ".o",
                                               {object.data(), object.size()}));
    arguments->push_back(input);
  }
  static bool isFirst = true;
  std::optional<SignalsAsTheyWere> signals;
  if (std::exchange(isFirst, false))
    signals.emplace();
  std::string said;
  if (!runLinker(system, *arguments, said))
    return Status(StatusCode::Internal, "lld could not link native code: " + said);
  auto bytes = llvm::MemoryBuffer::getFile(output);
  if (!bytes)
    return Status(StatusCode::Internal, "cannot read linked code: " + bytes.getError().message());
  return std::vector<uint8_t>((*bytes)->getBufferStart(), (*bytes)->getBufferEnd());
}
