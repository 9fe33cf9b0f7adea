//===- Instructions.cpp - the table of SPIR-V's instructions ----------------===//
#include "compiler/import/spirv/Instructions.h"

#include <algorithm>
#include <iterator>

using namespace pumice::spirv_import;

namespace {

// Both tables are sorted by number.
constexpr Row rows[] = {
#define SPECIAL(number, name, result) {number, RowKind::Special, #name, result, ""},
#define SPIRV(number, name, operands) {number, RowKind::Spirv, #name, operands, "spirv." #name},
#define SPIRV_AS(number, name, operands, operation)                                                \
  {number, RowKind::Spirv, #name, operands, "spirv." operation},
#define SPVX(number, name, operands) {number, RowKind::Spvx, #name, operands, ""},
#define REFUSED(number, name, what) {number, RowKind::Refused, #name, what, ""},
#include "compiler/import/spirv/Instructions.def"
};
constexpr ExtendedRow glsl[] = {
#define GLSL(number, name, operands) {number, #name, operands},
#include "compiler/import/spirv/ExtendedInstructions.def"
};
constexpr ExtendedRow openCl[] = {
#define OPENCL(number, name, operands) {number, #name, operands},
#include "compiler/import/spirv/ExtendedInstructions.def"
};

template <class RowType, size_t count>
constexpr bool isSorted(const RowType (&table)[count], uint32_t RowType::*key) {
  return std::is_sorted(std::begin(table), std::end(table),
                        [key](const RowType &a, const RowType &b) { return a.*key < b.*key; });
}
static_assert(isSorted(rows, &Row::opcode) && isSorted(glsl, &ExtendedRow::number) &&
              isSorted(openCl, &ExtendedRow::number));

template <class RowType, size_t count>
const RowType *find(const RowType (&table)[count], uint32_t number, uint32_t RowType::*key) {
  const RowType *found =
      std::lower_bound(std::begin(table), std::end(table), number,
                       [key](const RowType &row, uint32_t wanted) { return row.*key < wanted; });
  return found != std::end(table) && found->*key == number ? found : nullptr;
}

} // namespace

const Row *pumice::spirv_import::findInstruction(uint32_t opcode) {
  return find(rows, opcode, &Row::opcode);
}
const ExtendedRow *pumice::spirv_import::findGlsl(uint32_t number) {
  return find(glsl, number, &ExtendedRow::number);
}
const ExtendedRow *pumice::spirv_import::findOpenCl(uint32_t number) {
  return find(openCl, number, &ExtendedRow::number);
}
llvm::ArrayRef<Row> pumice::spirv_import::allInstructions() { return rows; }
llvm::ArrayRef<ExtendedRow> pumice::spirv_import::allGlsl() { return glsl; }
llvm::ArrayRef<ExtendedRow> pumice::spirv_import::allOpenCl() { return openCl; }
