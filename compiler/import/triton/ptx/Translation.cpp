//===- Translation.cpp - registers, operands and instructions ---------------===//
#include "compiler/import/triton/ptx/Translation.h"

#include "llvm/ADT/StringExtras.h"
#include "llvm/ADT/StringMap.h"
#include "llvm/ADT/bit.h"
#include "llvm/Support/MathExtras.h"

using namespace mlir;
using namespace pumice;
using namespace pumice::triton;
using namespace pumice::triton::ptx;

//===-------------------------------------------------------------------------===//
// Types
//===-------------------------------------------------------------------------===//

std::optional<PtxType> ptx::readType(StringRef name) {
  using Kind = PtxType::Kind;
  if (name == "pred")
    return PtxType{Kind::Predicate, 1, 1};
  if (name == "tf32")
    return PtxType{Kind::Tf32, 32, 1};
  if (name == "e2m1x2")
    return PtxType{Kind::E2M1, 4, 2};
  if (name == "ue8m0x2")
    return PtxType{Kind::UE8M0, 8, 2};
  PtxType type;
  if (StringRef rest = name; rest.consume_front("e4m3") || rest.consume_front("e5m2")) {
    type = {name.starts_with("e4m3") ? Kind::E4M3 : Kind::E5M2, 8, 1};
    name = rest;
  } else {
    type.kind = name.consume_front("bf")  ? Kind::BFloat
                : name.consume_front("f") ? Kind::Float
                : name.consume_front("s") ? Kind::Signed
                : name.consume_front("u") ? Kind::Unsigned
                                          : Kind::Bits;
    if (type.kind == Kind::Bits && !name.consume_front("b"))
      return std::nullopt;
    if (name.consumeInteger(10, type.bits) || !llvm::is_contained({8, 16, 32, 64}, type.bits))
      return std::nullopt;
    if ((type.kind == Kind::Float && type.bits < 16) ||
        (type.kind == Kind::BFloat && type.bits != 16))
      return std::nullopt;
  }
  if (name.consume_front("x")) {
    if (name.consumeInteger(10, type.lanes) || !llvm::is_contained({2, 4}, type.lanes))
      return std::nullopt;
  }
  if (!name.empty() || type.width() > 64)
    return std::nullopt;
  return type;
}

FloatType Translation::floatType(PtxType type) {
  if (type.kind == PtxType::Kind::BFloat)
    return b.getBF16Type();
  return type.bits == 16   ? FloatType(b.getF16Type())
         : type.bits == 32 ? FloatType(b.getF32Type())
                           : FloatType(b.getF64Type());
}

//===-------------------------------------------------------------------------===//
// Modifiers
//===-------------------------------------------------------------------------===//

Call::Call(Translation &t, const Instruction &instruction) : t(t), instruction(instruction) {
  StringRef(instruction.opcode).split(modifiers, '.');
  name = modifiers.front();
  modifiers.erase(modifiers.begin());
}

LogicalResult Call::error(const Twine &what) const { return t.error(instruction.line, what); }

bool Call::take(StringRef modifier) {
  auto *found = llvm::find(modifiers, modifier);
  if (found == modifiers.end())
    return false;
  modifiers.erase(found);
  return true;
}

StringRef Call::takeAny(ArrayRef<StringRef> wanted) {
  for (StringRef one : wanted)
    if (take(one))
      return one;
  return {};
}

void Call::takeAll(StringRef prefix) {
  llvm::erase_if(modifiers, [&](StringRef one) { return one.starts_with(prefix); });
}

FailureOr<PtxType> Call::takeType() {
  std::optional<PtxType> type;
  if (!modifiers.empty())
    type = readType(modifiers.back());
  if (!type)
    return error("'" + instruction.opcode + "' must end with a type such as .s32 or .f32, got " +
                 (modifiers.empty() ? std::string("none") : "'." + modifiers.back().str() + "'"));
  modifiers.pop_back();
  return *type;
}

LogicalResult Call::finish(size_t least, size_t most) {
  if (!modifiers.empty())
    return error("unsupported modifier '." + modifiers.front() + "' in '" + instruction.opcode +
                 "'; " + wayOutOf(instruction.opcode));
  if (count() < least || count() > most)
    return error("'" + instruction.opcode + "' takes " + Twine(least) +
                 (most > least ? " or " + Twine(most).str() : std::string()) + " operands, got " +
                 Twine(count()));
  return success();
}

LogicalResult Call::checkNumber(const Operand &operand, PtxType type) const {
  if (operand.kind != Operand::Kind::Number)
    return success();
  if (type.isFloat() && !operand.floatBits && type.width() > 16 && type.lanes == 1)
    return error("'" + instruction.opcode + "' takes floats: 1.0, or 0f3F800000, not integers");
  bool isInteger = type.kind == PtxType::Kind::Signed || type.kind == PtxType::Kind::Unsigned;
  if (isInteger && operand.floatBits)
    return error("'" + instruction.opcode + "' takes integers, not a float");
  return success();
}

LogicalResult Call::finish(size_t operands) { return finish(operands, operands); }

//===-------------------------------------------------------------------------===//
// Operands
//===-------------------------------------------------------------------------===//

LogicalResult Translation::error(unsigned line, const Twine &what) const {
  InFlightDiagnostic error = assembly->emitError("inline assembly");
  if (line)
    error << ", line " << line;
  return error << ": " << what;
}

Number Translation::constant(unsigned bits, uint64_t value) {
  auto one = IntegerAttr::get(b.getIntegerType(bits),
                              APInt(bits, value, /*isSigned=*/false, /*implicitTrunc=*/true));
  TypedAttr attribute = one;
  if (auto tensor = dyn_cast<RankedTensorType>(integers(bits)))
    attribute = DenseElementsAttr::get(tensor, Attribute(one));
  return number(arith::ConstantOp::create(b, attribute));
}

Number Translation::zeroFloat(FloatType type, double value) {
  TypedAttr attribute = b.getFloatAttr(type, value);
  if (auto tensor = dyn_cast<RankedTensorType>(typeOf(type)))
    attribute = DenseElementsAttr::get(tensor, Attribute(attribute));
  return number(arith::ConstantOp::create(b, attribute));
}

Cell *Translation::cellOf(const Operand &operand) {
  return operand.kind == Operand::Kind::Register ? &cells[operand.index] : nullptr;
}

static StringRef kindOf(const Operand &operand) {
  switch (operand.kind) {
  case Operand::Kind::Vector:
    return "a vector";
  case Operand::Kind::Address:
    return "an address";
  case Operand::Kind::Pair:
    return "a pair";
  case Operand::Kind::Sink:
    return "'_'";
  case Operand::Kind::Number:
    return "a number";
  default:
    return "a register";
  }
}

/// Returns the bits of a float in a given width. A number such as 1.5 fits any width.
static uint64_t numberBits(const Operand &operand, unsigned bits) {
  if (operand.floatBits == 64 && bits == 32)
    return llvm::bit_cast<uint32_t>(static_cast<float>(llvm::bit_cast<double>(operand.value)));
  if (operand.floatBits == 32 && bits == 64)
    return llvm::bit_cast<uint64_t>(
        static_cast<double>(llvm::bit_cast<float>(static_cast<uint32_t>(operand.value))));
  return operand.value;
}

LogicalResult Translation::checkPart(const Call &call, const Cell &cell, unsigned bits) {
  auto width = [](unsigned bits) {
    return bits == 1 ? std::string("a predicate") : std::to_string(bits) + " bits";
  };
  return call.error("register '" + cell.name + "' is " + width(cell.bits) + ", and '" +
                    call.instruction.opcode + "' takes " + width(bits) + " there");
}

/// Takes the low bits of a number, if that loses at most its sign: 0xffffffff is -1 as an s32.
FailureOr<Number> Translation::readNumber(const Call &call, const Operand &operand, unsigned bits) {
  if (operand.floatBits && bits < 32)
    return call.error("'" + call.instruction.opcode + "' takes " + Twine(bits) +
                      " bits there: write a float of 16 bits as an integer, 0x3c00 for 1.0");
  if (operand.floatBits)
    return constant(bits, numberBits(operand, bits));
  if (bits == 1)
    return constant(1, operand.value != 0);
  auto asSigned = static_cast<int64_t>(operand.value);
  bool fits = llvm::isUIntN(bits, operand.value) || llvm::isIntN(bits, asSigned);
  if (!fits)
    return call.error("number " +
                      Twine(asSigned < 0 ? std::to_string(asSigned)
                                         : "0x" + llvm::utohexstr(operand.value, true)) +
                      " is beyond the " + Twine(bits) + " bits that '" + call.instruction.opcode +
                      "' takes there; write only the bits that are used, with & if necessary");
  return constant(bits, operand.value);
}

FailureOr<Number> Translation::read(const Call &call, const Operand &operand, unsigned bits,
                                    bool relaxed) {
  if (operand.kind == Operand::Kind::Number)
    return readNumber(call, operand, bits);
  if (operand.kind == Operand::Kind::Special)
    return readSpecial(call, operand.name, bits);
  Cell *cell = cellOf(operand);
  if (!cell)
    return call.error("'" + call.instruction.opcode + "' takes a register or a number, not " +
                      kindOf(operand));
  if (operand.isNegated && cell->bits != 1)
    return call.error("'!' applies only to predicates, and register '" + cell->name +
                      "' is not one");
  bool fits = cell->bits == bits || (relaxed && cell->bits > bits && bits > 1);
  if (!fits)
    return checkPart(call, *cell, bits);
  if (cell->pointer && !cell->value) {
    Value address = PtrToIntOp::create(b, integers(64), cell->pointer);
    cell->value = (number(address) + constant(64, static_cast<uint64_t>(cell->bytes))).value;
  }
  if (!cell->value)
    return call.error("register '" + cell->name + "' is read before it is written");
  Number value = resize(number(cell->value), bits);
  return operand.isNegated ? inverted(value) : value;
}

FailureOr<Number> Translation::readPredicate(const Call &call, const Operand &operand) {
  return read(call, operand, 1);
}

FailureOr<Number> Translation::readFloat(const Call &call, const Operand &operand, PtxType type) {
  if (operand.kind == Operand::Kind::Number && !operand.floatBits && type.bits > 16)
    return call.error("'" + call.instruction.opcode +
                      "' takes a float: 1.0, or 0f3F800000, not an integer");
  FailureOr<Number> bits = read(call, operand, type.bits);
  if (failed(bits))
    return failure();
  return asFloat(*bits, floatType(type));
}

FailureOr<SmallVector<Number>> Translation::readAll(const Call &call, size_t first, size_t count,
                                                    unsigned bits) {
  SmallVector<Number> result;
  for (size_t i = first; i < first + count; ++i) {
    FailureOr<Number> one = read(call, call[i], bits);
    if (failed(one))
      return failure();
    result.push_back(*one);
  }
  return result;
}

LogicalResult Translation::write(const Call &call, const Operand &operand, Number value,
                                 bool isSigned, bool relaxed) {
  if (operand.kind == Operand::Kind::Sink)
    return success();
  Cell *cell = cellOf(operand);
  if (!cell || operand.isNegated)
    return call.error("'" + call.instruction.opcode + "' gives a register, not " + kindOf(operand));
  Number bits = bitsOf(value);
  bool fits = cell->bits == bits.bits() || (relaxed && cell->bits > bits.bits() && bits.bits() > 1);
  if (!fits)
    return checkPart(call, *cell, bits.bits());
  bits = resize(bits, cell->bits, isSigned);
  if (guard && (cell->value || cell->pointer)) {
    FailureOr<Number> before = read(call, operand, cell->bits);
    if (failed(before))
      return failure();
    bits = guard->choose(bits, *before);
  }
  cell->value = bits.value;
  cell->pointer = {};
  return success();
}

//===-------------------------------------------------------------------------===//
// Instructions
//===-------------------------------------------------------------------------===//

static Handler handlerOf(StringRef name) {
  static const llvm::StringMap<Handler> table = [] {
    llvm::StringMap<Handler> result;
    for (ArrayRef<Rule> rules : {integerRules(), bitRules(), floatRules(), choiceRules(),
                                 moveRules(), convertRules(), memoryRules()})
      for (const Rule &rule : rules)
        result[rule.name] = rule.handler;
    return result;
  }();
  return table.lookup(name);
}

LogicalResult Translation::translate(const Instruction &instruction) {
  Call call(*this, instruction);
  guard.reset();
  if (instruction.guard) {
    FailureOr<Number> truth = readPredicate(call, *instruction.guard);
    if (failed(truth))
      return failure();
    guard = *truth;
  }
  Handler handler = handlerOf(call.name);
  if (!handler)
    return call.error("unsupported PTX instruction '" + instruction.opcode + "'; " +
                      wayOutOf(instruction.opcode));
  return handler(call);
}

LogicalResult Translation::run(const Program &program) {
  for (const Register &reg : program.registers) {
    std::optional<PtxType> type = readType(reg.type);
    if (!type)
      return error(0, "register '" + reg.name + "' has the type '." + reg.type +
                          "'; registers have b8 to b64, u, s or f of these, or pred");
    cells.push_back({reg.name, type->width(), {}, {}, 0});
  }
  for (const Instruction &instruction : program.instructions)
    if (failed(translate(instruction)))
      return failure();
  return success();
}
