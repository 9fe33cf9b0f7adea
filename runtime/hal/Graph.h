//===- Graph.h - work of a queue that can run again -------------------------===//
// A graph holds the work that a queue recorded between `Queue::beginCapture` and `endCapture`.
// `Queue::replay` runs all of it, in order, with the same buffers and parameters. A driver may
// prepare the work once, so that a replay costs one submit. Otherwise, a replay records the work
// again.
//===-------------------------------------------------------------------------===//
#pragma once

#include "runtime/hal/Queue.h"

#include <unordered_set>

namespace pumice::hal {

/// Keeps the kernels and buffers that it uses. Once its capture has ended, it does not change.
class Graph : public RefCounted {
public:
  explicit Graph(Ref<Device> owner) : owner(std::move(owner)) {}
  ~Graph() override;

  Device &device() const { return *owner; }
  /// Returns the number of launches, copies and fills.
  size_t size() const { return commands.size(); }
  const std::unordered_set<Buffer *> &buffers() const { return usedBuffers; }
  /// Returns whether a launch may access buffers that it does not name.
  bool touchesUnnamedMemory() const { return unnamed; }

  /// Records all work on a queue that does not capture.
  Status issue(Queue &queue) const;

  /// The driver's own form of the work. Drivers set it in `Queue::prepareImpl`.
  Ref<RefCounted> prepared;

private:
  friend class Queue;
  struct Command {
    enum class Kind : uint8_t { Dispatch, Copy, Fill };
    Kind kind = Kind::Dispatch;
    Dispatch dispatch; // without its spans
    // Indices in the lists below.
    size_t firstConstant = 0, constants = 0, firstBinding = 0, bindings = 0, firstUse = 0, uses = 0;
    BufferRange to, from; // Copy; Fill has only `to`
    uint32_t pattern = 0;
  };

  // The capture's part. Arguments have been checked.
  Status addDispatch(const Dispatch &dispatch);
  void addCopy(const BufferRange &to, const BufferRange &from);
  Status addFill(const BufferRange &to, uint32_t pattern);
  Status addUpload(const BufferRange &to, std::span<const std::byte> from);
  void keep(Buffer *buffer);
  Status issue(Queue &queue, const Command &command) const;

  Ref<Device> owner;
  std::vector<Command> commands;
  std::vector<std::byte> allConstants;
  std::vector<BufferRange> allBindings;
  std::vector<BufferUse> allUses;
  std::unordered_set<Buffer *> usedBuffers; // each with a reference, as the kernels
  std::unordered_set<Kernel *> usedKernels;
  bool unnamed = false;
};

} // namespace pumice::hal
