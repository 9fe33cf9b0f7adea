//===- Emitter.h - what the parts of emission share -------------------------===//
// Here every operation gets its guards, whose purpose Program.h explains.
//===-------------------------------------------------------------------------===//
#pragma once

#include "tests/random/Program.h"
#include "tests/random/SpirvWriter.h"

#include <optional>

namespace pumice::random_programs {

class Emitter {
public:
  using Id = SpirvWriter::Id;
  explicit Emitter(const Program &program) : program(program), types(program.types) {}
  std::vector<uint32_t> run();

private:
  /// The layouts of a type in memory: none, std430, or std140.
  enum class Form : uint8_t { Plain, Buffer, UniformBuffer };

  // EmitTypes.cpp
  Id typeOf(TypeId type, Form form = Form::Plain);
  Id laidOut(TypeId type, Form form);
  Id pointerTo(spv::StorageClass storage, Id pointee);
  Id constantOf(TypeId type, uint64_t scalar); // every scalar has the same value
  Id scalarOf(Base base, uint64_t bits);
  Id number(uint32_t value) { return scalarOf(Base::U32, value); }
  Id nullOf(TypeId type) { return writer.declare(spv::OpConstantNull, typeOf(type), {}); }
  Id uintType() { return typeOf(types.scalar(Base::U32)); }
  Id boolType() { return typeOf(types.scalar(Base::Bool)); }
  Id builtIn(spv::BuiltIn which, TypeId type);
  void declareVariables();
  Id block(Id pointee, spv::StorageClass storage);
  static Form formOf(Storage storage);
  static spv::StorageClass classOf(Storage storage);

  // EmitExpressions.cpp
  Id expression(const Expr &expr);
  Id constantExpression(const Expr &expr);
  bool isConstant(const Expr &expr) const;
  Id valueOf(BuiltIn which);
  static const Arithmetic &operationOf(const Expr &expr);
  Id arithmetic(const Expr &expr);
  Id branch(const Expr &expr);
  Id select(const Expr &expr);
  Id matrix(const Expr &expr);
  Id call(const Expr &expr);
  Id atomic(const Expr &expr);
  Id dynamicPart(const Expr &expr);
  Id glsl(uint32_t opcode, TypeId type, std::vector<Id> operands);
  Id bounded(TypeId type, Id value);
  void guard(Guard guard, TypeId type, std::vector<Id> &operands, const Expr &expr);
  Id index(const Expr &expr, uint32_t count); // in range, of type u32 or i32
  bool isBelow(const Expr &expr, uint32_t count) const;

  // EmitPlaces.cpp
  Id pointer(const Expr &place, Id &pointee);
  Id load(const Expr &place);
  void store(const Expr &place, Id value);
  Id inForm(TypeId type, Id value, Form from, Form to);
  Id part(TypeId type, Id whole, uint32_t index);

  // EmitConversions.cpp
  Id convert(TypeId from, TypeId to, Id value);
  Id bitcast(TypeId to, Id value) { return writer.emit(spv::OpBitcast, typeOf(to), {value}); }
  Id fold(TypeId type, Id value, Id hash);

  // EmitGroups.cpp
  Id group(const Expr &expr);
  Id moved(const Expr &expr, GroupOperation operation, Id value);

  // EmitStatements.cpp
  void function(uint32_t number);
  void statements(const std::vector<Stmt> &body);
  void statement(const Stmt &stmt);
  void take(const Stmt &stmt);
  void conditional(const Stmt &stmt);
  void gate(const Stmt &stmt);
  void loop(const Stmt &stmt);
  void choice(const Stmt &stmt);
  void exchange(const Stmt &stmt);
  void barrier();
  void count(const Stmt &stmt);
  void digest(const Stmt &stmt);
  /// Ends the block unless it has ended.
  void branchTo(Id target);
  void begin(Id label) {
    writer.label(label);
    ended = false;
  }

  const Program &program;
  Types types; // conversions need more of them than the program has
  SpirvWriter writer;
  std::vector<Id> variables; // in addition to the program's variables
  std::vector<Id> functions;
  std::map<std::pair<TypeId, uint32_t>, Id> composites; // arrays and structs, by type and form
  std::map<spv::BuiltIn, Id> builtIns;
  Id counts = 0;        // the variable that `Count` uses if it is not workgroup memory
  uint32_t emitted = 0; // whole loads so far; they alternate between forms

  // Belong to the current function.
  Id localIndex = 0, workgroupIndex = 0, globalIndex = 0;
  bool ended = false, continuing = false;
  struct Around {
    Id leave = 0, next = 0; // of the innermost loop
    Id leaveSwitch = 0;     // null if a loop lies between
  } around;
  struct Running {
    uint64_t loop;
    Id counter;
    uint32_t most;
  };
  std::vector<Running> running;
  uint32_t current = 0;
};

} // namespace pumice::random_programs
