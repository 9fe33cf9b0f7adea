//===- Text.h - parses the text of inline assembly ------------------------===//
// Reads PTX as kernels embed it: statements, blocks with their own registers, and comments. It does
// not interpret instructions. Any malformed text is an error.
//===-------------------------------------------------------------------------===//
#pragma once

#include "mlir/Support/LLVM.h"
#include "llvm/ADT/StringRef.h"

#include <functional>
#include <optional>
#include <string>
#include <vector>

namespace pumice::triton::ptx {

struct Operand {
  enum class Kind {
    Register, // `index` counts the arguments $0, $1, …, and then the registers that `.reg` declares
    Special,  // `name`: %smid
    Number,   // `value`: an integer, or the bits of a float
    Vector,   // `parts`: {a, b}
    Address,  // [`parts`[0] + `value`]
    Pair,     // `parts`: p|q
    Sink,     // _
  };
  Kind kind;
  unsigned index = 0;
  std::string name = {};
  uint64_t value = 0;
  unsigned floatBits = 0; // of a number: 32, 64, or 0 for an integer
  bool isNegated = false; // !p
  std::vector<Operand> parts = {};
};

struct Instruction {
  unsigned line; // of the text, from 1 on
  std::optional<Operand> guard = {};
  std::string opcode = {}; // with all its modifiers: add.sat.s32
  std::vector<Operand> operands = {};
};

struct Register {
  std::string name;
  std::string type; // b32, f16x2, pred
};

struct Program {
  std::vector<Register> registers; // without the arguments
  std::vector<Instruction> instructions;
};

/// Reports an error in a line of the text.
using Report = std::function<void(unsigned line, const std::string &what)>;

/// Reads a text that has `arguments` operands $0, $1, …
mlir::FailureOr<Program> readText(llvm::StringRef text, unsigned arguments, const Report &report);

/// A constraint of inline assembly, as LLVM writes it: "=r", "l", "0".
struct Constraint {
  bool isOutput = false;
  unsigned bits = 0;            // of the register; 1: a predicate
  std::optional<unsigned> tied; // an input that begins in an output's register
};

/// Reads "=r,=&f,l,0,~{memory}"; outputs come first.
mlir::FailureOr<std::vector<Constraint>> readConstraints(llvm::StringRef text,
                                                         std::string &problem);

} // namespace pumice::triton::ptx
