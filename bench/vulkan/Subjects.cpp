//===- Subjects.cpp - the two sides of the Vulkan benchmark -----------------===//
#include "bench/vulkan/Subjects.h"

#include <algorithm>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <fstream>
#include <iterator>

using namespace pumice;
using namespace pumice::bench;

void bench::die(const std::string &message) {
  std::fprintf(stderr, "bench-vulkan: error: %s\n", message.c_str());
  std::exit(2);
}

void bench::need(pumice_status status, const char *what) {
  if (status != PUMICE_OK)
    die(std::string(what) + ": " + pumice_last_error());
}

void bench::need(const Status &status, const char *what) {
  if (!status.isOk())
    die(std::string(what) + ": " + status.toString());
}

Kernels Kernels::read(const std::string &path) {
  Kernels kernels;
  std::ifstream in(path, std::ios::binary);
  if (!in)
    die("cannot read '" + path + "'");
  kernels.file.assign(std::istreambuf_iterator<char>(in), {});
  Result<executable::Executable> contents = executable::read(kernels.file);
  need(contents.status(), path.c_str());
  kernels.contents = *contents;
  return kernels;
}

Grid::Grid(uint64_t elements) {
  constexpr uint64_t elementsPerGroup = 256 * 4, widest = 32768;
  uint64_t groups = (elements + elementsPerGroup - 1) / elementsPerGroup;
  x = static_cast<uint32_t>(std::min(groups, widest));
  y = static_cast<uint32_t>((groups + x - 1) / x);
}

//===----------------------------------------------------------------------===//
// Pumice
//===----------------------------------------------------------------------===//

PumiceSide::PumiceSide(const Kernels &kernels, const std::string &request, uint64_t elements,
                       int smallBuffers)
    : elements(elements), grid(elements) {
  need(pumice_device_open(request.c_str(), &device), "device");
  pumice_device_info info = PUMICE_INIT(pumice_device_info);
  need(pumice_device_get_info(device, &info), "device");
  id = info.id;
  name = info.name;
  driver = std::string(info.driver_name) + " " + info.driver_version;
  need(pumice_queue_create(device, nullptr, &queue), "queue");
  need(pumice_executable_load(device, kernels.file.data(), kernels.file.size(), &executable),
       "executable");
  for (auto [function, kernel] : {std::pair(&copy, "copy"), std::pair(&fill, "fill"),
                                  std::pair(&saxpyFunction, "saxpy"), std::pair(&step, "step")})
    need(pumice_executable_function(executable, kernel, nullptr, function), kernel);
  for (pumice_buffer **buffer : {&x, &y}) {
    need(pumice_buffer_create(device, elements * sizeof(float), PUMICE_MEMORY_DEVICE, buffer),
         "buffer");
    need(pumice_queue_fill(queue, *buffer, 0, PUMICE_TO_END, 0x3f800000, 4), "fill");
  }
  for (int i = 0; i < smallBuffers; ++i) {
    pumice_buffer *made = nullptr;
    need(pumice_buffer_create(device, stepElements * sizeof(float), PUMICE_MEMORY_DEVICE, &made),
         "buffer");
    need(pumice_queue_fill(queue, made, 0, PUMICE_TO_END, 0, 4), "fill");
    small.push_back(made);
  }
  finish();
}

PumiceSide::~PumiceSide() {
  for (pumice_buffer *buffer : small)
    pumice_buffer_release(buffer);
  for (pumice_buffer *buffer : {x, y})
    pumice_buffer_release(buffer);
  for (pumice_function *function : {copy, fill, saxpyFunction, step})
    pumice_function_release(function);
  pumice_executable_release(executable);
  pumice_queue_release(queue);
  pumice_device_release(device);
}

void PumiceSide::copyKernel() {
  pumice_argument arguments[] = {pumice_argument_i32(int32_t(elements / 4)),
                                 pumice_argument_buffer(x), pumice_argument_buffer(y)};
  pumice_launch_options options = pumice_groups(grid.x, grid.y, 1);
  need(pumice_launch(queue, copy, &options, arguments, 3), "copy");
}

void PumiceSide::fillKernel(float value) {
  pumice_argument arguments[] = {pumice_argument_i32(int32_t(elements / 4)),
                                 pumice_argument_f32(value), pumice_argument_buffer(y)};
  pumice_launch_options options = pumice_groups(grid.x, grid.y, 1);
  need(pumice_launch(queue, fill, &options, arguments, 3), "fill");
}

void PumiceSide::saxpy(float a) {
  pumice_argument arguments[] = {pumice_argument_i32(int32_t(elements / 4)), pumice_argument_f32(a),
                                 pumice_argument_buffer(x), pumice_argument_buffer(y)};
  pumice_launch_options options = pumice_groups(grid.x, grid.y, 1);
  need(pumice_launch(queue, saxpyFunction, &options, arguments, 4), "saxpy");
}

void PumiceSide::copyCommand() {
  need(pumice_queue_copy(queue, y, 0, x, 0, PUMICE_TO_END), "copy");
}

void PumiceSide::fillCommand(float value) {
  uint32_t bits;
  std::memcpy(&bits, &value, sizeof bits);
  need(pumice_queue_fill(queue, y, 0, PUMICE_TO_END, bits, 4), "fill");
}

void PumiceSide::steps(uint32_t count) {
  pumice_argument argument = pumice_argument_buffer(small[0]);
  pumice_launch_options options = pumice_groups(1, 1, 1);
  for (uint32_t i = 0; i < count; ++i)
    need(pumice_launch(queue, step, &options, &argument, 1), "step");
}

void PumiceSide::separateStep(uint32_t index) {
  pumice_argument argument = pumice_argument_buffer(small[index % small.size()]);
  pumice_launch_options options = pumice_groups(1, 1, 1);
  need(pumice_launch(queue, step, &options, &argument, 1), "step");
}

void PumiceSide::separateSteps(uint32_t count) {
  for (uint32_t i = 0; i < count; ++i)
    separateStep(i);
}

std::vector<float> PumiceSide::values(pumice_buffer *buffer, size_t count) {
  std::vector<float> result(count);
  need(pumice_queue_download(queue, result.data(), buffer, 0, count * sizeof(float)), "download");
  finish();
  return result;
}

//===----------------------------------------------------------------------===//
// The bare loop
//===----------------------------------------------------------------------===//

BareSide::BareSide(const Kernels &kernels, const std::string &deviceName, uint64_t elements)
    : kernels(kernels), elements(elements), grid(elements) {
  auto opened = BareLoop::open(deviceName);
  need(opened.status(), "bare device");
  loop = std::move(*opened);
  for (auto [pipeline, kernel] : {std::pair(&copy, "copy"), std::pair(&fill, "fill"),
                                  std::pair(&saxpyPipeline, "saxpy"), std::pair(&step, "step")}) {
    auto made = loop->pipeline(kernels.contents, kernel);
    need(made.status(), kernel);
    *pipeline = std::move(*made);
  }
  loop->begin();
  for (BareBuffer *buffer : {&x, &y, &small}) {
    uint64_t bytes = (buffer == &small ? 1000 * stepElements : elements) * sizeof(float);
    auto made = loop->allocate(bytes);
    need(made.status(), "bare buffer");
    *buffer = *made;
    loop->fill(*buffer, buffer == &small ? 0 : 0x3f800000);
  }
  submitAndWait();
  for (uint64_t i = 0; i < 1000; ++i) {
    BareArgument argument{.address = small.address + i * stepElements * sizeof(float)};
    smallBlocks.push_back(BareLoop::pack(kernels.contents, "step", {&argument, 1}));
  }
}

BareSide::~BareSide() {
  copy = nullptr, fill = nullptr, saxpyPipeline = nullptr, step = nullptr;
  for (BareBuffer *buffer : {&x, &y, &small})
    loop->free(*buffer);
}

void BareSide::repeat(int times, const std::function<void()> &record) {
  loop->begin();
  for (int i = 0; i < times; ++i) {
    if (i)
      loop->barrier();
    record();
  }
  submitAndWait();
}

void BareSide::run(const vulkan::BarePipeline &pipeline, const std::vector<uint8_t> &block,
                   int times) {
  repeat(times, [&] {
    loop->bind(pipeline);
    loop->dispatch(pipeline, block, grid.x, grid.y);
  });
}

static uint32_t bitsOf(float value) {
  uint32_t bits;
  std::memcpy(&bits, &value, sizeof bits);
  return bits;
}

void BareSide::copyKernel(int times) {
  uint32_t vectors = static_cast<uint32_t>(elements / 4);
  BareArgument arguments[] = {{.bits = vectors},
                              {.address = x.address, .extent = vectors},
                              {.address = y.address, .extent = vectors}};
  run(*copy, BareLoop::pack(kernels.contents, "copy", arguments), times);
}

void BareSide::fillKernel(float value, int times) {
  uint32_t vectors = static_cast<uint32_t>(elements / 4);
  BareArgument arguments[] = {
      {.bits = vectors}, {.bits = bitsOf(value)}, {.address = y.address, .extent = vectors}};
  run(*fill, BareLoop::pack(kernels.contents, "fill", arguments), times);
}

void BareSide::saxpy(float a, int times) {
  uint32_t vectors = static_cast<uint32_t>(elements / 4);
  BareArgument arguments[] = {{.bits = vectors},
                              {.bits = bitsOf(a)},
                              {.address = x.address, .extent = vectors},
                              {.address = y.address, .extent = vectors}};
  run(*saxpyPipeline, BareLoop::pack(kernels.contents, "saxpy", arguments), times);
}

void BareSide::copyCommand(int times) {
  repeat(times, [&] { loop->copy(x, y); });
}

void BareSide::fillCommand(float value, int times) {
  repeat(times, [&] { loop->fill(y, bitsOf(value)); });
}

void BareSide::recordSteps(uint32_t count) {
  loop->begin();
  loop->bind(*step);
  for (uint32_t i = 0; i < count; ++i) {
    if (i)
      loop->barrier();
    loop->dispatch(*step, smallBlocks[0], 1);
  }
}

void BareSide::recordSeparateSteps(uint32_t count) {
  loop->begin();
  loop->bind(*step);
  for (uint32_t i = 0; i < count; ++i)
    loop->dispatch(*step, smallBlocks[i % smallBlocks.size()], 1);
}
