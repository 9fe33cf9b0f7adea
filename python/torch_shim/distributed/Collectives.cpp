//===- Collectives.cpp - collectives of vk by those of gloo -----------------===//
// Elements that are only moved travel as bytes, so that all types do.
//===-------------------------------------------------------------------------===//
#include "python/torch_shim/distributed/Backend.h"

#include <ATen/Functions.h>

#include <numeric>

namespace pumice::vk {
namespace {

using Tensors = Backend::Tensors;
using c10d::OpType;

void checkOne(const char *name, const Tensors &tensors) {
  TORCH_CHECK_VALUE(tensors.size() == 1, name, " expects one tensor, got ", tensors.size());
}

/// Checks that two tensors have the same type and number of elements.
void checkAlike(const char *name, const at::Tensor &a, const at::Tensor &b) {
  TORCH_CHECK_VALUE(a.scalar_type() == b.scalar_type() && a.numel() == b.numel(), name,
                    " expects tensors of one type and size, got ", a.scalar_type(), " ", a.sizes(),
                    " and ", b.scalar_type(), " ", b.sizes());
}

/// Checks that `whole` has the elements of `count` tensors like `part`.
void checkMultiple(const char *name, const at::Tensor &whole, const at::Tensor &part, int count) {
  TORCH_CHECK_VALUE(
      whole.scalar_type() == part.scalar_type() && whole.numel() == part.numel() * count, name,
      " expects one tensor with ", count, " times the elements of the other, got ",
      whole.scalar_type(), " ", whole.sizes(), " and ", part.scalar_type(), " ", part.sizes());
}

Tensors joined(const Backend::Lists &lists) {
  Tensors all;
  for (const Tensors &list : lists)
    all.insert(all.end(), list.begin(), list.end());
  return all;
}

} // namespace

Backend::Work Backend::broadcast(Tensors &tensors, const c10d::BroadcastOptions &options) {
  Call call{OpType::BROADCAST, "broadcast"};
  auto device = deviceOf(call, {tensors});
  if (!device)
    return noted(gloo->broadcast(tensors, options));
  checkOne(call.name, tensors);
  checkRank(call, options.rootRank);
  auto staging = stagingFor(*device);
  bool isRoot = options.rootRank == getRank();
  at::Tensor image = staging->image(tensors[0], isRoot ? Staging::Read : Staging::Write);
  return submit(call, staging, tensors, tensors, [=, gloo = gloo]() -> Works {
    Tensors bytes{bytesOf(image)};
    if (image.numel() == 0)
      return {};
    return {gloo->broadcast(bytes, options)};
  });
}

Backend::Work Backend::reduceImages(Call call, std::shared_ptr<Staging> staging,
                                    const Tensors &tensors, Tensors images,
                                    const c10d::AllreduceOptions &options) {
  std::vector<Reduction> reductions;
  for (const at::Tensor &image : images)
    reductions.emplace_back(options.reduceOp, image.scalar_type(), getSize(), call.name);
  auto elements = std::make_shared<Tensors>();
  auto start = [=, gloo = gloo] {
    Works works;
    for (size_t i = 0; i < images.size(); ++i) {
      elements->push_back(reductions[i].prepared(images[i], /*mayOverwrite=*/true));
      Tensors one{elements->back()};
      c10d::AllreduceOptions own = options;
      own.reduceOp = reductions[i].operation();
      if (images[i].numel() > 0)
        works.push_back(gloo->allreduce(one, own));
    }
    return works;
  };
  return submit(call, std::move(staging), tensors, tensors, start, [=] {
    for (size_t i = 0; i < images.size(); ++i)
      reductions[i].finish((*elements)[i], images[i]);
  });
}

Backend::Work Backend::allreduce(Tensors &tensors, const c10d::AllreduceOptions &options) {
  Call call{OpType::ALLREDUCE, "all_reduce"};
  auto device = deviceOf(call, {tensors});
  if (!device)
    return noted(gloo->allreduce(tensors, options));
  auto staging = stagingFor(*device);
  Tensors images;
  for (const at::Tensor &tensor : tensors)
    images.push_back(staging->image(tensor, Staging::Both));
  return reduceImages(call, staging, tensors, std::move(images), options);
}

Backend::Work Backend::allreduce_coalesced(Tensors &tensors,
                                           const c10d::AllreduceCoalescedOptions &options) {
  Call call{OpType::ALLREDUCE_COALESCED, "all_reduce_coalesced"};
  auto device = deviceOf(call, {tensors});
  if (!device)
    return noted(gloo->allreduce_coalesced(tensors, options));
  std::map<at::ScalarType, Tensors> byType;
  for (const at::Tensor &tensor : tensors)
    byType[tensor.scalar_type()].push_back(tensor);
  auto staging = stagingFor(*device);
  Tensors images;
  for (const auto &[type, list] : byType)
    images.push_back(staging->flatImage(list, Staging::Both));
  return reduceImages(call, staging, tensors, std::move(images), options);
}

Backend::Work Backend::reduce(Tensors &tensors, const c10d::ReduceOptions &options) {
  Call call{OpType::REDUCE, "reduce"};
  auto device = deviceOf(call, {tensors});
  if (!device)
    return noted(gloo->reduce(tensors, options));
  checkOne(call.name, tensors);
  checkRank(call, options.rootRank);
  auto staging = stagingFor(*device);
  bool isRoot = options.rootRank == getRank();
  at::Tensor image = staging->image(tensors[0], isRoot ? Staging::Both : Staging::Read);
  Reduction reduction(options.reduceOp, image.scalar_type(), getSize(), call.name);
  auto elements = std::make_shared<at::Tensor>();
  auto start = [=, gloo = gloo]() -> Works {
    if (image.numel() == 0)
      return {};
    *elements = reduction.prepared(image, isRoot);
    // gloo writes its sums so far to the tensors of all processes.
    if (!isRoot && elements->data_ptr() == image.data_ptr())
      *elements = elements->clone();
    Tensors one{*elements};
    c10d::ReduceOptions own = options;
    own.reduceOp = reduction.operation();
    return {gloo->reduce(one, own)};
  };
  return submit(call, staging, tensors, tensors, start, [=] {
    if (isRoot && image.numel() > 0)
      reduction.finish(*elements, image);
  });
}

Backend::Work Backend::gatherAll(Call call, const Lists &outputs, const Tensors &inputs,
                                 Milliseconds timeout) {
  auto staging = stagingFor(inputs[0].device().index());
  Lists targets;
  Tensors sources;
  for (size_t i = 0; i < inputs.size(); ++i) {
    TORCH_CHECK_VALUE(outputs[i].size() == static_cast<size_t>(getSize()), call.name, " expects ",
                      getSize(), " output tensors, one for each process, got ", outputs[i].size());
    sources.push_back(bytesOf(staging->image(inputs[i], Staging::Read)));
    targets.emplace_back();
    for (const at::Tensor &output : outputs[i]) {
      checkAlike(call.name, output, inputs[i]);
      targets.back().push_back(bytesOf(staging->image(output, Staging::Write)));
    }
  }
  return submit(call, staging, joined(outputs), inputs, [=, gloo = gloo] {
    Works works;
    c10d::AllgatherOptions options;
    options.timeout = timeout;
    for (size_t i = 0; i < sources.size(); ++i) {
      Lists target{targets[i]};
      Tensors source{sources[i]};
      if (source[0].numel() > 0)
        works.push_back(gloo->allgather(target, source, options));
    }
    return works;
  });
}

Backend::Work Backend::allgather(Lists &outputs, Tensors &inputs,
                                 const c10d::AllgatherOptions &options) {
  Call call{OpType::ALLGATHER, "all_gather"};
  if (!deviceOf(call, {inputs, joined(outputs)}))
    return noted(gloo->allgather(outputs, inputs, options));
  TORCH_CHECK_VALUE(outputs.size() == inputs.size(), call.name, " expects ", inputs.size(),
                    " lists of outputs, one for each input, got ", outputs.size());
  return gatherAll(call, outputs, inputs, options.timeout);
}

Backend::Work Backend::allgather_coalesced(Lists &outputs, Tensors &inputs,
                                           const c10d::AllgatherOptions &options) {
  Call call{OpType::ALLGATHER_COALESCED, "all_gather_coalesced"};
  if (!deviceOf(call, {inputs, joined(outputs)}))
    return noted(gloo->allgather_coalesced(outputs, inputs, options));
  Lists byInput(inputs.size());
  for (const Tensors &ofRank : outputs) {
    TORCH_CHECK_VALUE(ofRank.size() == inputs.size(), call.name, " expects ", inputs.size(),
                      " outputs of each process, got ", ofRank.size());
    for (size_t i = 0; i < inputs.size(); ++i)
      byInput[i].push_back(ofRank[i]);
  }
  return gatherAll(call, byInput, inputs, options.timeout);
}

Backend::Work Backend::gatherIntoTensors(Call call, Tensors &outputs, Tensors &inputs,
                                         Milliseconds timeout) {
  auto staging = stagingFor(inputs[0].device().index());
  Tensors targets, sources;
  for (size_t i = 0; i < inputs.size(); ++i) {
    checkMultiple(call.name, outputs[i], inputs[i], getSize());
    sources.push_back(bytesOf(staging->image(inputs[i], Staging::Read)));
    targets.push_back(bytesOf(staging->image(outputs[i], Staging::Write)));
  }
  return submit(call, staging, outputs, inputs, [=, gloo = gloo, ranks = getSize()] {
    Works works;
    c10d::AllgatherOptions options;
    options.timeout = timeout;
    for (size_t i = 0; i < sources.size(); ++i) {
      if (sources[i].numel() == 0)
        continue;
      Lists target{targets[i].chunk(ranks)};
      Tensors source{sources[i]};
      works.push_back(gloo->allgather(target, source, options));
    }
    return works;
  });
}

Backend::Work Backend::_allgather_base(at::Tensor &output, at::Tensor &input,
                                       const c10d::AllgatherOptions &options) {
  Call call{OpType::_ALLGATHER_BASE, "all_gather_into_tensor"};
  if (!deviceOf(call, {input, output}))
    return noted(gloo->_allgather_base(output, input, options));
  Tensors outputs{output}, inputs{input};
  return gatherIntoTensors(call, outputs, inputs, options.timeout);
}

Backend::Work Backend::allgather_into_tensor_coalesced(Tensors &outputs, Tensors &inputs,
                                                       const c10d::AllgatherOptions &options) {
  Call call{OpType::COALESCED, "all_gather_into_tensor_coalesced"};
  if (!deviceOf(call, {inputs, outputs}))
    return noted(gloo->allgather_into_tensor_coalesced(outputs, inputs, options));
  TORCH_CHECK_VALUE(outputs.size() == inputs.size(), call.name, " expects ", inputs.size(),
                    " outputs, got ", outputs.size());
  return gatherIntoTensors(call, outputs, inputs, options.timeout);
}

Backend::Work Backend::gather(Lists &outputs, Tensors &inputs, const c10d::GatherOptions &options) {
  Call call{OpType::GATHER, "gather"};
  auto device = deviceOf(call, {inputs, joined(outputs)});
  if (!device)
    return noted(gloo->gather(outputs, inputs, options));
  checkOne(call.name, inputs);
  checkRank(call, options.rootRank);
  auto staging = stagingFor(*device);
  Tensors source{bytesOf(staging->image(inputs[0], Staging::Read))};
  Lists targets;
  if (options.rootRank == getRank()) {
    TORCH_CHECK_VALUE(outputs.size() == 1 && outputs[0].size() == static_cast<size_t>(getSize()),
                      call.name, " expects ", getSize(),
                      " output tensors, one for each process, on the receiving process");
    targets.emplace_back();
    for (const at::Tensor &output : outputs[0]) {
      checkAlike(call.name, output, inputs[0]);
      targets[0].push_back(bytesOf(staging->image(output, Staging::Write)));
    }
  }
  return submit(call, staging, joined(outputs), inputs, [=, gloo = gloo]() mutable -> Works {
    if (source[0].numel() == 0)
      return {};
    return {gloo->gather(targets, source, options)};
  });
}

Backend::Work Backend::scatter(Tensors &outputs, Lists &inputs,
                               const c10d::ScatterOptions &options) {
  Call call{OpType::SCATTER, "scatter"};
  auto device = deviceOf(call, {outputs, joined(inputs)});
  if (!device)
    return noted(gloo->scatter(outputs, inputs, options));
  checkOne(call.name, outputs);
  checkRank(call, options.rootRank);
  auto staging = stagingFor(*device);
  Tensors target{bytesOf(staging->image(outputs[0], Staging::Write))};
  Lists sources;
  if (options.rootRank == getRank()) {
    TORCH_CHECK_VALUE(inputs.size() == 1 && inputs[0].size() == static_cast<size_t>(getSize()),
                      call.name, " expects ", getSize(),
                      " input tensors, one for each process, on the sending process");
    sources.emplace_back();
    for (const at::Tensor &input : inputs[0]) {
      checkAlike(call.name, input, outputs[0]);
      sources[0].push_back(bytesOf(staging->image(input, Staging::Read)));
    }
  }
  return submit(call, staging, outputs, joined(inputs), [=, gloo = gloo]() mutable -> Works {
    if (target[0].numel() == 0)
      return {};
    return {gloo->scatter(target, sources, options)};
  });
}

Backend::Work Backend::barrier(const c10d::BarrierOptions &options) {
  Call call{OpType::BARRIER, "barrier"};
  TORCH_CHECK_WITH(DistBackendError, !isShutDown, call.name,
                   " needs a process group, but this one was destroyed");
  c10::Device device = options.device.value_or(
      getBoundDeviceId().value_or(c10::Device(deviceType, currentDevice())));
  if (device.type() != deviceType) {
    starting->waitUntilEmpty();
    return noted(gloo->barrier(options));
  }
  auto staging = stagingFor(orCurrent(device.index()));
  staging->alsoAwaitStream();
  return submit(call, staging, {}, {},
                [=, gloo = gloo]() -> Works { return {gloo->barrier(options)}; });
}

void Backend::monitoredBarrier(const c10d::BarrierOptions &options, bool waitForAll) {
  starting->waitUntilEmpty();
  gloo->monitoredBarrier(options, waitForAll);
}

} // namespace pumice::vk
