//===- Backend.cpp - starts collectives in order, and ends them -------------===//
#include "python/torch_shim/distributed/Backend.h"

#include <c10/core/impl/VirtualGuardImpl.h>
#include <c10/util/Exception.h>
#include <torch/csrc/distributed/c10d/ProcessGroup.hpp>
#include <torch/library.h>

namespace pumice::vk {
namespace {

/// Returns an error that names the collective.
std::exception_ptr inContext(const char *name) {
  try {
    throw;
  } catch (const c10::Error &error) {
    return std::make_exception_ptr(c10::DistBackendError(
        {__func__, __FILE__, __LINE__},
        std::string(name) + " of vk failed: " + error.what_without_backtrace()));
  } catch (const std::exception &error) {
    return std::make_exception_ptr(c10::DistBackendError(
        {__func__, __FILE__, __LINE__}, std::string(name) + " of vk failed: " + error.what()));
  }
}

} // namespace

Backend::Backend(c10::intrusive_ptr<c10d::Backend> given)
    : c10d::Backend(given->getRank(), given->getSize()), gloo(std::move(given)) {
  init();
}

void Backend::setTimeout(Milliseconds timeout) { gloo->getBackendOptions()->timeout = timeout; }

void Backend::startCoalescing() {
  std::lock_guard lock(mutex);
  isCoalescing = true;
  coalesced.clear();
}

Backend::Work Backend::endCoalescing() {
  std::lock_guard lock(mutex);
  isCoalescing = false;
  return c10::make_intrusive<ManyWorks>(std::exchange(coalesced, {}));
}

Backend::Work Backend::noted(Work work) {
  std::lock_guard lock(mutex);
  if (isCoalescing)
    coalesced.push_back(work);
  return work;
}

std::optional<c10::DeviceIndex> Backend::deviceOf(Call call,
                                                  std::initializer_list<at::TensorList> lists) {
  TORCH_CHECK_WITH(DistBackendError, !isShutDown, call.name,
                   " needs a process group, but this one was destroyed");
  std::optional<c10::Device> device;
  for (at::TensorList list : lists)
    for (const at::Tensor &tensor : list) {
      TORCH_CHECK_VALUE(tensor.defined(), call.name, " expects tensors, got an undefined one");
      TORCH_CHECK_NOT_IMPLEMENTED(tensor.layout() == at::kStrided, call.name,
                                  " on vk expects dense tensors, got one with layout ",
                                  tensor.layout());
      TORCH_CHECK_VALUE(!device || tensor.device() == *device, call.name,
                        " expects tensors of one device, got ", *device, " and ", tensor.device(),
                        "; move them to one device first");
      device = tensor.device();
    }
  TORCH_CHECK_VALUE(device, call.name, " expects at least one tensor, got none");
  TORCH_CHECK_VALUE(device->is_cpu() || device->type() == deviceType, call.name,
                    " of the backend pumice expects tensors of vk or of the CPU, got ", *device);
  if (device->is_cpu()) {
    // gloo numbers its calls as they start, and the numbers must be the same in all processes. So
    // this call starts after the earlier calls, which are in the queue.
    starting->waitUntilEmpty();
    return std::nullopt;
  }
  return device->index();
}

void Backend::checkRank(Call call, int64_t rank) const {
  TORCH_CHECK_VALUE(rank >= 0 && rank < getSize(), call.name, " expects a process from 0 to ",
                    getSize() - 1, ", got ", rank);
}

std::shared_ptr<Staging> Backend::stagingFor(c10::DeviceIndex device) {
  std::lock_guard lock(mutex);
  auto entry = streams.find(device);
  if (entry == streams.end())
    entry = streams
                .emplace(device, c10::Stream(c10::Stream::UNSAFE, {deviceType, device},
                                             deviceAt(device).newStream()))
                .first;
  return std::make_shared<Staging>(device, entry->second);
}

Backend::Work Backend::submit(Call call, std::shared_ptr<Staging> staging, Tensors outputs,
                              const Tensors &inputs, std::function<Works()> start,
                              std::function<void()> conclude) {
  staging->seal();
  auto job = std::make_shared<Job>(call);
  job->work = c10::make_intrusive<CollectiveWork>(getRank(), call.type, call.name,
                                                  c10::Device(deviceType, staging->device),
                                                  std::move(outputs), inputs, ++sequence);
  job->staging = std::move(staging);
  job->start = std::move(start);
  job->conclude = std::move(conclude);
  Work work = job->work;
  starting->add([job, ending = ending] {
    if (!job->begin())
      return;
    // Transfers end in an order of their own; collectives end in the order of their calls.
    if (c10d::isP2POp(job->call.type))
      runOnThread([job] { job->end(); });
    else
      ending->add([job] { job->end(); });
  });
  return noted(work);
}

bool Backend::Job::begin() {
  try {
    at::AutoDispatchBelowADInplaceOrView withoutAutograd;
    staging->awaitImages();
    running = start();
    return true;
  } catch (const std::exception &) {
    release()->fail(inContext(call.name));
    return false;
  }
}

void Backend::Job::end() {
  try {
    at::AutoDispatchBelowADInplaceOrView withoutAutograd;
    for (const Work &one : running)
      one->wait();
    if (call.type == c10d::OpType::RECVANYSOURCE)
      work->setSource(running[0]->sourceRank());
    conclude();
    std::optional<c10::Stream> copies;
    if (staging->writeBack())
      copies = staging->copies;
    release()->complete(copies);
  } catch (const std::exception &) {
    release()->fail(inContext(call.name));
  }
}

/// Frees the tensors before the program that waits goes on, since it may end Python then. Returns
/// the work.
c10::intrusive_ptr<CollectiveWork> Backend::Job::release() {
  start = nullptr;
  conclude = nullptr;
  running.clear();
  staging = nullptr;
  return std::move(work);
}

namespace {

/// Gives a process group a backend for vk, which uses the group's gloo.
void addBackend(const c10::intrusive_ptr<c10d::ProcessGroup> &group) {
  group->setBackend(deviceType, c10d::ProcessGroup::BackendType::CUSTOM,
                    c10::intrusive_ptr<c10d::Backend>(
                        c10::make_intrusive<Backend>(group->getBackend(c10::DeviceType::CPU))));
}

TORCH_LIBRARY_FRAGMENT(pumice_vk, m) {
  m.def("add_backend(__torch__.torch.classes.c10d.ProcessGroup group) -> ()", addBackend);
  m.def("await_threads(int milliseconds) -> ()",
        [](int64_t milliseconds) { awaitThreads(std::chrono::milliseconds(milliseconds)); });
}

} // namespace
} // namespace pumice::vk
