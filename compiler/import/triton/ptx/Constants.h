//===- Constants.h - constant expressions of inline assembly ----------------===//
// A cursor over the characters of a text, and a reader of constant expressions (PTX ISA, section
// 4.5). This code does not know registers.
//===-------------------------------------------------------------------------===//
#pragma once

#include "mlir/Support/LLVM.h"
#include "llvm/ADT/StringRef.h"

#include <string>

namespace pumice::triton::ptx {

/// A reader's position in a text.
struct Cursor {
  llvm::StringRef rest;
  unsigned line = 1;

  /// Skips blanks and comments. Returns false if a comment has no end.
  bool skip();
  bool take(char c);
  llvm::StringRef takeWhile(llvm::function_ref<bool(char)> holds);
  /// Returns the word at the cursor, for messages.
  std::string here() const;
};

/// Quotes a word of the text. A long word is cut off, and characters that cannot be printed are
/// escaped.
std::string quoted(llvm::StringRef what);

bool isNameStart(char c);
bool isNamePart(char c);

struct Constant {
  uint64_t value = 0; // an integer of 64 bits, or the bits of a float
  bool isUnsigned = false;
  unsigned floatBits = 0; // 32 for 0f…, 64 for 0d…; 0: an integer
};

/// Reads an expression such as (0xf0 & 0xcc) | 0xaa, and moves the cursor behind it. After an
/// error, `problem` describes it.
mlir::FailureOr<Constant> readConstant(Cursor &cursor, std::string &problem);

} // namespace pumice::triton::ptx
