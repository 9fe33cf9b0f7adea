//===- Graph.cpp - work of a queue that can run again -----------------------===//
#include "runtime/hal/Graph.h"

#include "runtime/hal/Device.h"

#include <bit>
#include <cstring>

namespace pumice::hal {

Graph::~Graph() {
  prepared = nullptr; // may use the buffers and kernels
  for (Buffer *buffer : usedBuffers)
    buffer->release();
  for (Kernel *kernel : usedKernels)
    kernel->release();
}

void Graph::keep(Buffer *buffer) {
  if (usedBuffers.insert(buffer).second)
    buffer->retain();
}

Status Graph::addDispatch(const Dispatch &dispatch) {
  if (dispatch.kernel->printfs())
    return Status(StatusCode::Unsupported,
                  "kernel '" + dispatch.kernel->label() +
                      "' prints, so a graph cannot contain it: launch it outside the capture");
  Command command;
  command.dispatch = dispatch;
  command.dispatch.pushConstants = {};
  command.dispatch.bindings = {};
  command.dispatch.uses = {};
  command.dispatch.memory = nullptr; // it only serves the launch's caller, who has returned
  command.dispatch.print = nullptr;
  command.firstConstant = allConstants.size();
  command.constants = dispatch.pushConstants.size();
  command.firstBinding = allBindings.size();
  command.bindings = dispatch.bindings.size();
  command.firstUse = allUses.size();
  command.uses = dispatch.uses.size();
  allConstants.insert(allConstants.end(), dispatch.pushConstants.begin(),
                      dispatch.pushConstants.end());
  allConstants.resize((allConstants.size() + 7) / 8 * 8); // the next launch's are aligned
  allBindings.insert(allBindings.end(), dispatch.bindings.begin(), dispatch.bindings.end());
  allUses.insert(allUses.end(), dispatch.uses.begin(), dispatch.uses.end());
  for (const BufferRange &range : dispatch.bindings)
    keep(range.buffer);
  for (const BufferUse &use : dispatch.uses)
    keep(use.buffer);
  if (usedKernels.insert(dispatch.kernel).second)
    dispatch.kernel->retain();
  unnamed = unnamed || dispatch.touchesUnnamedMemory;
  commands.push_back(command);
  return Status::ok();
}

void Graph::addCopy(const BufferRange &to, const BufferRange &from) {
  keep(to.buffer);
  keep(from.buffer);
  Command command;
  command.kind = Command::Kind::Copy;
  command.to = to;
  command.from = from;
  commands.push_back(command);
}

/// Fills bytes before the first whole word and behind the last one by copies, since drivers may
/// need memory for them at each fill.
Status Graph::addFill(const BufferRange &to, uint32_t pattern) {
  uint64_t end = to.offset + to.bytes;
  uint64_t firstWord = std::min((to.offset + 3) / 4 * 4, end);
  uint64_t wordsEnd = std::max(end / 4 * 4, firstWord);
  auto addEdge = [&](uint64_t begin, uint64_t bytes) {
    std::byte filled[3] = {};
    for (uint64_t i = 0; i < bytes; ++i)
      filled[i] = static_cast<std::byte>(pattern >> (8 * ((begin - to.offset + i) % 4)));
    return bytes == 0 ? Status::ok() : addUpload({to.buffer, begin, bytes}, {filled, bytes});
  };
  PUMICE_RETURN_IF_ERROR(addEdge(to.offset, firstWord - to.offset));
  PUMICE_RETURN_IF_ERROR(addEdge(wordsEnd, end - wordsEnd));
  if (firstWord == wordsEnd)
    return Status::ok();
  keep(to.buffer);
  Command command;
  command.kind = Command::Kind::Fill;
  command.to = {to.buffer, firstWord, wordsEnd - firstWord};
  command.pattern = std::rotr(pattern, static_cast<int>(8 * ((firstWord - to.offset) % 4)));
  commands.push_back(command);
  return Status::ok();
}

/// Copies the bytes to a buffer of the graph, from which each replay copies them.
Status Graph::addUpload(const BufferRange &to, std::span<const std::byte> from) {
  PUMICE_TRY(Ref<Buffer> held, owner->allocate(from.size(), MemoryKind::Host));
  if (!held->hostPointer())
    return Status(StatusCode::Internal, owner->info().id + " gave host memory without a pointer");
  std::memcpy(held->hostPointer(), from.data(), from.size());
  addCopy(to, {held.get(), 0, from.size()});
  return Status::ok();
}

Status Graph::issue(Queue &queue, const Command &command) const {
  switch (command.kind) {
  case Command::Kind::Copy:
    return queue.copyImpl(command.to, command.from);
  case Command::Kind::Fill:
    return queue.fillImpl(command.to, command.pattern);
  case Command::Kind::Dispatch:
    break;
  }
  Dispatch dispatch = command.dispatch;
  dispatch.pushConstants =
      std::span(allConstants).subspan(command.firstConstant, command.constants);
  dispatch.bindings = std::span(allBindings).subspan(command.firstBinding, command.bindings);
  dispatch.uses = std::span(allUses).subspan(command.firstUse, command.uses);
  return queue.dispatchImpl(dispatch);
}

Status Graph::issue(Queue &queue) const {
  for (size_t i = 0; i < commands.size(); ++i)
    if (Status status = issue(queue, commands[i]); !status.isOk())
      return std::move(status).at("command " + std::to_string(i) + " of a graph of " +
                                  std::to_string(commands.size()));
  return Status::ok();
}

//===- The queue's part -----------------------------------------------------===//

static Status whileCapturing(std::string_view what, std::string_view instead) {
  return Status(StatusCode::InvalidArgument,
                std::string(what) +
                    ": the queue is capturing a graph, whose work runs only when it is replayed; " +
                    std::string(instead));
}

Status Queue::rejectWhileCapturing(std::string_view what) const {
  return isCapturing() ? whileCapturing(what, "do this before the capture begins or after it ends")
                       : Status::ok();
}

template <typename Add> Status Queue::capture(Add &&add, bool &isCaptured) {
  isCaptured = false;
  std::lock_guard lock(captureMutex);
  if (!captured)
    return Status::ok(); // another thread has just ended the capture
  isCaptured = true;
  Status status = add(*captured);
  if (!status.isOk() && captureFailure.isOk())
    captureFailure = status;
  return status;
}

Status Queue::captureDispatch(const Dispatch &dispatch) {
  bool isCaptured = false;
  Status status = capture([&](Graph &graph) { return graph.addDispatch(dispatch); }, isCaptured);
  return isCaptured ? std::move(status) : dispatchImpl(dispatch);
}

Status Queue::captureCopy(const BufferRange &to, const BufferRange &from) {
  bool isCaptured = false;
  auto add = [&](Graph &graph) {
    graph.addCopy(to, from);
    return Status::ok();
  };
  Status status = capture(add, isCaptured);
  return isCaptured ? std::move(status) : copyImpl(to, from);
}

Status Queue::captureFill(const BufferRange &to, uint32_t pattern) {
  bool isCaptured = false;
  Status status = capture([&](Graph &graph) { return graph.addFill(to, pattern); }, isCaptured);
  return isCaptured ? std::move(status) : fillImpl(to, pattern);
}

Status Queue::captureUpload(const BufferRange &to, std::span<const std::byte> from) {
  bool isCaptured = false;
  Status status = capture([&](Graph &graph) { return graph.addUpload(to, from); }, isCaptured);
  return isCaptured ? std::move(status) : uploadImpl(to, from);
}

Status Queue::beginCapture() {
  PUMICE_RETURN_IF_ERROR(owner->health());
  std::lock_guard lock(captureMutex);
  if (captured)
    return whileCapturing("begin of a capture", "end that capture first");
  captured = makeRef<Graph>(owner);
  captureFailure = Status::ok();
  capturing.store(true, std::memory_order_release);
  return Status::ok();
}

Result<Ref<Graph>> Queue::endCapture() {
  Ref<Graph> graph;
  {
    std::lock_guard lock(captureMutex);
    if (!captured)
      return Status(StatusCode::InvalidArgument,
                    "end of a capture: the queue is not capturing; call beginCapture first");
    graph = std::exchange(captured, nullptr);
    capturing.store(false, std::memory_order_release);
    PUMICE_RETURN_IF_ERROR(std::exchange(captureFailure, Status::ok()));
  }
  PUMICE_RETURN_IF_ERROR(owner->health());
  PUMICE_RETURN_IF_ERROR(prepareImpl(*graph));
  return graph;
}

void Queue::dropCapture() {
  Ref<Graph> graph; // released without the lock
  std::lock_guard lock(captureMutex);
  graph = std::exchange(captured, nullptr);
  captureFailure = Status::ok();
  capturing.store(false, std::memory_order_release);
}

Status Queue::replay(Graph &graph) {
  PUMICE_RETURN_IF_ERROR(owner->health());
  if (&graph.device() != owner.get())
    return Status(StatusCode::InvalidArgument, "replay: the graph belongs to " +
                                                   graph.device().info().id + ", the queue to " +
                                                   owner->info().id);
  PUMICE_RETURN_IF_ERROR(rejectWhileCapturing("replay"));
  return graph.size() == 0 ? Status::ok() : replayImpl(graph);
}

Status Queue::prepareImpl(Graph &) { return Status::ok(); }
Status Queue::replayImpl(Graph &graph) { return graph.issue(*this); }

} // namespace pumice::hal
