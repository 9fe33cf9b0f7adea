//===- CountedLoopsTest.cpp - where loops test for cancellation -------------===//
#include "compiler/cpu/simd/CountedLoops.h"
#include "compiler/cpu/testing/EmittedKernel.h"

using namespace mlir;
using namespace pumice;
using namespace pumice::cpu;

namespace {

/// Returns a kernel with a loop from `start` while `goesOn` holds for the counter and %n, by
/// `step`. `before` comes before the test of each iteration.
std::string loopKernel(const std::string &bound, const std::string &goesOn = "slt",
                       const std::string &start = "0", const std::string &step = "1",
                       const std::string &before = "", const std::string &control = "") {
  return R"(
func.func @k() attributes {lane.kernel, lane.workgroup_size = array<i32: 8, 1, 1>} {
  %p = lane.buffer 0, 0
  %start = arith.constant )" +
         start + R"( : i32
  %step = arith.constant )" +
         step + R"( : i32
  %n = )" +
         bound +
         R"( : i32
  %i = lane.var i32
  lane.set %i, %start : i32
  lane.loop )" +
         control + R"( {
    )" + before +
         R"(
    %c = lane.get %i : i32
    %more = arith.cmpi )" +
         goesOn + R"(, %c, %n : i32
    lane.if %more {
      lane.end
    } else {
      lane.exit 1
    }
    lane.store %c to %p align 4 : i32
    lane.end
  } continuing {
    %c = lane.get %i : i32
    %next = arith.addi %c, %step : i32
    lane.set %i, %next overwrite : i32
    lane.end
  }
  return
}
)";
}

constexpr const char *fromLaunch = "lane.load %p align 4";

/// The loop over workgroups tests once, since the kernel has a loop.
constexpr size_t betweenWorkgroups = 1;

/// Returns the number of tests in the loop of a kernel.
size_t testsOf(const std::string &text) {
  cpu::testing::EmittedKernel kernel(text);
  kernel.emit();
  return kernel.cancelTests() - betweenWorkgroups;
}

/// Returns the lengths of the pieces in which the kernel's loop counts.
std::vector<int64_t> piecesOf(const std::string &text) {
  cpu::testing::EmittedKernel kernel(text);
  kernel.emit();
  std::vector<int64_t> pieces;
  for (LLVM::ICmpOp far : kernel.all<LLVM::ICmpOp>())
    if (auto length = far.getRhs().getDefiningOp<LLVM::ConstantOp>();
        length && far.getPredicate() == LLVM::ICmpPredicate::ugt)
      pieces.push_back(cast<IntegerAttr>(length.getValue()).getInt());
  return pieces;
}

TEST(CountedLoops, TestNothingIfTheyAreShort) {
  EXPECT_EQ(testsOf(loopKernel("arith.constant 16384")), 0u);
  EXPECT_EQ(testsOf(loopKernel("arith.constant -16384", "sgt", "0", "-1")), 0u);
}

TEST(CountedLoops, CountInPiecesIfTheyMayTakeLong) {
  for (const std::string &text :
       {loopKernel("arith.constant 16385"), loopKernel("arith.constant -16385", "sgt", "0", "-1"),
        loopKernel("arith.constant 16385", "ult")}) {
    EXPECT_EQ(piecesOf(text), std::vector<int64_t>{1 << 14});
    EXPECT_EQ(testsOf(text), 1u);
  }
}

TEST(CountedLoops, CompareWithTheEndOfThePiece) {
  cpu::testing::EmittedKernel kernel(loopKernel("arith.constant 100000"));
  kernel.emit();
  unsigned ofPieces = 0;
  for (arith::CmpIOp compare : kernel.all<arith::CmpIOp>())
    if (auto limit = compare.getRhs().getDefiningOp<LLVM::LoadOp>())
      ofPieces += isa<LLVM::AllocaOp>(limit.getAddr().getDefiningOp());
  EXPECT_EQ(ofPieces, 1u);
}

TEST(CountedLoops, TestEachIterationIfTheStepIsNotOne) {
  std::string text = loopKernel("arith.constant 100", "slt", "0", "2");
  EXPECT_TRUE(piecesOf(text).empty());
  EXPECT_EQ(testsOf(text), 1u);
}

TEST(CountedLoops, TestEachIterationIfTheBoundMayChange) {
  std::string inLoop =
      loopKernel("arith.constant 9", "slt", "0", "1", "%x = lane.load %p align 4 : i32");
  inLoop.replace(inLoop.find("%c, %n"), 6, "%c, %x");
  EXPECT_TRUE(piecesOf(inLoop).empty());
  EXPECT_EQ(testsOf(inLoop), 1u);
}

TEST(CountedLoops, TestEachIterationIfTheBeginningMustNotRunTwice) {
  std::string text =
      loopKernel(fromLaunch, "slt", "0", "1", "lane.store %start to %p align 4 : i32");
  EXPECT_TRUE(piecesOf(text).empty());
  EXPECT_EQ(testsOf(text), 1u);
  EXPECT_EQ(piecesOf(loopKernel(fromLaunch)).size(), 1u);
}

/// Returns what LLVM learns about the kernel's loop.
LLVM::LoopUnrollAttr unrollingOf(const std::string &control) {
  static std::vector<std::unique_ptr<cpu::testing::EmittedKernel>> kept; // own the attributes
  kept.push_back(std::make_unique<cpu::testing::EmittedKernel>(
      loopKernel("arith.constant 100", "slt", "0", "1", "", control)));
  kept.back()->emit();
  for (LLVM::BrOp jump : kept.back()->all<LLVM::BrOp>())
    if (LLVM::LoopAnnotationAttr annotation = jump.getLoopAnnotationAttr())
      return annotation.getUnroll();
  return {};
}

TEST(CountedLoops, PassOnTheControlOfUnrolling) {
  EXPECT_FALSE(unrollingOf(""));
  EXPECT_FALSE(unrollingOf("control 1").getDisable().getValue());
  EXPECT_TRUE(unrollingOf("control 2").getDisable().getValue());
  EXPECT_EQ(unrollingOf("control 256 operands [4]").getCount().getInt(), 4);
  // PartialCount's literal follows that of MaxIterations.
  EXPECT_EQ(unrollingOf("control 288 operands [9, 4]").getCount().getInt(), 4);
}

TEST(CountedLoops, LimitTheCopiesOfABody) {
  EXPECT_FALSE(unrollingOf("control 256 operands [1000000]").getCount());
}

} // namespace
