//===- Constants.cpp - evaluates constants of inline assembly ---------------===//
//   before: (0xf0 & 0xcc) | 0xaa
//   after:  0xea
// See section 4.5 of the PTX ISA. Integers have 64 bits. They are signed unless a literal or an
// operator says otherwise. Floats are doubles. For & | ^, the table of that section gives unsigned
// results, but its text gives them the type of the operands. This code follows the text, as C does.
//===-------------------------------------------------------------------------===//
#include "compiler/import/triton/ptx/Constants.h"

#include "llvm/ADT/StringExtras.h"
#include "llvm/ADT/bit.h"

#include <optional>

using namespace mlir;
using namespace pumice::triton;
using namespace pumice::triton::ptx;

// The limit for nested parentheses, signs and conditions. No real kernel reaches it.
static constexpr unsigned deepest = 64;

//===-------------------------------------------------------------------------===//
// Characters
//===-------------------------------------------------------------------------===//

bool ptx::isNameStart(char c) { return llvm::isAlpha(c) || c == '_' || c == '%'; }
bool ptx::isNamePart(char c) { return llvm::isAlnum(c) || c == '_' || c == '$'; }

std::string ptx::quoted(StringRef what) {
  constexpr size_t most = 40;
  size_t count = std::min(what.size(), most);
  while (count && count < what.size() && (what[count] & 0xc0) == 0x80)
    --count; // does not cut a UTF-8 character in two
  std::string result = "'";
  for (char c : what.take_front(count)) {
    bool isControl = static_cast<unsigned char>(c) < 0x20 || c == 0x7f;
    result +=
        isControl ? "\\x" + llvm::toHex(StringRef(&c, 1), /*LowerCase=*/true) : std::string(1, c);
  }
  return result + (count < what.size() ? "…'" : "'");
}

bool Cursor::skip() {
  while (!rest.empty()) {
    if (rest.front() == '\n') {
      ++line;
      rest = rest.drop_front();
    } else if (llvm::isSpace(rest.front())) {
      rest = rest.drop_front();
    } else if (rest.starts_with("//")) {
      rest = rest.drop_until([](char c) { return c == '\n'; });
    } else if (rest.starts_with("/*")) {
      size_t end = rest.find("*/", 2);
      if (end == StringRef::npos)
        return false;
      line += static_cast<unsigned>(rest.take_front(end).count('\n'));
      rest = rest.drop_front(end + 2);
    } else {
      break;
    }
  }
  return true;
}

bool Cursor::take(char c) {
  if (!rest.starts_with(StringRef(&c, 1)))
    return false;
  rest = rest.drop_front();
  return true;
}

StringRef Cursor::takeWhile(llvm::function_ref<bool(char)> holds) {
  StringRef taken = rest.take_while(holds);
  rest = rest.drop_front(taken.size());
  return taken;
}

std::string Cursor::here() const {
  if (rest.empty())
    return "the end";
  StringRef word = rest.take_until([](char c) { return llvm::isSpace(c) || c == ';' || c == ','; });
  return quoted(word.empty() ? rest.take_front(1) : word);
}

//===-------------------------------------------------------------------------===//
// Operators
//===-------------------------------------------------------------------------===//

namespace {
// clang-format off
enum class Kind { Mul, Div, Rem, Add, Sub, Shl, Shr, Lt, Gt, Le, Ge, Eq, Ne, And, Xor, Or, All, Any };
// clang-format on
struct Operator {
  llvm::StringLiteral text;
  Kind kind;
  unsigned strength; // operators with larger numbers bind closer
};
} // namespace

// Longer operators come first, for example << before <.
// clang-format off
static constexpr Operator operators[] = {
    {"<<", Kind::Shl, 8}, {">>", Kind::Shr, 8}, {"<=", Kind::Le, 7},  {">=", Kind::Ge, 7},
    {"==", Kind::Eq, 6},  {"!=", Kind::Ne, 6},  {"&&", Kind::All, 2}, {"||", Kind::Any, 1},
    {"*", Kind::Mul, 10}, {"/", Kind::Div, 10}, {"%", Kind::Rem, 10}, {"+", Kind::Add, 9},
    {"-", Kind::Sub, 9},  {"<", Kind::Lt, 7},   {">", Kind::Gt, 7},   {"&", Kind::And, 5},
    {"^", Kind::Xor, 4},  {"|", Kind::Or, 3}};
// clang-format on

static Constant truth(bool value) { return {value, false, 0}; }
static Constant ofDouble(double value) { return {llvm::bit_cast<uint64_t>(value), false, 64}; }

static std::optional<Constant> applyFloat(Kind kind, double x, double y) {
  switch (kind) {
  case Kind::Add:
    return ofDouble(x + y);
  case Kind::Sub:
    return ofDouble(x - y);
  case Kind::Mul:
    return ofDouble(x * y);
  case Kind::Div:
    return ofDouble(x / y);
  case Kind::Lt:
    return truth(x < y);
  case Kind::Gt:
    return truth(x > y);
  case Kind::Le:
    return truth(x <= y);
  case Kind::Ge:
    return truth(x >= y);
  case Kind::Eq:
    return truth(x == y);
  case Kind::Ne:
    return truth(x != y);
  default:
    return std::nullopt;
  }
}

static uint64_t divide(uint64_t x, uint64_t y, bool isUnsigned) {
  if (isUnsigned)
    return x / y;
  // In two's complement, the smallest number divided by -1 is itself.
  return static_cast<int64_t>(y) == -1
             ? 0 - x
             : static_cast<uint64_t>(static_cast<int64_t>(x) / static_cast<int64_t>(y));
}

static uint64_t shiftDown(uint64_t x, uint64_t amount, bool isUnsigned) {
  if (isUnsigned)
    return amount > 63 ? 0 : x >> amount;
  return static_cast<uint64_t>(static_cast<int64_t>(x) >> std::min<uint64_t>(amount, 63));
}

/// Applies an operation to integers. The divisor must not be zero.
static Constant applyInteger(Kind kind, Constant a, Constant b) {
  uint64_t x = a.value, y = b.value;
  bool isUnsigned = a.isUnsigned || b.isUnsigned;
  bool isLess = isUnsigned ? x < y : static_cast<int64_t>(x) < static_cast<int64_t>(y);
  switch (kind) {
  case Kind::Mul:
    return {x * y, isUnsigned};
  case Kind::Div:
    return {divide(x, y, isUnsigned), isUnsigned};
  case Kind::Rem:
    return {x % y, false};
  case Kind::Add:
    return {x + y, isUnsigned};
  case Kind::Sub:
    return {x - y, isUnsigned};
  case Kind::Shl:
    return {y > 63 ? 0 : x << y, a.isUnsigned};
  case Kind::Shr:
    return {shiftDown(x, y, a.isUnsigned), a.isUnsigned};
  case Kind::Lt:
    return truth(isLess);
  case Kind::Gt:
    return truth(!isLess && x != y);
  case Kind::Le:
    return truth(isLess || x == y);
  case Kind::Ge:
    return truth(!isLess);
  case Kind::Eq:
    return truth(x == y);
  case Kind::Ne:
    return truth(x != y);
  case Kind::And:
    return {x & y, isUnsigned};
  case Kind::Xor:
    return {x ^ y, isUnsigned};
  case Kind::Or:
    return {x | y, isUnsigned};
  case Kind::All:
    return truth(x && y);
  case Kind::Any:
    return truth(x || y);
  }
  return a;
}

//===-------------------------------------------------------------------------===//
// Expressions
//===-------------------------------------------------------------------------===//

static StringRef kindOf(const Constant &constant) {
  return constant.floatBits == 0    ? "an integer"
         : constant.floatBits == 32 ? "a float of 32 bits"
                                    : "a float";
}

namespace {
class ConstantReader {
public:
  ConstantReader(Cursor &cursor, std::string &problem) : cursor(cursor), problem(problem) {}
  FailureOr<Constant> readChoice();

private:
  LogicalResult fail(const Twine &what) {
    problem = what.str();
    return failure();
  }
  /// Reports text that is not a number.
  LogicalResult failAt(StringRef text) {
    return fail("expected an integer of 64 bits (12 or 0x1f) or a float (1.5, 0f and 8 digits, or "
                "0d and 16), got " +
                quoted(text));
  }
  LogicalResult skip() {
    return cursor.skip() ? success() : fail("a comment is not closed; end it with */");
  }
  LogicalResult enter() {
    return ++depth > deepest ? fail("expected a constant expression nested at most " +
                                    Twine(deepest) + " deep, got a deeper one")
                             : success();
  }
  FailureOr<Constant> readBinary(unsigned least);
  FailureOr<Constant> readUnary();
  FailureOr<Constant> readParentheses();
  FailureOr<Constant> readPrimary();
  FailureOr<Constant> readLiteral();
  FailureOr<Constant> readFloat(StringRef digits);
  const Operator *operatorHere(unsigned least) const;
  FailureOr<Constant> apply(const Operator &found, Constant a, Constant b);

  Cursor &cursor;
  std::string &problem;
  unsigned depth = 0;
};
} // namespace

/// Reads a float such as 0f3F800000, 0d…, 1.5 or 2e-3.
FailureOr<Constant> ConstantReader::readFloat(StringRef text) {
  bool isBad = false;
  Constant number;
  if (text.starts_with_insensitive("0f") || text.starts_with_insensitive("0d")) {
    number.floatBits = text[1] == 'f' || text[1] == 'F' ? 32 : 64;
    isBad = text.size() != 2 + number.floatBits / 4 ||
            text.drop_front(2).getAsInteger(16, number.value);
  } else {
    double value = 0;
    isBad = text.getAsDouble(value, /*AllowInexact=*/true);
    number = ofDouble(value);
  }
  if (isBad)
    return failAt(text);
  return number;
}

/// Reads an integer (decimal, 0x…, 0b…, 0…, with an optional U), or a float.
FailureOr<Constant> ConstantReader::readLiteral() {
  StringRef begin = cursor.rest;
  StringRef text = cursor.takeWhile([](char c) { return llvm::isAlnum(c) || c == '.'; });
  bool isHex = text.starts_with_insensitive("0x");
  bool isBits = text.starts_with_insensitive("0f") || text.starts_with_insensitive("0d");
  bool hasExponent = !isHex && !isBits && text.ends_with_insensitive("e") && text.size() > 1;
  if (hasExponent && (cursor.rest.starts_with("-") || cursor.rest.starts_with("+"))) {
    cursor.rest = cursor.rest.drop_front();
    StringRef exponent = cursor.takeWhile([](char c) { return llvm::isDigit(c); });
    text = begin.take_front(text.size() + 1 + exponent.size());
  }
  if (isBits || (!isHex && (text.contains('.') || text.contains_insensitive("e"))))
    return readFloat(text);
  Constant number;
  StringRef digits = text;
  number.isUnsigned = digits.consume_back("U") || digits.consume_back("u");
  if (digits.getAsInteger(0, number.value))
    return failAt(text);
  number.isUnsigned |= number.value > INT64_MAX;
  return number;
}

FailureOr<Constant> ConstantReader::readPrimary() {
  StringRef rest = cursor.rest;
  if (!rest.empty() && (llvm::isDigit(rest.front()) || rest.front() == '.'))
    return readLiteral();
  if (!rest.empty() && isNameStart(rest.front())) {
    StringRef name = rest.take_front(1 + rest.drop_front().take_while(isNamePart).size());
    if (name == "WARP_SZ") {
      cursor.rest = rest.drop_front(name.size());
      return Constant{32};
    }
    return fail("expected a number in a constant expression, got " + quoted(name) +
                "; compute with registers by instructions");
  }
  return fail("expected a number, got " + cursor.here());
}

/// Reads the rest of (x) or of (.u64) x, behind the opening parenthesis.
FailureOr<Constant> ConstantReader::readParentheses() {
  if (failed(skip()))
    return failure();
  StringRef rest = cursor.rest;
  bool isCast = rest.size() > 1 && rest.front() == '.' && !llvm::isDigit(rest[1]);
  if (!isCast) {
    FailureOr<Constant> inner = readChoice();
    if (failed(inner) || failed(skip()))
      return failure();
    if (!cursor.take(')'))
      return fail("expected ')' after a constant expression, got " + cursor.here());
    return inner;
  }
  cursor.take('.');
  StringRef type = cursor.takeWhile([](char c) { return llvm::isAlnum(c); });
  if (type != "s64" && type != "u64")
    return fail("expected .s64 or .u64 as the type of a cast, got " + quoted("." + type.str()));
  if (failed(skip()))
    return failure();
  if (!cursor.take(')'))
    return fail("expected ')' after the type of a cast, got " + cursor.here());
  FailureOr<Constant> number = readUnary();
  if (failed(number))
    return failure();
  if (number->floatBits)
    return fail("expected an integer to cast, got a float; write it as an integer");
  number->isUnsigned = type == "u64";
  return number;
}

FailureOr<Constant> ConstantReader::readUnary() {
  if (failed(enter()) || failed(skip()))
    return failure();
  FailureOr<Constant> number;
  char sign = cursor.rest.empty() ? '\0' : cursor.rest.front();
  if (cursor.take('(')) {
    number = readParentheses();
  } else if (cursor.take('+') || cursor.take('-') || cursor.take('~') || cursor.take('!')) {
    number = readUnary();
    if (succeeded(number) && number->floatBits && (sign == '~' || sign == '!'))
      return fail(Twine("expected an integer after '") + Twine(sign) + "', got a float");
    if (succeeded(number) && sign == '-')
      number->value = number->floatBits ? number->value ^ (uint64_t(1) << (number->floatBits - 1))
                                        : 0 - number->value;
    else if (succeeded(number) && sign == '~')
      *number = {~number->value, true};
    else if (succeeded(number) && sign == '!')
      *number = truth(!number->value);
  } else {
    number = readPrimary();
  }
  --depth;
  return number;
}

const Operator *ConstantReader::operatorHere(unsigned least) const {
  for (const Operator &one : operators)
    if (cursor.rest.starts_with(one.text))
      return one.strength >= least ? &one : nullptr;
  return nullptr;
}

FailureOr<Constant> ConstantReader::apply(const Operator &found, Constant a, Constant b) {
  if (!a.floatBits && !b.floatBits) {
    if (!b.value && (found.kind == Kind::Div || found.kind == Kind::Rem))
      return fail("expected a divisor other than 0 after '" + found.text + "', got 0");
    return applyInteger(found.kind, a, b);
  }
  if (a.floatBits != 64 || b.floatBits != 64)
    return fail("expected two integers or two floats such as 1.5 for '" + found.text + "', got " +
                kindOf(a) + " and " + kindOf(b));
  std::optional<Constant> result =
      applyFloat(found.kind, llvm::bit_cast<double>(a.value), llvm::bit_cast<double>(b.value));
  if (!result)
    return fail("expected integers for '" + found.text + "', got floats");
  return *result;
}

FailureOr<Constant> ConstantReader::readBinary(unsigned least) {
  FailureOr<Constant> left = readUnary();
  while (succeeded(left)) {
    if (failed(skip()))
      return failure();
    const Operator *found = operatorHere(least);
    if (!found)
      break;
    cursor.rest = cursor.rest.drop_front(found->text.size());
    FailureOr<Constant> right = readBinary(found->strength + 1);
    if (failed(right))
      return failure();
    left = apply(*found, *left, *right);
  }
  return left;
}

FailureOr<Constant> ConstantReader::readChoice() {
  FailureOr<Constant> condition = readBinary(1);
  if (failed(condition) || !cursor.take('?'))
    return condition;
  if (condition->floatBits)
    return fail("expected an integer before '?', got a float");
  if (failed(enter()))
    return failure();
  FailureOr<Constant> yes = readChoice();
  if (failed(yes) || failed(skip()))
    return failure();
  if (!cursor.take(':'))
    return fail("expected ':' after '?' and a constant expression, got " + cursor.here());
  FailureOr<Constant> no = readChoice();
  if (failed(no))
    return failure();
  if (yes->floatBits != no->floatBits)
    return fail("expected two integers or two floats after '?', got " + kindOf(*yes) + " and " +
                kindOf(*no));
  --depth;
  Constant chosen = condition->value ? *yes : *no;
  chosen.isUnsigned = yes->isUnsigned || no->isUnsigned;
  return chosen;
}

FailureOr<Constant> pumice::triton::ptx::readConstant(Cursor &cursor, std::string &problem) {
  return ConstantReader(cursor, problem).readChoice();
}
