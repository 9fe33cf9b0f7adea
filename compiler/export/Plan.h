//===- Plan.h - the launchers that an export contains, as plain data --------===//
// A plan names kernels as C and C++ programs call them. Each kernel has one or more
// specialisations: entry points of executables, with conditions on the arguments. The launcher runs
// the first specialisation whose conditions hold.
//
// `pumice export` makes the plan of an executable. Python makes the plans of Triton's kernels, and
// passes them as JSON (docs/ship.md describes it).
//===-------------------------------------------------------------------------===//
#pragma once

#include "executable/Executable.h"

#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace pumice::exporting {

/// An expression of a kernel's arguments: a number, the name of a parameter, or an operation.
struct Expression {
  enum class Kind : uint8_t { Number, Name, Operation };
  Kind kind = Kind::Number;
  int64_t number = 0;
  std::string text; // the name, or the operator: "+", "//", "min"
  std::vector<Expression> operands;
};

enum class ParameterKind : uint8_t { Buffer, Scalar, Constant };

/// One parameter of a launcher. A constant chooses a specialisation, and reaches no kernel.
struct Parameter {
  std::string name;
  std::string argument; // the kernel's name for it, which the parts of a tuple share
  std::string note;     // for readers of the header
  ParameterKind kind = ParameterKind::Buffer;
  executable::ElementType element = executable::ElementType::f32;
  uint32_t vectorWidth = 1;
  bool isUnsigned = false;
  bool isShaped = false; // a buffer whose shape the caller states
  executable::Access access = executable::Access::ReadWrite;
};

struct Specialisation {
  size_t executable = 0;              // the index of its executable
  std::string entryPoint;             // the name there
  std::vector<Expression> conditions; // all must hold
  std::vector<Expression> grid;       // three, or none: the caller gives the grid
  std::string note;                   // for readers: "BLOCK=1024, num_warps=4"

  // `complete` sets these.
  std::string combinedName;      // the name of the entry point in the exported executable
  std::vector<size_t> arguments; // for each argument of the entry point, the parameter's index
};

struct Kernel {
  std::string name;
  std::vector<Parameter> parameters;
  std::vector<Specialisation> specialisations;
  bool rejectsOverlap = false; // arguments may not share memory that the kernel writes

  // `complete` sets these.
  std::string source; // "softmax.py:12"
  bool hasGrid = false, opensWorkgroup = false, hasDynamicMemory = false;
};

enum class Language : uint8_t { C, Cpp };

struct Plan {
  std::string name; // of the files, and of what they declare
  Language language = Language::Cpp;
  bool beside = false;         // the executable stays a file, which the program loads
  std::string line;            // how the files were made, for the comment at their top
  std::vector<Kernel> kernels; // empty: every entry point of the executables
};

/// Returns whether a parameter is a number with a fraction.
bool isFloat(const Parameter &parameter);

/// Reads a plan from JSON. Errors name the place in the plan.
Result<Plan> readPlan(std::string_view json);

/// Compares the plan with its executables, and adds what follows from them.
Status complete(Plan &plan, const std::vector<executable::Executable> &inputs);

/// Returns one executable with the specialisations of a complete plan.
executable::Executable combine(const Plan &plan, const std::vector<executable::Executable> &inputs);

} // namespace pumice::exporting
