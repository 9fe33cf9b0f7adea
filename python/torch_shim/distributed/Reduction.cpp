//===- Reduction.cpp - chooses gloo's operation and type --------------------===//
#include "python/torch_shim/distributed/Reduction.h"

#include <ATen/Functions.h>
#include <torch/headeronly/version.h>

namespace pumice::vk {
namespace {

using Op = c10d::ReduceOp::RedOpType;

#if TORCH_VERSION_MAJOR == 2 && TORCH_VERSION_MINOR < 13
using Factor = c10d::NCCLPreMulSumSupplement;
#else
using Factor = c10d::PreMulSumSupplement;
#endif

const char *nameOf(Op op) {
  constexpr const char *names[] = {"SUM",  "AVG", "PRODUCT", "MIN",       "MAX",
                                   "BAND", "BOR", "BXOR",    "PREMUL_SUM"};
  return static_cast<size_t>(op) < std::size(names) ? names[op] : "this operation";
}

/// Returns the type that gloo reduces for elements of `type`: the same, or a larger one.
at::ScalarType computedFor(at::ScalarType type) {
  switch (type) {
  case at::kBool:
    return at::kByte;
  case at::kShort:
  case at::kUInt16:
    return at::kInt;
  case at::kUInt32:
  case at::kUInt64:
    return at::kLong;
  case at::kComplexHalf:
    return at::kHalf;
  case at::kComplexFloat:
    return at::kFloat;
  case at::kComplexDouble:
    return at::kDouble;
  default:
    return at::isFloat8Type(type) ? at::kFloat : type;
  }
}

bool isBitwise(Op op) { return op == Op::BAND || op == Op::BOR || op == Op::BXOR; }
bool isSum(Op op) { return op == Op::SUM || op == Op::AVG || op == Op::PREMUL_SUM; }

bool hasOperation(at::ScalarType type, Op op) {
  if (op > Op::PREMUL_SUM)
    return false;
  if (at::isComplexType(type))
    return isSum(op);
  if (at::isFloatingType(type))
    return !isBitwise(op);
  if (type == at::kBool)
    return op != Op::AVG && op != Op::PREMUL_SUM;
  if (type == at::kUInt64)
    return op != Op::MIN && op != Op::MAX && op != Op::AVG && op != Op::PREMUL_SUM;
  return at::isIntegralType(type, false) && op != Op::PREMUL_SUM;
}

/// Returns the operation on bytes that are 0 or 1 that gives these as well.
Op ofBooleans(Op op) {
  switch (op) {
  case Op::SUM:
  case Op::BOR:
    return Op::MAX;
  case Op::PRODUCT:
  case Op::BAND:
    return Op::MIN;
  default:
    return op;
  }
}

/// Returns the same elements in memory, as a type that gloo knows or the CPU converts.
at::Tensor viewed(const at::Tensor &image) {
  switch (image.scalar_type()) {
  case at::kBool:
    return image.view(at::kByte);
  case at::kUInt64:
    return image.view(at::kLong);
  default:
    return image.is_complex() ? at::view_as_real(image) : image;
  }
}

} // namespace

Reduction::Reduction(const c10d::ReduceOp &given, at::ScalarType type, int ranks, const char *what)
    : op(given.op_), computed(computedFor(type)), ranks(ranks) {
  TORCH_CHECK_TYPE(hasOperation(type, op), what, " on vk has no ReduceOp.", nameOf(op), " for ",
                   type, "; convert the tensor to another type first");
  isAverage = op == Op::AVG;
  if (op == Op::PREMUL_SUM) {
    auto *supplement = dynamic_cast<Factor *>(given.supplement_.get());
    TORCH_CHECK(supplement, "expected ReduceOp.PREMUL_SUM with a factor");
    factor = supplement->tensor_factor.defined()
                 ? supplement->tensor_factor.cpu()
                 : at::scalar_tensor(supplement->double_factor, at::kDouble);
  }
  if (isSum(op))
    op = Op::SUM;
  if (type == at::kBool)
    op = ofBooleans(op);
}

at::Tensor Reduction::prepared(const at::Tensor &image, bool mayOverwrite) const {
  at::Tensor elements = viewed(image);
  bool isConverted = elements.scalar_type() != computed;
  if (isConverted)
    elements = elements.to(computed);
  if (!factor.defined())
    return elements;
  return isConverted || mayOverwrite ? elements.mul_(factor) : elements.mul(factor);
}

void Reduction::finish(const at::Tensor &reduced, const at::Tensor &image) const {
  if (isAverage && at::isFloatingType(computed))
    reduced.div_(ranks);
  else if (isAverage)
    reduced.div_(ranks, "trunc");
  at::Tensor target = viewed(image);
  if (target.data_ptr() != reduced.data_ptr())
    target.copy_(reduced.view(target.sizes()));
}

at::Tensor Reduction::reduceRows(const at::Tensor &rows) const {
  switch (op) {
  case Op::SUM:
    return rows.sum(0, /*keepdim=*/false, computed);
  case Op::PRODUCT:
    return rows.prod(0, /*keepdim=*/false, computed);
  case Op::MIN:
    return rows.amin(0);
  case Op::MAX:
    return rows.amax(0);
  default:
    break;
  }
  at::Tensor result = rows[0].clone();
  for (int64_t row = 1; row < rows.size(0); ++row)
    if (op == Op::BAND)
      result.bitwise_and_(rows[row]);
    else if (op == Op::BOR)
      result.bitwise_or_(rows[row]);
    else
      result.bitwise_xor_(rows[row]);
  return result;
}

} // namespace pumice::vk
