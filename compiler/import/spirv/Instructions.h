//===- Instructions.h - the table of SPIR-V's instructions ------------------===//
#pragma once

#include "llvm/ADT/ArrayRef.h"
#include "llvm/ADT/StringRef.h"

#include <cstdint>

namespace pumice::spirv_import {

enum Op : uint32_t {
#define SPECIAL(number, name, result) Op##name = number,
#define SPIRV(number, name, operands) Op##name = number,
#define SPIRV_AS(number, name, operands, operation) Op##name = number,
#define SPVX(number, name, operands) Op##name = number,
#define REFUSED(number, name, what) Op##name = number,
#include "compiler/import/spirv/Instructions.def"
};

enum class RowKind : uint8_t { Special, Spirv, Spvx, Refused };

/// One line of Instructions.def.
struct Row {
  uint32_t opcode = 0;
  RowKind kind = RowKind::Refused;
  const char *name = "";      // without "Op"
  const char *operands = "";  // letters, or the unsupported part
  const char *operation = ""; // "spirv.IAdd"

  bool hasType() const {
    return kind != RowKind::Refused && llvm::StringRef(operands).contains('T');
  }
  bool hasResult() const { return hasType() || (kind == RowKind::Special && operands[0] == 'R'); }
};

/// Returns the line of an opcode, or null if the table lacks it.
const Row *findInstruction(uint32_t opcode);

/// An instruction of an extended instruction set.
struct ExtendedRow {
  uint32_t number = 0;
  const char *name = "";
  const char *operands = "";
};
const ExtendedRow *findGlsl(uint32_t number);
const ExtendedRow *findOpenCl(uint32_t number);

/// These functions return the whole tables, sorted by number.
llvm::ArrayRef<Row> allInstructions();
llvm::ArrayRef<ExtendedRow> allGlsl();
llvm::ArrayRef<ExtendedRow> allOpenCl();

} // namespace pumice::spirv_import
