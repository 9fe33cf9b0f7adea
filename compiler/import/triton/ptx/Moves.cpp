//===- Moves.cpp - mov and cvta ---------------------------------------------===//
//   before: mov.b32 {lo, hi}, a;
//   after:  %lo = arith.trunci %a   %hi = arith.trunci (arith.shrui %a, 16)
//===-------------------------------------------------------------------------===//
#include "compiler/import/triton/ptx/Translation.h"

using namespace mlir;
using namespace pumice;
using namespace pumice::triton;
using namespace pumice::triton::ptx;

/// Copies a pointer, so that the facts about it are kept. Returns false if the operands do not
/// allow this.
static bool movePointer(Call &call) {
  Translation &t = call.t;
  Cell *result = t.cellOf(call[0]);
  Cell *source = t.cellOf(call[1]);
  if (t.guard || !result || !source || !source->pointer || result->bits != 64)
    return false;
  result->pointer = source->pointer;
  result->bytes = source->bytes;
  result->value = source->value;
  return true;
}

/// Returns the width of the parts of a vector, which all have the same width.
static FailureOr<unsigned> partBits(Call &call, const Operand &vector, unsigned bits) {
  auto parts = static_cast<unsigned>(vector.parts.size());
  if ((parts != 2 && parts != 4 && parts != 8) || bits / parts < 8)
    return call.error("expected a vector of two or four parts in '" + call.instruction.opcode +
                      "', got " + Twine(parts));
  return bits / parts;
}

static LogicalResult packVector(Call &call, unsigned bits) {
  FailureOr<unsigned> part = partBits(call, call[1], bits);
  if (failed(part))
    return failure();
  SmallVector<Number> parts;
  for (const Operand &operand : call[1].parts) {
    FailureOr<Number> one = call.t.read(call, operand, *part);
    if (failed(one))
      return failure();
    parts.push_back(*one);
  }
  return call.t.write(call, call[0], join(parts));
}

static LogicalResult unpackVector(Call &call, unsigned bits) {
  FailureOr<unsigned> part = partBits(call, call[0], bits);
  if (failed(part))
    return failure();
  FailureOr<Number> word = call.t.read(call, call[1], bits);
  if (failed(word))
    return failure();
  for (auto [operand, value] : llvm::zip_equal(call[0].parts, split(*word, *part)))
    if (failed(call.t.write(call, operand, value)))
      return failure();
  return success();
}

static LogicalResult move(Call &call) {
  FailureOr<PtxType> type = call.takeType();
  if (failed(type) || failed(call.finish(2)))
    return failure();
  if (type->bits == 8 || type->lanes > 1)
    return call.error("expected pred, b16, b32, b64 or numbers of these widths, got '" +
                      call.instruction.opcode + "'");
  if (call[0].kind == Operand::Kind::Vector)
    return unpackVector(call, type->bits);
  if (call[1].kind == Operand::Kind::Vector)
    return packVector(call, type->bits);
  if (movePointer(call))
    return success();
  FailureOr<Number> value = call.t.read(call, call[1], type->bits);
  return failed(value) ? failure() : call.t.write(call, call[0], *value);
}

/// Converts between generic and global addresses, which are the same.
static LogicalResult convertAddress(Call &call) {
  call.take("to");
  if (!call.take("global"))
    return call.error("expected .global, since kernels reach no other memory by address, got '" +
                      call.instruction.opcode + "'");
  FailureOr<PtxType> type = call.takeType();
  if (failed(type) || failed(call.finish(2)))
    return failure();
  if (movePointer(call))
    return success();
  FailureOr<Number> value = call.t.read(call, call[1], 64);
  return failed(value) ? failure() : call.t.write(call, call[0], *value);
}

static constexpr Rule rules[] = {{"cvta", convertAddress}, {"mov", move}};

ArrayRef<Rule> ptx::moveRules() { return rules; }
