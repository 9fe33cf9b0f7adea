//===- Histograms.cpp - counts of elements between edges ---------------------===//
// The host reads the least and the greatest element if the caller gives no range.
//===-------------------------------------------------------------------------===//
#include "python/torch_shim/device/Device.h"

#include <ATen/Functions.h>
#include <ATen/core/Tensor.h>
#include <c10/core/DeviceGuard.h>
#include <torch/library.h>

namespace pumice::vk {
namespace {

using Range = std::pair<double, double>;

/// Returns the range of a vector's elements. An empty range grows by `margin` on both sides.
Range rangeOf(const at::Tensor &values, double margin) {
  Range made{0, values.numel() == 0 ? 1 : 0};
  if (values.numel() > 0) {
    at::Tensor ends = at::stack({values.min(), values.max()}).to(at::kDouble).cpu();
    made = {ends[0].item<double>(), ends[1].item<double>()};
  }
  TORCH_CHECK(std::isfinite(made.first) && std::isfinite(made.second),
              "expected a finite range of a histogram, got [", made.first, ", ", made.second, "]");
  if (made.first == made.second)
    made = {made.first - margin, made.second + margin};
  return made;
}

/// Returns the elements as rows of coordinates.
at::Tensor rowsOf(const at::Tensor &self) {
  TORCH_CHECK(self.dim() >= 2, "histogramdd: expected 2 dimensions or more, got ", self.dim());
  return self.reshape({-1, self.size(-1)});
}

std::vector<at::Tensor> edgesOf(const at::Tensor &rows, c10::IntArrayRef bins,
                                std::optional<c10::ArrayRef<double>> range) {
  int64_t dims = rows.size(1);
  TORCH_CHECK(static_cast<int64_t>(bins.size()) == dims, "expected a number of bins for each of ",
              dims, " dimensions, got ", bins.size());
  TORCH_CHECK(!range || static_cast<int64_t>(range->size()) == 2 * dims,
              "expected two ends for each of ", dims, " dimensions, got ",
              range ? range->size() : 0);
  std::vector<at::Tensor> made;
  for (int64_t d = 0; d < dims; ++d) {
    auto place = static_cast<size_t>(d);
    TORCH_CHECK(bins[place] > 0, "expected 1 bin or more, got ", bins[place]);
    Range ends = range ? Range{(*range)[2 * place], (*range)[2 * place + 1]}
                       : rangeOf(rows.select(1, d), 0.5);
    TORCH_CHECK(ends.first <= ends.second, "expected a range that does not decrease, got [",
                ends.first, ", ", ends.second, "]");
    if (ends.first == ends.second)
      ends = {ends.first - 0.5, ends.second + 0.5};
    made.push_back(at::linspace(ends.first, ends.second, bins[place] + 1, rows.options()));
  }
  return made;
}

/// Adds up the weights in each bin. `bins` has those of the elements, or a negative number.
at::Tensor addUp(const at::Tensor &bins, int64_t count, const std::optional<at::Tensor> &weights,
                 const at::TensorOptions &options) {
  at::Tensor values = weights && weights->defined() ? weights->reshape(-1).to(options.dtype())
                                                    : at::ones(bins.sizes(), options);
  // Elements outside add to a bin behind the others.
  at::Tensor to = at::where(bins.lt(0), at::full({}, count, bins.options()), bins);
  at::Tensor sums = at::zeros({count + 1}, options).index_put_({to}, values, /*accumulate=*/true);
  return sums.narrow(0, 0, count);
}

at::Tensor count(const at::Tensor &rows, at::TensorList edges,
                 const std::optional<at::Tensor> &weights, bool isDensity) {
  at::Tensor bins, isInside;
  std::vector<int64_t> sizes;
  int64_t total = 1;
  for (size_t d = 0; d < edges.size(); ++d) {
    int64_t size = edges[d].numel() - 1;
    at::Tensor values = rows.select(1, static_cast<int64_t>(d)).contiguous();
    at::Tensor place = at::searchsorted(edges[d].contiguous(), values, /*out_int32=*/false,
                                        /*right=*/true)
                           .sub(1);
    // The last edge belongs to the last bin.
    place = at::where(values.eq(edges[d][size]), at::full({}, size - 1, place.options()), place);
    at::Tensor fits = place.ge(0).logical_and(place.lt(size));
    isInside = d == 0 ? fits : isInside.logical_and(fits);
    bins = d == 0 ? place : bins.mul(size).add(place);
    sizes.push_back(size);
    total *= size;
  }
  bins = at::where(isInside, bins, at::full({}, -1, bins.options()));
  at::Tensor made = addUp(bins, total, weights, rows.options()).reshape(sizes);
  if (!isDensity)
    return made;
  made = made.div(made.sum());
  for (size_t d = 0; d < edges.size(); ++d) {
    std::vector<int64_t> shape(edges.size(), 1);
    shape[d] = -1;
    made = made.div(edges[d].diff().reshape(shape));
  }
  return made;
}

std::vector<at::Tensor> binEdges(const at::Tensor &self, c10::IntArrayRef bins,
                                 std::optional<c10::ArrayRef<double>> range,
                                 const std::optional<at::Tensor> &, bool) {
  c10::DeviceGuard guard(self.device());
  return edgesOf(rowsOf(self), bins, range);
}

at::Tensor fromCounts(const at::Tensor &self, c10::IntArrayRef bins,
                      std::optional<c10::ArrayRef<double>> range,
                      const std::optional<at::Tensor> &weights, bool isDensity) {
  c10::DeviceGuard guard(self.device());
  at::Tensor rows = rowsOf(self);
  return count(rows, edgesOf(rows, bins, range), weights, isDensity);
}

at::Tensor fromEdges(const at::Tensor &self, at::TensorList edges,
                     const std::optional<at::Tensor> &weights, bool isDensity) {
  c10::DeviceGuard guard(self.device());
  return count(rowsOf(self), edges, weights, isDensity);
}

std::tuple<at::Tensor, at::Tensor> histogram(const at::Tensor &self, int64_t bins,
                                             std::optional<c10::ArrayRef<double>> range,
                                             const std::optional<at::Tensor> &weights,
                                             bool isDensity) {
  c10::DeviceGuard guard(self.device());
  at::Tensor rows = self.reshape({-1, 1});
  std::vector<at::Tensor> edges = edgesOf(rows, {bins}, range);
  return {count(rows, edges, weights, isDensity), edges[0]};
}

std::tuple<at::Tensor, at::Tensor> histogramOfEdges(const at::Tensor &self, const at::Tensor &edges,
                                                    const std::optional<at::Tensor> &weights,
                                                    bool isDensity) {
  c10::DeviceGuard guard(self.device());
  return {count(self.reshape({-1, 1}), {edges}, weights, isDensity), edges.clone()};
}

at::Tensor countEvenly(const at::Tensor &self, int64_t bins, const at::Scalar &least,
                       const at::Scalar &most) {
  TORCH_CHECK(bins > 0, "histc: expected 1 bin or more, got ", bins);
  c10::DeviceGuard guard(self.device());
  at::Tensor values = self.reshape(-1);
  Range ends{least.toDouble(), most.toDouble()};
  if (ends.first == ends.second)
    ends = values.numel() > 0 ? rangeOf(values, 1) : Range{ends.first - 1, ends.second + 1};
  TORCH_CHECK(std::isfinite(ends.first) && std::isfinite(ends.second) && ends.first < ends.second,
              "histc: expected a finite range that increases, got [", ends.first, ", ", ends.second,
              "]");
  if (!values.is_floating_point())
    values = values.to(at::kFloat);
  at::Tensor place = values.sub(ends.first)
                         .mul(static_cast<double>(bins))
                         .div(ends.second - ends.first)
                         .to(at::kLong)
                         .clamp_max(bins - 1);
  at::Tensor isInside = values.ge(ends.first).logical_and(values.le(ends.second));
  place = at::where(isInside, place, at::full({}, -1, place.options()));
  return addUp(place, bins, {}, values.options()).to(self.scalar_type());
}

at::Tensor &histcOut(const at::Tensor &self, int64_t bins, const at::Scalar &least,
                     const at::Scalar &most, at::Tensor &out) {
  at::Tensor made = countEvenly(self, bins, least, most);
  out.resize_(made.sizes());
  return out.copy_(made);
}

TORCH_LIBRARY_IMPL(aten, PrivateUse1, m) {
  m.impl("_histogramdd_bin_edges", TORCH_FN(binEdges));
  m.impl("_histogramdd_from_bin_cts", TORCH_FN(fromCounts));
  m.impl("_histogramdd_from_bin_tensors", TORCH_FN(fromEdges));
  m.impl("histogram.bin_ct", TORCH_FN(histogram));
  m.impl("histogram.bins_tensor", TORCH_FN(histogramOfEdges));
  m.impl("histc", TORCH_FN(countEvenly));
  m.impl("histc.out", TORCH_FN(histcOut));
}

} // namespace
} // namespace pumice::vk
