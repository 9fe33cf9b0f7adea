//===- Work.cpp - ends collectives, and tells their futures -----------------===//
#include "python/torch_shim/distributed/Work.h"

#include "python/torch_shim/distributed/Threads.h"

#include <ATen/core/ivalue.h>

namespace pumice::vk {

CollectiveWork::CollectiveWork(int rank, c10d::OpType type, const char *title, c10::Device device,
                               std::vector<at::Tensor> outputs,
                               const std::vector<at::Tensor> &inputs, uint64_t sequence)
    : Work(rank, type, title, inputs), device(device), outputs(std::move(outputs)),
      sequence(sequence),
      future(c10::make_intrusive<c10::ivalue::Future>(c10::ListType::create(c10::TensorType::get()),
                                                      std::vector<c10::Device>{device})) {}

void CollectiveWork::complete(std::optional<c10::Stream> copies) {
  try {
    if (copies) {
      done.emplace(deviceType);
      done->record(*copies);
    }
  } catch (const std::exception &) { // the device is lost
    return end(std::nullopt, std::current_exception());
  }
  end(copies, nullptr);
}

void CollectiveWork::fail(std::exception_ptr error) { end(std::nullopt, std::move(error)); }

void CollectiveWork::end(std::optional<c10::Stream> copies, std::exception_ptr error) {
  finish(error);
  std::unique_lock lock(futureMutex);
  isFutureEnded = true;
  if (!isFutureTaken)
    return endFuture(copies, error);
  lock.unlock();
  // A callback of the future may wait for another collective, which needs the calling thread.
  auto self = c10::intrusive_ptr<CollectiveWork>::reclaim_copy(this);
  runOnThread([self, copies, error] { self->endFuture(copies, error); });
}

void CollectiveWork::endFuture(std::optional<c10::Stream> copies, std::exception_ptr error) {
  if (error)
    return future->setErrorIfNeeded(error);
  try {
    std::optional<CopyScope> scope;
    if (copies)
      scope.emplace(*copies);
    future->markCompleted(c10::IValue(outputs));
  } catch (const std::exception &) { // the device is lost
    future->setErrorIfNeeded(std::current_exception());
  }
}

void CollectiveWork::synchronize() {
  if (done)
    done->block(currentStream(device.index()));
}

c10::intrusive_ptr<c10::ivalue::Future> CollectiveWork::getFuture() {
  std::lock_guard lock(futureMutex);
  isFutureTaken = true;
  return future;
}

bool ManyWorks::isCompleted() {
  return std::ranges::all_of(works, [](const auto &work) { return work->isCompleted(); });
}

bool ManyWorks::isSuccess() const {
  return std::ranges::all_of(works, [](const auto &work) { return work->isSuccess(); });
}

bool ManyWorks::wait(std::chrono::milliseconds timeout) {
  for (const auto &work : works)
    work->wait(timeout);
  return true;
}

void ManyWorks::synchronize() {
  for (const auto &work : works)
    work->synchronize();
}

std::vector<at::Tensor> ManyWorks::result() {
  std::vector<at::Tensor> all;
  for (const auto &work : works)
    for (const at::Tensor &tensor : work->result())
      all.push_back(tensor);
  return all;
}

} // namespace pumice::vk
