//===- MaskedControlTest.cpp - masks and branches of constructs -------------===//
#include "compiler/cpu/simd/MaskedControl.h"
#include "compiler/cpu/testing/EmittedKernel.h"

using namespace mlir;
using namespace pumice;
using namespace pumice::cpu;
using cpu::testing::EmittedKernel;

namespace {

/// Returns a kernel with a selection by `condition` of %i, the invocation's number, and %same,
/// which the launch gives. Its arm is `arm`.
std::string selection(const std::string &condition, const std::string &arm) {
  return R"(
func.func @k() attributes {lane.kernel, lane.workgroup_size = array<i32: 8, 1, 1>} {
  %p = lane.buffer 0, 0
  %same = lane.load %p align 4 : i32
  %i = lane.builtin local_index
  %c3 = arith.constant 3 : i32
  %mixed = arith.muli %i, %i : i32
  %v = lane.var i32
  lane.set %v, %same : i32
  %if = arith.cmpi )" +
         condition + R"( : i32
  lane.if %if {
    )" + arm +
         R"(
    lane.end
  } else {
    lane.end
  }
  return
}
)";
}

constexpr const char *cheap = "lane.set %v, %c3 : i32";
constexpr const char *store = "lane.store %c3 to %p align 4 : i32";

/// Returns the number of branches of the kernel's constructs. The loop over workgroups has two.
size_t branchesOf(EmittedKernel &kernel) { return kernel.all<LLVM::CondBrOp>().size() - 2; }

/// Returns the number of masks that become integers, to see whether any or all lanes are active.
size_t maskTestsOf(EmittedKernel &kernel) {
  return llvm::count_if(kernel.all<LLVM::BitcastOp>(), [](LLVM::BitcastOp op) {
    return getElementTypeOrSelf(op.getArg().getType()).isInteger(1);
  });
}

TEST(MaskedControl, BranchesIfLanesAgree) {
  EmittedKernel kernel(selection("eq, %same, %c3", store));
  kernel.emit();
  EXPECT_EQ(branchesOf(kernel), 1u);
  EXPECT_EQ(maskTestsOf(kernel), 0u);
}

TEST(MaskedControl, RunsACheapArmWithoutABranch) {
  EmittedKernel kernel(selection("eq, %mixed, %c3", cheap));
  kernel.emit();
  EXPECT_EQ(branchesOf(kernel), 0u);
  EXPECT_EQ(maskTestsOf(kernel), 0u);
}

TEST(MaskedControl, SkipsAnArmThatNoLaneTakes) {
  EmittedKernel kernel(selection("eq, %mixed, %c3", store));
  kernel.emit();
  EXPECT_EQ(branchesOf(kernel), 1u);
  EXPECT_EQ(maskTestsOf(kernel), 1u);
}

TEST(MaskedControl, ComparesTheFirstOrTheLastLaneInsteadOfAllOfThem) {
  for (const char *condition : {"ult, %i, %same", "ugt, %i, %same", "ugt, %same, %i"}) {
    EmittedKernel kernel(selection(condition, store));
    kernel.emit();
    EXPECT_EQ(branchesOf(kernel), 1u) << condition;
    Value taken;
    for (LLVM::CondBrOp branch : kernel.all<LLVM::CondBrOp>())
      if (auto compare = branch.getCondition().getDefiningOp<arith::CmpIOp>())
        taken = compare.getLhs();
    EXPECT_TRUE(taken && taken.getType().isInteger(32)) << condition;
    EXPECT_EQ(maskTestsOf(kernel), 0u) << condition;
  }
}

/// The kernel around parts that the tests call themselves.
std::string emptyKernel() { return selection("eq, %same, %c3", ""); }

TEST(MaskedControl, LeavesTheMaskAloneIfNothingSkipsToTheEnd) {
  EmittedKernel kernel(emptyKernel());
  SimdEmitter &e = kernel.open();
  Block *before = e.b.getInsertionBlock();
  e.control.withRegionEnd([] {});
  EXPECT_FALSE(e.control.mask);
  EXPECT_EQ(e.b.getInsertionBlock(), before);
}

TEST(MaskedControl, HasNoLaneAfterASkipToTheEnd) {
  EmittedKernel kernel(emptyKernel());
  SimdEmitter &e = kernel.open();
  Block *before = e.b.getInsertionBlock();
  e.control.withRegionEnd([&] { e.control.skipUnless(e.b.integer(e.b.getI1Type(), 1)); });
  ASSERT_TRUE(e.control.mask);
  auto load = e.control.mask.getDefiningOp<LLVM::LoadOp>();
  ASSERT_TRUE(load);
  // Two stores fill the mask: without lanes where the code skips, with all of them at the end.
  std::vector<bool> stored;
  for (Operation *user : load.getAddr().getUsers())
    if (auto store = dyn_cast<LLVM::StoreOp>(user)) {
      auto lanes =
          cast<DenseElementsAttr>(store.getValue().getDefiningOp<LLVM::ConstantOp>().getValue());
      EXPECT_TRUE(lanes.isSplat());
      stored.push_back(lanes.getSplatValue<bool>());
      if (!stored.back())
        EXPECT_EQ(store->getBlock(), before);
    }
  llvm::sort(stored);
  EXPECT_EQ(stored, (std::vector<bool>{false, true}));
}

TEST(MaskedControl, SkipsToThePlaceForNoLanesIfThereIsOne) {
  EmittedKernel kernel(emptyKernel());
  SimdEmitter &e = kernel.open();
  Block *before = e.b.getInsertionBlock(), *none = e.b.newBlock();
  e.control.withRegionEnd([&] { e.control.skipUnless(e.b.integer(e.b.getI1Type(), 1)); }, none);
  auto branch = cast<LLVM::CondBrOp>(before->getTerminator());
  EXPECT_EQ(branch.getFalseDest(), none);
  EXPECT_FALSE(e.control.mask); // the code after the region has the same lanes
}

/// Returns a kernel whose loop runs while a number in memory is more than `number`.
std::string loop(const std::string &number) {
  return R"(
func.func @k() attributes {lane.kernel, lane.workgroup_size = array<i32: 8, 1, 1>} {
  %p = lane.buffer 0, 0
  %i = lane.builtin local_index
  %c3 = arith.constant 3 : i32
  lane.loop {
    %x = lane.load %p align 4 : i32
    %more = arith.cmpi ult, )" +
         number + R"(, %x : i32
    lane.if %more {
      lane.end
    } else {
      lane.exit 1
    }
    lane.store %i to %p align 4 : i32
    lane.end
  } continuing {
    lane.end
  }
  return
}
)";
}

TEST(MaskedControl, TestsMasksOnlyInLoopsThatLanesLeaveAtDifferentTimes) {
  EmittedKernel together(loop("%c3")), apart(loop("%i"));
  together.emit();
  apart.emit();
  EXPECT_EQ(maskTestsOf(together), 0u);
  EXPECT_GT(maskTestsOf(apart), 0u);
}

} // namespace
