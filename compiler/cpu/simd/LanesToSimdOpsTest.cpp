//===- LanesToSimdOpsTest.cpp - each kind of operation on vectors -----------===//
#include "compiler/cpu/testing/SimdModule.h"

#include <gtest/gtest.h>

#include <bit>

using namespace pumice::cpu::testing;

namespace {

/// Returns a kernel around `body`, which can use %i, %p, %q and some constants. Here %i is the
/// invocation's number in its workgroup. The addresses of its words of buffers 0 and 1 are %p and
/// %q.
std::string kernel(const std::string &body, const std::string &size = "32, 1, 1",
                   const std::string &more = "") {
  return "func.func @k() attributes {lane.kernel, lane.workgroup_size = array<i32: " + size + ">" +
         more + R"(} {
    %i = lane.builtin local_index
    %c0 = arith.constant 0 : i32
    %c1 = arith.constant 1 : i32
    %c2 = arith.constant 2 : i32
    %c3 = arith.constant 3 : i32
    %c5 = arith.constant 5 : i32
    %w4 = arith.constant 4 : i64
    %in = lane.buffer 0, 0
    %out = lane.buffer 0, 1
    %wide = arith.extsi %i : i32 to i64
    %bytes = arith.muli %wide, %w4 : i64
    %p = lane.offset %in[%bytes]
    %q = lane.offset %out[%bytes]
)" + body +
         "\nreturn\n}\n";
}

LaunchMemory words(size_t in, size_t out) {
  LaunchMemory memory;
  memory.buffers.assign(2, {});
  for (size_t i = 0; i < in; ++i)
    memory.buffers[0].push_back(uint32_t(i * 2654435761u));
  memory.buffers[1].assign(out, 0xdeadbeef);
  memory.pushConstants.assign(4, 0);
  return memory;
}

/// Runs the kernel for each width. `expected` computes the contents of buffer 1 from those of
/// buffer 0.
template <typename Expected>
void expectWords(const std::string &text, size_t in, size_t out, Expected expected,
                 uint32_t result = 0) {
  for (unsigned width : {4, 8, 16}) {
    SCOPED_TRACE("width " + std::to_string(width));
    LaunchMemory memory = words(in, out), before = memory;
    SimdModule module(text, width);
    ASSERT_EQ(module.run("k", {1, 1, 1}, memory), result);
    for (size_t i = 0; i < out; ++i)
      ASSERT_EQ(memory.buffers[1][i], expected(before.buffers[0], i, width)) << "word " << i;
  }
}

using Words = std::vector<uint32_t>;

TEST(LanesToSimdOps, ConsecutiveScalarsOfALane) {
  for (const char *size : {"32, 1, 1", "21, 1, 1"})
    for (unsigned count : {2, 3, 4}) {
      std::string n = std::to_string(count), types = "i32", values = "%v#0";
      for (unsigned i = 1; i < count; ++i) {
        types += ", i32";
        values = "%v#" + std::to_string(i) + ", " + values; // the last lane first
      }
      std::string text = kernel("%n = arith.constant " + n + " : i64\n" +
                                    "%b = arith.muli %bytes, %n : i64\n"
                                    "%from = lane.offset %in[%b]\n%to = lane.offset %out[%b]\n"
                                    "%v:" +
                                    n + " = lane.load %from align 4 : " + types + "\nlane.store " +
                                    values + " to %to align 4 : " + types,
                                size);
      size_t invocations = std::stoi(size);
      expectWords(text, 32 * count, 32 * count, [&](const Words &in, size_t i, unsigned) {
        return i / count < invocations ? in[i / count * count + count - 1 - i % count] : 0xdeadbeef;
      });
    }
}

TEST(LanesToSimdOps, RowsOfEight) {
  std::string text = kernel(R"(
    %x = lane.builtin local_id_x
    %y = lane.builtin local_id_y
    %c24 = arith.constant 24 : i32
    %row = arith.muli %y, %c24 : i32
    %at = arith.addi %row, %x : i32
    %w = arith.extsi %at : i32 to i64
    %b = arith.muli %w, %w4 : i64
    %from = lane.offset %in[%b]
    %to = lane.offset %out[%b]
    %odd = arith.andi %y, %c1 : i32
    %is = arith.cmpi eq, %odd, %c1 : i32
    %v = lane.load %from align 4 : i32
    lane.if %is {
      lane.store %v to %to align 4 : i32
      lane.end
    } else {
      lane.end
    })",
                            "8, 6, 1");
  expectWords(text, 24 * 6, 24 * 6, [](const Words &in, size_t i, unsigned) {
    return i % 24 < 8 && i / 24 % 2 ? in[i] : 0xdeadbeef;
  });
}

TEST(LanesToSimdOps, ShufflesBallotsAndReductions) {
  auto wrap = [](const std::string &body) {
    return kernel("%lane = lane.builtin subgroup_lane\n%v = lane.load %p align 4 : i32\n" + body +
                  "\nlane.store %r to %q align 4 : i32");
  };
  auto base = [](size_t i, unsigned width) { return i / width * width; };
  expectWords(wrap("%f = arith.xori %lane, %c3 : i32\n%r = lane.shuffle %v, %f : i32"), 32, 32,
              [](const Words &in, size_t i, unsigned) { return in[i ^ 3]; });
  expectWords(wrap("%r = lane.shuffle %v, %c2 : i32"), 32, 32,
              [&](const Words &in, size_t i, unsigned w) { return in[base(i, w) + 2]; });
  expectWords(wrap("%h = arith.shrui %v, %c3 : i32\n%f = arith.andi %h, %c3 : i32\n"
                   "%r = lane.shuffle %v, %f : i32"),
              32, 32, [&](const Words &in, size_t i, unsigned w) {
                return in[base(i, w) + (in[i] >> 3 & 3)];
              });
  expectWords(wrap("%o = arith.andi %v, %c1 : i32\n%c = arith.cmpi eq, %o, %c1 : i32\n"
                   "%b = lane.ballot %c\n%r = arith.trunci %b : i64 to i32"),
              32, 32, [&](const Words &in, size_t i, unsigned w) {
                uint32_t bits = 0;
                for (unsigned lane = 0; lane < w; ++lane)
                  bits |= (in[base(i, w) + lane] & 1) << lane;
                return bits;
              });
  expectWords(wrap("%r = lane.reduce add %v : i32"), 32, 32,
              [&](const Words &in, size_t i, unsigned w) {
                uint32_t sum = 0;
                for (unsigned lane = 0; lane < w; ++lane)
                  sum += in[base(i, w) + lane];
                return sum;
              });
  expectWords(wrap("%r = lane.reduce add scan \"exclusive\" %v : i32"), 32, 32,
              [&](const Words &in, size_t i, unsigned w) {
                uint32_t sum = 0;
                for (size_t lane = base(i, w); lane < i; ++lane)
                  sum += in[lane];
                return sum;
              });
  expectWords(wrap("%r = lane.reduce umax cluster 4 %v : i32"), 32, 32,
              [&](const Words &in, size_t i, unsigned) {
                uint32_t most = 0;
                for (size_t lane = i / 4 * 4; lane < i / 4 * 4 + 4; ++lane)
                  most = std::max(most, in[lane]);
                return most;
              });
}

/// Inactive lanes do not take part in a reduction.
TEST(LanesToSimdOps, ReductionOfSomeLanes) {
  std::string text = kernel(R"(
    %o = arith.andi %i, %c1 : i32
    %odd = arith.cmpi eq, %o, %c1 : i32
    lane.if %odd {
      %v = lane.load %p align 4 : i32
      %r = lane.reduce smin %v : i32
      lane.store %r to %q align 4 : i32
      lane.end
    } else {
      lane.end
    })");
  expectWords(text, 32, 32, [](const Words &in, size_t i, unsigned w) {
    if (i % 2 == 0)
      return 0xdeadbeef;
    int32_t least = INT32_MAX;
    for (size_t lane = i / w * w + 1; lane < i / w * w + w; lane += 2)
      least = std::min(least, int32_t(in[lane]));
    return uint32_t(least);
  });
}

TEST(LanesToSimdOps, AtomicsToOneAddressAndToMany) {
  for (const char *exclusive : {"", " exclusive"}) {
    std::string text = kernel(std::string(R"(
      %s = lane.shared 0
      lane.store %c0 to %s align 4 : i32
      %many = arith.remui %i, %c3 : i32
      %mw = arith.extsi %many : i32 to i64
      %mb = arith.muli %mw, %w4 : i64
      %t = lane.shared 16
      %u = lane.offset %t[%mb]
      lane.store %c0 to %u align 4 : i32
      lane.barrier
      %old = lane.atomic add monotonic %s, %i)") +
                                  exclusive + R"( : i32
      %old2 = lane.atomic umax monotonic %u, %i)" +
                                  exclusive + R"( : i32
      lane.barrier
      %sum = lane.load %s align 4 : i32
      %most = lane.load %u align 4 : i32
      %r = arith.addi %sum, %most : i32
      lane.store %r to %q align 4 : i32)",
                              "32, 1, 1", ", lane.shared_bytes = 64 : i64");
    expectWords(text, 32, 32, [](const Words &, size_t i, unsigned) -> uint32_t {
      uint32_t most = i % 3;
      while (most + 3 < 32)
        most += 3;
      return 31 * 32 / 2 + most;
    });
  }
}

/// Without barriers, lanes run one after the other. Each lane gets the value that the lane before
/// it stored.
TEST(LanesToSimdOps, OldValuesAreDistinct) {
  std::string text = kernel(R"(
      %old = lane.atomic add monotonic %in, %c2 : i32
      lane.store %old to %q align 4 : i32)");
  for (unsigned width : {4, 16}) {
    LaunchMemory memory = words(32, 32);
    SimdModule(text, width).run("k", {1, 1, 1}, memory);
    std::sort(memory.buffers[1].begin(), memory.buffers[1].end());
    for (uint32_t i = 0; i < 32; ++i)
      EXPECT_EQ(memory.buffers[1][i], 2 * i);
    EXPECT_EQ(memory.buffers[0][0], 64u);
  }
}

TEST(LanesToSimdOps, ArraysAndPrivateMemory) {
  std::string text = kernel(R"(
      %a = lane.array 4 x i32
      %m = lane.private 16
      lane.array_set %a[%c0], %i : i32
      lane.array_set %a[%c1], %c5 : i32
      lane.array_set %a[%c2], %c2 : i32
      lane.array_set %a[%c3], %c3 : i32
      %n = arith.andi %i, %c3 : i32
      %x = lane.array_get %a[%n] : i32
      lane.array_set %a[%n], %c1 : i32
      %y = lane.array_get %a[%c0] : i32
      %nw = arith.extsi %n : i32 to i64
      %nb = arith.muli %nw, %w4 : i64
      %e = lane.offset %m[%nb]
      lane.store %x to %e align 4 : i32
      lane.barrier
      %z = lane.load %e align 4 : i32
      %r = arith.addi %y, %z : i32
      lane.store %r to %q align 4 : i32)");
  expectWords(text, 32, 32, [](const Words &, size_t i, unsigned) -> uint32_t {
    uint32_t array[] = {uint32_t(i), 5, 2, 3}, x = array[i & 3];
    array[i & 3] = 1;
    return array[0] + x;
  });
}

/// The kernel of a workgroup of one subgroup is not split at barriers. Stores before a barrier must
/// still precede loads after it.
TEST(LanesToSimdOps, LoadsBehindBarriersOfOneSubgroup) {
  std::string text = kernel(R"(
      %s = lane.shared 0
      lane.store %c5 to %s align 4 : i32
      lane.barrier
      %x = lane.load %s align 4 : i32
      lane.barrier
      lane.store %c2 to %s align 4 : i32
      lane.barrier
      %y = lane.load %s align 4 : i32
      %r = arith.muli %x, %y : i32
      lane.store %r to %q align 4 : i32)",
                            "4, 1, 1", ", lane.shared_bytes = 64 : i64");
  expectWords(text, 4, 4, [](const Words &, size_t, unsigned) -> uint32_t { return 10; });
}

/// An address that is computed before a barrier and used after it must not be recomputed from
/// values that have changed since.
TEST(LanesToSimdOps, AddressesAcrossBarriers) {
  std::string text = kernel(R"(
      lane.store %i to %q align 4 : i32
      %k = lane.load %q align 4 : i32
      %n = arith.andi %k, %c3 : i32
      %nw = arith.extsi %n : i32 to i64
      %nb = arith.muli %nw, %w4 : i64
      %e = lane.offset %in[%nb]
      %f = lane.offset %in[%nb]
      %x = lane.load %e align 4 : i32
      lane.store %c5 to %q align 4 : i32
      lane.barrier
      %y = lane.load %e align 4 : i32
      %g = lane.offset %f[%nb]
      %z = lane.load %g align 4 : i32
      %sum = arith.addi %x, %y : i32
      %r = arith.addi %sum, %z : i32
      lane.store %r to %q align 4 : i32)");
  expectWords(text, 32, 32, [](const Words &in, size_t i, unsigned) -> uint32_t {
    return 2 * in[i & 3] + in[2 * (i & 3)];
  });
}

TEST(LanesToSimdOps, DivisionNeverTraps) {
  std::string text = kernel(R"(
      %v = lane.load %p align 4 : i32
      %d = arith.subi %i, %c5 : i32
      %isZero = arith.cmpi eq, %d, %c0 : i32
      lane.if %isZero {
        lane.store %c1 to %q align 4 : i32
        lane.end
      } else {
        %a = arith.divsi %v, %d : i32
        %b = arith.remsi %v, %d : i32
        %vw = arith.extsi %v : i32 to i64
        %dw = arith.extsi %d : i32 to i64
        %c = arith.divsi %vw, %dw : i64
        %ct = arith.trunci %c : i64 to i32
        %x = arith.xori %a, %b : i32
        %y = arith.subi %ct, %a : i32
        %r = arith.addi %x, %y : i32
        lane.store %r to %q align 4 : i32
        lane.end
      })");
  expectWords(text, 32, 32, [](const Words &in, size_t i, unsigned) -> uint32_t {
    int32_t v = in[i], d = int32_t(i) - 5;
    return d == 0 ? 1 : uint32_t(v / d) ^ uint32_t(v % d);
  });
}

/// One loop ends only when it is cancelled. Another ends by itself.
TEST(LanesToSimdOps, LoopsCanBeCancelled) {
  std::string text = kernel("lane.loop {\nlane.end\n} continuing {\nlane.end\n}");
  SimdModule module(text, 16);
  LaunchMemory memory = words(1, 1);
  uint32_t stop = 1;
  EXPECT_EQ(module.run("k", {1, 1, 1}, memory, &stop), 1u);
}

/// Tests a launch that cannot be cancelled. It has many workgroups in three dimensions.
TEST(LanesToSimdOps, WorkgroupsAreNumbered) {
  std::string text = R"(func.func @k() attributes {lane.kernel} {
    %x = lane.builtin workgroup_id_x
    %y = lane.builtin workgroup_id_y
    %z = lane.builtin workgroup_id_z
    %nx = lane.builtin num_workgroups_x
    %ny = lane.builtin num_workgroups_y
    %a = arith.muli %z, %ny : i32
    %b = arith.addi %a, %y : i32
    %c = arith.muli %b, %nx : i32
    %d = arith.addi %c, %x : i32
    %w = arith.extsi %d : i32 to i64
    %w4 = arith.constant 4 : i64
    %e = arith.muli %w, %w4 : i64
    %out = lane.buffer 0, 1
    %q = lane.offset %out[%e]
    lane.store %d to %q align 4 : i32
    return
  })";
  LaunchMemory memory = words(1, 30);
  ASSERT_EQ(SimdModule(text, 8).run("k", {2, 3, 5}, memory), 0u);
  for (uint32_t i = 0; i < 30; ++i)
    EXPECT_EQ(memory.buffers[1][i], i);
}

} // namespace
