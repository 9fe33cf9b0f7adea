//===- RefTest.cpp - references and uses ------------------------------------===//
#include "support/Ref.h"

#include <gtest/gtest.h>

using namespace pumice;

namespace {

struct Counted final : RefCounted {
  explicit Counted(bool &gone) : gone(gone) {}
  ~Counted() override { gone = true; }
  bool &gone;
};

} // namespace

TEST(Ref, TheLastReferenceDestroys) {
  bool gone = false;
  auto first = makeRef<Counted>(gone);
  EXPECT_TRUE(first->isUnique());
  Ref<Counted> second = first;
  EXPECT_FALSE(first->isUnique());
  first = nullptr;
  EXPECT_FALSE(gone);
  second = nullptr;
  EXPECT_TRUE(gone);
}

TEST(Ref, DestroyMayKeepTheObject) {
  struct Reluctant final : RefCounted {
    explicit Reluctant(int &asked) : asked(asked) {}
    void destroy() const override {
      if (++asked == 1)
        retain(); // takes a reference that another owner will release
      else
        delete this;
    }
    int &asked;
  };
  int asked = 0;
  auto owner = makeRef<Reluctant>(asked);
  Reluctant *object = owner.get();
  owner = nullptr;
  EXPECT_EQ(asked, 1);
  EXPECT_TRUE(object->isUnique());
  object->release();
  EXPECT_EQ(asked, 2);
}
