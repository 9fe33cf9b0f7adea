//===- Recurrent.cpp - cells of LSTM and GRU, forward and backward ----------===//
// PyTorch calls these operators on every accelerator, but implements them only for CUDA. Values of
// 16-bit types are computed in f32.
//===-------------------------------------------------------------------------===//
#include <ATen/Functions.h>
#include <ATen/OpMathType.h>
#include <ATen/TensorOperators.h>
#include <torch/library.h>

namespace pumice::vk {
namespace {

using OptionalTensor = std::optional<at::Tensor>;

bool isGiven(const OptionalTensor &tensor) { return tensor && tensor->defined(); }

at::ScalarType computedType(const at::Tensor &tensor) {
  return at::toOpMathType(tensor.scalar_type());
}

at::Tensor withBias(const at::Tensor &gates, const OptionalTensor &bias) {
  at::Tensor computed = gates.to(computedType(gates));
  return isGiven(bias) ? computed + *bias : computed;
}

/// Returns the parts of the last dimension.
std::vector<at::Tensor> parts(const at::Tensor &tensor, int64_t count) {
  return tensor.to(computedType(tensor)).chunk(count, -1);
}

at::Tensor slopeOfSigmoid(const at::Tensor &result) { return result * (1 - result); }
at::Tensor slopeOfTanh(const at::Tensor &result) { return 1 - result * result; }

/// Returns the gradient of a bias, which all rows share.
at::Tensor biasGradient(const at::Tensor &gates, bool hasBias) {
  if (!hasBias)
    return {};
  return gates.dim() == 1 ? gates : gates.sum(0);
}

/// Returns the new hidden state, the new cell, and the gates after their activations.
std::tuple<at::Tensor, at::Tensor, at::Tensor>
lstmCell(const at::Tensor &inputGates, const at::Tensor &hiddenGates, const at::Tensor &cell,
         const OptionalTensor &inputBias, const OptionalTensor &hiddenBias) {
  auto gates =
      parts(withBias(inputGates, inputBias) + withBias(hiddenGates, hiddenBias), /*count=*/4);
  at::Tensor in = gates[0].sigmoid(), forget = gates[1].sigmoid(), next = gates[2].tanh(),
             out = gates[3].sigmoid();
  at::Tensor newCell = forget * cell + in * next;
  at::ScalarType type = cell.scalar_type();
  return {(out * newCell.tanh()).to(type), newCell.to(type),
          at::cat({in, forget, next, out}, -1).to(type)};
}

/// Returns the gradients of the gates, of the old cell, and of a bias.
std::tuple<at::Tensor, at::Tensor, at::Tensor>
lstmCellBackward(const OptionalTensor &hiddenGradient, const OptionalTensor &cellGradient,
                 const at::Tensor &cell, const at::Tensor &newCell, const at::Tensor &workspace,
                 bool hasBias) {
  if (!isGiven(hiddenGradient) && !isGiven(cellGradient))
    return {};
  auto gates = parts(workspace, 4);
  const at::Tensor &in = gates[0], &forget = gates[1], &next = gates[2], &out = gates[3];
  at::Tensor activated = newCell.to(in.scalar_type()).tanh();
  at::Tensor ofHidden = isGiven(hiddenGradient) ? *hiddenGradient : at::zeros_like(newCell);
  at::Tensor ofCell = ofHidden * out * slopeOfTanh(activated);
  if (isGiven(cellGradient))
    ofCell = ofCell + *cellGradient;
  at::Tensor ofGates =
      at::cat({ofCell * next * slopeOfSigmoid(in), ofCell * cell * slopeOfSigmoid(forget),
               ofCell * in * slopeOfTanh(next), ofHidden * activated * slopeOfSigmoid(out)},
              -1)
          .to(workspace.scalar_type());
  return {ofGates, (ofCell * forget).to(cell.scalar_type()), biasGradient(ofGates, hasBias)};
}

/// Returns the new hidden state, and what the backward pass needs. These are the gates after their
/// activations, the old hidden state, and the hidden part of the new state.
std::tuple<at::Tensor, at::Tensor> gruCell(const at::Tensor &inputGates,
                                           const at::Tensor &hiddenGates, const at::Tensor &hidden,
                                           const OptionalTensor &inputBias,
                                           const OptionalTensor &hiddenBias) {
  auto in = parts(withBias(inputGates, inputBias), 3);
  auto own = parts(withBias(hiddenGates, hiddenBias), 3);
  at::Tensor reset = (in[0] + own[0]).sigmoid(), update = (in[1] + own[1]).sigmoid();
  at::Tensor next = (in[2] + reset * own[2]).tanh();
  at::Tensor old = hidden.to(next.scalar_type());
  at::ScalarType type = hidden.scalar_type();
  return {((old - next) * update + next).to(type),
          at::cat({reset, update, next, old, own[2]}, -1).to(type)};
}

/// Returns the gradients of both gates, of the old hidden state, and of both biases.
std::tuple<at::Tensor, at::Tensor, at::Tensor, at::Tensor, at::Tensor>
gruCellBackward(const at::Tensor &gradient, const at::Tensor &workspace, bool hasBias) {
  auto saved = parts(workspace, 5);
  const at::Tensor &reset = saved[0], &update = saved[1], &next = saved[2], &old = saved[3],
                   &own = saved[4];
  at::Tensor ofNext = gradient * (1 - update) * slopeOfTanh(next);
  at::Tensor ofUpdate = gradient * (old - next) * slopeOfSigmoid(update);
  at::Tensor ofReset = ofNext * own * slopeOfSigmoid(reset);
  at::ScalarType type = workspace.scalar_type();
  at::Tensor ofInput = at::cat({ofReset, ofUpdate, ofNext}, -1).to(type);
  at::Tensor ofHidden = at::cat({ofReset, ofUpdate, ofNext * reset}, -1).to(type);
  return {ofInput, ofHidden, (gradient * update).to(type), biasGradient(ofInput, hasBias),
          biasGradient(ofHidden, hasBias)};
}

TORCH_LIBRARY_IMPL(aten, PrivateUse1, m) {
  m.impl("_thnn_fused_lstm_cell", TORCH_FN(lstmCell));
  m.impl("_thnn_fused_lstm_cell_backward_impl", TORCH_FN(lstmCellBackward));
  m.impl("_thnn_fused_gru_cell", TORCH_FN(gruCell));
  m.impl("_thnn_fused_gru_cell_backward", TORCH_FN(gruCellBackward));
}

} // namespace
} // namespace pumice::vk
