//===- HostileContentsTest.cpp - well-formed files that make no sense -------===//
// Each case puts one flaw into a valid executable. The reader must name exactly that field, and the
// writer must reject the contents.
//===-------------------------------------------------------------------------===//
#include "executable/Validate.h"
#include "executable/test/Samples.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <functional>

using namespace pumice;
using namespace pumice::executable;

namespace {
struct Flaw {
  const char *error; // the beginning of the message
  std::function<void(Executable &)> make;
};

// Short names for the parts that the cases change: the entry point softmax, its scalar, and its
// first two interfaces.
EntryPoint &entry(Executable &e) { return e.entryPoints[0]; }
Argument &buffer(Executable &e) { return entry(e).arguments[1]; }
Argument &scalar(Executable &e) { return entry(e).arguments[2]; }
Interface &pushed(Executable &e) { return e.variants[0].interfaces[0]; }
Interface &bound(Executable &e) { return e.variants[1].interfaces[0]; }

const Flaw flaws[] = {
    {"producer: byte 255 at position 1 is not valid UTF-8", [](auto &e) { e.producer = "p\xff"; }},
    {"producer: byte 0 at position 0", [](auto &e) { e.producer = std::string(1, '\0'); }},
    {"producer: byte 237 at position 0", [](auto &e) { e.producer = "\xed\xa0\x80"; }},
    {"producer: byte 192 at position 0", [](auto &e) { e.producer = "\xc0\x80"; }},
    {"producer: byte 240 at position 2", [](auto &e) { e.producer = "ab\xf0\x9f"; }},
    {"entryPoints[0].name: empty", [](auto &e) { entry(e).name.clear(); }},
    {"entryPoints[0].name: 5000 characters exceed 4096",
     [](auto &e) { entry(e).name.assign(5000, 'x'); }},
    {"entryPoints[1].name: 'softmax_kernel' is taken by an earlier entry point",
     [](auto &e) { e.entryPoints[1].name = "softmax_kernel"; }},
    {"entryPoints[2].name: no variant has code for 'lonely'",
     [](auto &e) { e.entryPoints.push_back({.name = "lonely"}); }},
    {"entryPoints[0].workgroupSize: 65537 exceeds 65536",
     [](auto &e) { entry(e).workgroupSize = {1, 65537, 1}; }},
    {"entryPoints[0].workgroupSize: 4294967296 invocations exceed 1048576",
     [](auto &e) { entry(e).workgroupSize = {65536, 65536, 1}; }},
    {"entryPoints[0].workgroupMemoryBytes: 4294967295 exceeds",
     [](auto &e) { entry(e).workgroupMemoryBytes = UINT32_MAX; }},
    {"entryPoints[0].location.file: byte 128", [](auto &e) { entry(e).location.file = "\x80"; }},

    {"entryPoints[0].arguments: 4097 elements exceed 4096",
     [](auto &e) { entry(e).arguments.resize(4097); }},
    {"entryPoints[0].arguments[1].kind: unknown value 9; this build knows 0 buffer, 1 scalar",
     [](auto &e) { buffer(e).kind = ArgumentKind(9); }},
    {"entryPoints[0].arguments[1].element: unknown value 13; this build knows 0 i1, 1 i4,",
     [](auto &e) { buffer(e).element = ElementType(13); }},
    {"entryPoints[0].arguments[1].access: unknown value 4",
     [](auto &e) { buffer(e).access = Access(4); }},
    {"entryPoints[0].arguments[1].elementBytes: 8 is not a valid size for f32",
     [](auto &e) { buffer(e).elementBytes = 8; }},
    {"entryPoints[0].arguments[1].elementBytes: 0 is not a valid size for opaque",
     [](auto &e) { buffer(e).element = ElementType::opaque, buffer(e).elementBytes = 0; }},
    {"entryPoints[0].arguments[1].vectorWidth: 0 is not between 1 and 4096",
     [](auto &e) { buffer(e).vectorWidth = 0; }},
    {"entryPoints[0].arguments[1].alignment: 3 is not a power of two",
     [](auto &e) { buffer(e).alignment = 3; }},
    {"entryPoints[0].arguments[1].alignment: 0 is not a power of two",
     [](auto &e) { buffer(e).alignment = 0; }},
    {"entryPoints[0].arguments[1].strides: expected 2 strides, one for each extent, got 1",
     [](auto &e) { buffer(e).strides.pop_back(); }},
    {"entryPoints[0].arguments[1].shape: 33 elements exceed 32",
     [](auto &e) { buffer(e).shape.resize(33); }},
    {"entryPoints[0].arguments[1].shape[0]: -5 is negative",
     [](auto &e) { buffer(e).shape[0] = -5; }},
    {"entryPoints[0].arguments[1].offset: -1 is negative", [](auto &e) { buffer(e).offset = -1; }},
    {"entryPoints[0].arguments[1].shape: the buffer's bytes exceed 64 bits",
     [](auto &e) { buffer(e).shape = {INT64_MAX, 1024}; }},
    {"entryPoints[0].arguments[1].shape: the buffer's bytes exceed 64 bits",
     [](auto &e) { buffer(e).shape = {3, 4}, buffer(e).strides = {-INT64_MAX, 1}; }},
    {"entryPoints[0].arguments[2].shape: a scalar must not have extents",
     [](auto &e) { scalar(e).shape = {1}, scalar(e).strides = {1}; }},
    {"entryPoints[0].arguments[2].offset: a scalar must not have an offset",
     [](auto &e) { scalar(e).offset = 1; }},

    {"entryPoints[0].printfs[1].id: 0 is taken by an earlier printf",
     [](auto &e) { entry(e).printfs.push_back(entry(e).printfs[0]); }},
    {"entryPoints[0].printfs[0].format: conversions (2) and arguments (1) differ in number",
     [](auto &e) { entry(e).printfs[0].arguments.pop_back(); }},
    {"entryPoints[0].printfs[0].format: unknown conversion '%n' at character 4",
     [](auto &e) { entry(e).printfs[0].format = "%d, %n"; }},
    {"entryPoints[0].printfs[0].format: unknown conversion '%*",
     [](auto &e) { entry(e).printfs[0].format = "%*d"; }},
    {"entryPoints[0].printfs[0].format: the conversion at character 3 is incomplete",
     [](auto &e) { entry(e).printfs[0].format = "100%"; }},
    {"entryPoints[0].printfs[0].arguments[1]: unknown value 77",
     [](auto &e) { entry(e).printfs[0].arguments[1] = ElementType(77); }},

    {"variants[0].kind: unknown value 4; this build knows 0 vulkan-spirv, 1 opencl-spirv, 2 msl, "
     "3 native",
     [](auto &e) { e.variants[0].kind = VariantKind(4); }},
    {"variants[0].target: byte 200", [](auto &e) { e.variants[0].target = "\xc8"; }},
    {"variants[0].requirements.features[1]: empty",
     [](auto &e) { e.variants[0].requirements.features[1].clear(); }},
    {"variants[0].requirements.extensions[0]: byte 0",
     [](auto &e) { e.variants[0].requirements.extensions[0][3] = '\0'; }},
    {"variants[3].requirements.architecture: empty",
     [](auto &e) { e.variants[3].requirements.architecture.clear(); }},
    {"variants[0].interfaces[1].entryPoint: 'softmax_kernel' has an earlier interface",
     [](auto &e) { e.variants[0].interfaces[1] = pushed(e); }},
    {"variants[0].interfaces[0].entryPoint: no entry point is called 'softmin'",
     [](auto &e) { pushed(e).entryPoint = "softmin"; }},
    {"variants[0].interfaces[0].symbol: empty", [](auto &e) { pushed(e).symbol.clear(); }},
    {"variants[0].interfaces[0].symbol: the SPIR-V module has no entry point 'main'",
     [](auto &e) { pushed(e).symbol = "main"; }},
    {"variants[0].interfaces[0].place: unknown value 4",
     [](auto &e) { pushed(e).place = ParameterPlace(4); }},
    {"variants[0].interfaces[0].parameterBytes: 60 does not fit place none; expected 0",
     [](auto &e) { pushed(e).place = ParameterPlace::None; }},
    {"variants[0].interfaces[0].parameterBytes: 0 does not fit place push-constants",
     [](auto &e) { pushed(e).parameterBytes = 0; }},
    {"variants[0].interfaces[0].parameterBytes: 58 is not a multiple of 4",
     [](auto &e) { pushed(e).parameterBytes = 58; }},
    {"variants[0].interfaces[0].parameterBytes: 1073741824 exceeds",
     [](auto &e) { pushed(e).parameterBytes = 1 << 30; }},
    {"variants[0].interfaces[0].workgroupMemoryBytes: 4294967295 exceeds",
     [](auto &e) { pushed(e).workgroupMemoryBytes = UINT32_MAX; }},
    {"variants[0].interfaces[0].requiredSubgroupSize: 48 is neither 0 nor a power of two",
     [](auto &e) { pushed(e).requiredSubgroupSize = 48; }},
    {"variants[0].interfaces[0].leastSubgroupSize: 3 is neither 0 nor a power of two",
     [](auto &e) { pushed(e).leastSubgroupSize = 3; }},
    {"variants[0].interfaces[0].leastSubgroupSize: 128 exceeds requiredSubgroupSize 64",
     [](auto &e) { pushed(e).leastSubgroupSize = 128; }},
    {"variants[0].interfaces[0].workgroupSize: some extents are 0",
     [](auto &e) { pushed(e).workgroupSize = {64, 0, 1}; }},
    {"variants[0].interfaces[0].workgroupSize: 65537 exceeds 65536",
     [](auto &e) { pushed(e).workgroupSize = {65537, 1, 1}; }},
    {"variants[0].interfaces[1].workgroupSize: fixed, but 'matmul' leaves",
     [](auto &e) { e.variants[0].interfaces[1].workgroupSize = {8, 8, 1}; }},
    {"variants[0].interfaces[0].indexBits: 16 must be 0, 32 or 64",
     [](auto &e) { pushed(e).indexBits = 16; }},
    {"variants[0].interfaces[1].workgroupSizeSpecIds[1]: missing, but 'matmul' leaves",
     [](auto &e) { e.variants[0].interfaces[1].workgroupSizeSpecIds[1] = noSpecId; }},
    {"variants[0].interfaces[1].workgroupSizeSpecIds[1]: 0 is taken by another constant",
     [](auto &e) { e.variants[0].interfaces[1].workgroupSizeSpecIds[1] = 0; }},
    {"variants[0].interfaces[1].dynamicMemorySpecId: 1 is taken by another constant",
     [](auto &e) { e.variants[0].interfaces[1].dynamicMemorySpecId = 1; }},
    {"variants[0].interfaces[1].dynamicMemorySpecId: missing, but 'matmul' has dynamic",
     [](auto &e) { e.variants[0].interfaces[1].dynamicMemorySpecId = noSpecId; }},
    {"variants[0].interfaces[0].dynamicMemoryElementBytes: 4 without a dynamicMemorySpecId",
     [](auto &e) { pushed(e).dynamicMemoryElementBytes = 4; }},
    {"variants[0].interfaces[1].dynamicMemoryElementBytes: 65537 exceeds 65536",
     [](auto &e) { e.variants[0].interfaces[1].dynamicMemoryElementBytes = 65537; }},

    {"variants[0].interfaces[0].fields[3].source: unknown value 100",
     [](auto &e) { pushed(e).fields[3].source = FieldSource(100); }},
    {"variants[0].interfaces[0].fields[0].argument: argument 3 is out of range: 'softmax_kernel' "
     "has 3",
     [](auto &e) { pushed(e).fields[0].argument = 3; }},
    {"variants[0].interfaces[0].fields[0].argument: argument 2 of 'softmax_kernel' is a scalar, "
     "not a buffer",
     [](auto &e) { pushed(e).fields[0].argument = 2; }},
    {"variants[0].interfaces[0].fields[6].argument: argument 0 of 'softmax_kernel' is a buffer, "
     "not a scalar",
     [](auto &e) { pushed(e).fields[6].argument = 0; }},
    {"variants[0].interfaces[0].fields[5].dimension: dimension 2 is out of range: the buffer has 2",
     [](auto &e) { pushed(e).fields[5].dimension = 2; }},
    {"variants[0].interfaces[0].fields[0].size: 4 is not a valid size for a buffer-address",
     [](auto &e) { pushed(e).fields[0].size = 4; }},
    {"variants[0].interfaces[0].fields[3].size: 16 is not a valid size for a buffer-offset",
     [](auto &e) { pushed(e).fields[3].size = 16; }},
    {"variants[0].interfaces[0].fields[6].size: has 2 bytes, but the scalar has 4",
     [](auto &e) { pushed(e).fields[6].size = 2; }},
    {"variants[0].interfaces[0].fields[6].size: has 12 bytes, but the scalar has 4",
     [](auto &e) { pushed(e).fields[6].size = 12, pushed(e).parameterBytes = 64; }},
    {"variants[0].interfaces[0].fields[3].offset: 72 + 8 bytes exceed parameterBytes 60",
     [](auto &e) { pushed(e).fields[3].offset = 72; }},
    {"variants[0].interfaces[0].fields[3].offset: 4294967295 + 8 bytes exceed",
     [](auto &e) { pushed(e).fields[3].offset = UINT32_MAX; }},
    {"variants[0].interfaces[0].fields[1].offset: 4 overlaps fields[0], which has 8 bytes at 0",
     [](auto &e) { pushed(e).fields[1].offset = 4; }},

    {"variants[1].interfaces[0].bindings[0].source: unknown value 3",
     [](auto &e) { bound(e).bindings[0].source = BindingSource(3); }},
    {"variants[1].interfaces[0].bindings[0].set: 32 is not below 32",
     [](auto &e) { bound(e).bindings[0].set = 32; }},
    {"variants[1].interfaces[0].bindings[0].binding: 70000 exceeds 65535",
     [](auto &e) { bound(e).bindings[0].binding = 70000; }},
    {"variants[1].interfaces[0].bindings[1].binding: set 0 binding 0 is taken by an earlier one",
     [](auto &e) { bound(e).bindings[1].binding = 0; }},
    {"variants[1].interfaces[0].bindings[1].argument: argument 2 of 'softmax_kernel' is a scalar",
     [](auto &e) { bound(e).bindings[1].argument = 2; }},
    {"variants[1].interfaces[0].bindings: 0 bindings hold the parameter block; place "
     "described-buffer needs 1",
     [](auto &e) { bound(e).bindings[2].source = BindingSource::Printf; }},
    {"variants[0].interfaces[0].bindings: 1 bindings hold the parameter block; place "
     "push-constants needs 0",
     [](auto &e) { pushed(e).bindings.push_back({0, 0, BindingSource::Parameters, 0}); }},

    {"variants[0].code: empty", [](auto &e) { e.variants[0].code.clear(); }},
    {"variants[0].code: SPIR-V size must be a multiple of 4 bytes and at least 20, got 19",
     [](auto &e) { e.variants[0].code.resize(19); }},
    {"variants[0].code: SPIR-V size must be a multiple of 4 bytes and at least 20, got 16",
     [](auto &e) { e.variants[0].code.resize(16); }},
    {"variants[0].code: does not begin with SPIR-V's magic number",
     [](auto &e) { e.variants[0].code[0] = 4; }},
    {"variants[0].code: the SPIR-V module is big-endian",
     [](auto &e) { std::reverse(e.variants[0].code.begin(), e.variants[0].code.begin() + 4); }},
    {"variants[0].code: the SPIR-V instruction at word 5 has 0 words",
     [](auto &e) { e.variants[0].code[22] = 0; }},
    {"variants[0].code: the SPIR-V instruction at word 5 has 255 words",
     [](auto &e) { e.variants[0].code[22] = 255; }},
    {"variants[0].code: the entry point's name at word 10 has no terminating zero",
     [](auto &e) {
       auto &code = e.variants[0].code;
       std::fill(code.begin() + 40, code.begin() + 56, 'x');
     }},
};
} // namespace

TEST(HostileContents, EachFlawNamesItsField) {
  for (const Flaw &flaw : flaws) {
    SCOPED_TRACE(flaw.error);
    Executable contents = test::realistic();
    flaw.make(contents);

    auto bytes = encode(contents);
    ASSERT_TRUE(bytes.isOk()) << bytes.status().toString();
    auto read = executable::read(*bytes);
    ASSERT_FALSE(read.isOk());
    EXPECT_TRUE(read.status().message().starts_with(flaw.error)) << read.status().message();

    auto written = write(contents);
    ASSERT_FALSE(written.isOk());
    EXPECT_EQ(written.status().message(), read.status().message());
  }
}

TEST(HostileContents, StatusCodesDependOnTheSource) {
  Executable contents = test::realistic();
  pushed(contents).symbol.clear();
  EXPECT_EQ(write(contents).status().code(), StatusCode::InvalidArgument);
  EXPECT_EQ(read(*encode(contents)).status().code(), StatusCode::DataCorrupt);
  contents = test::realistic();
  contents.variants[0].kind = VariantKind(4);
  EXPECT_EQ(read(*encode(contents)).status().code(), StatusCode::Unsupported);
}
