//===- BatchNorm.cpp - the parts of batch norms over several processes ------===//
// SyncBatchNorm sends sums between these parts. PyTorch has them for CUDA alone. Channels are
// dimension 1. Sums of 16-bit types are f32.
//===-------------------------------------------------------------------------===//
#include <ATen/Functions.h>
#include <ATen/OpMathType.h>
#include <ATen/TensorOperators.h>
#include <torch/library.h>

namespace pumice::vk {
namespace {

using OptionalTensor = std::optional<at::Tensor>;

/// Returns the type of sums of the tensor's elements.
at::ScalarType sumType(const at::Tensor &tensor) { return at::toOpMathType(tensor.scalar_type()); }

/// Returns all dimensions except for the channels.
std::vector<int64_t> otherDimensions(const at::Tensor &tensor) {
  TORCH_CHECK(tensor.dim() >= 2, "batch norm expects at least 2 dimensions, got ", tensor.sizes());
  std::vector<int64_t> dimensions{0};
  for (int64_t i = 2; i < tensor.dim(); ++i)
    dimensions.push_back(i);
  return dimensions;
}

/// Returns one element for each channel in the shape that broadcasts to `like`.
at::Tensor perChannel(const at::Tensor &tensor, const at::Tensor &like) {
  std::vector<int64_t> sizes(static_cast<size_t>(like.dim()), 1);
  sizes[1] = tensor.numel();
  return tensor.view(sizes);
}

bool isGiven(const OptionalTensor &tensor) { return tensor && tensor->defined(); }

/// Returns the mean and 1 / sqrt(variance + eps) of each channel.
std::tuple<at::Tensor, at::Tensor> stats(const at::Tensor &input, double eps) {
  auto [variance, mean] = at::var_mean(input.to(sumType(input)), otherDimensions(input),
                                       std::optional<c10::Scalar>(0), /*keepdim=*/false);
  return {mean, (variance + eps).rsqrt()};
}

at::Tensor normalized(const at::Tensor &input, const OptionalTensor &weight,
                      const OptionalTensor &bias, const at::Tensor &mean, const at::Tensor &invstd,
                      double) {
  at::Tensor result = (input.to(sumType(input)) - perChannel(mean, input)) *
                      perChannel(isGiven(weight) ? invstd * *weight : invstd, input);
  if (isGiven(bias))
    result = result + perChannel(*bias, input);
  return result.to(input.scalar_type());
}

/// Returns the mean and 1 / sqrt(variance + eps) of all processes' elements, from rows of each.
std::tuple<at::Tensor, at::Tensor>
gatherStatsWithCounts(const at::Tensor &, const at::Tensor &means, const at::Tensor &invstds,
                      const OptionalTensor &runningMean, const OptionalTensor &runningVariance,
                      double momentum, double eps, const at::Tensor &counts) {
  at::Tensor numbers = counts.to(means.scalar_type()).view({-1, 1});
  at::Tensor total = numbers.sum();
  at::Tensor mean = (means * numbers).sum(0) / total;
  at::Tensor squares =
      ((invstds.pow(-2) - eps) * numbers + (means - mean).square() * numbers).sum(0);
  if (isGiven(runningMean))
    runningMean->mul_(1 - momentum).add_(mean, momentum);
  if (isGiven(runningVariance))
    runningVariance->mul_(1 - momentum).add_(squares / (total - 1), momentum);
  return {mean, (squares / total + eps).rsqrt()};
}

std::tuple<at::Tensor, at::Tensor> gatherStats(const at::Tensor &input, const at::Tensor &means,
                                               const at::Tensor &invstds,
                                               const OptionalTensor &runningMean,
                                               const OptionalTensor &runningVariance,
                                               double momentum, double eps, int64_t count) {
  return gatherStatsWithCounts(input, means, invstds, runningMean, runningVariance, momentum, eps,
                               at::full({means.size(0)}, count, means.options()));
}

/// Returns sums of dy and of dy * (x - mean), and the gradients of weight and bias.
std::tuple<at::Tensor, at::Tensor, at::Tensor, at::Tensor>
backwardReduce(const at::Tensor &gradient, const at::Tensor &input, const at::Tensor &mean,
               const at::Tensor &invstd, const OptionalTensor &weight, bool needsInput,
               bool needsWeight, bool needsBias) {
  at::ScalarType type = sumType(input);
  auto dimensions = otherDimensions(input);
  at::Tensor dy = gradient.to(type);
  at::Tensor sum = dy.sum(dimensions);
  at::Tensor sumOfProducts = (dy * (input.to(type) - perChannel(mean, input))).sum(dimensions);
  at::ScalarType own = isGiven(weight) ? weight->scalar_type() : input.scalar_type();
  return {needsInput ? sum : at::Tensor(), needsInput ? sumOfProducts : at::Tensor(),
          needsWeight ? (sumOfProducts * invstd).to(own) : at::Tensor(),
          needsBias ? sum.to(own) : at::Tensor()};
}

at::Tensor backwardElements(const at::Tensor &gradient, const at::Tensor &input,
                            const at::Tensor &mean, const at::Tensor &invstd,
                            const OptionalTensor &weight, const at::Tensor &sum,
                            const at::Tensor &sumOfProducts, const at::Tensor &counts) {
  at::ScalarType type = sumType(input);
  at::Tensor total = counts.sum().to(type);
  at::Tensor scale = isGiven(weight) ? invstd * *weight : invstd;
  at::Tensor slope = invstd.square() * sumOfProducts / total;
  at::Tensor result = (gradient.to(type) - perChannel(sum / total, input) -
                       (input.to(type) - perChannel(mean, input)) * perChannel(slope, input)) *
                      perChannel(scale, input);
  return result.to(input.scalar_type());
}

TORCH_LIBRARY_IMPL(aten, PrivateUse1, m) {
  m.impl("batch_norm_stats", TORCH_FN(stats));
  m.impl("batch_norm_elemt", TORCH_FN(normalized));
  m.impl("batch_norm_gather_stats", TORCH_FN(gatherStats));
  m.impl("batch_norm_gather_stats_with_counts", TORCH_FN(gatherStatsWithCounts));
  m.impl("batch_norm_backward_reduce", TORCH_FN(backwardReduce));
  m.impl("batch_norm_backward_elemt", TORCH_FN(backwardElements));
}

} // namespace
} // namespace pumice::vk
