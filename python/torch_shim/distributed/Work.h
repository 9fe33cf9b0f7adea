//===- Work.h - a collective that is under way ------------------------------===//
#pragma once

#include "python/torch_shim/distributed/Staging.h"

#include <c10/core/Event.h>
#include <torch/csrc/distributed/c10d/Work.hpp>

#include <atomic>

namespace pumice::vk {

/// A collective, or a transfer between two processes.
class CollectiveWork final : public c10d::Work {
public:
  CollectiveWork(int rank, c10d::OpType type, const char *title, c10::Device device,
                 std::vector<at::Tensor> outputs, const std::vector<at::Tensor> &inputs,
                 uint64_t sequence);

  /// Ends the work. With `copies`, the results are complete when that stream has passed this point.
  void complete(std::optional<c10::Stream> copies);
  void fail(std::exception_ptr error);
  void setSource(int rank) { source = rank; }

  void synchronize() override;
  int sourceRank() const override { return source; }
  std::vector<at::Tensor> result() override { return outputs; }
  c10::intrusive_ptr<c10::ivalue::Future> getFuture() override;
  uint64_t getSequencenumber() const override { return sequence; }

private:
  void end(std::optional<c10::Stream> copies, std::exception_ptr error);
  void endFuture(std::optional<c10::Stream> copies, std::exception_ptr error);

  const c10::Device device;
  const std::vector<at::Tensor> outputs;
  const uint64_t sequence;
  std::atomic<int> source = -1;
  std::optional<c10::Event> done;
  std::mutex futureMutex;
  bool isFutureTaken = false, isFutureEnded = false;
  c10::intrusive_ptr<c10::ivalue::Future> future;
};

/// Several works as one.
class ManyWorks final : public c10d::Work {
public:
  explicit ManyWorks(std::vector<c10::intrusive_ptr<c10d::Work>> works)
      : Work(-1, c10d::OpType::COALESCED), works(std::move(works)) {}

  bool isCompleted() override;
  bool isSuccess() const override;
  bool wait(std::chrono::milliseconds timeout) override;
  void synchronize() override;
  std::vector<at::Tensor> result() override;

private:
  const std::vector<c10::intrusive_ptr<c10d::Work>> works;
};

} // namespace pumice::vk
