//===- Subjects.h - the two sides of the Vulkan benchmark -------------------===//
// The runtime through its C API, and the bare loop, each with the same kernels and buffers of its
// own. Both are opened once; what is measured are their methods.
//===-------------------------------------------------------------------------===//
#pragma once

#include "bench/vulkan/BareLoop.h"
#include "pumice/pumice.h"

#include <functional>
#include <string>

namespace pumice::bench {

/// Says what went wrong, and ends the program: a benchmark has nothing else to do about it.
[[noreturn]] void die(const std::string &message);
void need(pumice_status status, const char *what);
void need(const Status &status, const char *what);

/// The kernels of bench/kernels/stream.mlir, whose arguments both sides know.
struct Kernels {
  std::vector<uint8_t> file;
  executable::Executable contents;
  static Kernels read(const std::string &path);
};

/// Workgroups of copy, fill and saxpy, along x and y: 256 vectors of four each.
struct Grid {
  explicit Grid(uint64_t elements);
  uint32_t x = 1, y = 1;
};
constexpr uint32_t stepElements = 64;

/// Buffers x and y of the same number of f32, through the C API.
struct PumiceSide {
  /// `smallBuffers` of 64 values each, for `separateSteps`.
  PumiceSide(const Kernels &kernels, const std::string &device, uint64_t elements,
             int smallBuffers = 1000);
  ~PumiceSide();
  PumiceSide(const PumiceSide &) = delete;
  PumiceSide &operator=(const PumiceSide &) = delete;

  void copyKernel();
  void fillKernel(float value);
  void saxpy(float a);
  void copyCommand();
  void fillCommand(float value);
  /// `count` steps over one buffer, each after the one before it.
  void steps(uint32_t count);
  /// `count` steps, over as many buffers.
  void separateSteps(uint32_t count);
  void separateStep(uint32_t index);
  void finish() { need(pumice_queue_finish(queue, PUMICE_FOREVER), "finish"); }
  /// The first `count` values of a buffer.
  std::vector<float> values(pumice_buffer *buffer, size_t count);

  uint64_t elements;
  Grid grid;
  std::string id, name, driver;
  pumice_device *device = nullptr;
  pumice_queue *queue = nullptr;
  pumice_executable *executable = nullptr;
  pumice_function *copy = nullptr, *fill = nullptr, *saxpyFunction = nullptr, *step = nullptr;
  pumice_buffer *x = nullptr, *y = nullptr;
  std::vector<pumice_buffer *> small;
};

/// The same by hand.
struct BareSide {
  BareSide(const Kernels &kernels, const std::string &deviceName, uint64_t elements);
  ~BareSide();
  BareSide(const BareSide &) = delete;
  BareSide &operator=(const BareSide &) = delete;

  void repeat(int times, const std::function<void()> &record);
  void run(const vulkan::BarePipeline &pipeline, const std::vector<uint8_t> &block, int times);
  // Each is submitted `times` times in one command buffer, each after the last, and waited for.
  void copyKernel(int times);
  void fillKernel(float value, int times);
  void saxpy(float a, int times = 1);
  void copyCommand(int times);
  void fillCommand(float value, int times);
  void recordSteps(uint32_t count);
  void recordSeparateSteps(uint32_t count);
  void submitAndWait() { need(loop->submitAndWait(), "submit"); }

  const Kernels &kernels;
  uint64_t elements;
  Grid grid;
  std::unique_ptr<BareLoop> loop;
  std::unique_ptr<vulkan::BarePipeline> copy, fill, saxpyPipeline, step;
  BareBuffer x, y, small;
  std::vector<std::vector<uint8_t>> smallBlocks;
};

} // namespace pumice::bench
