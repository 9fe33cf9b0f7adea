//===- CompilerInterface.h - the interface between runtime and compiler -----===//
// The compiler is a shared library, which the runtime loads when someone asks for a compilation.
// The interface consists of plain C structures behind one exported function, so that no types of
// the C++ library or LLVM are exchanged. Both sides are built from the same sources. Still, an old
// library may be next to a new one, so their versions must be equal.
//===-------------------------------------------------------------------------===//
#pragma once

#include <cstddef>
#include <cstdint>

namespace pumice::compiler_interface {

inline constexpr uint32_t version = 9;

/// The only exported function. It returns null unless the library supports `version`.
///   extern "C" const Interface *pumice_compiler_interface(uint32_t version);
inline constexpr char entryName[] = "pumice_compiler_interface";

struct Text {
  const char *data = nullptr;
  size_t size = 0;
};

enum class SourceKind : uint32_t { Automatic = 0, Mlir = 1, Spirv = 2 };
enum class Addressing : uint32_t { Automatic = 0, Physical = 1, Descriptors = 2 };
enum class Route : uint32_t { Spirv = 0, Llvm = 1 };

/// Receives the name of each stage that a compilation reaches, on the thread of the compilation.
struct Progress {
  void (*reached)(void *user, Text stage) = nullptr; // may be null
  void *user = nullptr;
};

/// A request is only read during the call.
struct Request {
  Text source, sourceName;
  SourceKind kind = SourceKind::Automatic;
  Addressing addressing = Addressing::Automatic;
  uint32_t indexBits = 32;
  bool nativeMatrices = false;
  Route route = Route::Spirv;    // for OpenCL targets
  const Text *targets = nullptr; // names, attributes as text, names of files, or JSON
  size_t targetCount = 0;
  /// Receives the stages of compiler/driver/Stages.h. May be null.
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
  Text code;                                 // SPIR-V in host byte order, unaligned, not validated
  Text entryPoint;                           // its name in the code
  Text label;                                // its name in diagnostics
  const NativeConstant *constants = nullptr; // specialization constants; each id at most once
  size_t constantCount = 0;
  uint32_t workgroupSize[3] = {0, 0, 0}; // for axes that the code leaves open; 0: no change
  uint32_t requiredSubgroupSize = 0;     // 0: as many lanes as suit the CPU
  bool robustAccess = false;             // accesses stay inside the bound buffers
  Text cpu, features;                    // LLVM's names ("+avx2,-fma"); both empty: this machine
  Progress progress;
};

struct ShaderSlot {
  uint32_t set = 0, binding = 0, element = 0;
};

/// One entry point of a compute shader, which an OpenCL device is to run. It is only read during
/// the call. The result is a SPIR-V module with one kernel, `shaderKernelName`. Its arguments are
/// an address and a length (u64) for each slot, in order, then the push constants as u64 words.
struct ShaderRequest {
  Text code;                                 // SPIR-V in host byte order, unaligned, not validated
  Text entryPoint;                           // its name in the code
  Text label;                                // its name in diagnostics
  const NativeConstant *constants = nullptr; // specialization constants; each id at most once
  size_t constantCount = 0;
  const ShaderSlot *slots = nullptr;
  size_t slotCount = 0;
  uint64_t pushConstantBytes = 0;
  uint32_t requiredSubgroupSize = 0; // 0: as the device prefers
  bool robustAccess = false;         // accesses stay inside the bound buffers
  Text target;                       // the device, as JSON (docs/targets.md)
  Progress progress;
};
inline constexpr char shaderKernelName[] = "pumice_shader";

enum class CodeForm : uint32_t { Spirv = 0, LlvmIr = 1, Assembly = 2 };

/// The result of a call. It belongs to the library until `release`.
struct Response {
  int32_t code = 0; // a StatusCode
  Text message;     // one line, if the call failed
  Text diagnostics; // all messages with their places, also after a success
  Text executable;  // a .pumice file; compileNative: a shared object; explain: a text
  void *owner = nullptr;
};

struct Interface {
  uint32_t version = 0;
  Text producer;                                          // "Pumice 0.1.0"
  void (*compile)(const Request *, Response *) = nullptr; // thread-safe
  void (*release)(Response *) = nullptr;
  /// Thread-safe. Null if the library was built without code generation for CPUs.
  void (*compileNative)(const NativeRequest *, Response *) = nullptr;
  /// Returns the code of a .pumice file for its first target, as text. Thread-safe.
  void (*explain)(Text executable, CodeForm, Response *) = nullptr;
  /// Returns the source line of the instruction at `address` in a shared object, as
  /// "file:line:column". The text is empty if the line is unknown. Thread-safe.
  void (*lineOf)(Text sharedObject, uint64_t address, Response *) = nullptr;
  /// Passes the files of an export to `file`, if all could be made. Thread-safe.
  void (*exportFiles)(Text plan, const Text *executables, size_t count,
                      void (*file)(void *user, Text name, Text bytes), void *user,
                      Response *) = nullptr;
  /// Thread-safe.
  void (*compileShader)(const ShaderRequest *, Response *) = nullptr;
};

using Entry = const Interface *(*)(uint32_t version);

} // namespace pumice::compiler_interface
