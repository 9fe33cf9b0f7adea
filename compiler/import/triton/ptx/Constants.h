//===- Constants.h - numbers of inline assembly, and what is computed of them -----===//
// A cursor over the characters of a text, and the constant expressions that it can read: PTX ISA,
// section 4.5. Registers are not known here.
//===-------------------------------------------------------------------------===//
#pragma once

#include "mlir/Support/LLVM.h"
#include "llvm/ADT/StringRef.h"

#include <string>

namespace pumice::triton::ptx {

/// Where a reader is in a text.
struct Cursor {
  llvm::StringRef rest;
  unsigned line = 1;

  /// Skips blanks and comments. False: a comment has no end.
  bool skip();
  bool take(char c);
  llvm::StringRef takeWhile(llvm::function_ref<bool(char)> holds);
  /// The word at the front, for messages.
  std::string here() const;
};

/// A word of the text in quotes, cut where it is long; characters that are not printed are escaped.
std::string quoted(llvm::StringRef what);

bool isNameStart(char c);
bool isNamePart(char c);

struct Constant {
  uint64_t value = 0; // an integer of 64 bits, or the bits of a float
  bool isUnsigned = false;
  unsigned floatBits = 0; // 32 as 0f…, 64; 0: an integer
};

/// Reads an expression such as (0xf0 & 0xcc) | 0xaa, and leaves the cursor behind it. `problem`
/// says what is wrong.
mlir::FailureOr<Constant> readConstant(Cursor &cursor, std::string &problem);

} // namespace pumice::triton::ptx
