//===- Simt.h - what a translated kernel and the interpreter share ----------===//
// A kernel is compiled to a library that exports one `Kernel` (`shim_kernel`). The interpreter runs
// each of its threads as a fibre, and passes itself as a table of functions.
//===-------------------------------------------------------------------------===//
#pragma once

#include <stddef.h>
#include <stdint.h>

namespace shim {

inline constexpr unsigned mostLanes = 64;
inline constexpr unsigned valueBytes = 32;

/// The values that active lanes of a SIMD group pass to an operation.
struct Exchange {
  uint64_t active = 0; // a bit for each lane
  unsigned readers = 0;
  alignas(32) unsigned char values[mostLanes][valueBytes];
};

struct Triple {
  uint32_t x, y, z;
};

/// One thread of a kernel. The kernel reads its position, and says in which loops it is.
struct Thread {
  Triple inGroup, group, groups, size;
  uint32_t index;       // in the threadgroup
  uint32_t lane, lanes; // in the SIMD group, and its width
  uint32_t simd, simds; // the SIMD group in the threadgroup, and their number
  uint32_t site;        // the place in the text of the operation that comes
  uint32_t depth = 0;   // the loops around it: their places in the text, and their turns
  uint32_t loops[64];
  void *const *buffers;
  uint64_t operations = 0, barriers = 0; // counted for statistics
};

/// The functions of the interpreter.
struct Interpreter {
  Thread *thread = nullptr; // the one that runs
  /// Stops until all lanes that come to this place are there. The result is valid until `done`.
  Exchange *(*exchange)(Interpreter &self, const void *value, size_t bytes) = nullptr;
  void (*done)(Interpreter &self, Exchange *exchange) = nullptr;
  /// Stops until all threads of the threadgroup, or of the SIMD group, are there.
  void (*barrier)(Interpreter &self, bool ofSimdGroup) = nullptr;
  void (*fail)(Interpreter &self, const char *what) = nullptr;
};

struct Kernel {
  void (*use)(Interpreter *interpreter); // for the calling thread, before the kernel runs
  void (*run)(const Thread &thread);
};

} // namespace shim
