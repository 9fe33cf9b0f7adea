//===- CompilerInterface.h - the interface between runtime and compiler ---===//
// The compiler is a shared library that the runtime loads when someone asks for a compilation. The
// interface is plain C structures behind one exported function, so that neither the C++ library nor
// LLVM crosses it. Both sides are built from one tree. Still, an old library may be next to a new
// one, so the versions must be equal.
//===-------------------------------------------------------------------------===//
#pragma once

#include <cstddef>
#include <cstdint>

namespace pumice::compiler_interface {

inline constexpr uint32_t version = 7;

/// The one exported function. It returns null unless the library supports `version`.
///   extern "C" const Interface *pumice_compiler_interface(uint32_t version);
inline constexpr char entryName[] = "pumice_compiler_interface";

struct Text {
  const char *data = nullptr;
  size_t size = 0;
};

enum class SourceKind : uint32_t { Automatic = 0, Mlir = 1, Spirv = 2 };
enum class Addressing : uint32_t { Automatic = 0, Physical = 1, Descriptors = 2 };

/// Takes the name of each stage that a compilation reaches, while it runs and on its thread.
struct Progress {
  void (*reached)(void *user, Text stage) = nullptr; // may be null
  void *user = nullptr;
};

/// Only read during the call.
struct Request {
  Text source, sourceName;
  SourceKind kind = SourceKind::Automatic;
  Addressing addressing = Addressing::Automatic;
  uint32_t indexBits = 32;
  bool nativeMatrices = false;
  const Text *targets = nullptr; // a name, an attribute's text, a file's name, or JSON text
  size_t targetCount = 0;
  /// Takes the stages of compiler/driver/Stages.h. May be null.
  void (*stage)(void *user, Text name, Text text) = nullptr;
  void *stageUser = nullptr;
  Progress progress;
};

struct NativeConstant {
  uint32_t id = 0;
  uint32_t bytes = 4; // 1, 2, 4 or 8; booleans are 4
  uint64_t bits = 0;
};

/// One entry point of a SPIR-V module for a CPU, as in executable/NativeCode.h. It is only read
/// during the call.
struct NativeRequest {
  Text code;       // SPIR-V words in this machine's byte order, at any address; not validated
  Text entryPoint; // its name in the code
  Text label;      // its name in diagnostics
  const NativeConstant *constants = nullptr; // specialization: each id once
  size_t constantCount = 0;
  uint32_t workgroupSize[3] = {0, 0, 0}; // for each axis that the code leaves open; 0: its own
  uint32_t requiredSubgroupSize = 0;     // lanes; 0: as many as suit the CPU
  bool robustAccess = false;             // accesses stay inside the bound buffers
  Text cpu, features;                    // LLVM's names ("+avx2,-fma"); both empty: this machine
  Progress progress;
};

enum class CodeForm : uint32_t { Spirv = 0, LlvmIr = 1, Assembly = 2 };

/// Belongs to the library until `release`.
struct Response {
  int32_t code = 0; // a StatusCode
  Text message;     // one line, for a failure
  Text diagnostics; // all messages with their places, also for a success
  Text executable;  // the bytes of a .pumice file; compileNative: a shared object; explain: a text
  void *owner = nullptr;
};

struct Interface {
  uint32_t version = 0;
  Text producer;                                          // "Pumice 0.1.0"
  void (*compile)(const Request *, Response *) = nullptr; // thread-safe
  void (*release)(Response *) = nullptr;
  /// Thread-safe. Null if the library was built without CPU code generation.
  void (*compileNative)(const NativeRequest *, Response *) = nullptr;
  /// Returns a .pumice file's code for its first target, as text. Thread-safe.
  void (*explain)(Text executable, CodeForm, Response *) = nullptr;
  /// Returns the source line of the instruction at `address` of a shared object, as
  /// "file:line:column". The text is empty if the line is unknown. Thread-safe.
  void (*lineOf)(Text sharedObject, uint64_t address, Response *) = nullptr;
};

using Entry = const Interface *(*)(uint32_t version);

} // namespace pumice::compiler_interface
