//===- Reduction.h - sums, minima and so on, in types that gloo has ---------===//
#pragma once

#include <ATen/core/Tensor.h>
#include <torch/csrc/distributed/c10d/Types.hpp>

namespace pumice::vk {

/// How to compute a reduction of one type with gloo's operations and types. Tensors are the CPU's.
class Reduction {
public:
  /// Throws if the type lacks the operation. `what` names the collective: "all_reduce".
  Reduction(const c10d::ReduceOp &op, at::ScalarType type, int ranks, const char *what);

  /// Returns gloo's operation.
  c10d::ReduceOp operation() const { return c10d::ReduceOp(op); }
  /// Returns the elements as gloo reduces them, which are the image's own if nothing is converted.
  at::Tensor prepared(const at::Tensor &image, bool mayOverwrite) const;
  /// Writes the reduced elements to the image, which may be the same memory.
  void finish(const at::Tensor &reduced, const at::Tensor &image) const;
  /// Reduces the rows of prepared elements to one.
  at::Tensor reduceRows(const at::Tensor &rows) const;

private:
  c10d::ReduceOp::RedOpType op;
  at::ScalarType computed; // the type that gloo reduces
  bool isAverage = false;
  int ranks;
  at::Tensor factor; // multiplies elements first, if it is defined
};

} // namespace pumice::vk
