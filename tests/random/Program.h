//===- Program.h - a compute shader as a tree -------------------------------===//
// START HERE. Every tree has one meaning and no undefined behaviour, whatever its numbers are.
// Indices, divisors and shift amounts are brought into range where they are used. Floats stay small
// integers, and loops end. Invocations write only their own elements, and exchange values within a
// workgroup only through `Exchange`. So parts may be removed, or replaced by others of the same
// type, and the rest is still a valid program.
//===-------------------------------------------------------------------------===//
#pragma once

#include "tests/random/Operations.h"
#include "tests/random/Types.h"

#include <array>
#include <string>

namespace pumice::random_programs {

/// Says where a variable is stored, and which part of it an access without further operands means.
enum class Storage : uint8_t {
  Local,     // of one function; zeros at first
  Private,   // of the invocation
  Parameter, // a pointer to a Local of the caller
  Value,     // a parameter by value: read only
  Input,     // a buffer that is only read: an index first
  Own,       // a buffer with one element for each invocation: its own
  Shared,    // workgroup memory with one element for each invocation: its own, or that of an index
  Counters,  // workgroup memory for atomic operations: an index first
  Uniform,   // a uniform buffer
  Push,      // the push constants
};

struct Variable {
  Storage storage = Storage::Local;
  TypeId type = 0; // of one element, for buffers and workgroup memory
  bool uniform =
      false; // only written where the workgroup's control flow is uniform, uniform values
};

enum class ExprKind : uint8_t {
  Constant,       // literal: the bits; of floats, the integer
  Load,           // of the place `variable`, `path`
  Counter,        // of the loop `literal`; 0 outside of it
  BuiltIn,        // literal: BuiltIn
  Construct,      // of its parts
  Extract,        // literal: which part
  Insert,         // (whole, part), literal
  ExtractDynamic, // (vector, index)
  InsertDynamic,  // (vector, component, index)
  Shuffle,        // (vector, vector), path: components
  Select,         // (bool or bools, a, b)
  Branch,         // (bool, a, b): only one side is computed
  Arithmetic,     // literal: which of the table
  Convert,        // between scalars or vectors of one size, by value
  Bitcast,        // between integers of as many bits
  Matrix,         // literal: MatrixOperation
  Call,           // literal: the function
  Group,          // literal: GroupOperation; detail: its kind
  Atomic,         // literal: AtomicOperation on the place, which is the invocation's own
};

enum class BuiltIn : uint8_t {
  LocalIndex,
  GlobalIndex, // of the invocation in the whole grid, along one line
  WorkgroupIndex,
  LocalIdX,
  LocalIdY,
  LocalIdZ,
  WorkgroupIdX,
  WorkgroupIdY,
  GroupsX,
  Lane, // of the subgroup
};

/// Expressions have value semantics: a copy is a separate tree.
struct Expr {
  ExprKind kind = ExprKind::Constant;
  TypeId type = 0;
  uint64_t literal = 0;
  uint32_t detail = 0;
  uint32_t variable = 0;
  std::vector<int32_t> path; // of places: a member's number, or -1: the next operand is the index
  std::vector<Expr> operands;
};

enum class StmtKind : uint8_t {
  Store,    // exprs: the place as a Load, the value
  Copy,     // exprs: the place, another of its type: OpCopyMemory
  Take,     // exprs: a place, what overwrites it, a place for what was there; bodies: in between
  If,       // exprs: condition; bodies: then, else
  Loop,     // literal: number; detail: form; most: rounds; exprs: rounds; bodies: body, continuing
  Switch,   // exprs: selector; bodies: one for each value from 0, and a default if `hasDefault`
  Break,    // of the innermost loop
  Continue, // of the innermost loop
  BreakSwitch,
  Return,   // exprs: the value, if the function has one
  Evaluate, // exprs: a call
  Exchange, // variable: Shared or Counters; exprs: what each begins with; bodies: write, read
  Barrier,
  Gate, // a loop that all enter where exprs[0], which is uniform, holds; a barrier, then bodies[0],
        // then out of it: whoever returns there does so while others wait, and no barrier follows
  Count,  // literal: Counting; variable: a Counters variable, or none: the buffer; exprs: index,
          // value
  Digest, // of `variables` into the invocation's own memory
};

/// Each counter uses only one operation, so the order of invocations has no effect.
enum class Counting : uint8_t { Add, Or, And, Xor, UMin, UMax, SMin, SMax };
inline constexpr uint32_t countings = 8, placesOfCounting = 4, noVariable = ~0u;

struct Stmt {
  StmtKind kind = StmtKind::Store;
  uint64_t literal = 0;
  uint32_t detail = 0;
  uint32_t most = 0;
  uint32_t variable = noVariable;
  bool hasDefault = false;
  std::vector<bool> falls;         // of a switch: the case goes on into the next
  std::vector<uint32_t> variables; // of a digest
  std::vector<Expr> exprs;
  std::vector<std::vector<Stmt>> bodies;
};

struct Function {
  std::vector<uint32_t> parameters; // variables, Value or Parameter
  std::vector<uint32_t> locals;
  TypeId result = noType;
  uint32_t control = 0; // SPIR-V's function control
  std::vector<Stmt> body;

  static constexpr TypeId noType = ~0u;
};

/// `functions[0]` is the entry point; each calls only later ones.
struct Program {
  uint64_t seed = 0;
  Types types;
  std::vector<Variable> variables;
  std::vector<Function> functions;
  std::array<uint32_t, 3> workgroup{1, 1, 1}, groups{1, 1, 1};
  uint32_t minorVersion = 3; // of SPIR-V
  uint32_t input = noVariable, own = noVariable, uniforms = noVariable, push = noVariable;
  bool subgroups = false; // results depend on the subgroup's size
  bool clusters = false;  // there are clustered reductions
  bool optimised = false; // it is run after spirv-opt too

  uint32_t invocationsPerGroup() const { return workgroup[0] * workgroup[1] * workgroup[2]; }
  uint32_t groupCount() const { return groups[0] * groups[1] * groups[2]; }
  uint32_t invocations() const { return invocationsPerGroup() * groupCount(); }
};

inline constexpr uint32_t inputElements = 256, mostInvocations = 256;

} // namespace pumice::random_programs
