//===- Text.h - parses the text of inline assembly --------------------------===//
// Reads PTX as kernels embed it: statements, blocks with their own registers, and comments. The
// reader does not interpret instructions. It reports any malformed text as an error.
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
    Register, // `index` counts $0, $1, …, and then the registers that `.reg` declares
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
  unsigned floatBits = 0; // 32 or 64 for a float, 0 for an integer
  bool isNegated = false; // !p
  std::vector<Operand> parts = {};
};

struct Instruction {
  unsigned line; // the line in the text, counted from 1
  std::optional<Operand> guard = {};
  std::string opcode = {}; // includes all modifiers: add.sat.s32
  std::vector<Operand> operands = {};
};

struct Register {
  std::string name;
  std::string type; // such as b32, f16x2, pred
};

struct Program {
  std::vector<Register> registers; // without the arguments
  std::vector<Instruction> instructions;
};

/// Reports an error in a line of the text.
using Report = std::function<void(unsigned line, const std::string &what)>;

/// Reads a text with `arguments` operands $0, $1, and so on.
mlir::FailureOr<Program> readText(llvm::StringRef text, unsigned arguments, const Report &report);

/// A constraint of inline assembly in LLVM's notation: "=r", "l", "0".
struct Constraint {
  bool isOutput = false;
  unsigned bits = 0;            // the register's width; 1: a predicate
  std::optional<unsigned> tied; // the output whose register this input shares
};

/// Reads constraints such as "=r,=&f,l,0,~{memory}". Outputs must come first.
mlir::FailureOr<std::vector<Constraint>> readConstraints(llvm::StringRef text,
                                                         std::string &problem);

} // namespace pumice::triton::ptx
