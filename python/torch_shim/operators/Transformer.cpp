//===- Transformer.cpp - whole layers that torch.nn calls without autograd --===//
// torch.nn's MultiheadAttention and TransformerEncoderLayer call these in eval mode for every
// accelerator. PyTorch has them for the CPU and CUDA.
//===-------------------------------------------------------------------------===//
#include <ATen/Functions.h>
#include <ATen/TensorOperators.h>
#include <torch/library.h>

#include <cmath>

namespace pumice::vk {
namespace {

using OptionalTensor = std::optional<at::Tensor>;

/// The meanings of a mask's dimensions, by torch.nn's numbers.
enum MaskType : int64_t { OfPairs = 0, OfKeys = 1, OfBatchesAndHeads = 2 };

/// Returns the mask in a shape that broadcasts to (batches, heads, queries, keys). A boolean that
/// is true leaves an element out; numbers are added.
OptionalTensor broadcastMask(const OptionalTensor &mask, std::optional<int64_t> type,
                             const at::Tensor &keys) {
  if (!mask || !mask->defined())
    return std::nullopt;
  if (mask->dim() != 2)
    return mask;
  bool isOfKeys =
      type ? *type == OfKeys : mask->size(0) == keys.size(0) && mask->size(1) == keys.size(1);
  return isOfKeys ? mask->unsqueeze(1).unsqueeze(1) : mask->unsqueeze(0).unsqueeze(0);
}

/// Returns (batches, heads, elements, size of a head).
at::Tensor splitHeads(const at::Tensor &tensor, int64_t heads) {
  return tensor.unflatten(-1, c10::IntArrayRef{heads, tensor.size(-1) / heads}).transpose(1, 2);
}

std::tuple<at::Tensor, at::Tensor>
multiHeadAttention(const at::Tensor &query, const at::Tensor &key, const at::Tensor &value,
                   int64_t size, int64_t heads, const at::Tensor &weight, const at::Tensor &bias,
                   const at::Tensor &outWeight, const at::Tensor &outBias,
                   const OptionalTensor &givenMask, bool needsWeights, bool averagesWeights,
                   std::optional<int64_t> maskType) {
  TORCH_CHECK_NOT_IMPLEMENTED(!query.is_nested(), "attention on vk expects tensors that are not "
                                                  "nested; pad them first");
  auto weights = weight.chunk(3), biases = bias.chunk(3);
  at::Tensor q = splitHeads(at::linear(query, weights[0], biases[0]), heads);
  at::Tensor k = splitHeads(at::linear(key, weights[1], biases[1]), heads);
  at::Tensor v = splitHeads(at::linear(value, weights[2], biases[2]), heads);
  OptionalTensor mask = broadcastMask(givenMask, maskType, key);
  bool isBoolean = mask && mask->scalar_type() == at::kBool;

  at::Tensor result, scores;
  if (needsWeights) {
    scores = at::matmul(q, k.transpose(-2, -1)) / std::sqrt(static_cast<double>(q.size(-1)));
    if (mask)
      scores = isBoolean ? scores.masked_fill(*mask, -INFINITY) : scores + *mask;
    scores = scores.softmax(-1);
    result = at::matmul(scores, v);
    if (averagesWeights)
      scores = scores.mean(1);
  } else {
    if (isBoolean)
      mask = mask->logical_not();
    else if (mask)
      mask = mask->to(q.scalar_type());
    result = at::scaled_dot_product_attention(q, k, v, mask);
  }
  return {at::linear(result.transpose(1, 2).flatten(2), outWeight, outBias), scores};
}

at::Tensor encoderLayer(const at::Tensor &source, int64_t size, int64_t heads,
                        const at::Tensor &weight, const at::Tensor &bias,
                        const at::Tensor &outWeight, const at::Tensor &outBias, bool usesGelu,
                        bool normalizesFirst, double eps, const at::Tensor &normWeight1,
                        const at::Tensor &normBias1, const at::Tensor &normWeight2,
                        const at::Tensor &normBias2, const at::Tensor &weight1,
                        const at::Tensor &bias1, const at::Tensor &weight2, const at::Tensor &bias2,
                        const OptionalTensor &mask, std::optional<int64_t> maskType) {
  auto first = [&](const at::Tensor &x) {
    return at::layer_norm(x, {size}, normWeight1, normBias1, eps);
  };
  auto second = [&](const at::Tensor &x) {
    return at::layer_norm(x, {size}, normWeight2, normBias2, eps);
  };
  auto attend = [&](const at::Tensor &x) {
    return std::get<0>(multiHeadAttention(x, x, x, size, heads, weight, bias, outWeight, outBias,
                                          mask, /*needsWeights=*/false, /*averagesWeights=*/false,
                                          maskType));
  };
  auto feedForward = [&](const at::Tensor &x) {
    at::Tensor inner = at::linear(x, weight1, bias1);
    return at::linear(usesGelu ? at::gelu(inner) : at::relu(inner), weight2, bias2);
  };
  if (normalizesFirst) {
    at::Tensor x = source + attend(first(source));
    return x + feedForward(second(x));
  }
  at::Tensor x = first(source + attend(source));
  return second(x + feedForward(x));
}

/// Returns false, so that torch.nn keeps padded tensors with a mask, and does not convert them to
/// nested tensors.
bool isMaskLeftAligned(const at::Tensor &, const at::Tensor &) { return false; }

TORCH_LIBRARY_IMPL(aten, PrivateUse1, m) {
  m.impl("_native_multi_head_attention", TORCH_FN(multiHeadAttention));
  m.impl("_transformer_encoder_layer_fwd", TORCH_FN(encoderLayer));
  m.impl("_nested_tensor_from_mask_left_aligned", TORCH_FN(isMaskLeftAligned));
}

} // namespace
} // namespace pumice::vk
