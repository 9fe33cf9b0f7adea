//===- Plan.h - how the device computes an operator -------------------------===//
// A plan is a file that a compiler wrote (python/pumice_torch/vk/plans). It has conditions on the
// call, arithmetic on sizes and numbers, allocations, launches, and the kernels' code.
//===-------------------------------------------------------------------------===//
#pragma once

#include "include/pumice/pumice.h"
#include "python/torch_shim/plans/Calls.h"

#include <atomic>
#include <iosfwd>
#include <memory>
#include <mutex>
#include <vector>

namespace pumice::vk {

/// An operation on earlier values. Names in files are those of the enumerators.
enum class Operation : uint8_t {
  Constant, // an integer
  Real,     // a constant float
  Size,     // of a dimension of a tensor
  Stride,   // the same
  Given,    // a number of the call
  Add,
  Sub,
  Mul,
  FloorDiv,
  Mod,
  Min,
  Max,
  Pow,
  Neg,
  ShiftLeft,
  ShiftRight,
  Eq,
  Ne,
  Lt,
  Le,
  Gt,
  Ge,
  And,
  Or,
  Not,   // 0 or 1
  Where, // a ? b : c
  ToReal,
  AddReal,
  SubReal,
  MulReal,
  DivReal,
  PowReal,
  NegReal,
  MinReal,
  MaxReal,
  SqrtReal,
  EqReal,
  NeReal,
  LtReal,
  LeReal,
  GtReal,
  GeReal,
  TruncReal,
  FloorReal,
  CeilReal, // integers
  Last
};

struct Instruction {
  Operation operation;
  int64_t a = 0, b = 0, c = 0; // numbers of values; for the first ones, what they say
  double real = 0;
};

/// The number of a value.
using Value = uint32_t;

/// A tensor of the plan's: an argument, or one that a step makes.
using TensorNumber = uint32_t;

struct Kernel {
  std::string name;
  std::string code; // an executable
  /// The function on the devices that have used it, by their numbers.
  std::vector<pumice_function *> functions;
  std::mutex mutex;

  pumice_function *on(int64_t device);
};

struct LaunchArgument {
  enum Kind { Memory, Integer, Float, Seed } kind; // a seed is new in each run
  uint32_t number;                                 // of a tensor or a value
  uint32_t bytes;                                  // of a number
};

/// An argument of an operator that a plan calls.
struct CallArgument {
  enum Kind { None, Tensor, Integer, Float, Bool, Text, Integers, Tensors } kind;
  std::vector<uint32_t> numbers; // of tensors or values
  std::string text;
};

struct Step {
  enum Kind { Allocate, View, Launch, CallOperator, RandomSeeds, Free } kind;
  TensorNumber tensor = 0; // that it makes, or frees
  TensorNumber from = 0;   // that a view shows
  c10::ScalarType type = c10::ScalarType::Undefined;
  std::vector<Value> sizes, strides;
  Value offset = 0;
  uint32_t kernel = 0;
  Value groups[3] = {};
  std::vector<LaunchArgument> launchArguments;
  std::string name, overload; // of an operator
  std::vector<CallArgument> callArguments;
  uint32_t results = 0; // of the operator: tensors from `tensor` on
};

class Plan {
public:
  /// Reads a plan. Throws if the file is not one.
  static std::unique_ptr<Plan> read(std::istream &in);

  /// Loads the kernels on a device. Throws if it cannot run them.
  void load(int64_t device);

  /// Returns whether the plan serves a call with its key. Computes the values that this needs.
  bool admits(const Call &call, std::vector<Number> &values) const;
  /// Runs the plan, after `admits`. Returns the tensors that the plan computes.
  std::vector<at::Tensor> run(const Call &call, std::vector<Number> &values);

  std::atomic<bool> callsItself = false; // it has called the operator that it computes

private:
  void compute(const Call &call, size_t first, size_t end, std::vector<Number> &values) const;
  void launch(const Step &step, const Call &call, const std::vector<Number> &values,
              const std::vector<at::Tensor> &tensors);
  void callOperator(const Step &step, const std::vector<Number> &values,
                    std::vector<at::Tensor> &tensors);

  std::vector<Instruction> instructions;
  size_t guardValues = 0;    // the values that guards need come first
  std::vector<Value> guards; // must not be 0
  std::vector<std::unique_ptr<Kernel>> kernels;
  std::vector<Step> steps;
  uint32_t tensorCount = 0;
  size_t tensorsOfCall = 0, numbersOfCall = 0; // that the values need at least
  std::vector<TensorNumber> results;
};

} // namespace pumice::vk
