//===- HazardsTest.cpp - barriers where data needs them, and nowhere else ---===//
#include "runtime/drivers/vulkan/Hazards.h"

#include <gtest/gtest.h>

#include <array>
#include <map>
#include <random>
#include <set>

using namespace pumice::vulkan;

namespace {

char memory[4096]; // each address represents a buffer
const void *a = &memory[0], *b = &memory[64], *c = &memory[128];

Touch reads(const void *buffer, uint64_t begin = 0, uint64_t end = 100) {
  return {buffer, begin, end, false};
}
Touch writes(const void *buffer, uint64_t begin = 0, uint64_t end = 100) {
  return {buffer, begin, end, true};
}

template <typename... T>
std::optional<BarrierNeed> add(Hazards &hazards, uint8_t stage, T... touches) {
  std::array<Touch, sizeof...(T)> all{touches...};
  return hazards.add(all, stage);
}

} // namespace

TEST(Hazards, ReadsNeedNoOrder) {
  Hazards hazards;
  EXPECT_FALSE(add(hazards, ComputeStage, reads(a), writes(b)));
  EXPECT_FALSE(add(hazards, ComputeStage, reads(a), writes(c)));
}

TEST(Hazards, ReadAfterWriteNeedsABarrierOnce) {
  Hazards hazards;
  EXPECT_FALSE(add(hazards, TransferStage, writes(a)));
  EXPECT_FALSE(add(hazards, ComputeStage, writes(b)));
  auto need = add(hazards, ComputeStage, reads(a), writes(c));
  ASSERT_TRUE(need);
  EXPECT_EQ(need->stages, ComputeStage | TransferStage);
  EXPECT_EQ(need->writingStages, ComputeStage | TransferStage);
  // No barrier is needed, because the last one covered all earlier work.
  EXPECT_FALSE(add(hazards, ComputeStage, reads(a), reads(b)));
}

TEST(Hazards, WriteAfterReadWaitsWithoutAFlush) {
  Hazards hazards;
  EXPECT_FALSE(add(hazards, ComputeStage, reads(a)));
  auto need = add(hazards, TransferStage, writes(a));
  ASSERT_TRUE(need);
  EXPECT_EQ(need->stages, ComputeStage);
  EXPECT_EQ(need->writingStages, NoStage);
}

TEST(Hazards, WriteAfterWrite) {
  Hazards hazards;
  EXPECT_FALSE(add(hazards, ComputeStage, writes(a)));
  EXPECT_TRUE(add(hazards, ComputeStage, writes(a)));
  EXPECT_TRUE(add(hazards, ComputeStage, writes(a)));
}

TEST(Hazards, ABarrierForOneTouchForgetsNoneOfItsPiece) {
  Hazards hazards;
  EXPECT_FALSE(add(hazards, ComputeStage, writes(b)));
  EXPECT_TRUE(
      add(hazards, TransferStage, writes(a), reads(b))); // `a` is noted before `b` conflicts
  auto need = add(hazards, ComputeStage, reads(a));
  ASSERT_TRUE(need);
  EXPECT_EQ(need->stages, TransferStage);
  EXPECT_FALSE(add(hazards, ComputeStage, reads(b)));
}

TEST(Hazards, OtherPartsOfABufferAreOtherMemory) {
  Hazards hazards;
  EXPECT_FALSE(add(hazards, TransferStage, writes(a, 0, 64)));
  EXPECT_FALSE(add(hazards, TransferStage, writes(a, 64, 128)));
  EXPECT_FALSE(add(hazards, ComputeStage, reads(a, 128, 200)));
  EXPECT_TRUE(add(hazards, ComputeStage, reads(a, 127, 128)));
}

TEST(Hazards, UnnamedMemoryConflictsWithAll) {
  Hazards hazards;
  std::array<Touch, 1> touched{writes(b)};
  EXPECT_FALSE(hazards.add({}, ComputeStage, true)); // nothing ran before
  EXPECT_TRUE(add(hazards, ComputeStage, reads(a)));
  EXPECT_TRUE(hazards.add(touched, ComputeStage, true));
  EXPECT_TRUE(hazards.add(touched, ComputeStage, true));
}

TEST(Hazards, NamesEachBufferOncePerBatch) {
  Hazards hazards;
  std::array<Touch, 2> touched{reads(a), Touch{b}};
  (void)hazards.add(touched, ComputeStage);
  EXPECT_TRUE(touched[0].firstInBatch);
  EXPECT_TRUE(touched[1].firstInBatch);
  (void)hazards.add(touched, ComputeStage);
  EXPECT_FALSE(touched[0].firstInBatch);
  EXPECT_FALSE(touched[1].firstInBatch);
  hazards.newBatch();
  (void)hazards.add(touched, ComputeStage);
  EXPECT_TRUE(touched[0].firstInBatch);
}

TEST(Hazards, HazardsOutliveBatchesAndGrowth) {
  Hazards hazards;
  EXPECT_FALSE(add(hazards, ComputeStage, writes(a)));
  hazards.newBatch();
  for (size_t i = 0; i < 1000; ++i)
    EXPECT_FALSE(add(hazards, ComputeStage, reads(&memory[1000 + i])));
  EXPECT_TRUE(add(hazards, ComputeStage, reads(a)));
}

/// A lookup guesses the entry from the order of the previous uses. It searches if the guess is
/// wrong.
TEST(Hazards, AnyOrderOfUse) {
  Hazards hazards;
  std::mt19937 random(7);
  std::map<size_t, int> state; // the use since the last barrier: 1 read, 2 written
  std::set<size_t> named;      // the buffers named in this batch
  for (int step = 0; step < 20000; ++step) {
    if (step % 1000 == 999) {
      hazards.newBatch();
      named.clear();
    }
    // The steps alternate between a repeated sequence, a slow advance, and random jumps.
    size_t which = (step / 300) % 3 == 0   ? size_t(step % 50)
                   : (step / 300) % 3 == 1 ? size_t(step / 2 % 400)
                                           : random() % 900;
    bool write = random() % 4 == 0;
    std::array<Touch, 1> touched{write ? writes(&memory[which]) : reads(&memory[which])};
    bool conflict = state.contains(which) && (write || state[which] == 2);
    ASSERT_EQ(hazards.add(touched, ComputeStage).has_value(), conflict) << step;
    ASSERT_EQ(touched[0].firstInBatch, named.insert(which).second) << step;
    if (conflict)
      state.clear();
    state[which] = std::max(state[which], write ? 2 : 1);
  }
}

TEST(Hazards, ABufferThatIsOnlyNamedConflictsWithNothing) {
  Hazards hazards;
  EXPECT_FALSE(add(hazards, ComputeStage, writes(a)));
  EXPECT_FALSE(add(hazards, ComputeStage, Touch{a}));
}
