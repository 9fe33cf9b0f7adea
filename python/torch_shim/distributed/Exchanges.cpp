//===- Exchanges.cpp - all_to_all, reduce_scatter, and transfers ------------===//
// reduce_scatter is an all_to_all whose receivers reduce: each element travels once, and sums of
// small types are rounded once.
//===-------------------------------------------------------------------------===//
#include "python/torch_shim/distributed/Backend.h"

#include <ATen/Functions.h>

namespace pumice::vk {
namespace {

using c10d::OpType;
using Sizes = std::vector<int64_t>;

/// Returns how many bytes belong to each process: `splits` counts rows, or is empty for equal
/// parts.
Sizes splitsInBytes(const char *name, const at::Tensor &tensor, const Sizes &splits, int ranks) {
  int64_t rows = tensor.dim() == 0 ? 1 : tensor.size(0);
  auto rowBytes = static_cast<int64_t>(tensor.element_size());
  for (int64_t i = 1; i < tensor.dim(); ++i)
    rowBytes *= tensor.size(i);
  if (splits.empty()) {
    TORCH_CHECK_VALUE(rows % ranks == 0, name, " expects a size of dimension 0 that ", ranks,
                      " divides, got ", rows, "; pass the sizes of the parts");
    return Sizes(static_cast<size_t>(ranks), rows / ranks * rowBytes);
  }
  int64_t sum = 0;
  Sizes bytes;
  for (int64_t split : splits) {
    sum += split;
    bytes.push_back(split * rowBytes);
  }
  TORCH_CHECK_VALUE(splits.size() == static_cast<size_t>(ranks) && sum == rows, name, " expects ",
                    ranks, " sizes of parts that sum up to ", rows, ", got ",
                    c10::IntArrayRef(splits));
  return bytes;
}

Sizes bytesOfEach(at::TensorList tensors) {
  Sizes bytes;
  for (const at::Tensor &tensor : tensors)
    bytes.push_back(tensor.numel() * static_cast<int64_t>(tensor.element_size()));
  return bytes;
}

} // namespace

Backend::Work Backend::alltoall_base(at::Tensor &output, at::Tensor &input, Sizes &outputSplits,
                                     Sizes &inputSplits, const c10d::AllToAllOptions &options) {
  Call call{OpType::ALLTOALL_BASE, "all_to_all_single"};
  auto device = deviceOf(call, {output, input});
  if (!device)
    return noted(gloo->alltoall_base(output, input, outputSplits, inputSplits, options));
  TORCH_CHECK_VALUE(output.scalar_type() == input.scalar_type(), call.name,
                    " expects tensors of one type, got ", output.scalar_type(), " and ",
                    input.scalar_type());
  Sizes to = splitsInBytes(call.name, input, inputSplits, getSize());
  Sizes from = splitsInBytes(call.name, output, outputSplits, getSize());
  auto staging = stagingFor(*device);
  at::Tensor source = bytesOf(staging->image(input, Staging::Read));
  at::Tensor target = bytesOf(staging->image(output, Staging::Write));
  return submit(call, staging, {output}, {input}, [=, gloo = gloo]() mutable -> Works {
    return {gloo->alltoall_base(target, source, from, to, options)};
  });
}

Backend::Work Backend::alltoall(Tensors &outputs, Tensors &inputs,
                                const c10d::AllToAllOptions &options) {
  Call call{OpType::ALLTOALL, "all_to_all"};
  auto device = deviceOf(call, {outputs, inputs});
  if (!device)
    return noted(gloo->alltoall(outputs, inputs, options));
  auto ranks = static_cast<size_t>(getSize());
  TORCH_CHECK_VALUE(outputs.size() == ranks && inputs.size() == ranks, call.name, " expects ",
                    ranks, " outputs and inputs, one for each process, got ", outputs.size(),
                    " and ", inputs.size());
  for (at::TensorList list : {at::TensorList(outputs), at::TensorList(inputs)})
    for (const at::Tensor &tensor : list)
      TORCH_CHECK_VALUE(tensor.scalar_type() == inputs[0].scalar_type(), call.name,
                        " expects tensors of one type, got ", inputs[0].scalar_type(), " and ",
                        tensor.scalar_type());
  Sizes to = bytesOfEach(inputs), from = bytesOfEach(outputs);
  auto staging = stagingFor(*device);
  at::Tensor source = bytesOf(staging->flatImage(inputs, Staging::Read));
  at::Tensor target = bytesOf(staging->flatImage(outputs, Staging::Write));
  return submit(call, staging, outputs, inputs, [=, gloo = gloo]() mutable -> Works {
    return {gloo->alltoall_base(target, source, from, to, options)};
  });
}

Backend::Work Backend::reduceAndScatter(Call call, const Tensors &outputs, const Lists &inputs,
                                        const c10d::ReduceScatterOptions &options) {
  int ranks = getSize();
  auto staging = stagingFor(outputs[0].device().index());
  std::vector<Reduction> reductions;
  Tensors sources, targets, all;
  for (size_t i = 0; i < outputs.size(); ++i) {
    int64_t count = 0;
    for (const at::Tensor &input : inputs[i]) {
      count += input.numel();
      all.push_back(input);
      TORCH_CHECK_VALUE(input.scalar_type() == outputs[i].scalar_type() &&
                            (inputs[i].size() == 1 || input.numel() == outputs[i].numel()),
                        call.name, " expects tensors of one type and size, got ",
                        input.scalar_type(), " ", input.sizes(), " and ", outputs[i].scalar_type(),
                        " ", outputs[i].sizes());
    }
    TORCH_CHECK_VALUE(count == outputs[i].numel() * ranks, call.name, " expects ", ranks,
                      " times the output's ", outputs[i].numel(), " elements, got ", count);
    reductions.emplace_back(options.reduceOp, outputs[i].scalar_type(), ranks, call.name);
    sources.push_back(inputs[i].size() == 1 ? staging->image(inputs[i][0], Staging::Read)
                                            : staging->flatImage(inputs[i], Staging::Read));
    targets.push_back(staging->image(outputs[i], Staging::Write));
  }
  auto received = std::make_shared<Tensors>();
  auto start = [=, gloo = gloo] {
    Works works;
    Sizes equal;
    c10d::AllToAllOptions own;
    own.timeout = options.timeout;
    for (size_t i = 0; i < sources.size(); ++i) {
      at::Tensor elements =
          reductions[i].prepared(sources[i], /*mayOverwrite=*/false).view({ranks, -1});
      received->push_back(at::empty_like(elements));
      at::Tensor from = bytesOf(elements), to = bytesOf(received->back());
      works.push_back(gloo->alltoall_base(to, from, equal, equal, own));
    }
    return works;
  };
  return submit(call, staging, outputs, all, start, [=] {
    for (size_t i = 0; i < targets.size(); ++i)
      reductions[i].finish(reductions[i].reduceRows((*received)[i]), targets[i]);
  });
}

Backend::Work Backend::reduce_scatter(Tensors &outputs, Lists &inputs,
                                      const c10d::ReduceScatterOptions &options) {
  Call call{OpType::REDUCE_SCATTER, "reduce_scatter"};
  Tensors all;
  for (const Tensors &list : inputs)
    all.insert(all.end(), list.begin(), list.end());
  if (!deviceOf(call, {outputs, all}))
    return noted(gloo->reduce_scatter(outputs, inputs, options));
  TORCH_CHECK_VALUE(outputs.size() == inputs.size(), call.name, " expects ", outputs.size(),
                    " lists of inputs, one for each output, got ", inputs.size());
  for (const Tensors &list : inputs)
    TORCH_CHECK_VALUE(list.size() == static_cast<size_t>(getSize()), call.name, " expects ",
                      getSize(), " input tensors, one for each process, got ", list.size());
  return reduceAndScatter(call, outputs, inputs, options);
}

Backend::Work Backend::_reduce_scatter_base(at::Tensor &output, at::Tensor &input,
                                            const c10d::ReduceScatterOptions &options) {
  Call call{OpType::_REDUCE_SCATTER_BASE, "reduce_scatter_tensor"};
  if (!deviceOf(call, {output, input}))
    return noted(gloo->_reduce_scatter_base(output, input, options));
  return reduceAndScatter(call, {output}, {{input}}, options);
}

Backend::Work Backend::reduce_scatter_tensor_coalesced(Tensors &outputs, Tensors &inputs,
                                                       const c10d::ReduceScatterOptions &options) {
  Call call{OpType::COALESCED, "reduce_scatter_tensor_coalesced"};
  if (!deviceOf(call, {outputs, inputs}))
    return noted(gloo->reduce_scatter_tensor_coalesced(outputs, inputs, options));
  TORCH_CHECK_VALUE(outputs.size() == inputs.size(), call.name, " expects ", outputs.size(),
                    " inputs, got ", inputs.size());
  Lists lists;
  for (const at::Tensor &input : inputs)
    lists.push_back({input});
  return reduceAndScatter(call, outputs, lists, options);
}

Backend::Work Backend::send(Tensors &tensors, int to, int tag) {
  Call call{OpType::SEND, "send"};
  auto device = deviceOf(call, {tensors});
  if (!device)
    return noted(gloo->send(tensors, to, tag));
  TORCH_CHECK_VALUE(tensors.size() == 1, call.name, " expects one tensor, got ", tensors.size());
  checkRank(call, to);
  auto staging = stagingFor(*device);
  at::Tensor source = bytesOf(staging->image(tensors[0], Staging::Read));
  return submit(call, staging, {}, tensors, [=, gloo = gloo]() -> Works {
    Tensors one{source};
    return {gloo->send(one, to, tag)};
  });
}

Backend::Work Backend::receive(Call call, Tensors &tensors, std::function<Work(Tensors &)> start) {
  TORCH_CHECK_VALUE(tensors.size() == 1, call.name, " expects one tensor, got ", tensors.size());
  auto staging = stagingFor(tensors[0].device().index());
  at::Tensor target = bytesOf(staging->image(tensors[0], Staging::Write));
  return submit(call, staging, tensors, {}, [=]() -> Works {
    Tensors one{target};
    return {start(one)};
  });
}

Backend::Work Backend::recv(Tensors &tensors, int from, int tag) {
  Call call{OpType::RECV, "recv"};
  if (!deviceOf(call, {tensors}))
    return noted(gloo->recv(tensors, from, tag));
  checkRank(call, from);
  return receive(call, tensors,
                 [=, gloo = gloo](Tensors &one) { return gloo->recv(one, from, tag); });
}

Backend::Work Backend::recvAnysource(Tensors &tensors, int tag) {
  Call call{OpType::RECVANYSOURCE, "recv"};
  if (!deviceOf(call, {tensors}))
    return noted(gloo->recvAnysource(tensors, tag));
  return receive(call, tensors,
                 [=, gloo = gloo](Tensors &one) { return gloo->recvAnysource(one, tag); });
}

} // namespace pumice::vk
