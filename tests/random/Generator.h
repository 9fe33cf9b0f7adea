//===- Generator.h - what the parts of generation share ---------------------===//
#pragma once

#include "tests/random/Program.h"
#include "tests/random/Random.h"

#include <functional>

namespace pumice::random_programs {

/// The surroundings of a statement or an expression.
struct Context {
  uint32_t function = 0;
  bool uniformFlow = false; // all invocations of the workgroup reach this, or none does
  bool mayReturn = false, inLoop = false, mayLeaveLoop = false, inSwitch = false;
  uint32_t shared = noVariable; // workgroup memory that is being exchanged
  bool sharedIsWritten = false; // else read
  double rounds = 1;            // the product of the iterations of the enclosing loops
  unsigned depth = 0;           // of statements
  struct Counter {
    uint64_t loop;
    bool uniform;
  };
  std::vector<Counter> counters;
};

class Generator {
public:
  explicit Generator(uint64_t seed);
  Program run();

private:
  // Generate.cpp: what there is.
  void chooseShape();
  void makeVariables();
  void makeFunction(uint32_t number);
  Base someBase(bool mayBeBool);
  TypeId plainType(bool mayBeBool = true);
  TypeId someType(bool memory, unsigned depth = 2);
  uint32_t addVariable(Storage storage, TypeId type, bool uniform = false);
  TypeId blockType(uint32_t least, uint32_t most);
  TypeId wideBlock(bool push);

  // GenerateExpressions.cpp
  Expr expression(TypeId type, unsigned depth, const Context &context, bool uniform = false);
  Expr constant(TypeId type);
  Expr scalarConstant(Base base);
  Expr leaf(TypeId type, unsigned depth, const Context &context, bool uniform);
  Expr plainOperation(TypeId type, unsigned depth, const Context &context, bool uniform);
  Expr arithmeticOf(TypeId type, unsigned depth, const Context &context, bool uniform);
  Expr partsOf(TypeId type, unsigned depth, const Context &context, bool uniform);
  Expr wholeOperation(TypeId type, unsigned depth, const Context &context, bool uniform);
  Expr castOf(TypeId type, unsigned depth, const Context &context, bool uniform);
  Expr groupOf(TypeId type, unsigned depth, const Context &context);
  Expr matrixOf(TypeId type, unsigned depth, const Context &context, bool uniform);
  bool call(TypeId type, unsigned depth, const Context &context, Expr &into);
  bool place(TypeId type, bool writes, unsigned depth, const Context &context, bool uniform,
             Expr &into);
  Expr number(const Context &context, bool uniform);
  Expr index(unsigned depth, const Context &context, bool uniform);
  struct Path {
    std::vector<int32_t> steps;
    TypeId type;
  };
  const std::vector<Path> &pathsOf(TypeId type);
  std::vector<uint32_t> visible(bool writes, const Context &context, bool uniform) const;

  // GenerateStatements.cpp
  std::vector<Stmt> body(Context context, unsigned most);
  bool statement(const Context &context, std::vector<Stmt> &into);
  Stmt store(const Context &context);
  Stmt take(const Context &context);
  Stmt storeOfOne(const Context &context);
  Stmt detour(const Context &context);
  Stmt gate(Context context);
  Stmt conditional(Context context);
  Stmt loop(Context context);
  Stmt choice(Context context);
  Stmt exchange(Context context);
  Stmt count(const Context &context);
  Stmt leave(const Context &context);
  Stmt digest(uint32_t function);
  double costOf(const std::vector<Stmt> &body) const;

  /// Returns whether the program may use newer constructs. Programs of older seeds stay unchanged.
  bool isNewer() const { return program.seed >= 400000; }
  bool isNewest() const { return program.seed >= 800000; }

  Random random;
  Program program;
  std::vector<Base> bases;              // without bool
  std::vector<std::vector<Path>> paths; // by type
  std::vector<double> costs;            // by function
  std::vector<uint32_t> sharedVariables, counterVariables;
  int statementsLeft = 0;
  uint64_t loops = 0;
};

} // namespace pumice::random_programs
