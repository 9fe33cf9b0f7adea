//===- Selection.cpp - operators whose results have sizes that data decide --===//
// The host reads the number of elements of the result from the device. Other operators compute
// everything else on the device.
#include "python/torch_shim/device/Device.h"
#include "python/torch_shim/operators/Fallback.h"
#include "python/torch_shim/plans/Store.h"

#include <ATen/Functions.h>
#include <ATen/core/Tensor.h>
#include <c10/core/DeviceGuard.h>
#include <torch/library.h>

namespace pumice::vk {
namespace {

/// Returns the places of the true elements of a vector.
at::Tensor placesOf(const at::Tensor &flags) {
  auto integers = flags.options().dtype(at::kLong);
  int64_t count = flags.numel();
  if (count == 0)
    return at::empty({0}, integers);
  at::Tensor ends = flags.cumsum(0, at::kLong);
  int64_t selected = ends[count - 1].item<int64_t>();
  // Elements that are not selected write to one spare place after the end of the result.
  at::Tensor made = at::empty({selected + 1}, integers);
  at::Tensor to = at::where(flags, ends.sub(1), at::full({}, selected, integers));
  made.index_put_({to}, at::arange(count, integers));
  return made.narrow(0, 0, selected);
}

/// Returns whether elements differ from 0, as a vector.
at::Tensor flagsOf(const at::Tensor &self) {
  at::Tensor flat = self.reshape(-1);
  return flat.scalar_type() == at::kBool ? flat : flat.ne(0);
}

at::Tensor placesOfNonzero(const at::Tensor &self) {
  c10::DeviceGuard guard(self.device());
  at::Tensor places = placesOf(flagsOf(self));
  if (self.dim() == 0)
    return places.new_empty({places.numel(), 0});
  if (self.dim() == 1)
    return places.unsqueeze(1);
  std::vector<at::Tensor> columns;
  int64_t step = std::max<int64_t>(self.numel(), 1);
  for (int64_t size : self.sizes()) {
    step /= std::max<int64_t>(size, 1);
    columns.push_back(places.floor_divide(step).remainder(size));
  }
  return at::stack(columns, 1);
}

/// Gives an output the sizes and elements of a result.
at::Tensor &put(at::Tensor &out, const at::Tensor &made) {
  TORCH_CHECK(out.scalar_type() == made.scalar_type(), "expected an output of type ",
              made.scalar_type(), ", got ", out.scalar_type());
  out.resize_(made.sizes());
  return out.copy_(made);
}

at::Tensor &nonzeroOut(const at::Tensor &self, at::Tensor &out) {
  return put(out, placesOfNonzero(self));
}

at::Tensor maskedSelect(const at::Tensor &self, const at::Tensor &mask) {
  TORCH_CHECK(mask.scalar_type() == at::kBool, "masked_select: expected a mask of type bool, got ",
              mask.scalar_type());
  c10::DeviceGuard guard(self.device());
  std::vector<at::Tensor> both = at::broadcast_tensors({self, mask});
  return both[0].reshape(-1).index_select(0, placesOf(both[1].reshape(-1)));
}

at::Tensor &maskedSelectOut(const at::Tensor &self, const at::Tensor &mask, at::Tensor &out) {
  return put(out, maskedSelect(self, mask));
}

bool equal(const at::Tensor &self, const at::Tensor &other) {
  TORCH_CHECK(self.device() == other.device(), "equal: expected both tensors on one device, got ",
              self.device(), " and ", other.device());
  TORCH_CHECK(self.scalar_type() == other.scalar_type(),
              "equal: expected tensors of one type, got ", self.scalar_type(), " and ",
              other.scalar_type());
  if (self.sizes() != other.sizes())
    return false;
  c10::DeviceGuard guard(self.device());
  return self.numel() == 0 || self.eq(other).all().item<bool>();
}

/// Returns a vector of flags, which are true for the first element, and for each element that
/// differs from the one before. `differ` holds the flags of all elements but the first.
at::Tensor beginsOf(const at::Tensor &differ) { return at::cat({differ.new_ones({1}), differ}); }

/// The results of a search for runs of equal elements.
struct Runs {
  at::Tensor places, inverse, counts; // where runs begin, the run of each element, and the lengths
};

Runs findRuns(const at::Tensor &begins) {
  Runs made;
  int64_t count = begins.numel();
  made.places = placesOf(begins);
  made.inverse = begins.cumsum(0, at::kLong).sub(1);
  at::Tensor end = at::full({1}, count, made.places.options());
  made.counts = at::cat({made.places.slice(0, 1), end}).sub(made.places);
  return made;
}

using ThreeTensors = std::tuple<at::Tensor, at::Tensor, at::Tensor>;

ThreeTensors noElements(const at::Tensor &self, bool wantsInverse) {
  auto integers = self.options().dtype(at::kLong);
  return {at::empty({0}, self.options()),
          at::empty(wantsInverse ? self.sizes() : at::IntArrayRef{0}, integers),
          at::empty({0}, integers)};
}

at::Tensor differences(const at::Tensor &flat) {
  return flat.slice(0, 1).ne(flat.slice(0, 0, flat.numel() - 1));
}

ThreeTensors unique(const at::Tensor &self, bool, bool wantsInverse, bool wantsCounts) {
  c10::DeviceGuard guard(self.device());
  if (self.numel() == 0)
    return noElements(self, wantsInverse);
  auto [sorted, order] =
      self.reshape(-1).sort(std::optional<bool>(true), /*dim=*/0, /*descending=*/false);
  Runs runs = findRuns(beginsOf(differences(sorted)));
  at::Tensor none = at::empty({0}, runs.places.options()), inverse = none;
  if (wantsInverse)
    inverse = at::empty_like(order).index_put_({order}, runs.inverse).view(self.sizes());
  return {sorted.index_select(0, runs.places), inverse, wantsCounts ? runs.counts : none};
}

ThreeTensors uniqueConsecutive(const at::Tensor &self, bool wantsInverse, bool wantsCounts,
                               std::optional<int64_t> dim) {
  c10::DeviceGuard guard(self.device());
  if (self.numel() == 0 && !dim)
    return noElements(self, wantsInverse);
  at::Tensor rows = dim ? self.movedim(*dim, 0) : self.reshape(-1);
  int64_t count = rows.size(0);
  TORCH_CHECK(count > 0 && rows.numel() > 0,
              "unique_consecutive: expected elements along the dimension, got sizes ",
              self.sizes());
  at::Tensor differ = differences(dim ? rows.new_empty({0}) : rows);
  if (dim)
    differ = rows.slice(0, 1).ne(rows.slice(0, 0, count - 1)).reshape({count - 1, -1}).any(1);
  Runs runs = findRuns(beginsOf(differ));
  at::Tensor none = at::empty({0}, runs.places.options());
  at::Tensor found = rows.index_select(0, runs.places);
  return {dim ? found.movedim(0, *dim) : found,
          !wantsInverse ? none
          : dim         ? runs.inverse
                        : runs.inverse.view(self.sizes()),
          wantsCounts ? runs.counts : none};
}

at::Tensor repeatInterleave(const at::Tensor &repeats, std::optional<int64_t> size) {
  TORCH_CHECK(repeats.dim() == 1, "repeat_interleave: expected a vector, got ", repeats.dim(),
              " dimensions");
  c10::DeviceGuard guard(repeats.device());
  if (repeats.numel() == 0)
    return at::empty_like(repeats);
  TORCH_CHECK(repeats.ge(0).all().item<bool>(), "repeat_interleave: expected no negative numbers");
  at::Tensor ends = repeats.cumsum(0, at::kLong);
  int64_t sum = size ? *size : ends[-1].item<int64_t>();
  return at::searchsorted(ends, at::arange(sum, ends.options()), /*out_int32=*/false,
                          /*right=*/true)
      .to(repeats.scalar_type());
}

at::Tensor bincount(const at::Tensor &self, const std::optional<at::Tensor> &weights,
                    int64_t least) {
  TORCH_CHECK(self.dim() == 1 && at::isIntegralType(self.scalar_type(), /*includeBool=*/true),
              "bincount: expected a vector of integers, got ", self.dim(), " dimensions of ",
              self.scalar_type());
  TORCH_CHECK(least >= 0, "bincount: expected minlength of 0 or more, got ", least);
  bool hasWeights = weights && weights->defined();
  TORCH_CHECK(!hasWeights || weights->sizes() == self.sizes(),
              "bincount: expected weights of the same size as the input");
  c10::DeviceGuard guard(self.device());
  auto integers = self.options().dtype(at::kLong);
  if (self.numel() == 0)
    return at::zeros({least}, integers);
  at::Tensor places = self.to(at::kLong);
  at::Tensor ends = at::stack({places.min(), places.max()}).cpu();
  TORCH_CHECK(ends[0].item<int64_t>() >= 0, "bincount: expected no negative integers");
  int64_t bins = std::max(least, ends[1].item<int64_t>() + 1);
  at::Tensor values = at::ones_like(places);
  if (hasWeights)
    values = weights->scalar_type() == at::kFloat ? *weights : weights->to(at::kDouble);
  return at::zeros({bins}, values.options()).scatter_add_(0, places, values);
}

TORCH_LIBRARY_IMPL(aten, PrivateUse1, m) {
  m.impl("nonzero", TORCH_FN(placesOfNonzero));
  m.impl("nonzero.out", TORCH_FN(nonzeroOut));
  m.impl("masked_select", TORCH_FN(maskedSelect));
  m.impl("masked_select.out", TORCH_FN(maskedSelectOut));
  m.impl("equal", TORCH_FN(equal));
  m.impl("_unique2", TORCH_FN(unique));
  m.impl("unique_consecutive", TORCH_FN(uniqueConsecutive));
  m.impl("repeat_interleave.Tensor", TORCH_FN(repeatInterleave));
  m.impl("bincount", TORCH_FN(bincount));
}

} // namespace
} // namespace pumice::vk
