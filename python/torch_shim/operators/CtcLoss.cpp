//===- CtcLoss.cpp - connectionist temporal classification -------------------===//
// Labels are extended: a blank goes before each one, and after the last. The sums over paths to
// each extended label follow from those one time step earlier, for all sequences at once.
//===-------------------------------------------------------------------------===//
#include "python/torch_shim/device/Device.h"

#include <ATen/Functions.h>
#include <ATen/core/Tensor.h>
#include <c10/core/DeviceGuard.h>
#include <torch/library.h>

#include <limits>

namespace pumice::vk {
namespace {

constexpr double noPath = -std::numeric_limits<double>::infinity();

/// What both directions need of a call.
struct Problem {
  at::Tensor labels;        // [batch, 2 * most + 1], extended
  at::Tensor probabilities; // [time, batch, 2 * most + 1], their logarithms
  at::Tensor skips;         // [batch, 2 * most + 1]: 0 if a path may leave out the blank before
  at::Tensor last;          // [batch], the last time step of each sequence
  at::Tensor ends;          // [batch, 2 * most + 1]: 0 for labels that paths may end with
};

at::Tensor onDevice(const std::vector<int64_t> &values, c10::Device device) {
  return at::tensor(values, at::kLong).to(device);
}

/// Returns the targets as rows of one length.
at::Tensor padded(const at::Tensor &targets, c10::IntArrayRef lengths, int64_t most,
                  int64_t blank) {
  auto batch = static_cast<int64_t>(lengths.size());
  at::Tensor wide = targets.to(at::kLong);
  if (targets.dim() == 2)
    return wide.narrow(1, 0, most);
  std::vector<int64_t> places;
  int64_t first = 0;
  for (int64_t length : lengths) {
    for (int64_t i = 0; i < most; ++i)
      places.push_back(i < length ? first + i : -1);
    first += length;
  }
  at::Tensor place = onDevice(places, targets.device());
  if (wide.numel() == 0)
    return at::full({batch, most}, blank, wide.options());
  return wide.index_select(0, place.clamp_min(0)).view({batch, most});
}

Problem prepare(const at::Tensor &logProbs, const at::Tensor &targets,
                c10::IntArrayRef inputLengths, c10::IntArrayRef targetLengths, int64_t blank) {
  int64_t time = logProbs.size(0), batch = logProbs.size(1);
  TORCH_CHECK(static_cast<int64_t>(inputLengths.size()) == batch &&
                  static_cast<int64_t>(targetLengths.size()) == batch,
              "ctc_loss: expected a length for each of ", batch, " sequences, got ",
              inputLengths.size(), " and ", targetLengths.size());
  TORCH_CHECK(blank >= 0 && blank < logProbs.size(2), "ctc_loss: expected a blank below ",
              logProbs.size(2), ", got ", blank);
  int64_t most = 0;
  std::vector<int64_t> last, ends;
  for (int64_t length : inputLengths) {
    TORCH_CHECK(length >= 0 && length <= time, "ctc_loss: expected input lengths up to ", time,
                ", got ", length);
    last.push_back(length - 1);
  }
  for (int64_t length : targetLengths) {
    TORCH_CHECK(length >= 0, "ctc_loss: expected target lengths of 0 or more, got ", length);
    most = std::max(most, length);
    ends.push_back(2 * length);
  }
  c10::Device device = logProbs.device();
  at::Tensor rows = padded(targets, targetLengths, most, blank);
  Problem made;
  int64_t width = 2 * most + 1;
  made.labels = at::full({batch, width}, blank, rows.options());
  if (most > 0)
    made.labels.slice(1, 1, width, 2).copy_(rows);
  made.probabilities = logProbs.gather(2, made.labels.unsqueeze(0).expand({time, batch, width}));
  at::Tensor none = at::full({}, noPath, logProbs.options()), zero = at::zeros_like(none);
  at::Tensor differs = at::zeros({batch, width}, rows.options().dtype(at::kBool));
  if (width > 2)
    differs.slice(1, 2).copy_(made.labels.slice(1, 2)
                                  .ne(made.labels.slice(1, 0, width - 2))
                                  .logical_and(made.labels.slice(1, 2).ne(blank)));
  made.skips = at::where(differs, zero, none);
  made.last = onDevice(last, device);
  at::Tensor end = onDevice(ends, device).unsqueeze(1);
  at::Tensor place = at::arange(width, rows.options()).unsqueeze(0);
  made.ends = at::where(place.eq(end).logical_or(place.eq(end.sub(1))), zero, none);
  return made;
}

/// Returns the sums over paths to each label from one before, two before, or itself.
at::Tensor sumUp(const at::Tensor &same, const at::Tensor &next, const at::Tensor &skipped) {
  return same.logaddexp(next).logaddexp(skipped);
}

std::tuple<at::Tensor, at::Tensor> forward(const at::Tensor &logProbs, const at::Tensor &targets,
                                           c10::IntArrayRef inputLengths,
                                           c10::IntArrayRef targetLengths, int64_t blank, bool) {
  c10::DeviceGuard guard(logProbs.device());
  bool isBatch = logProbs.dim() == 3;
  at::Tensor given = isBatch ? logProbs : logProbs.unsqueeze(1);
  at::Tensor rows = isBatch || targets.dim() != 1 ? targets : targets.unsqueeze(0);
  Problem problem = prepare(given, rows, inputLengths, targetLengths, blank);
  int64_t time = given.size(0), batch = given.size(1), width = problem.labels.size(1);
  // Two labels that no path reaches come before the first.
  at::Tensor sums = at::full({time, batch, width + 2}, noPath, given.options());
  if (time > 0)
    sums[0]
        .slice(1, 2, std::min<int64_t>(4, width + 2))
        .copy_(problem.probabilities[0].slice(1, 0, 2));
  for (int64_t t = 1; t < time; ++t) {
    at::Tensor before = sums[t - 1];
    at::Tensor made = sumUp(before.slice(1, 2), before.slice(1, 1, width + 1),
                            before.slice(1, 0, width).add(problem.skips));
    sums[t].slice(1, 2).copy_(made.add(problem.probabilities[t]));
  }
  at::Tensor alphas = sums.slice(2, 2);
  at::Tensor place = problem.last.clamp_min(0).view({1, batch, 1}).expand({1, batch, width});
  at::Tensor atEnd = alphas.gather(0, place).squeeze(0).add(problem.ends);
  at::Tensor loss = atEnd.logsumexp(1).neg();
  // A sequence without steps has one path, if it has no labels.
  at::Tensor isEmpty = problem.last.lt(0);
  at::Tensor hasLabels = onDevice(targetLengths.vec(), given.device()).gt(0);
  at::Tensor without =
      at::where(hasLabels, at::full({}, -noPath, given.options()), at::zeros({}, given.options()));
  loss = at::where(isEmpty, without, loss);
  at::Tensor kept = alphas.transpose(0, 1).contiguous();
  return {isBatch ? loss : loss.squeeze(0), isBatch ? kept : kept.squeeze(0)};
}

at::Tensor backward(const at::Tensor &gradient, const at::Tensor &logProbs,
                    const at::Tensor &targets, c10::IntArrayRef inputLengths,
                    c10::IntArrayRef targetLengths, const at::Tensor &loss,
                    const at::Tensor &logAlpha, int64_t blank, bool zeroInfinity) {
  c10::DeviceGuard guard(logProbs.device());
  bool isBatch = logProbs.dim() == 3;
  at::Tensor given = isBatch ? logProbs : logProbs.unsqueeze(1);
  at::Tensor rows = isBatch || targets.dim() != 1 ? targets : targets.unsqueeze(0);
  Problem problem = prepare(given, rows, inputLengths, targetLengths, blank);
  int64_t time = given.size(0), batch = given.size(1), width = problem.labels.size(1);
  at::Tensor alphas = (isBatch ? logAlpha : logAlpha.unsqueeze(0)).transpose(0, 1);
  at::Tensor losses = loss.reshape({batch}), factors = gradient.reshape({batch});
  at::Tensor skips = at::full({batch, width + 2}, noPath, given.options());
  skips.slice(1, 0, width).copy_(problem.skips);
  at::Tensor none = at::full({}, noPath, given.options());
  at::Tensor sums = at::full({time + 1, batch, width + 2}, noPath, given.options());
  for (int64_t t = time; t-- > 0;) {
    at::Tensor after = sums[t + 1];
    at::Tensor made = sumUp(after.slice(1, 0, width), after.slice(1, 1, width + 1),
                            after.slice(1, 2).add(skips.slice(1, 2)));
    at::Tensor start = at::where(problem.last.eq(t).unsqueeze(1), problem.ends, none);
    sums[t].slice(1, 0, width).copy_(made.logaddexp(start).add(problem.probabilities[t]));
  }
  at::Tensor both = alphas.add(sums.slice(0, 0, time).slice(2, 0, width));
  at::Tensor greatest = both.amax(2, /*keepdim=*/true);
  greatest = at::where(greatest.eq(noPath), at::zeros({}, given.options()), greatest);
  at::Tensor index = problem.labels.unsqueeze(0).expand({time, batch, width});
  at::Tensor sum = at::zeros(given.sizes(), given.options())
                       .scatter_add(2, index, both.sub(greatest).exp())
                       .log()
                       .add(greatest);
  at::Tensor made = given.exp().sub(sum.add(losses.view({1, batch, 1})).sub(given).exp());
  made = made.mul(factors.view({1, batch, 1}));
  at::Tensor step = at::arange(time, problem.last.options()).view({time, 1, 1});
  at::Tensor isOutside = step.gt(problem.last.view({1, batch, 1}));
  if (zeroInfinity)
    isOutside = isOutside.logical_or(losses.eq(-noPath).view({1, batch, 1}));
  made = at::where(isOutside, at::zeros({}, given.options()), made);
  return isBatch ? made : made.squeeze(1);
}

std::vector<int64_t> lengthsOf(const at::Tensor &lengths) {
  at::Tensor host = lengths.to(at::kLong).cpu().contiguous();
  const auto *first = host.const_data_ptr<int64_t>();
  return {first, first + host.numel()};
}

std::tuple<at::Tensor, at::Tensor> forwardOfTensors(const at::Tensor &logProbs,
                                                    const at::Tensor &targets,
                                                    const at::Tensor &inputLengths,
                                                    const at::Tensor &targetLengths, int64_t blank,
                                                    bool zeroInfinity) {
  return forward(logProbs, targets, lengthsOf(inputLengths), lengthsOf(targetLengths), blank,
                 zeroInfinity);
}

at::Tensor backwardOfTensors(const at::Tensor &gradient, const at::Tensor &logProbs,
                             const at::Tensor &targets, const at::Tensor &inputLengths,
                             const at::Tensor &targetLengths, const at::Tensor &loss,
                             const at::Tensor &logAlpha, int64_t blank, bool zeroInfinity) {
  return backward(gradient, logProbs, targets, lengthsOf(inputLengths), lengthsOf(targetLengths),
                  loss, logAlpha, blank, zeroInfinity);
}

TORCH_LIBRARY_IMPL(aten, PrivateUse1, m) {
  m.impl("_ctc_loss", TORCH_FN(forward));
  m.impl("_ctc_loss.Tensor", TORCH_FN(forwardOfTensors));
  m.impl("_ctc_loss_backward", TORCH_FN(backward));
  m.impl("_ctc_loss_backward.Tensor", TORCH_FN(backwardOfTensors));
}

} // namespace
} // namespace pumice::vk
