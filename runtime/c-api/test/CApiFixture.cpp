//===- CApiFixture.cpp - a device, and an executable that was made by hand --===//
#include "runtime/c-api/test/CApiFixture.h"

#include "executable/Executable.h"

#include "runtime/c-api/test/Affine.comp.h"

namespace pumice::capi_test {

std::vector<uint8_t> affineFile() {
  using namespace executable;
  Executable contents;
  contents.producer = "test";
  EntryPoint entry;
  entry.name = "affine";
  for (const char *name : {"x", "y"})
    entry.arguments.push_back({.name = name,
                               .element = ElementType::i32,
                               .shape = {dynamic},
                               .strides = {1},
                               .access = *name == 'x' ? Access::Read : Access::Write});
  entry.arguments.push_back({.name = "addend",
                             .kind = ArgumentKind::Scalar,
                             .element = ElementType::i32,
                             .access = Access::Read});
  entry.workgroupSize = {0, 1, 1};
  entry.location = {"affine.comp", 10, 3};
  contents.entryPoints.push_back(entry);

  Interface interface{
      .entryPoint = "affine",
      .symbol = "main",
      .place = ParameterPlace::PushConstants,
      .parameterBytes = 4,
      .fields = {{FieldSource::Scalar, 2, 0, 0, 4}},
      .bindings = {{0, 0, BindingSource::Argument, 0}, {0, 1, BindingSource::Argument, 1}},
      .workgroupSizeSpecIds = {0, noSpecId, noSpecId}};
  Variant variant{.target = "any"};
  variant.requirements.versionMinor = 1;
  variant.interfaces.push_back(interface);
  const auto *code = reinterpret_cast<const uint8_t *>(affineSpirv);
  variant.code.assign(code, code + sizeof affineSpirv);
  contents.variants.push_back(variant);
  Result<std::vector<uint8_t>> bytes = write(contents);
  EXPECT_TRUE(bytes.isOk()) << bytes.status().toString();
  return bytes.isOk() ? *bytes : std::vector<uint8_t>();
}

void OnDevice::SetUp() {
  if (pumice_device_open(nullptr, &device) != PUMICE_OK)
    GTEST_SKIP() << "no device: " << said();
  ASSERT_OK(pumice_queue_create(device, nullptr, &queue));
  std::vector<uint8_t> file = affineFile();
  ASSERT_OK(pumice_executable_load(device, file.data(), file.size(), &executable));
}

void OnDevice::TearDown() {
  for (pumice_buffer *buffer : buffers)
    pumice_buffer_release(buffer);
  for (pumice_function *function : functions)
    pumice_function_release(function);
  pumice_executable_release(executable);
  pumice_queue_release(queue);
  pumice_device_release(device);
}

pumice_buffer *OnDevice::newBuffer(uint64_t bytes, pumice_memory memory) {
  pumice_buffer *buffer = nullptr;
  EXPECT_OK(pumice_buffer_create(device, bytes, memory, &buffer));
  buffers.push_back(buffer);
  return buffer;
}

pumice_function *OnDevice::affine(uint32_t workgroup, uint64_t factor) {
  pumice_constant constant{5, 4, factor};
  pumice_function_options options = PUMICE_INIT(pumice_function_options);
  options.workgroup_size[0] = workgroup;
  options.constants = &constant;
  options.constant_count = 1;
  pumice_function *function = nullptr;
  EXPECT_OK(pumice_executable_function(executable, "affine", &options, &function));
  functions.push_back(function);
  return function;
}

std::vector<int32_t> OnDevice::contents(pumice_buffer *buffer) {
  std::vector<int32_t> values(pumice_buffer_bytes(buffer) / 4);
  EXPECT_OK(pumice_queue_download(queue, values.data(), buffer, 0, values.size() * 4));
  EXPECT_OK(pumice_queue_finish(queue, PUMICE_FOREVER));
  return values;
}

} // namespace pumice::capi_test
