//===- AtomicCalls.cpp - OpenCL's atomic functions --------------------------===//
#include "compiler/import/llvm/Builtins.h"

using namespace mlir;
using namespace pumice;
using namespace pumice::llvm_import;

using Made = std::optional<FailureOr<Value>>;
using Kind = arith::AtomicRMWKind;

/// Returns the name without the forms of C11: "add" of atomic_add, atom_add, atomic_fetch_add and
/// atomic_fetch_add_explicit.
static StringRef operationIn(StringRef name, bool &isC11) {
  if (!name.consume_front("atomic_") && !name.consume_front("atom_"))
    return {};
  isC11 = name.consume_front("fetch_");
  isC11 |= name.consume_back("_explicit");
  return name;
}

/// Returns whether the memory order is relaxed. The functions of OpenCL 1.2 are. Those of C11
/// say so in a constant, and otherwise have a single order in the whole program.
static bool isRelaxed(const Call &c, bool isC11, unsigned order) {
  if (!isC11)
    return true;
  if (!c.from.getCalledFunction()->getName().contains("explicit") || order >= c.x.size())
    return false;
  std::optional<uint64_t> number = c.number(order);
  return number && *number == 0;
}

static FailureOr<Value> needed(Value made) {
  return made ? FailureOr<Value>(made) : FailureOr<Value>(failure());
}

/// Compares and exchanges. The function of C11 takes the expected number from memory, and stores
/// the number that it found there.
static FailureOr<Value> exchangeIfEqual(Call &c, bool isC11, bool relaxed) {
  if (!isC11)
    return needed(c.f.compareExchange(c.pointer(0), c.x[1], c.x[2], relaxed));
  Type type = c.x[2].getType();
  Value expected = c.f.load(c.pointer(1), c.x[1], type, 0);
  if (!expected)
    return failure();
  Value old = c.f.compareExchange(c.pointer(0), expected, c.x[2], relaxed);
  if (!old)
    return failure();
  c.f.store(c.pointer(1), c.x[1], old, 0);
  Value same = c.compare(arith::CmpIPredicate::eq, c.toBits(old), c.toBits(expected));
  return c.resize(same, c.result, /*isSigned=*/false);
}

/// Translates the operations that are one update of memory.
static Made update(Call &c, StringRef operation, bool relaxed) {
  bool isSigned = c.isSigned(), isFloat = c.isFloat();
  Type type = c.result;
  Value operand = c.x.size() > 1 ? c.x[1] : Value();
  std::optional<Kind> kind = llvm::StringSwitch<std::optional<Kind>>(operation)
                                 .Case("add", isFloat ? Kind::addf : Kind::addi)
                                 .Case("sub", isFloat ? Kind::addf : Kind::addi)
                                 .Cases({"inc", "dec"}, Kind::addi)
                                 .Cases({"xchg", "exchange"}, Kind::assign)
                                 .Case("min", isFloat    ? Kind::minnumf
                                              : isSigned ? Kind::mins
                                                         : Kind::minu)
                                 .Case("max", isFloat    ? Kind::maxnumf
                                              : isSigned ? Kind::maxs
                                                         : Kind::maxu)
                                 .Case("and", Kind::andi)
                                 .Case("or", Kind::ori)
                                 .Case("xor", Kind::xori)
                                 .Default(std::nullopt);
  if (!kind || !type)
    return std::nullopt;
  if (operation == "inc" || operation == "dec")
    operand = c.constant(type, int64_t(operation == "inc" ? 1 : -1));
  if (operation == "sub")
    operand = isFloat ? c.op<arith::NegFOp>(operand)
                      : c.op<arith::SubIOp>(c.constant(type, int64_t(0)), operand);
  operand = isFloat ? operand : c.resize(operand, type, isSigned);
  return needed(c.f.update(c.pointer(0), *kind, operand, relaxed));
}

/// Translates the instructions of SPIR-V that clang has functions for: pointer, scope, semantics,
/// and the operand.
static Made translateSpirv(Call &c) {
  StringRef name = c.name;
  if (!name.consume_front("__spirv_Atomic") || !c.result)
    return std::nullopt;
  std::optional<Kind> kind = llvm::StringSwitch<std::optional<Kind>>(name)
                                 .Case("IAdd", Kind::addi)
                                 .Case("SMin", Kind::mins)
                                 .Case("SMax", Kind::maxs)
                                 .Case("UMin", Kind::minu)
                                 .Case("UMax", Kind::maxu)
                                 .Case("And", Kind::andi)
                                 .Case("Or", Kind::ori)
                                 .Case("Xor", Kind::xori)
                                 .Case("Exchange", Kind::assign)
                                 .Case("FAddEXT", Kind::addf)
                                 .Default(std::nullopt);
  if (!kind || c.x.size() != 4)
    return std::nullopt;
  std::optional<uint64_t> order = c.number(2);
  return needed(c.f.update(c.pointer(0), *kind, c.x[3], order && *order == 0));
}

Made llvm_import::translateAtomic(Call &c) {
  if (Made made = translateSpirv(c))
    return made;
  bool isC11 = false;
  StringRef operation = operationIn(c.name, isC11);
  if (operation.empty() || c.parameters.empty() || !c.parameters[0].isPointer ||
      (c.result && !c.result.isIntOrFloat()))
    return std::nullopt;
  if (operation == "init") {
    c.f.store(c.pointer(0), c.x[0], c.x[1], 0);
    return Value();
  }
  if (operation == "load")
    return needed(c.f.atomicLoad(c.pointer(0), c.result, isRelaxed(c, true, 1)));
  if (operation == "store") {
    c.f.update(c.pointer(0), Kind::assign, c.x[1], isRelaxed(c, true, 2));
    return Value();
  }
  if (operation == "exchange")
    isC11 = true;
  if (operation == "cmpxchg")
    return exchangeIfEqual(c, false, true);
  if (operation == "compare_exchange_strong" || operation == "compare_exchange_weak")
    return exchangeIfEqual(c, true, isRelaxed(c, true, 3));
  if (operation == "flag_test_and_set") {
    Type i32 = c.b.getI32Type();
    Value old =
        c.f.update(c.pointer(0), Kind::assign, c.constant(i32, int64_t(1)), isRelaxed(c, true, 1));
    if (!old)
      return FailureOr<Value>(failure());
    Value wasSet = c.compare(arith::CmpIPredicate::ne, old, c.constant(i32, int64_t(0)));
    return c.resize(wasSet, c.result, false);
  }
  if (operation == "flag_clear") {
    c.f.update(c.pointer(0), Kind::assign, c.constant(c.b.getI32Type(), int64_t(0)),
               isRelaxed(c, true, 1));
    return Value();
  }
  return update(c, operation, isRelaxed(c, isC11, 2));
}
