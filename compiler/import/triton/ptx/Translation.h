//===- Translation.h - converts PTX instructions to arith, math and tt ------===//
// Translates one piece of inline assembly. Registers hold integers (i1 for predicates), whatever
// type an instruction uses for them. Each register is a scalar or a tensor. Each family of
// instructions has its own file.
//===-------------------------------------------------------------------------===//
#pragma once

#include "compiler/dialect/triton/TritonDialect.h"
#include "compiler/import/triton/distribute/LibraryCode.h"
#include "compiler/import/triton/ptx/Text.h"

namespace pumice::triton::ptx {

using distribute::library::Number;
using Predicate = mlir::arith::CmpIPredicate;

/// The type at the end of an opcode: s32, f16x2, b64.
struct PtxType {
  enum class Kind {
    Bits,
    Unsigned,
    Signed,
    Float,
    BFloat,
    Tf32,
    E4M3,
    E5M2,
    E2M1,
    UE8M0,
    Predicate
  };
  Kind kind = Kind::Bits;
  unsigned bits = 0;  // the width of an element
  unsigned lanes = 1; // f16x2 has two

  bool isSigned() const { return kind == Kind::Signed; }
  bool isFloat() const { return kind >= Kind::Float && kind <= Kind::UE8M0; }
  bool isPredicate() const { return kind == Kind::Predicate; }
  unsigned width() const { return bits * lanes; }
  PtxType element() const { return {kind, bits, 1}; }
};
std::optional<PtxType> readType(llvm::StringRef name);

/// A register, or a part of a register.
struct Cell {
  std::string name;
  unsigned bits = 0;
  mlir::Value value; // null: not written yet
  // The parts of an address, if they are known: a tt.ptr, and a number of bytes relative to it.
  mlir::Value pointer;
  int64_t bytes = 0;
};

class Translation;

/// An instruction. Its modifiers are taken one after the other.
class Call {
public:
  Call(Translation &t, const Instruction &instruction);

  Translation &t;
  const Instruction &instruction;
  llvm::StringRef name; // the name without modifiers

  bool take(llvm::StringRef modifier);
  /// Takes the first of these modifiers that the opcode has.
  llvm::StringRef takeAny(llvm::ArrayRef<llvm::StringRef> modifiers);
  /// Takes all modifiers with this prefix.
  void takeAll(llvm::StringRef prefix);
  /// Takes the last modifier, which must be a type.
  mlir::FailureOr<PtxType> takeType();
  /// Checks that a number is written as a float for float types, and as an integer for integer
  /// types.
  mlir::LogicalResult checkNumber(const Operand &operand, PtxType type) const;
  /// Checks that no modifiers are left, and that the instruction has this number of operands.
  mlir::LogicalResult finish(size_t operands);
  mlir::LogicalResult finish(size_t least, size_t most);
  bool isEmpty() const { return modifiers.empty(); }

  const Operand &operator[](size_t i) const { return instruction.operands[i]; }
  size_t count() const { return instruction.operands.size(); }
  mlir::LogicalResult error(const llvm::Twine &what) const;

private:
  llvm::SmallVector<llvm::StringRef> modifiers;
};

class Translation {
public:
  /// `like` is a scalar or a tensor. All values have its shape.
  Translation(mlir::OpBuilder &builder, mlir::Location loc, mlir::Type like,
              mlir::Operation *assembly, bool isPacked)
      : b(loc, builder), like(like), assembly(assembly), isPacked(isPacked) {}

  mlir::LogicalResult run(const Program &program);

  mlir::ImplicitLocOpBuilder b;
  const mlir::Type like;
  mlir::Operation *const assembly;
  const bool isPacked;     // several elements at once, which excludes memory accesses
  std::vector<Cell> cells; // the arguments, and then the registers

  mlir::Type typeOf(mlir::Type scalar) const { return withScalar(like, scalar); }
  mlir::Type integers(unsigned bits) { return typeOf(b.getIntegerType(bits)); }
  Number number(mlir::Value value) { return {&b, value}; }
  Number constant(unsigned bits, uint64_t value);
  Number zeroFloat(mlir::FloatType type, double value);

  //===-----------------------------------------------------------------------===//
  // Operands
  //===-----------------------------------------------------------------------===//

  /// Returns the operand as an integer of `bits` bits. A wider register is an error unless
  /// `relaxed` is set.
  mlir::FailureOr<Number> read(const Call &call, const Operand &operand, unsigned bits,
                               bool relaxed = false);
  mlir::FailureOr<Number> readPredicate(const Call &call, const Operand &operand);
  /// Returns the operand as a float. For 8-bit types and tf32, returns the bits instead.
  mlir::FailureOr<Number> readFloat(const Call &call, const Operand &operand, PtxType type);
  mlir::FailureOr<llvm::SmallVector<Number>> readAll(const Call &call, size_t first, size_t count,
                                                     unsigned bits);

  /// Writes an integer, a predicate or a float to a register of the same width. A wider register is
  /// an error unless `relaxed` is set. If the guard is false, the register keeps its value.
  mlir::LogicalResult write(const Call &call, const Operand &operand, Number value,
                            bool isSigned = false, bool relaxed = false);
  Cell *cellOf(const Operand &operand);
  /// The guard of the instruction as an i1, if it has one.
  std::optional<Number> guard;

  mlir::LogicalResult error(unsigned line, const llvm::Twine &what) const;
  mlir::FloatType floatType(PtxType type);

private:
  mlir::FailureOr<Number> readNumber(const Call &call, const Operand &operand, unsigned bits);
  mlir::LogicalResult translate(const Instruction &instruction);
  mlir::LogicalResult checkPart(const Call &call, const Cell &cell, unsigned bits);
};

//===-------------------------------------------------------------------------===//
// Integer operations that instructions share
//===-------------------------------------------------------------------------===//

/// Truncates or extends an integer.
Number resize(Number x, unsigned bits, bool isSigned = false);
Number compare(Number x, Predicate predicate, Number y);
Number asFloat(Number bits, mlir::FloatType type);
/// Converts a float to an integer with its bits. Integers stay unchanged.
Number bitsOf(Number x);
/// Shifts by an amount of the same width. If the amount is too large, the result is 0.
Number shiftLeft(Number x, Number amount);
Number shiftRight(Number x, Number amount, bool isSigned);
Number inverted(Number x);
/// Returns a mask of the lowest `count` bits. It has the width of `count`.
Number lowMask(Number count);
/// Splits a word into parts, the lowest first. join() reverses this.
llvm::SmallVector<Number> split(Number word, unsigned bits);
Number join(llvm::ArrayRef<Number> parts);
/// Calls a function of libdevice.
Number library(llvm::StringRef name, llvm::ArrayRef<Number> operands, mlir::Type result);

//===-------------------------------------------------------------------------===//
// Families of instructions
//===-------------------------------------------------------------------------===//

using Handler = mlir::LogicalResult (*)(Call &call);
struct Rule {
  llvm::StringLiteral name;
  Handler handler;
};
llvm::ArrayRef<Rule> integerRules(); // Integers.cpp
llvm::ArrayRef<Rule> bitRules();     // Bits.cpp
llvm::ArrayRef<Rule> floatRules();   // Floats.cpp
llvm::ArrayRef<Rule> choiceRules();  // Choices.cpp
llvm::ArrayRef<Rule> moveRules();    // Moves.cpp
llvm::ArrayRef<Rule> convertRules(); // Conversions.cpp
llvm::ArrayRef<Rule> memoryRules();  // Memory.cpp

/// Floats.cpp: add, mul and so on, for floats. The type has been taken already.
mlir::LogicalResult floatArithmetic(Call &call, PtxType type);

/// TinyFloats.cpp: cvt of e2m1x2 and ue8m0x2. The caller has already taken the modifiers, and
/// checked the number of operands.
mlir::LogicalResult convertTinyFloats(Call &call, PtxType to, PtxType from,
                                      llvm::StringRef rounding);

/// Refused.cpp: suggests an alternative to an unsupported instruction
llvm::StringRef wayOutOf(llvm::StringRef opcode);
/// Special.cpp: special registers such as %smid
mlir::FailureOr<Number> readSpecial(const Call &call, llvm::StringRef name, unsigned bits);

} // namespace pumice::triton::ptx
