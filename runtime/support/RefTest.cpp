//===- RefTest.cpp - references and uses -------------------------------------===//
#include "runtime/support/Ref.h"

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

TEST(Ref, AUseEndsBeforeItsReference) {
  bool gone = false;
  auto owner = makeRef<Counted>(gone);
  Counted *object = owner.get();
  EXPECT_FALSE(object->isInUse());
  object->retainForUse();
  object->retainForUse();
  object->retain(); // a reference alone is no use
  EXPECT_TRUE(object->isInUse());
  object->endUse();
  EXPECT_TRUE(object->isInUse());
  object->endUse();
  EXPECT_FALSE(object->isInUse());
  EXPECT_FALSE(object->isUnique());
  owner = nullptr;
  object->release();
  object->release();
  EXPECT_FALSE(gone);
  object->release();
  EXPECT_TRUE(gone);
}
