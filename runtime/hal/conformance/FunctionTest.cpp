//===- FunctionTest.cpp - options of an executable's functions --------------===//
#include "runtime/hal/conformance/BlockProgram.h"

#include <algorithm>
#include <bit>

namespace pumice::hal::conformance {

struct Functions : ConformanceTest {
  /// Returns a kernel whose only buffer is at set 0, binding 0.
  static executable::EntryPoint entryOf(std::array<uint32_t, 3> workgroupSize) {
    executable::EntryPoint entry;
    entry.name = "entry";
    entry.workgroupSize = workgroupSize;
    entry.arguments = {wordsArgument("data")};
    return entry;
  }
  static executable::Interface interface() {
    executable::Interface interface;
    interface.bindings = {{0, 0, executable::BindingSource::Argument, 0}};
    return interface;
  }
  Result<std::vector<uint32_t>> launch(Function &function, const std::vector<uint32_t> &words,
                                       std::array<uint32_t, 3> groups = {1, 1, 1}) {
    PUMICE_TRY(Ref<Buffer> buffer, upload(words));
    const Argument arguments[] = {Argument::buffer(buffer.get())};
    PUMICE_RETURN_IF_ERROR(function.launch(*queue, {.groups = groups}, arguments));
    return download(*buffer);
  }
};
PUMICE_CONFORMANCE_AREA(Functions);

TEST_P(Functions, WorkgroupSize) {
  executable::EntryPoint entry = entryOf({0, 0, 0});
  executable::Interface sized = interface();
  sized.workgroupSizeSpecIds = {0, 1, 2};
  for (std::array<uint32_t, 3> size :
       {std::array<uint32_t, 3>{1, 1, 1}, {8, 4, 2}, {33, 1, 1}, {1, 2, 60}}) {
    ASSERT_RESULT(Ref<Function> function,
                  makeFunction(device, "WorkgroupSize", entry, sized, {.workgroupSize = size}));
    ASSERT_RESULT(std::vector<uint32_t> words, launch(*function, {0, 0, 0, 0}, {2, 3, 1}));
    EXPECT_EQ(words,
              (std::vector<uint32_t>{size[0], size[1], size[2], 6 * size[0] * size[1] * size[2]}));
  }
  EXPECT_TRUE(isError(makeFunction(device, "WorkgroupSize", entry, sized),
                      StatusCode::InvalidArgument, {"set workgroup_size"}));
  uint32_t most = limits().maxWorkgroupSize[0];
  EXPECT_TRUE(isError(
      makeFunction(device, "WorkgroupSize", entry, sized, {.workgroupSize = {most + 1, 1, 1}}),
      StatusCode::Unsupported, {std::to_string(most + 1), std::to_string(most)}));
  std::array<uint32_t, 3> every = limits().maxWorkgroupSize;
  if (uint64_t{every[0]} * every[1] * every[2] > limits().maxWorkgroupInvocations)
    EXPECT_TRUE(
        isError(makeFunction(device, "WorkgroupSize", entry, sized, {.workgroupSize = every}),
                StatusCode::Unsupported, {std::to_string(limits().maxWorkgroupInvocations)}));
}

TEST_P(Functions, DynamicWorkgroupMemory) {
  executable::EntryPoint entry = entryOf({32, 1, 1});
  entry.dynamicWorkgroupMemory = true;
  executable::Interface sized = interface();
  sized.dynamicMemorySpecId = 3;
  sized.dynamicMemoryElementBytes = 4;
  for (uint32_t count : {1u, 100u, limits().maxWorkgroupMemoryBytes / 4}) {
    ASSERT_RESULT(Ref<Function> function,
                  makeFunction(device, "Shared", entry, sized, {.dynamicMemoryBytes = count * 4}));
    std::vector<uint32_t> words = randomWords(count);
    ASSERT_RESULT(std::vector<uint32_t> received, launch(*function, words));
    EXPECT_EQ(received, std::vector<uint32_t>(words.rbegin(), words.rend())) << count;
  }
  uint32_t tooMany = limits().maxWorkgroupMemoryBytes + 4;
  EXPECT_TRUE(isError(makeFunction(device, "Shared", entry, sized, {.dynamicMemoryBytes = tooMany}),
                      StatusCode::Unsupported,
                      {std::to_string(tooMany), std::to_string(limits().maxWorkgroupMemoryBytes)}));
}

TEST_P(Functions, Constants) {
  executable::EntryPoint entry = entryOf({1, 1, 1});
  FunctionOptions options;
  options.constants = {{12, 4, std::bit_cast<uint32_t>(2.5f)}, {10, 4, 7}, {13, 4, 0}};
  ASSERT_RESULT(Ref<Function> function,
                makeFunction(device, "Constants32", entry, interface(), options));
  ASSERT_RESULT(std::vector<uint32_t> words, launch(*function, std::vector<uint32_t>(5)));
  EXPECT_EQ(words, (std::vector<uint32_t>{7, 1, std::bit_cast<uint32_t>(2.5f), 0, 0}));
  options.constants = {{99, 4, 1}};
  EXPECT_TRUE(isError(makeFunction(device, "Constants32", entry, interface(), options),
                      StatusCode::InvalidArgument, {"99", "10"}));
  options.constants = {{10, 8, 1}};
  EXPECT_TRUE(isError(makeFunction(device, "Constants32", entry, interface(), options),
                      StatusCode::InvalidArgument, {"10", "4 bytes", "8"}));
  options.constants = {{10, 4, 1}, {10, 4, 2}};
  EXPECT_TRUE(isError(makeFunction(device, "Constants32", entry, interface(), options),
                      StatusCode::InvalidArgument, {"10", "twice"}));
}

TEST_P(Functions, SameOptionsSameObject) {
  executable::EntryPoint entry = entryOf({0, 0, 0});
  executable::Interface sized = interface();
  sized.workgroupSizeSpecIds = {0, 1, 2};
  executable::Variant variant = variantOf(info(), "WorkgroupSize", entry, sized);
  executable::Executable contents;
  contents.entryPoints = {entry};
  contents.variants = {variant};
  ASSERT_RESULT(auto read, throughFile(contents));
  ASSERT_RESULT(Ref<Executable> loaded, Executable::load(device, read));
  EXPECT_EQ(&loaded->device(), device.get());
  EXPECT_EQ(loaded->variant(0), variant);
  ASSERT_RESULT(Ref<Function> first, loaded->function("", {.workgroupSize = {4, 1, 1}}));
  ASSERT_RESULT(Ref<Function> again, loaded->function("entry", {.workgroupSize = {4, 1, 1}}));
  ASSERT_RESULT(Ref<Function> other, loaded->function("entry", {.workgroupSize = {8, 1, 1}}));
  EXPECT_EQ(first.get(), again.get());
  EXPECT_NE(first.get(), other.get());
  EXPECT_TRUE(isError(loaded->function("exit", {.workgroupSize = {4, 1, 1}}), StatusCode::NotFound,
                      {"exit", "entry"}));
  loaded = nullptr; // functions outlive the executable
  ASSERT_RESULT(std::vector<uint32_t> words, launch(*other, {0, 0, 0, 0}));
  EXPECT_EQ(words[0], 8u);
}

TEST_P(Functions, MissingRequirementsAreNamed) {
  executable::EntryPoint entry = entryOf({1, 1, 1});
  executable::Variant variant = variantOf(info(), "Constants32", entry, interface());
  variant.requirements.features = {"shaderFluxCapacitor"};
  variant.requirements.extensions = {"VK_PUMICE_not_there"};
  executable::Executable contents;
  contents.entryPoints = {entry};
  contents.variants = {variant};
  ASSERT_RESULT(auto read, throughFile(contents));
  EXPECT_TRUE(isError(Executable::load(device, read), StatusCode::Unsupported,
                      {"shaderFluxCapacitor", "VK_PUMICE_not_there"}));
  // A second variant that needs less is chosen instead.
  contents.variants.push_back(variant);
  contents.variants[1].requirements = {};
  ASSERT_RESULT(read, throughFile(contents));
  ASSERT_RESULT(Ref<Executable> loaded, Executable::load(device, read));
  EXPECT_EQ(&loaded->variant(0), &loaded->contents().variants[1]);
}

} // namespace pumice::hal::conformance
