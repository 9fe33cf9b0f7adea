//===- ExampleTest.cpp - from a file's bytes to a result, on a real device --===//
// Tests the code that docs/hal.md shows. Skipped if the computer has no device.
//===-------------------------------------------------------------------------===//
#include "runtime/drivers/Drivers.h"
#include "runtime/hal/Executable.h"

#include "runtime/hal/kernels/Saxpy.comp.h"

#include <gtest/gtest.h>

#include <algorithm>

using namespace pumice;

/// Returns an executable like the one that the compiler writes for runtime/hal/kernels/Saxpy.comp.
static std::vector<uint8_t> saxpyFile() {
  using namespace executable;
  Argument x{.name = "x", .shape = {dynamic}, .strides = {1}, .access = Access::Read};
  Argument y = x;
  y.name = "y";
  y.access = Access::ReadWrite;
  Argument a{.name = "a", .kind = ArgumentKind::Scalar, .access = Access::Read};
  Executable file;
  file.entryPoints = {{.name = "saxpy", .arguments = {a, x, y}, .workgroupSize = {64, 1, 1}}};
  Interface interface{
      .entryPoint = "saxpy",
      .symbol = "main",
      .place = ParameterPlace::PushConstants,
      .parameterBytes = 8,
      .fields = {{FieldSource::Scalar, 0, 0, 0, 4}, {FieldSource::BufferExtent, 2, 0, 4, 4}},
      .bindings = {{0, 0, BindingSource::Argument, 1}, {0, 1, BindingSource::Argument, 2}}};
  auto *code = reinterpret_cast<const uint8_t *>(saxpySpirv);
  file.variants = {{.interfaces = {interface}, .code = {code, code + sizeof saxpySpirv}}};
  return write(file).value();
}

// docs/hal.md: begin
static Status saxpy(hal::Registry &registry, std::span<const uint8_t> file, float a,
                    const std::vector<float> &x, std::vector<float> &y) {
  PUMICE_TRY(executable::Executable contents, executable::read(file));
  PUMICE_TRY(Ref<hal::Device> device, registry.openFor(contents));
  PUMICE_TRY(Ref<hal::Executable> loaded,
             hal::Executable::load(
                 device, std::make_shared<const executable::Executable>(std::move(contents))));
  PUMICE_TRY(Ref<hal::Function> function, loaded->function("saxpy"));

  PUMICE_TRY(Ref<hal::Queue> queue, device->createQueue());
  PUMICE_TRY(Ref<hal::Buffer> xs, device->allocate(x.size() * sizeof(float)));
  PUMICE_TRY(Ref<hal::Buffer> ys, device->allocate(y.size() * sizeof(float)));
  PUMICE_RETURN_IF_ERROR(queue->upload({xs.get()}, std::as_bytes(std::span(x))));
  PUMICE_RETURN_IF_ERROR(queue->upload({ys.get()}, std::as_bytes(std::span(y))));

  hal::Argument arguments[] = {hal::Argument::scalar(a), hal::Argument::buffer(xs.get()),
                               hal::Argument::buffer(ys.get())};
  hal::LaunchOptions options{.groups = {static_cast<uint32_t>((y.size() + 63) / 64), 1, 1}};
  PUMICE_RETURN_IF_ERROR(function->launch(*queue, options, arguments));

  PUMICE_RETURN_IF_ERROR(queue->download(std::as_writable_bytes(std::span(y)), {ys.get()}));
  return queue->finish();
}
// docs/hal.md: end

TEST(Example, Saxpy) {
  hal::Registry registry;
  ASSERT_TRUE(registerDrivers(registry).isOk());
  bool any = false; // whether a device can run it. The CPU device needs a compiler
  for (const hal::DeviceInfo &info : registry.devices())
    any |= std::ranges::count(info.kinds, executable::VariantKind::VulkanSpirv) > 0;
  if (!any)
    GTEST_SKIP() << "there is no device for SPIR-V";
  std::vector<float> x(1000), y(1000);
  for (size_t i = 0; i < x.size(); ++i)
    x[i] = static_cast<float>(i), y[i] = 1;
  Status done = saxpy(registry, saxpyFile(), 2, x, y);
  ASSERT_TRUE(done.isOk()) << done.toString();
  for (size_t i = 0; i < y.size(); ++i)
    ASSERT_EQ(y[i], 2 * static_cast<float>(i) + 1) << i;
}

TEST(Example, TheProcessHasOneRegistry) {
  EXPECT_EQ(&hal::Registry::global(), &hal::Registry::global());
  EXPECT_FALSE(hal::Registry::global().add("vulkan", {}).isOk());
}
