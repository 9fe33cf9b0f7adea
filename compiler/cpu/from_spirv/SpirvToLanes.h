//===- SpirvToLanes.h - converts instructions from SPIR-V to lanes one at a time -===//
// `Lowering` is the state of one entry point. Each family of instructions (Arithmetic.cpp,
// Memory.cpp and so on) has a table of rules. A rule turns one instruction into operations on
// scalars.
//===-------------------------------------------------------------------------===//
#pragma once

#include "compiler/cpu/from_spirv/FloatControls.h"
#include "compiler/cpu/from_spirv/Types.h"

#include "mlir/IR/ImplicitLocOpBuilder.h"
#include "llvm/ADT/StringMap.h"

#include <memory>
#include <optional>

namespace pumice::cpu {

/// The scalars that a SPIR-V value consists of, in order.
using Scalars = llvm::SmallVector<mlir::Value, 4>;

/// A variable without an address. It is only accessed by paths of indices.
struct Variable {
  enum class Kind {
    Slots,  // a lane.var for each scalar; indices are constant
    Arrays, // a lane.array for each scalar type
    Values, // fixed values of a built-in variable
  };
  Kind kind = Kind::Slots;
  llvm::SmallVector<mlir::Type, 2> types; // Arrays: the scalar type of each array
  Scalars storage;                        // the slots, the arrays, or the values
};

/// The target of a pointer: an address, or a path into a variable.
struct Pointer {
  mlir::Type pointee;
  // An address is base + dynamic + constant, in bytes.
  mlir::Value base, dynamic;
  int64_t constant = 0;
  MatrixLayout matrix;        // the layout of matrices in the pointee
  unsigned elementStride = 0; // nonzero for a column of a row-major matrix
  bool isVolatile = false, isCoherent = false, isNontemporal = false;
  bool exclusive = false;                 // no other thread accesses the target
  mlir::Operation *descriptors = nullptr; // the descriptor variable, by set and binding
  std::optional<uint32_t> descriptor;     // the index in the descriptor array, if constant
  mlir::Value descriptorIndex;            // or the index at run time, below `descriptorCount`
  uint32_t descriptorCount = 0;
  bool choosesDescriptor = false; // the next index selects the descriptor
  bool isConstant = false;        // the target is a constant table
  // A path into a variable is the number of scalars before the target. Variables with Arrays have
  // one such number for each scalar type; others have one for all scalars.
  Variable *variable = nullptr;
  llvm::SmallVector<int64_t, 2> position;
  llvm::SmallVector<std::pair<mlir::Value, mlir::Type>, 2> indices; // times scalars of each type
};

/// A value that contains a long array, and is kept in memory (MemoryBackedValues.cpp).
struct Whole {
  Pointer pointer;
  unsigned alignment = 0;
  bool isOwn = false; // the memory is a copy that only this value uses
};

class Lowering;
using WholeRule = mlir::LogicalResult (*)(Lowering &, mlir::Operation *);
/// A function that computes one component of a result, given its type and the operands' components.
using EachRule = mlir::Value (*)(Lowering &, mlir::Type, llvm::ArrayRef<mlir::Value>);

struct Rule {
  constexpr Rule(llvm::StringLiteral name, WholeRule whole) : name(name), whole(whole) {}
  constexpr Rule(llvm::StringLiteral name, EachRule each) : name(name), each(each) {}
  llvm::StringLiteral name;
  WholeRule whole = nullptr;
  EachRule each = nullptr;
};

/// An instruction, and another one whose rule it uses.
struct Alias {
  llvm::StringLiteral name, same;
};

// Each file has a table of rules.
llvm::ArrayRef<Rule> arithmeticRules();
llvm::ArrayRef<Rule> atomicRules();
llvm::ArrayRef<Rule> bitRules();
llvm::ArrayRef<Rule> comparisonRules();
llvm::ArrayRef<Rule> compositeRules();
llvm::ArrayRef<Rule> conversionRules();
llvm::ArrayRef<Rule> cooperativeRules();
llvm::ArrayRef<Rule> dotProductRules();
llvm::ArrayRef<Rule> flowRules();
llvm::ArrayRef<Rule> openClRules();
llvm::ArrayRef<Alias> openClAliases();
llvm::ArrayRef<Rule> printfRules();
llvm::ArrayRef<Rule> glslRules();
llvm::ArrayRef<Rule> groupRules();
llvm::ArrayRef<Rule> glslPackingRules();
llvm::ArrayRef<Rule> glslVectorRules();
llvm::ArrayRef<Rule> matrixRules();
llvm::ArrayRef<Rule> memoryRules();
llvm::ArrayRef<Rule> quadRules();
llvm::ArrayRef<Rule> subgroupRules();

/// Lists all instructions that have a rule, in sorted order: "FAdd", "GLSL.std.450/Sin".
llvm::ArrayRef<llvm::StringRef> loweredInstructions();
/// Returns whether an operation has a decoration. SPIR-V's name identifies the decoration.
bool isDecorated(mlir::Operation *op, llvm::StringRef decoration);
/// Returns the Alignment decoration of a variable, or `least` if it has none.
int64_t statedAlignment(mlir::Operation *variable, int64_t least);
/// Returns the name of an instruction in SPIR-V, without `Op`.
std::string instructionName(mlir::Operation *op);
/// Returns the instruction's name for messages, with `Op` unless it is an extended instruction.
std::string spelledName(mlir::Operation *op);

/// Reads memory operands, which are attributes or literals (the mask, then the alignment). Stores
/// the properties of the access in the pointer. Returns the alignment, or 0 if none is given.
unsigned memoryAccess(Lowering &l, mlir::Operation *op, Pointer &pointer, llvm::StringRef maskName,
                      llvm::StringRef alignmentName, size_t firstLiteral = 0);

/// Returns the memory order in a mask of memory semantics, by LLVM's name.
llvm::StringRef memoryOrder(int64_t semantics);

/// Returns the upper half of the product, which is twice as wide as its factors.
mlir::Value mulHigh(Lowering &l, mlir::Value x, mlir::Value y, bool isSigned);

class Lowering {
public:
  Lowering(mlir::Operation *source, mlir::Operation *kernel);

  mlir::ImplicitLocOpBuilder b;
  mlir::Operation *source; // the spirv.func
  mlir::Operation *kernel; // the func.func
  Types types;

  mlir::LogicalResult lower(mlir::Operation *op);

  // Returns the scalars of a value. For a pointer, returns its address. If it has no address, sets
  // `broken`.
  Scalars get(mlir::Value value);
  mlir::Value scalar(mlir::Value value) { return get(value).front(); }
  void set(mlir::Value value, Scalars scalars) { values[value] = std::move(scalars); }
  mlir::LogicalResult finish(mlir::Operation *op, Scalars scalars);
  bool isKnown(mlir::Value value) const { return values.contains(value); }
  /// Returns the `Whole` of a value, or null if the value is represented by scalars.
  const Whole *whole(mlir::Value value) const {
    auto found = wholes.find(value);
    return found == wholes.end() ? nullptr : &found->second;
  }
  void setWhole(mlir::Value value, Whole whole) { wholes[value] = std::move(whole); }
  /// Returns the value of an operand if it is a known integer.
  std::optional<int64_t> constant(mlir::Value value);

  /// Returns the literals of an spvx.op, or the list that an attribute of the spirv dialect holds.
  llvm::SmallVector<int32_t> literals(mlir::Operation *op, llvm::StringRef attribute);
  /// Returns scopes, semantics or group operations. They are attributes, or the literals of an
  /// spvx.op, in order.
  mlir::FailureOr<llvm::SmallVector<int64_t>> numbers(mlir::Operation *op,
                                                      llvm::ArrayRef<llvm::StringRef> attributes);

  // Pointers (Memory.cpp)
  mlir::FailureOr<Pointer> pointer(mlir::Value value);
  void setPointer(mlir::Value value, Pointer pointer) { pointers[value] = std::move(pointer); }
  mlir::FailureOr<Pointer> access(Pointer pointer, mlir::ValueRange indices);
  mlir::FailureOr<mlir::Value> address(const Pointer &pointer);
  mlir::FailureOr<Scalars> load(const Pointer &pointer, unsigned alignment = 0);
  mlir::LogicalResult store(const Pointer &pointer, llvm::ArrayRef<mlir::Value> scalars,
                            unsigned alignment = 0);

  // Variables (Variables.cpp)
  /// Makes an array for each of the scalar types in a type. The arrays are undefined at first.
  Pointer arraysFor(mlir::Type type, llvm::ArrayRef<mlir::Type> scalars);
  mlir::LogicalResult declareVariable(mlir::Operation *op);
  /// Declares the arguments of OpenCL kernels, which are consecutive in the push constants.
  mlir::LogicalResult declareArguments(llvm::ArrayRef<mlir::BlockArgument> arguments);
  void listArguments(mlir::Type type, int64_t offset, llvm::SmallVectorImpl<mlir::Attribute> &list);
  mlir::LogicalResult declareSharedBlocks(); // call this first
  /// Returns a pointee type, with its layout in memory, for a storage class.
  mlir::Type inMemory(mlir::Type pointee, mlir::spirv::StorageClass storage) const;
  void placeDynamicShared();
  void zeroShared(); // called after all blocks have been lowered
  mlir::FailureOr<Pointer> globalVariable(mlir::Operation *global);
  // Variables of program scope (ProgramVariables.cpp)
  mlir::FailureOr<Pointer> programVariable(mlir::Operation *global, mlir::Type type);
  /// Returns the offset of the variable in the program's memory, or null for variables of other
  /// scopes.
  const int64_t *programOffset(mlir::Operation *variable) const;
  /// Returns the address of a constant pointer.
  mlir::FailureOr<mlir::Value> addressConstant(mlir::Attribute value);
  /// Returns the number of a buffer that has the Restrict decoration, or -1.
  int32_t restrictNumber(mlir::Operation *global) const;
  int32_t restrictCount() const { return static_cast<int32_t>(restricted.size()); }
  /// Emits operations at the start of the kernel.
  template <typename F> auto atEntry(F emit) {
    mlir::OpBuilder::InsertionGuard guard(b);
    toEntry();
    auto result = emit();
    entryEnd = b.getInsertionPoint() == b.getInsertionBlock()->begin()
                   ? nullptr
                   : &*std::prev(b.getInsertionPoint());
    return result;
  }
  void toEntry();

  // Constants (Constants.cpp)
  mlir::LogicalResult constantScalars(mlir::Attribute value, mlir::Type type, Scalars &scalars);
  mlir::FailureOr<mlir::Value> table(mlir::Type type, llvm::ArrayRef<mlir::Value> scalars);
  mlir::Value zero(mlir::Type scalar);
  mlir::Value integer(int64_t value, unsigned width = 32);
  mlir::Value real(mlir::Type type, double value);

  // Built-in variables (Builtins.cpp)
  mlir::Value builtin(llvm::StringRef which);
  mlir::FailureOr<Scalars> builtinVariable(llvm::StringRef name, mlir::Type type);
  llvm::ArrayRef<int32_t> workgroupSize() const { return groupSize; }
  void setWorkgroupSize(llvm::ArrayRef<int32_t> size) {
    groupSize.assign(size.begin(), size.end());
  }

  /// Creates an operation by its name, because the header of its dialect is large.
  mlir::Value generic(llvm::StringRef name, mlir::Type result, mlir::ValueRange operands);
  /// Selects one of several values by an index that may be out of range.
  mlir::Value pick(llvm::ArrayRef<mlir::Value> values, mlir::Value index);
  FloatRules floats; // rules of the entry point and of the current instruction
  llvm::DenseSet<mlir::Value> withoutDenormals; // values that floats::flushed has returned

  mlir::Operation *current = nullptr; // the current instruction
  mlir::InFlightDiagnostic error() { return mlir::emitError(b.getLoc()); }
  bool broken = false; // an error has been reported
  /// Says whether the kernel gets a list of its arguments. Pointers to workgroup memory are then
  /// loaded as pointers, by loads with the attribute `workgroup`.
  bool listsArguments = false;
  int64_t sharedBytes = 0, pushConstantBytes = 0;
  bool hasSharedBlocks = false; // blocks in workgroup memory have explicit layouts
  llvm::SmallVector<std::pair<mlir::Value, int64_t>> zeroedShared; // address, words

private:
  llvm::DenseMap<mlir::Value, Scalars> values;
  llvm::DenseMap<mlir::Value, Pointer> pointers;
  llvm::DenseMap<mlir::Value, Whole> wholes;
  llvm::DenseMap<mlir::Operation *, Pointer> globals;
  llvm::SmallVector<mlir::Operation *, 4> restricted;
  llvm::SmallVector<std::unique_ptr<Variable>> variables;
  llvm::SmallVector<int32_t, 3> groupSize;
  mlir::Operation *entryEnd = nullptr;
  llvm::SmallVector<mlir::Operation *> dynamicShared; // for pointer arguments; placed last

  llvm::DenseSet<mlir::Operation *> inProgram;
  // The offsets of variables of program scope. The map is empty until the first of them is used.
  llvm::DenseMap<mlir::Operation *, int64_t> programOffsets;

  mlir::LogicalResult placeProgram();
  mlir::LogicalResult step(Pointer &pointer, mlir::Value index);
  mlir::LogicalResult stepByAddress(Pointer &pointer, mlir::Value index);
  mlir::LogicalResult stepByPath(Pointer &pointer, mlir::Value index);
  mlir::LogicalResult chooseDescriptor(Pointer &pointer, mlir::Value index);
  mlir::FailureOr<Pointer> pathTo(Variable::Kind kind, mlir::Type type, Scalars storage);
  mlir::FailureOr<Pointer> variable(mlir::Value root, mlir::Type type, mlir::Operation *op,
                                    const Scalars *initial);
};

} // namespace pumice::cpu
