//===- CompileTest.cpp - from source to a launch through the C API ----------===//
// Skipped if the compiler library was not built next to libpumice.
//===-------------------------------------------------------------------------===//
#include "runtime/c-api/test/CApiFixture.h"

#include "runtime/c-api/test/Affine.comp.h"

#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <map>

using namespace pumice::capi_test;

namespace {

constexpr char addOne[] = R"(
gpu.module @kernels {
  gpu.func @add_one(%x: memref<?xi32>) kernel
      attributes {known_block_size = array<i32: 64, 1, 1>} {
    %i = gpu.global_id x
    %one = arith.constant 1 : i32
    %old = memref.load %x[%i] : memref<?xi32>
    %new = arith.addi %old, %one : i32
    memref.store %new, %x[%i] : memref<?xi32>
    gpu.return
  }
}
)";

class Compile : public OnDevice {
protected:
  void SetUp() override {
    OnDevice::SetUp();
    if (!device)
      return;
    options.devices = &device;
    options.device_count = 1;
    options.source_name = "test.mlir";
    if (pumice_compile(addOne, std::strlen(addOne), &options, &blob) == PUMICE_UNSUPPORTED)
      GTEST_SKIP() << said();
    ASSERT_NE(blob, nullptr) << said();
  }
  void TearDown() override {
    pumice_blob_release(blob);
    pumice_executable_release(loaded);
    OnDevice::TearDown();
  }
  void load() {
    ASSERT_OK(
        pumice_executable_load(device, pumice_blob_data(blob), pumice_blob_size(blob), &loaded));
  }
  pumice_compile_options options = PUMICE_INIT(pumice_compile_options);
  pumice_blob *blob = nullptr;
  pumice_executable *loaded = nullptr;
};

TEST_F(Compile, TextForTheDevice) {
  load();
  pumice_function *function = nullptr;
  ASSERT_OK(pumice_executable_function(loaded, nullptr, nullptr, &function));
  functions.push_back(function);
  pumice_buffer *x = newBuffer(256);
  ASSERT_OK(pumice_queue_fill(queue, x, 0, PUMICE_TO_END, 41, 4));
  pumice_launch_options grid = pumice_groups(1, 1, 1);
  pumice_argument argument = pumice_argument_buffer(x);
  ASSERT_OK(pumice_launch(queue, function, &grid, &argument, 1));
  EXPECT_EQ(contents(x), std::vector<int32_t>(64, 42));
}

/// The elements of a vector are consecutive in memory, in whatever form the code keeps them in
/// registers.
TEST_F(Compile, VectorsByValue) {
  constexpr char source[] = R"(
gpu.module @kernels {
  gpu.func @spread(%x: memref<8xi32>, %v: vector<3xi32>, %b: vector<2xi8>) kernel
      attributes {known_block_size = array<i32: 1, 1, 1>} {
    %c0 = arith.constant 0 : index
    %c3 = arith.constant 3 : index
    vector.store %v, %x[%c0] : memref<8xi32>, vector<3xi32>
    %w = arith.extsi %b : vector<2xi8> to vector<2xi32>
    vector.store %w, %x[%c3] : memref<8xi32>, vector<2xi32>
    gpu.return
  }
}
)";
  pumice_blob_release(blob);
  ASSERT_OK(pumice_compile(source, std::strlen(source), &options, &blob));
  load();
  pumice_entry_point_info entry = PUMICE_INIT(pumice_entry_point_info);
  ASSERT_OK(pumice_executable_entry_point(loaded, 0, &entry));
  pumice_argument_info info = PUMICE_INIT(pumice_argument_info);
  ASSERT_OK(pumice_executable_argument(loaded, 0, 1, &info));
  EXPECT_EQ(info.vector_width, 3u);
  pumice_function *function = nullptr;
  ASSERT_OK(pumice_executable_function(loaded, nullptr, nullptr, &function));
  functions.push_back(function);
  pumice_buffer *x = newBuffer(32);
  ASSERT_OK(pumice_queue_fill(queue, x, 0, PUMICE_TO_END, 9, 4));
  pumice_launch_options grid = pumice_groups(1, 1, 1);
  const int32_t vector[3] = {1, -2, 3};
  const int8_t bytes[2] = {-4, 5};
  pumice_argument arguments[] = {pumice_argument_buffer(x),
                                 pumice_argument_scalar(vector, sizeof vector),
                                 pumice_argument_scalar(bytes, sizeof bytes)};
  ASSERT_OK(pumice_launch(queue, function, &grid, arguments, 3));
  EXPECT_EQ(contents(x), (std::vector<int32_t>{1, -2, 3, -4, 5, 9, 9, 9}));
  arguments[1] = pumice_argument_scalar(vector, 8);
  EXPECT_EQ(pumice_launch(queue, function, &grid, arguments, 3), PUMICE_INVALID_ARGUMENT);
  EXPECT_NE(said().find("it takes 12 bytes (3 x i32); 8 are given"), std::string::npos) << said();
}

TEST_F(Compile, SpirvWithItsConstants) {
  pumice_blob_release(blob);
  ASSERT_OK(pumice_compile(affineSpirv, sizeof affineSpirv, &options, &blob));
  load();
  pumice_entry_point_info entry = PUMICE_INIT(pumice_entry_point_info);
  ASSERT_OK(pumice_executable_entry_point(loaded, 0, &entry));
  ASSERT_EQ(entry.argument_count, 3u);
  EXPECT_EQ(entry.workgroup_size[0], 0u);
  pumice_buffer *x = newBuffer(256), *y = newBuffer(256);
  ASSERT_OK(pumice_queue_fill(queue, x, 0, PUMICE_TO_END, 5, 4));
  for (uint64_t factor : {3, 4}) {
    pumice_constant constant{5, 4, factor};
    pumice_function_options chosen = PUMICE_INIT(pumice_function_options);
    chosen.workgroup_size[0] = 32;
    chosen.constants = &constant;
    chosen.constant_count = 1;
    pumice_function *function = nullptr;
    ASSERT_OK(pumice_executable_function(loaded, "main", &chosen, &function));
    functions.push_back(function);
    pumice_launch_options grid = pumice_groups(2, 1, 1);
    pumice_argument arguments[] = {pumice_argument_buffer(x), pumice_argument_buffer(y),
                                   pumice_argument_i32(1)};
    ASSERT_OK(pumice_launch(queue, function, &grid, arguments, 3));
    EXPECT_EQ(contents(y), std::vector<int32_t>(64, int32_t(5 * factor + 1)));
  }
}

/// OpenCL kernels run only on the CPU device.
TEST(CompileOpenCl, KernelsAndTheirArguments) {
  std::vector<char> words;
  if (std::FILE *file = std::fopen(PUMICE_SPIRV_SAMPLES "/kernels.spv", "rb")) {
    char part[4096];
    while (size_t count = std::fread(part, 1, sizeof part, file))
      words.insert(words.end(), part, part + count);
    std::fclose(file);
  }
  ASSERT_FALSE(words.empty());
  pumice_device *device = nullptr;
  if (pumice_device_open("cpu:0", &device) != PUMICE_OK)
    GTEST_SKIP() << said();
  pumice_compile_options options = PUMICE_INIT(pumice_compile_options);
  options.devices = &device;
  options.device_count = 1;
  pumice_blob *blob = nullptr;
  pumice_status compiled = pumice_compile(words.data(), words.size(), &options, &blob);
  pumice_executable *loaded = nullptr;
  if (compiled == PUMICE_UNSUPPORTED) {
    pumice_device_release(device);
    GTEST_SKIP() << said();
  }
  ASSERT_EQ(compiled, PUMICE_OK) << said();
  ASSERT_OK(
      pumice_executable_load(device, pumice_blob_data(blob), pumice_blob_size(blob), &loaded));
  pumice_entry_point_info entry = PUMICE_INIT(pumice_entry_point_info);
  ASSERT_OK(pumice_executable_entry_point(loaded, 1, &entry));
  EXPECT_STREQ(entry.name, "sized");
  EXPECT_EQ(entry.argument_count, 2u);
  EXPECT_EQ(entry.workgroup_size[1], 2u);
  pumice_function *function = nullptr;
  pumice_queue *queue = nullptr;
  pumice_buffer *out = nullptr;
  ASSERT_OK(pumice_executable_function(loaded, "sized", nullptr, &function));
  ASSERT_OK(pumice_queue_create(device, nullptr, &queue));
  ASSERT_OK(pumice_buffer_create(device, 4, PUMICE_MEMORY_HOST, &out));
  pumice_launch_options grid = pumice_groups(1, 1, 1);
  pumice_argument arguments[] = {pumice_argument_buffer(out), pumice_argument_i32(-42)};
  ASSERT_OK(pumice_launch(queue, function, &grid, arguments, 2));
  int32_t value = 0;
  ASSERT_OK(pumice_queue_download(queue, &value, out, 0, 4));
  ASSERT_OK(pumice_queue_finish(queue, PUMICE_FOREVER));
  EXPECT_EQ(value, -42);
  // A launch must set the values that the kernel leaves open.
  pumice_function *other = nullptr;
  EXPECT_FAILS(pumice_executable_function(loaded, "everything", nullptr, &other),
               PUMICE_INVALID_ARGUMENT, "workgroup");
  pumice_buffer_release(out);
  pumice_queue_release(queue);
  pumice_function_release(function);
  pumice_executable_release(loaded);
  pumice_blob_release(blob);
  pumice_device_release(device);
}

TEST_F(Compile, DeviceByName) {
  pumice_device_info info = PUMICE_INIT(pumice_device_info);
  ASSERT_OK(pumice_device_get_info(device, &info));
  std::string live = "device:" + std::string(info.id);
  const char *targets[] = {live.c_str(), "rdna3"};
  options.device_count = 0;
  options.targets = targets;
  options.target_count = 2;
  pumice_blob_release(blob);
  EXPECT_OK(pumice_compile(addOne, std::strlen(addOne), &options, &blob));
  targets[1] = "no-such-gpu";
  pumice_blob_release(blob);
  EXPECT_FAILS(pumice_compile(addOne, std::strlen(addOne), &options, &blob), PUMICE_NOT_FOUND,
               "no-such-gpu");
  EXPECT_EQ(blob, nullptr);
}

TEST_F(Compile, DiagnosticsNameTheirPlaces) {
  std::string seen;
  options.diagnostics = [](void *user, const char *text, size_t bytes) {
    static_cast<std::string *>(user)->append(text, bytes);
  };
  options.diagnostics_user = &seen;
  pumice_blob_release(blob);
  const char *broken = "gpu.module @m {\n  %0 = arith.addi\n}\n";
  EXPECT_FAILS(pumice_compile(broken, std::strlen(broken), &options, &blob),
               PUMICE_INVALID_ARGUMENT, "test.mlir:");
  EXPECT_NE(seen.find("error:"), std::string::npos);
  std::vector<uint32_t> words(std::begin(affineSpirv), std::end(affineSpirv));
  words.resize(words.size() / 2);
  EXPECT_FAILS(pumice_compile(words.data(), words.size() * 4, &options, &blob),
               PUMICE_INVALID_ARGUMENT, "test.mlir");
}

TEST_F(Compile, CodeAsText) {
  pumice_blob *text = nullptr;
  const void *bytes = pumice_blob_data(blob);
  const char *said[] = {"OpEntryPoint GLCompute", "define ", ".text"};
  for (pumice_text_form form : {PUMICE_TEXT_SPIRV, PUMICE_TEXT_LLVM_IR, PUMICE_TEXT_ASSEMBLY}) {
    ASSERT_OK(pumice_code_text(bytes, pumice_blob_size(blob), form, &text));
    std::string found(static_cast<const char *>(pumice_blob_data(text)), pumice_blob_size(text));
    EXPECT_NE(found.find(said[form]), std::string::npos) << found;
    pumice_blob_release(text);
  }
  EXPECT_FAILS(pumice_code_text(bytes, pumice_blob_size(blob), pumice_text_form(3), &text),
               PUMICE_INVALID_ARGUMENT, "form is 3");
  EXPECT_FAILS(pumice_code_text(bytes, 10, PUMICE_TEXT_SPIRV, &text), PUMICE_DATA_CORRUPT, "");
  EXPECT_FAILS(pumice_code_text(nullptr, 0, PUMICE_TEXT_SPIRV, &text), PUMICE_INVALID_ARGUMENT,
               "executable is NULL");
}

TEST_F(Compile, ExportedAsSources) {
  std::map<std::string, std::string> files;
  auto take = [](void *user, const char *name, const void *data, size_t bytes) {
    (*static_cast<decltype(files) *>(user))[name] =
        std::string(static_cast<const char *>(data), bytes);
  };
  pumice_bytes input = {pumice_blob_data(blob), pumice_blob_size(blob)};
  ASSERT_OK(pumice_export(R"({"name": "sums", "language": "c"})", &input, 1, take, &files));
  EXPECT_EQ(files.size(), 5u);
  EXPECT_NE(files["sums.h"].find("pumice_status sums_add_one("), std::string::npos)
      << files["sums.h"];
  files.clear();
  EXPECT_FAILS(pumice_export(nullptr, &input, 1, take, &files), PUMICE_INVALID_ARGUMENT,
               "plan is NULL");
  EXPECT_FAILS(pumice_export("{", &input, 1, take, &files), PUMICE_INVALID_ARGUMENT, "plan: text");
  EXPECT_FAILS(pumice_export("{}", &input, 1, take, &files), PUMICE_INVALID_ARGUMENT,
               "plan: top.name: expected a text");
  EXPECT_FAILS(pumice_export(R"({"name": "a"})", nullptr, 1, take, &files), PUMICE_INVALID_ARGUMENT,
               "executables is NULL");
  EXPECT_FAILS(pumice_export(R"({"name": "a"})", nullptr, 0, take, &files), PUMICE_INVALID_ARGUMENT,
               "there is no kernel to export");
  EXPECT_FAILS(pumice_export(R"({"name": "a"})", &input, 1, nullptr, &files),
               PUMICE_INVALID_ARGUMENT, "file is NULL");
  input.size = 10;
  EXPECT_FAILS(pumice_export(R"({"name": "a"})", &input, 1, take, &files), PUMICE_DATA_CORRUPT,
               "executable 0");
  EXPECT_TRUE(files.empty());
}

TEST(Failures, OfCodeOverTheLibrary) {
  EXPECT_EQ(pumice_fail(PUMICE_NOT_FOUND, "no such shape"), PUMICE_NOT_FOUND);
  EXPECT_STREQ(pumice_last_error(), "no such shape");
  EXPECT_EQ(pumice_fail(PUMICE_OK, "ignored"), PUMICE_OK);
  EXPECT_STREQ(pumice_last_error(), "no such shape");
  EXPECT_EQ(pumice_fail(PUMICE_UNSUPPORTED, pumice_last_error()), PUMICE_UNSUPPORTED);
  EXPECT_STREQ(pumice_last_error(), "no such shape");
  pumice_fail(PUMICE_INTERNAL, nullptr);
  EXPECT_STREQ(pumice_last_error(), "");
}

TEST(CompilerLibrary, WrongOnesAreNamed) {
#ifdef _WIN32
  GTEST_SKIP() << "names a library of Linux";
#else
  // Runs in a child process, so that the libraries and the environment of other tests stay
  // unchanged.
  auto message = [](const char *library) {
    setenv("PUMICE_COMPILER_LIBRARY", library, 1);
    const char *target = "rdna3";
    pumice_compile_options options = PUMICE_INIT(pumice_compile_options);
    options.targets = &target;
    options.target_count = 1;
    pumice_blob *blob = nullptr;
    pumice_status status = pumice_compile("", 0, &options, &blob);
    std::fprintf(stderr, "%d: %s", int(status), pumice_last_error());
    std::_Exit(3);
  };
  GTEST_FLAG_SET(death_test_style, "threadsafe");
  EXPECT_EXIT(message("/no/such.so"), testing::ExitedWithCode(3), "3: .*/no/such.so");
  EXPECT_EXIT(message("libm.so.6"), testing::ExitedWithCode(3), "3: .*is not a compiler library");
#endif
}

} // namespace
