//===- LinkObject.cpp - object files → a shared object ----------------------===//
// The linker lld runs inside this process: that takes one millisecond, and starting it as a process
// takes ten. lld only reads and writes files. So the objects become short-lived files in the
// system's temporary folder.
//===-------------------------------------------------------------------------===//
#include "compiler/cpu/native/LinkObject.h"

#include "lld/Common/CommonLinkerContext.h"
#include "lld/Common/Driver.h"
#include "llvm/Support/FileSystem.h"
#include "llvm/Support/MemoryBuffer.h"
#include "llvm/Support/raw_ostream.h"

#include <csignal>
#include <mutex>
#include <optional>
#include <string>

LLD_HAS_DRIVER(elf)

using namespace pumice;

namespace {
/// A file of this process. The destructor removes it.
class TemporaryFile {
public:
  static Result<TemporaryFile> make(const char *ending) {
    TemporaryFile file;
    if (std::error_code error =
            llvm::sys::fs::createTemporaryFile("pumice", ending, file.descriptor, file.name))
      return Status(StatusCode::ResourceExhausted,
                    "cannot make a temporary file: " + error.message());
    return file;
  }
  TemporaryFile(TemporaryFile &&other) noexcept
      : descriptor(std::exchange(other.descriptor, -1)), name(std::move(other.name)) {}
  TemporaryFile &operator=(TemporaryFile &&) = delete;
  ~TemporaryFile() {
    if (descriptor < 0)
      return;
    llvm::sys::fs::file_t file = llvm::sys::fs::convertFDToNativeFile(descriptor);
    (void)llvm::sys::fs::closeFile(file);
    (void)llvm::sys::fs::remove(name);
  }
  const char *path() { return name.c_str(); }
  int fd() const { return descriptor; }

private:
  TemporaryFile() = default;
  int descriptor = -1;
  llvm::SmallString<64> name;
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

static Result<TemporaryFile> fileOf(std::span<const char> object) {
  PUMICE_TRY(TemporaryFile file, TemporaryFile::make("o"));
  llvm::raw_fd_ostream out(file.fd(), /*shouldClose=*/false);
  out.write(object.data(), object.size());
  out.flush();
  if (out.has_error())
    return Status(StatusCode::ResourceExhausted,
                  "cannot write a temporary file: " + out.error().message());
  return file;
}

Result<std::vector<uint8_t>> cpu::linkObjects(std::span<const std::span<const char>> objects) {
  static std::mutex one; // lld has global state, so links take turns
  std::lock_guard lock(one);
  std::vector<TemporaryFile> inputs;
  for (std::span<const char> object : objects) {
    PUMICE_TRY(TemporaryFile input, fileOf(object));
    inputs.push_back(std::move(input));
  }
  PUMICE_TRY(TemporaryFile output, TemporaryFile::make("so"));
  // Symbols that no object defines stay undefined. The process provides functions such as memcpy.
  std::vector<const char *> arguments{"ld.lld",
                                      "-shared",
                                      "-o",
                                      output.path(),
                                      "--build-id=none",
                                      "-Bsymbolic",
                                      "--hash-style=gnu",
                                      "--no-dynamic-linker",
                                      "-z",
                                      "noseparate-code",
                                      "--threads=1"};
  for (TemporaryFile &input : inputs)
    arguments.push_back(input.path());
  static bool isFirst = true;
  std::optional<SignalsAsTheyWere> signals;
  if (std::exchange(isFirst, false))
    signals.emplace();
  std::string said;
  llvm::raw_string_ostream out(said);
  bool linked = lld::elf::link(arguments, out, out, /*exitEarly=*/false, /*disableOutput=*/false);
  lld::CommonLinkerContext::destroy();
  if (!linked)
    return Status(StatusCode::Internal, "lld could not link native code: " + said);
  auto bytes = llvm::MemoryBuffer::getFile(output.path());
  if (!bytes)
    return Status(StatusCode::Internal, "cannot read linked code: " + bytes.getError().message());
  return std::vector<uint8_t>((*bytes)->getBufferStart(), (*bytes)->getBufferEnd());
}
