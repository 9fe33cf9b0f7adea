//===- TeamTest.cpp - threads for hand-written code -------------------------===//
#include "bench/cpu/Team.h"

#include <gtest/gtest.h>

using pumice::bench::Team;

TEST(Team, EveryPieceRunsOnce) {
  Team team;
  // The team sleeps between turns, as it does between the requests to a worker.
  for (int turn = 0; turn < 3; ++turn) {
    team.wake();
    for (size_t count : {0, 1, 99, 1000}) {
      std::vector<std::atomic<int>> visits(count);
      team.each(count, 7, [&](size_t begin, size_t end) {
        EXPECT_LE(end, count);
        EXPECT_LE(end - begin, 7u);
        for (size_t i = begin; i < end; ++i)
          ++visits[i];
      });
      for (const std::atomic<int> &visit : visits)
        EXPECT_EQ(visit, 1);
    }
    team.rest();
  }
}

TEST(Team, EverywhereIsOnEachThread) {
  Team team;
  team.wake();
  for (int round = 0; round < 1000; ++round) {
    std::atomic<unsigned> count = 0;
    team.everywhere([&] { ++count; });
    ASSERT_EQ(count, team.threads());
  }
  team.rest();
}
