//===- MslHostTest.cpp - the interpreter, with kernels written by hand ------===//
#include "tests/metal/host/MslProgram.h"

#include <gtest/gtest.h>

#include <cstring>

using namespace pumice;

namespace {

constexpr char head[] = "#include <metal_stdlib>\nusing namespace metal;\n";

/// Runs the kernel `k` on 64 words, whose first values are their indices.
Result<std::vector<uint32_t>> run(const std::string &body, uint32_t threads = 64,
                                  const msl::Constants &constants = {}) {
  PUMICE_TRY(std::shared_ptr<msl::Program> program,
             msl::Program::compile(head + body, "k", constants));
  std::vector<uint32_t> words(64);
  for (uint32_t i = 0; i < words.size(); ++i)
    words[i] = i;
  void *const buffers[] = {words.data()};
  Result<msl::Counts> counts = program->run(buffers, {{1, 1, 1}, {threads, 1, 1}, 32});
  if (!counts.isOk())
    return counts.status();
  return words;
}

const std::string signature =
    "kernel void k(device uint* x [[buffer(0)]], uint3 p [[thread_position_in_threadgroup]], "
    "uint lane [[thread_index_in_simdgroup]])\n";

TEST(MslHost, BarriersOrderThreadgroupMemory) {
  auto words = run(signature + "{\n    threadgroup uint part[64];\n    part[p.x] = x[p.x] * 2u;\n"
                               "    threadgroup_barrier(mem_flags::mem_threadgroup);\n"
                               "    x[p.x] = part[63u - p.x];\n}\n");
  ASSERT_TRUE(words.isOk()) << words.status().toString();
  for (uint32_t i = 0; i < 64; ++i)
    EXPECT_EQ((*words)[i], (63 - i) * 2);
}

TEST(MslHost, ABarrierThatSomeThreadsMissIsAnError) {
  auto words =
      run(signature + "{\n    if (p.x < 7u)\n    {\n"
                      "        threadgroup_barrier(mem_flags::mem_threadgroup);\n    }\n}\n");
  ASSERT_FALSE(words.isOk());
  EXPECT_EQ(words.status().message(), "a barrier is reached by 7 of 64 threads of a threadgroup");
}

TEST(MslHost, OnlyActiveLanesTakePart) {
  auto words = run(signature + "{\n    if ((lane & 1u) != 0u)\n    {\n"
                               "        x[p.x] = simd_sum(1u);\n    }\n    else\n    {\n"
                               "        x[p.x] = uint(simd_is_first());\n    }\n}\n");
  ASSERT_TRUE(words.isOk()) << words.status().toString();
  for (uint32_t i = 0; i < 64; ++i)
    EXPECT_EQ((*words)[i], i % 2 ? 16u : uint32_t(i % 32 == 0));
}

TEST(MslHost, LanesMeetInTheSameTurnOfALoop) {
  // Lane i makes i + 1 turns. Odd lanes do more in each turn. In turn t, the lanes from t on meet.
  auto words = run(signature + "{\n    uint sum = 0u;\n"
                               "    for (uint t = 0u; t <= lane; t++)\n    {\n"
                               "        if ((lane & 1u) != 0u)\n        {\n"
                               "            sum += simd_sum(0u);\n        }\n"
                               "        sum += simd_sum(1u);\n    }\n"
                               "    x[p.x] = sum + simd_sum(1000u);\n}\n");
  ASSERT_TRUE(words.isOk()) << words.status().toString();
  for (uint32_t i = 0; i < 64; ++i) {
    uint32_t expected = 32000;
    for (uint32_t t = 0; t <= i % 32; ++t)
      expected += 32 - t;
    EXPECT_EQ((*words)[i], expected) << i;
  }
}

TEST(MslHost, ShufflesFromLanesThatAreNotThereGiveNoUsefulValue) {
  auto words = run(signature + "{\n    if (lane < 16u)\n    {\n"
                               "        x[p.x] = simd_shuffle(x[p.x], ushort(20));\n    }\n}\n");
  ASSERT_TRUE(words.isOk()) << words.status().toString();
  EXPECT_EQ((*words)[3], 0xcdcdcdcdu);
  EXPECT_EQ((*words)[20], 20u);
}

TEST(MslHost, FunctionConstantsHaveTheirValues) {
  const std::string text = "constant uint n_tmp [[function_constant(3)]];\n"
                           "constant uint n = is_function_constant_defined(n_tmp) ? n_tmp : 5u;\n" +
                           signature + "{\n    x[p.x] = n;\n}\n";
  EXPECT_EQ(run(text).value()[9], 5u);
  EXPECT_EQ(run(text, 64, {{3, "12u"}}).value()[9], 12u);
}

TEST(MslHost, VectorsHaveSwizzlesAndComparisons) {
  auto words = run(signature + "{\n    uint4 v = uint4(x[1], x[2], uint2(7u, 9u));\n"
                               "    v.zw = v.xy + 1u;\n    float3 f = float3(v.wzy) * 0.5;\n"
                               "    x[p.x] = uint(f.x * 100.0) + (all(v >= v.x) ? 1u : 0u) + "
                               "uint(any(v == uint4(3u)));\n}\n",
                   1);
  ASSERT_TRUE(words.isOk()) << words.status().toString();
  EXPECT_EQ((*words)[0], 152u);
}

TEST(MslHost, RejectsWhatItDoesNotKnow) {
  EXPECT_EQ(run("kernel void k(texture2d<float> t [[texture(0)]])\n{\n}\n").status().code(),
            StatusCode::Unsupported);
  EXPECT_EQ(run("kernel void other()\n{\n}\n").status().message(), "there is no kernel 'k'");
  EXPECT_EQ(run(signature + "{\n    x[p.x] = unknown(1u);\n}\n").status().code(),
            StatusCode::InvalidArgument);
}

} // namespace
