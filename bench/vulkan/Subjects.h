//===- Subjects.h - the two sides of the Vulkan benchmark -------------------===//
// One side is the runtime through its C API, the other the bare loop. Each has its own buffers, and
// the same kernels. Both are opened once, and only their methods are measured.
//===-------------------------------------------------------------------------===//
#pragma once

#include "bench/vulkan/BareLoop.h"
#include "pumice/pumice.h"

#include <functional>
#include <string>

namespace pumice::bench {

/// Reports an error and ends the program.
[[noreturn]] void die(const std::string &message);
void need(pumice_status status, const char *what);
void need(const Status &status, const char *what);

/// The kernels of bench/kernels/stream.mlir, whose arguments both sides know.
struct Kernels {
  std::vector<uint8_t> file;
  executable::Executable contents;
  static Kernels read(const std::string &path);
};

/// The workgroups of copy, fill and saxpy, along x and y. Each handles 256 vectors of four.
struct Grid {
  explicit Grid(uint64_t elements);
  uint32_t x = 1, y = 1;
};
constexpr uint32_t stepElements = 64;

/// The runtime's side, through the C API. Its buffers x and y have the same number of f32.
struct PumiceSide {
  /// Makes `smallBuffers` buffers of 64 values each, for `separateSteps`.
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
  /// Runs `count` steps over one buffer, each after the one before it.
  void steps(uint32_t count);
  /// Runs `count` steps, each over a different buffer.
  void separateSteps(uint32_t count);
  void separateStep(uint32_t index);
  void finish() { need(pumice_queue_finish(queue, PUMICE_FOREVER), "finish"); }
  /// Returns the first `count` values of a buffer.
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

/// The bare side.
struct BareSide {
  BareSide(const Kernels &kernels, const std::string &deviceName, uint64_t elements);
  ~BareSide();
  BareSide(const BareSide &) = delete;
  BareSide &operator=(const BareSide &) = delete;

  void repeat(int times, const std::function<void()> &record);
  void run(const vulkan::BarePipeline &pipeline, const std::vector<uint8_t> &block, int times);
  // Each of these submits `times` commands in one command buffer, one after the other, and waits.
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
