//===- KernelFrameTest.cpp - the function of a kernel, tested alone ---------===//
#include "compiler/cpu/simd/KernelFrame.h"
#include "compiler/cpu/testing/LoadKernels.h"
#include "executable/NativeCode.h"

#include "mlir/IR/Verifier.h"

#include <gtest/gtest.h>

using namespace mlir;
using namespace pumice;
using namespace pumice::cpu;

namespace {

constexpr const char *kernels = R"(
func.func @k() attributes {lane.kernel, lane.workgroup_size = array<i32: 8, 1, 1>, lane.function_control = 2 : i32} {
  %a = lane.buffer 0, 3
  %b = lane.buffer 1, 2
  return
}
func.func @looped() attributes {lane.kernel, lane.workgroup_size = array<i32: 8, 1, 1>} {
  lane.loop {
    lane.exit 0
  } continuing {
    lane.end
  }
  return
}
)";

struct KernelFrameTest : ::testing::Test {
  KernelFrameTest() {
    module = cpu::testing::loadKernels(kernels, context);
    start("k", 128);
  }

  /// Creates the function of a kernel with this name.
  void start(StringRef name, int64_t scratchBytes) {
    kernel = module->lookupSymbol<func::FuncOp>(name);
    b.emplace(kernel.getLoc(), 8);
    frame.emplace(*b, kernel, scratchBytes);
    frame->create();
    function = module->lookupSymbol<LLVM::LLVMFuncOp>(name);
  }

  /// Adds the loop over workgroups and the attributes, and verifies the function.
  void finish() {
    frame->loopOverWorkgroups([] {});
    frame->addAttributes();
    EXPECT_TRUE(succeeded(verify(function)));
  }
  Operation *buffer(unsigned number) {
    return &*std::next(kernel.getBody().front().begin(), number);
  }
  size_t cancelTests() {
    size_t tests = 0;
    function.walk([&](LLVM::LoadOp load) { tests += load.getVolatile_(); });
    return tests;
  }

  MLIRContext context{MLIRContext::Threading::DISABLED};
  OwningOpRef<ModuleOp> module;
  func::FuncOp kernel;
  std::optional<LaneBuilder> b;
  std::optional<KernelFrame> frame;
  LLVM::LLVMFuncOp function;
};

TEST_F(KernelFrameTest, TakesTheKernelsName) {
  finish();
  EXPECT_EQ(kernel.getName(), "k.lanes");
  EXPECT_EQ(function.getNumArguments(), 5u);
  EXPECT_TRUE(function.getFunctionType().getReturnType().isInteger(32));
}

TEST_F(KernelFrameTest, ReadsAFieldOfTheLaunchOnceAndInTheEntryBlock) {
  // The entry block ends in the branch to the loop over workgroups.
  frame->loopOverWorkgroups([&] {
    Value once = frame->launchField(offsetof(executable::NativeLaunch, groups), b->getI32Type());
    EXPECT_EQ(once.getParentBlock(), b->entry);
    EXPECT_EQ(frame->launchField(offsetof(executable::NativeLaunch, groups), b->getI32Type()),
              once);
    EXPECT_NE(frame->launchField(offsetof(executable::NativeLaunch, groups), b->getI64Type()),
              once);
  });
  EXPECT_TRUE(succeeded(verify(function)));
}

TEST_F(KernelFrameTest, NumbersBindingsInTheOrderOfTheirUse) {
  frame->loopOverWorkgroups([&] {
    Type pointer = LLVM::LLVMPointerType::get(&context);
    Value second = frame->bufferField(buffer(1), 0, pointer);
    EXPECT_NE(frame->bufferField(buffer(0), 0, pointer), second);
    EXPECT_EQ(frame->bufferField(buffer(1), 0, pointer), second);
    EXPECT_NE(frame->bufferField(buffer(1), 8, b->getI64Type()), second);
  });
  frame->addAttributes();
  EXPECT_EQ(function->getAttrOfType<DenseI32ArrayAttr>("lane.bindings").asArrayRef(),
            (ArrayRef<int32_t>{1, 2, 0, 0, 3, 0}));
}

TEST_F(KernelFrameTest, RoundsPartsOfTheScratchMemoryUpToCacheLines) {
  EXPECT_EQ(frame->reserveScratch(1), 128);
  EXPECT_EQ(frame->reserveScratch(65), 192);
  EXPECT_EQ(frame->reserveScratch(64), 320);
  finish(); // reserves a line for the workgroup's number
  EXPECT_EQ(function->getAttrOfType<IntegerAttr>("lane.group_place").getInt(), 384);
  EXPECT_EQ(function->getAttrOfType<IntegerAttr>("lane.scratch_bytes").getInt(), 448);
}

TEST_F(KernelFrameTest, SharesTablesOfTheSameBytes) {
  frame->loopOverWorkgroups([&] {
    auto nameOf = [&](StringRef bytes) {
      return frame->constantBytes(bytes).getDefiningOp<LLVM::AddressOfOp>().getGlobalName();
    };
    EXPECT_EQ(nameOf("abcd"), nameOf("abcd"));
    EXPECT_NE(nameOf("abcd"), nameOf("abce"));
  });
  EXPECT_EQ(llvm::range_size(module->getOps<LLVM::GlobalOp>()), 2);
}

TEST_F(KernelFrameTest, NumbersEachFormatOnce) {
  EXPECT_EQ(frame->formatNumber(b->getStringAttr("%d")), 0u);
  EXPECT_EQ(frame->formatNumber(b->getStringAttr("%f")), 1u);
  EXPECT_EQ(frame->formatNumber(b->getStringAttr("%d")), 0u);
  finish();
  EXPECT_EQ(function->getAttrOfType<ArrayAttr>("lane.printf_formats").size(), 2u);
}

TEST_F(KernelFrameTest, TestsBetweenWorkgroupsOnlyIfThereAreLoops) {
  finish();
  EXPECT_EQ(cancelTests(), 0u);
  start("looped", 0);
  finish();
  EXPECT_EQ(cancelTests(), 1u);
}

TEST_F(KernelFrameTest, ReturnsZeroAtTheEndAndOneIfCancelled) {
  start("looped", 0);
  finish();
  std::vector<int64_t> returned;
  unsigned calls = 0;
  function.walk([&](LLVM::ReturnOp leave) {
    auto value = leave.getArg().getDefiningOp<LLVM::ConstantOp>();
    returned.push_back(cast<IntegerAttr>(value.getValue()).getInt());
  });
  EXPECT_EQ(returned, (std::vector<int64_t>{1, 0}));
  frame->beforeReturns([&] {
    ++calls;
    EXPECT_TRUE(isa<LLVM::ReturnOp>(*b->getInsertionPoint()));
  });
  EXPECT_EQ(calls, 2u);
}

TEST_F(KernelFrameTest, PassesOnTheFunctionControl) {
  finish();
  EXPECT_TRUE(function.getNoInline().value_or(false));
  EXPECT_FALSE(function.getOptimizeNone().value_or(false));
}

} // namespace
