//===- Text.cpp - parses inline assembly ------------------------------------===//
//   before: "{ .reg .b32 t; add.u32 t, $1, 1; mov.b32 $0, t; }"
//   after:  add.u32 (register 2, register 1, number 1), mov.b32 (register 0, register 2)
// Reads the syntax of PTX (PTX ISA, section 4) in one pass over the characters. A stack of scopes
// handles nested blocks.
//===-------------------------------------------------------------------------===//
#include "compiler/import/triton/ptx/Text.h"

#include "compiler/import/triton/ptx/Constants.h"

#include "llvm/ADT/StringExtras.h"
#include "llvm/ADT/StringMap.h"

using namespace mlir;
using namespace pumice::triton::ptx;

// Limits that no real kernel reaches. Larger texts would take too much time and memory.
static constexpr size_t mostCharacters = 64 << 10;
static constexpr size_t mostRegisters = 4096;
static constexpr size_t mostInstructions = 4096;
static constexpr size_t mostBlocks = 32;

namespace {

class Reader : private Cursor {
public:
  Reader(StringRef text, unsigned arguments, const Report &report)
      : Cursor{text}, arguments(arguments), report(report) {}

  FailureOr<Program> read();

private:
  LogicalResult fail(const Twine &what) {
    report(line, what.str());
    return failure();
  }
  LogicalResult skipBlanks();
  LogicalResult expect(char c, StringRef after);

  LogicalResult readStatement();
  LogicalResult readDirective();
  LogicalResult readNames(StringRef type);
  LogicalResult declare(const std::string &name, StringRef type);
  LogicalResult readInstruction();
  LogicalResult readGuard(Instruction &instruction);
  FailureOr<Operand> readOperand();
  FailureOr<Operand> readRegister();
  bool startsNumber() const;
  FailureOr<Operand> readSimple();
  FailureOr<Operand> readVector();
  FailureOr<Operand> readAddress();
  FailureOr<Operand> readNumber();
  FailureOr<Operand> readArgument();
  FailureOr<Operand> readName();

  unsigned arguments;
  const Report &report;
  Program program;
  std::vector<llvm::StringMap<unsigned>> scopes{1};
};

} // namespace

//===-------------------------------------------------------------------------===//
// Characters
//===-------------------------------------------------------------------------===//

LogicalResult Reader::skipBlanks() {
  return skip() ? success() : fail("a comment is not closed; end it with */");
}

LogicalResult Reader::expect(char c, StringRef after) {
  if (failed(skipBlanks()))
    return failure();
  if (take(c))
    return success();
  return fail("expected '" + Twine(c) + "' after " + after + ", got " + here());
}

//===-------------------------------------------------------------------------===//
// Operands
//===-------------------------------------------------------------------------===//

FailureOr<Operand> Reader::readArgument() {
  bool isBraced = take('{');
  StringRef digits = takeWhile([](char c) { return llvm::isDigit(c); });
  unsigned index = 0;
  if (digits.empty() || digits.getAsInteger(10, index))
    return fail("expected a number after '$', got " + here());
  if (isBraced && !take('}'))
    return fail("expected '}' after ${" + digits + ", got " + here());
  if (index >= arguments)
    return fail("$" + digits + " is beyond the " + Twine(arguments) +
                " operands that the constraints name");
  Operand argument{Operand::Kind::Register};
  argument.index = index;
  return argument;
}

/// Reads a number, or a constant expression such as (0xf0 & 0xcc) | 0xaa.
FailureOr<Operand> Reader::readNumber() {
  std::string problem;
  FailureOr<Constant> read = readConstant(*this, problem);
  if (failed(read))
    return fail(problem);
  Operand number{Operand::Kind::Number};
  number.value = read->value;
  number.floatBits = read->floatBits;
  return number;
}

FailureOr<Operand> Reader::readName() {
  std::string name(1, rest.front());
  rest = rest.drop_front();
  name += takeWhile(isNamePart).str();
  Operand result{Operand::Kind::Register};
  if (name == "_") {
    result.kind = Operand::Kind::Sink;
    return result;
  }
  for (const llvm::StringMap<unsigned> &scope : llvm::reverse(scopes))
    if (auto found = scope.find(name); found != scope.end()) {
      result.index = arguments + found->second;
      return result;
    }
  if (name.front() != '%')
    return fail("unknown register " + quoted(name) + "; declare it: .reg .b32 " + name + ";");
  if (rest.starts_with("."))
    name += takeWhile([](char c) { return llvm::isAlnum(c) || c == '.'; }).str();
  result.kind = Operand::Kind::Special;
  result.name = name;
  return result;
}

/// Returns whether a constant expression begins here. '!' can also begin a negated predicate.
bool Reader::startsNumber() const {
  StringRef ahead = rest.drop_while([](char c) { return c == '!' || llvm::isSpace(c); });
  if (ahead.empty())
    return false;
  StringRef name = ahead.take_while(isNamePart);
  return llvm::isDigit(ahead.front()) || StringRef("-+~(.").contains(ahead.front()) ||
         name == "WARP_SZ";
}

FailureOr<Operand> Reader::readSimple() {
  if (failed(skipBlanks()))
    return failure();
  if (startsNumber())
    return readNumber();
  bool isNegated = false;
  for (; take('!'); isNegated = !isNegated)
    if (failed(skipBlanks()))
      return failure();
  FailureOr<Operand> operand = readRegister();
  if (succeeded(operand))
    operand->isNegated = isNegated;
  return operand;
}

FailureOr<Operand> Reader::readRegister() {
  if (take('$'))
    return readArgument();
  if (!rest.empty() && isNameStart(rest.front()))
    return readName();
  return fail("expected an operand, got " + here());
}

FailureOr<Operand> Reader::readVector() {
  Operand vector{Operand::Kind::Vector};
  do {
    FailureOr<Operand> part = readSimple();
    if (failed(part) || failed(skipBlanks()))
      return failure();
    vector.parts.push_back(*part);
  } while (take(','));
  if (failed(expect('}', "the parts of a vector")))
    return failure();
  return vector;
}

FailureOr<Operand> Reader::readAddress() {
  Operand address{Operand::Kind::Address};
  FailureOr<Operand> base = readSimple();
  if (failed(base) || failed(skipBlanks()))
    return failure();
  address.parts.push_back(*base);
  if (rest.starts_with("+") || rest.starts_with("-")) { // the sign belongs to a constant expression
    FailureOr<Operand> offset = readNumber();
    if (failed(offset))
      return failure();
    if (offset->floatBits)
      return fail("the offset of an address is an integer");
    address.value = offset->value;
  }
  if (failed(expect(']', "an address")))
    return failure();
  return address;
}

FailureOr<Operand> Reader::readOperand() {
  if (failed(skipBlanks()))
    return failure();
  if (take('{'))
    return readVector();
  if (take('['))
    return readAddress();
  FailureOr<Operand> first = readSimple();
  if (failed(first) || failed(skipBlanks()))
    return failure();
  if (!take('|'))
    return first;
  FailureOr<Operand> second = readSimple();
  if (failed(second))
    return failure();
  Operand pair{Operand::Kind::Pair};
  pair.parts = {*first, *second};
  return pair;
}

//===-------------------------------------------------------------------------===//
// Statements
//===-------------------------------------------------------------------------===//

LogicalResult Reader::declare(const std::string &name, StringRef type) {
  if (program.registers.size() == mostRegisters)
    return fail("more than " + Twine(mostRegisters) + " registers");
  auto index = static_cast<unsigned>(program.registers.size());
  if (!scopes.back().try_emplace(name, index).second)
    return fail("register " + quoted(name) + " is declared twice");
  program.registers.push_back({name, type.str()});
  return success();
}

/// Reads a list of names, such as a, b<4>. The latter declares b0 to b3.
LogicalResult Reader::readNames(StringRef type) {
  do {
    if (failed(skipBlanks()))
      return failure();
    if (rest.empty() || !isNameStart(rest.front()))
      return fail("expected a register's name, got " + here());
    std::string name(1, rest.front());
    rest = rest.drop_front();
    name += takeWhile(isNamePart).str();
    if (failed(skipBlanks()))
      return failure();
    if (!take('<')) {
      if (failed(declare(name, type)))
        return failure();
      continue;
    }
    unsigned count = 0;
    StringRef digits = takeWhile([](char c) { return llvm::isDigit(c); });
    if (digits.getAsInteger(10, count) || count > mostRegisters || !take('>'))
      return fail("expected a count of registers up to " + Twine(mostRegisters) +
                  " and '>' after " + name + "<");
    for (unsigned i = 0; i < count; ++i)
      if (failed(declare(name + std::to_string(i), type)))
        return failure();
  } while (succeeded(skipBlanks()) && take(','));
  return expect(';', "names of registers");
}

LogicalResult Reader::readDirective() {
  StringRef name = takeWhile([](char c) { return llvm::isAlnum(c) || c == '_'; });
  if (name != "reg")
    return fail("unsupported directive '." + name +
                "'; inline assembly can declare only registers, "
                "and kernels share memory through tensors");
  if (failed(skipBlanks()))
    return failure();
  if (!take('.'))
    return fail("expected a type after .reg, got " + here());
  StringRef type = takeWhile([](char c) { return llvm::isAlnum(c); });
  return readNames(type);
}

LogicalResult Reader::readGuard(Instruction &instruction) {
  FailureOr<Operand> guard = readSimple();
  if (failed(guard))
    return failure();
  if (guard->kind != Operand::Kind::Register)
    return fail("expected a register after '@'");
  instruction.guard = *guard;
  return skipBlanks();
}

LogicalResult Reader::readInstruction() {
  Instruction instruction{line};
  if (take('@') && failed(readGuard(instruction)))
    return failure();
  if (rest.empty() || !llvm::isAlpha(rest.front()))
    return fail("expected an instruction, got " + here());
  instruction.opcode =
      takeWhile([](char c) { return llvm::isAlnum(c) || c == '.' || c == '_' || c == ':'; }).str();
  if (failed(skipBlanks()))
    return failure();
  StringRef opcode = instruction.opcode;
  if (opcode.ends_with(":") || rest.starts_with(":"))
    return fail("unsupported label " + quoted(opcode.rtrim(':')) +
                "; loops and branches are written in Python: while, for, if, tl.where");
  if (program.instructions.size() == mostInstructions)
    return fail("more than " + Twine(mostInstructions) + " instructions");
  // The operand of a jump is a label, not a register.
  bool jumps = opcode == "bra" || opcode.starts_with("bra.") || opcode == "call" ||
               opcode.starts_with("call.") || opcode.starts_with("brx.");
  if (jumps)
    rest = rest.drop_until([](char c) { return c == ';'; });
  if (!rest.starts_with(";"))
    do {
      FailureOr<Operand> operand = readOperand();
      if (failed(operand) || failed(skipBlanks()))
        return failure();
      instruction.operands.push_back(*operand);
    } while (take(','));
  if (failed(expect(';', quoted(opcode))))
    return failure();
  program.instructions.push_back(std::move(instruction));
  return success();
}

LogicalResult Reader::readStatement() {
  if (take(';'))
    return success();
  if (take('{')) {
    scopes.emplace_back();
    return scopes.size() > mostBlocks ? fail("blocks are nested too deep") : success();
  }
  if (take('}')) {
    if (scopes.size() == 1)
      return fail("'}' closes no block");
    scopes.pop_back();
    return success();
  }
  return take('.') ? readDirective() : readInstruction();
}

FailureOr<Program> Reader::read() {
  if (rest.size() > mostCharacters)
    return fail("more than " + Twine(mostCharacters) + " characters");
  while (true) {
    if (failed(skipBlanks()))
      return failure();
    if (rest.empty())
      break;
    if (failed(readStatement()))
      return failure();
  }
  if (scopes.size() > 1)
    return fail("a block is not closed; end it with '}'");
  return std::move(program);
}

FailureOr<Program> pumice::triton::ptx::readText(StringRef text, unsigned arguments,
                                                 const Report &report) {
  return Reader(text, arguments, report).read();
}

//===-------------------------------------------------------------------------===//
// Constraints
//===-------------------------------------------------------------------------===//

static unsigned bitsOf(StringRef letter) {
  if (letter == "b")
    return 1;
  if (letter == "c" || letter == "h")
    return 16;
  if (letter == "r" || letter == "f" || letter == "n" || letter == "i")
    return 32;
  return letter == "l" || letter == "d" ? 64 : 0;
}

FailureOr<std::vector<Constraint>> pumice::triton::ptx::readConstraints(StringRef text,
                                                                        std::string &problem) {
  std::vector<Constraint> result;
  SmallVector<StringRef> parts;
  text.split(parts, ',', /*MaxSplit=*/-1, /*KeepEmpty=*/false);
  auto fail = [&](StringRef part, StringRef why) {
    problem = "constraint " + quoted(part) + " " + why.str();
    return failure();
  };
  bool hasInput = false;
  for (StringRef part : parts) {
    StringRef letter = part.trim();
    if (letter.starts_with("~"))
      continue; // a clobber, which the instructions already imply
    Constraint constraint;
    constraint.isOutput = letter.consume_front("=");
    letter.consume_front("&");
    unsigned tied = 0;
    if (!constraint.isOutput && !letter.getAsInteger(10, tied)) {
      if (tied >= result.size() || !result[tied].isOutput)
        return fail(part, "ties an input to an operand that is not an output");
      constraint.tied = tied;
      constraint.bits = result[tied].bits;
    } else {
      constraint.bits = bitsOf(letter);
    }
    if (!constraint.bits)
      return fail(part, "is unknown; registers are h (16 bits), r, f (32), l, d (64), and b (a "
                        "predicate), with '=' for results");
    if (constraint.isOutput && hasInput)
      return fail(part, "is for a result, but follows one for an operand");
    hasInput |= !constraint.isOutput;
    result.push_back(constraint);
  }
  return result;
}
