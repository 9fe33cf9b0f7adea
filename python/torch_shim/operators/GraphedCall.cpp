//===- GraphedCall.cpp - functions of tensors that graphs compute -----------===//
// A graph reads its inputs from fixed memory, and writes its outputs there. A call copies the
// inputs that may be elsewhere, and replays the graph. Its outputs are tensors of this memory. If a
// tensor of an earlier call is still used when the graph runs again, it first gets other memory,
// with a copy of its elements.
//===-------------------------------------------------------------------------===//
#include "python/torch_shim/device/Allocator.h"
#include "python/torch_shim/device/Graph.h"

#include <ATen/core/grad_mode.h>
#include <ATen/ops/empty.h>
#include <c10/core/DeviceGuard.h>
#include <torch/custom_class.h>
#include <torch/library.h>

#include <algorithm>
#include <set>

namespace pumice::vk {
namespace {

/// `torch.vk.VkGraph`, for Python.
struct GraphObject : torch::CustomClassHolder {
  Graph graph;
};

/// The streams, other than the graph's, that use outputs of its calls.
struct OtherStreams {
  std::mutex mutex;
  std::set<c10::StreamId> streams;
};

/// The owner of an output's memory, which a storage keeps.
struct Lease {
  c10::Storage memory;
  std::shared_ptr<OtherStreams> others;
};

void endLease(void *context) { delete static_cast<Lease *>(context); }

bool isLeased(const c10::Storage &storage) { return storage.data_ptr().get_deleter() == endLease; }

void noteStream(const c10::DataPtr &data, c10::Stream stream) {
  if (data.get_deleter() != endLease)
    return;
  auto *lease = static_cast<Lease *>(data.get_context());
  std::lock_guard lock(lease->others->mutex);
  lease->others->streams.insert(stream.id());
}

[[maybe_unused]] const bool isNoted = [] {
  onRecordStream(noteStream);
  return true;
}();

/// Leaves out the dimensions along which all elements are the same one.
at::Tensor withoutExpanded(at::Tensor tensor) {
  for (int64_t d = 0; d < tensor.dim(); ++d)
    if (tensor.stride(d) == 0 && tensor.size(d) > 1)
      tensor = tensor.narrow(d, 0, 1);
  return tensor;
}

class GraphedCall : public torch::CustomClassHolder {
public:
  /// The graph was captured on the calling thread's stream. It read `inputs`. Those whose mark in
  /// `copied` is not 0 are copied for each call; the others must be at the same addresses.
  GraphedCall(c10::intrusive_ptr<GraphObject> graph, const std::vector<at::Tensor> &inputs,
              const std::vector<int64_t> &copied, const std::vector<at::Tensor> &outputs)
      : graph(std::move(graph)), stream(currentStream(-1)) {
    TORCH_CHECK(inputs.size() == copied.size(), "expected a mark for each input");
    for (size_t i = 0; i < inputs.size(); ++i)
      places.push_back({inputs[i].const_data_ptr(), copied[i] ? inputs[i] : at::Tensor()});
    for (const at::Tensor &output : outputs)
      addOutput(output, inputs);
  }

  /// Computes the outputs. Returns None if the graph cannot: it is for another stream, or one of
  /// the inputs must be at another address.
  std::optional<std::vector<at::Tensor>> call(const std::vector<at::Tensor> &inputs) {
    c10::DeviceGuard guard(stream.device());
    std::lock_guard lock(mutex);
    if (inputs.size() != places.size() || currentStream(-1) != stream ||
        capturingGraph(stream.device_index()) || !strayed(inputs).empty())
      return std::nullopt;
    at::NoGradGuard noGradients;
    HoldWork hold;
    waitForOthers();
    for (Memory &memory : memories)
      moveAway(memory);
    for (size_t i = 0; i < places.size(); ++i)
      if (places[i].copy.defined())
        withoutExpanded(places[i].copy).copy_(withoutExpanded(inputs[i]), /*non_blocking=*/true);
    graph->graph.replay();
    return make(inputs);
  }

  /// Returns the inputs that are not where the graph reads them.
  std::vector<int64_t> strayed(const std::vector<at::Tensor> &inputs) const {
    std::vector<int64_t> found;
    for (size_t i = 0; i < places.size(); ++i)
      if (!places[i].copy.defined() && inputs[i].const_data_ptr() != places[i].address)
        found.push_back(static_cast<int64_t>(i));
    return found;
  }

private:
  /// The place of an input: an address, or the tensor to which calls copy.
  struct Place {
    const void *address;
    at::Tensor copy;
  };
  /// Memory of outputs, and the storage that the last call has made of it.
  struct Memory {
    c10::Storage storage;
    c10::weak_intrusive_ptr<c10::StorageImpl> leased;
  };
  struct Output {
    int64_t input = -1; // whose storage it shows, or -1
    size_t memory = 0;  // else, which memory
    caffe2::TypeMeta type;
    std::vector<int64_t> sizes, strides;
    int64_t offset = 0;
  };

  void addOutput(const at::Tensor &tensor, const std::vector<at::Tensor> &inputs) {
    Output output{-1,
                  0,
                  tensor.dtype(),
                  tensor.sizes().vec(),
                  tensor.strides().vec(),
                  tensor.storage_offset()};
    for (size_t i = 0; i < inputs.size() && output.input < 0; ++i)
      if (!places[i].copy.defined() && inputs[i].storage().is_alias_of(tensor.storage()))
        output.input = static_cast<int64_t>(i);
    auto same = std::ranges::find_if(
        memories, [&](const Memory &one) { return one.storage.is_alias_of(tensor.storage()); });
    output.memory = static_cast<size_t>(same - memories.begin());
    if (output.input < 0 && same == memories.end())
      memories.push_back({tensor.storage(), c10::weak_intrusive_ptr<c10::StorageImpl>(
                                                c10::intrusive_ptr<c10::StorageImpl>())});
    outputs.push_back(std::move(output));
  }

  /// Lets the stream wait for others that use outputs, before it overwrites them.
  void waitForOthers() {
    std::lock_guard lock(others->mutex);
    StreamState &own = stateOf(stream);
    for (c10::StreamId id : others->streams) {
      StreamState &other = deviceAt(stream.device_index()).stream(id);
      if (&other != &own)
        own.waitFor(other, other.record());
    }
    others->streams.clear();
  }

  void moveAway(Memory &memory) {
    c10::intrusive_ptr<c10::StorageImpl> leased = memory.leased.lock();
    if (!leased || leased->data_ptr().get_deleter() != endLease)
      return; // nobody uses it, or it has been resized
    c10::DataPtr fresh = allocator()->allocate(leased->nbytes());
    allocator()->copy_data(fresh.get(), leased->data(), leased->nbytes());
    leased->set_data_ptr_noswap(std::move(fresh));
  }

  c10::Storage lease(Memory &memory) {
    const c10::Storage &from = memory.storage;
    c10::DataPtr data(const_cast<void *>(from.data()), new Lease{from, others}, endLease,
                      stream.device());
    c10::Storage made(c10::Storage::use_byte_size_t(), from.nbytes(), std::move(data), allocator(),
                      /*resizable=*/true);
    memory.leased = made.getWeakStorageImpl();
    return made;
  }

  std::vector<at::Tensor> make(const std::vector<at::Tensor> &inputs) {
    std::vector<c10::Storage> storages;
    for (Memory &memory : memories)
      storages.push_back(lease(memory));
    std::vector<at::Tensor> made;
    for (const Output &output : outputs) {
      c10::Storage storage = output.input >= 0 ? inputs[static_cast<size_t>(output.input)].storage()
                                               : storages[output.memory];
      at::Tensor tensor = at::detail::make_tensor<c10::TensorImpl>(
          std::move(storage), c10::DispatchKeySet(c10::DispatchKey::PrivateUse1), output.type);
      tensor.unsafeGetTensorImpl()->set_sizes_and_strides(output.sizes, output.strides,
                                                          output.offset);
      made.push_back(std::move(tensor));
    }
    return made;
  }

  const c10::intrusive_ptr<GraphObject> graph;
  const c10::Stream stream;
  std::mutex mutex;
  std::vector<Place> places;
  std::vector<Memory> memories;
  std::vector<Output> outputs;
  std::shared_ptr<OtherStreams> others = std::make_shared<OtherStreams>();
};

std::tuple<int64_t, int64_t> numbersOf(c10::MempoolId_t pool) {
  return {static_cast<int64_t>(pool.first), static_cast<int64_t>(pool.second)};
}

using ObjectRef = c10::intrusive_ptr<GraphObject>;

TORCH_LIBRARY_FRAGMENT(pumice_vk, m) {
  m.class_<GraphObject>("Graph")
      .def(torch::init<>())
      .def("begin",
           [](const ObjectRef &self, int64_t first, int64_t second) {
             self->graph.begin({static_cast<uint64_t>(first), static_cast<uint64_t>(second)});
           })
      .def("end", [](const ObjectRef &self) { self->graph.end(); })
      .def("replay", [](const ObjectRef &self) { self->graph.replay(); })
      .def("reset", [](const ObjectRef &self) { self->graph.reset(); })
      .def("size", [](const ObjectRef &self) { return static_cast<int64_t>(self->graph.size()); })
      .def("pool", [](const ObjectRef &self) { return numbersOf(self->graph.pool()); });
  m.class_<GraphedCall>("GraphedCall")
      .def(torch::init<ObjectRef, std::vector<at::Tensor>, std::vector<int64_t>,
                       std::vector<at::Tensor>>())
      .def("call", &GraphedCall::call)
      .def("strayed", &GraphedCall::strayed);
  m.def("new_graph_pool() -> (int, int)", [] { return numbersOf(newGraphPool()); });
  m.def("is_capturing() -> bool", [] { return capturingGraph(-1) != nullptr; });
  m.def("is_leased(Tensor tensor) -> bool",
        [](const at::Tensor &tensor) { return isLeased(tensor.storage()); });
}

} // namespace
} // namespace pumice::vk
