//===- RandomProgram.h - random work compared with a model on the host ------===//
#pragma once

#include "runtime/hal/conformance/Conformance.h"

namespace pumice::hal::conformance {

/// Some buffers, and the words that they must contain after all work that was recorded so far. Each
/// step is one random piece of work. Steps may use several queues. A step only waits for earlier
/// steps that accessed its buffers on other queues.
class RandomProgram {
public:
  static Result<std::unique_ptr<RandomProgram>> make(Device &device, std::vector<Ref<Queue>> queues,
                                                     uint32_t seed);

  /// Records a random piece of work: a dispatch, copy, fill, upload or download, or a flush or
  /// wait.
  Status step();

  /// Waits for all work, and checks the words. Errors: Internal, which names the download and the
  /// wrong word.
  Status check();

private:
  /// The piece of work with which the timeline of a queue reaches `value`.
  struct Point {
    size_t queue = 0;
    uint64_t value = 0;
  };
  struct Memory {
    Ref<Buffer> buffer;
    std::vector<uint32_t> model;
    Point written;
    std::vector<Point> read;
  };
  struct Line {
    Ref<Queue> queue;
    Ref<Timeline> timeline;
    uint64_t value = 0;
  };
  struct Received {
    std::vector<uint32_t> words, expected;
  };

  RandomProgram(uint32_t seed) : random(seed) {}
  uint32_t below(uint32_t bound) { return static_cast<uint32_t>(random() % bound); }
  /// Returns a random range [first, first + count) of words of a buffer.
  std::pair<uint32_t, uint32_t> span(const Memory &memory);

  Status begin(size_t line, std::span<Memory *const> reads, Memory &writes);
  Status end(size_t line, std::span<Memory *const> reads, Memory &writes);
  Status waitFor(size_t line, const Point &point);

  Status dispatch(size_t line);
  Status copy(size_t line);
  Status fill(size_t line);
  Status upload(size_t line);
  Status download(size_t line);

  std::mt19937 random;
  std::vector<Mix> kernels;
  std::vector<Memory> memories;
  std::vector<Line> lines;
  std::vector<std::unique_ptr<Received>> received;
};

} // namespace pumice::hal::conformance
