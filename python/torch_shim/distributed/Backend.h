//===- Backend.h - torch.distributed for tensors of vk ----------------------===//
// gloo moves the elements between processes. Collectives start in the order of their calls, once
// the kernels before them have ended, and end on threads of their own.
//===-------------------------------------------------------------------------===//
#pragma once

#include "python/torch_shim/distributed/Reduction.h"
#include "python/torch_shim/distributed/Threads.h"
#include "python/torch_shim/distributed/Work.h"

#include <torch/csrc/distributed/c10d/Backend.hpp>

#include <map>

namespace pumice::vk {

class Backend final : public c10d::Backend {
public:
  using Tensors = std::vector<at::Tensor>;
  using Lists = std::vector<Tensors>;
  using Work = c10::intrusive_ptr<c10d::Work>;
  using Milliseconds = std::chrono::milliseconds;

  explicit Backend(c10::intrusive_ptr<c10d::Backend> gloo);

  const std::string getBackendName() const override { return "pumice"; }
  c10::intrusive_ptr<Options> getBackendOptions() override { return gloo->getBackendOptions(); }
  bool supportsCoalescing() const override { return true; }
  void startCoalescing() override;
  Work endCoalescing() override;
  void setTimeout(Milliseconds timeout) override;
  void setSequenceNumberForGroup() override {}
  uint64_t getSequenceNumberForGroup() override { return sequence; }
  c10d::ErrorType getError() override { return c10d::ErrorType::SUCCESS; }
  void shutdown() override { isShutDown = true; }
  void abort() override { isShutDown = true; }

  Work broadcast(Tensors &tensors, const c10d::BroadcastOptions &options) override;
  Work allreduce(Tensors &tensors, const c10d::AllreduceOptions &options) override;
  Work allreduce_coalesced(Tensors &tensors,
                           const c10d::AllreduceCoalescedOptions &options) override;
  Work reduce(Tensors &tensors, const c10d::ReduceOptions &options) override;
  Work allgather(Lists &outputs, Tensors &inputs, const c10d::AllgatherOptions &options) override;
  Work _allgather_base(at::Tensor &output, at::Tensor &input,
                       const c10d::AllgatherOptions &options) override;
  Work allgather_coalesced(Lists &outputs, Tensors &inputs,
                           const c10d::AllgatherOptions &options) override;
  Work allgather_into_tensor_coalesced(Tensors &outputs, Tensors &inputs,
                                       const c10d::AllgatherOptions &options) override;
  Work gather(Lists &outputs, Tensors &inputs, const c10d::GatherOptions &options) override;
  Work scatter(Tensors &outputs, Lists &inputs, const c10d::ScatterOptions &options) override;
  Work reduce_scatter(Tensors &outputs, Lists &inputs,
                      const c10d::ReduceScatterOptions &options) override;
  Work _reduce_scatter_base(at::Tensor &output, at::Tensor &input,
                            const c10d::ReduceScatterOptions &options) override;
  Work reduce_scatter_tensor_coalesced(Tensors &outputs, Tensors &inputs,
                                       const c10d::ReduceScatterOptions &options) override;
  Work alltoall_base(at::Tensor &output, at::Tensor &input, std::vector<int64_t> &outputSplits,
                     std::vector<int64_t> &inputSplits,
                     const c10d::AllToAllOptions &options) override;
  Work alltoall(Tensors &outputs, Tensors &inputs, const c10d::AllToAllOptions &options) override;
  Work send(Tensors &tensors, int to, int tag) override;
  Work recv(Tensors &tensors, int from, int tag) override;
  Work recvAnysource(Tensors &tensors, int tag) override;
  Work barrier(const c10d::BarrierOptions &options) override;
  void monitoredBarrier(const c10d::BarrierOptions &options, bool waitForAll) override;

private:
  using Works = std::vector<Work>;
  /// The call of a collective.
  struct Call {
    c10d::OpType type;
    const char *name; // "all_reduce"
  };
  /// A collective, in parts that run one after another on threads of their own.
  struct Job {
    explicit Job(Call call) : call(call) {}
    bool begin();
    void end();
    c10::intrusive_ptr<CollectiveWork> release();

    const Call call;
    c10::intrusive_ptr<CollectiveWork> work;
    std::shared_ptr<Staging> staging;
    std::function<Works()> start;   // calls gloo
    std::function<void()> conclude; // computes the images from gloo's results
    Works running;
  };

  /// Checks the tensors of a call, which all have one device. Returns the device of vk, or nothing
  /// if it is the CPU: gloo itself serves these tensors, after what was started before.
  std::optional<c10::DeviceIndex> deviceOf(Call call, std::initializer_list<at::TensorList> lists);
  /// Checks the number of another process.
  void checkRank(Call call, int64_t rank) const;
  std::shared_ptr<Staging> stagingFor(c10::DeviceIndex device);
  /// Runs a job, and returns its work.
  Work submit(
      Call call, std::shared_ptr<Staging> staging, Tensors outputs, const Tensors &inputs,
      std::function<Works()> start, std::function<void()> conclude = [] {});
  /// Remembers the work for `endCoalescing`.
  Work noted(Work work);

  Work reduceImages(Call call, std::shared_ptr<Staging> staging, const Tensors &tensors,
                    Tensors images, const c10d::AllreduceOptions &options);
  Work gatherAll(Call call, const Lists &outputs, const Tensors &inputs, Milliseconds timeout);
  Work gatherIntoTensors(Call call, Tensors &outputs, Tensors &inputs, Milliseconds timeout);
  Work reduceAndScatter(Call call, const Tensors &outputs, const Lists &inputs,
                        const c10d::ReduceScatterOptions &options);
  Work receive(Call call, Tensors &tensors, std::function<Work(Tensors &)> start);

  const c10::intrusive_ptr<c10d::Backend> gloo;
  const std::shared_ptr<SerialQueue> starting = std::make_shared<SerialQueue>();
  const std::shared_ptr<SerialQueue> ending = std::make_shared<SerialQueue>();
  std::atomic<bool> isShutDown = false;
  std::atomic<uint64_t> sequence = 0;
  std::mutex mutex; // of the members below
  std::map<c10::DeviceIndex, c10::Stream> streams;
  bool isCoalescing = false;
  std::vector<Work> coalesced;
};

} // namespace pumice::vk
