//===- LaneBuilderTest.cpp - the builder of lane vectors, tested alone ------===//
#include "compiler/cpu/simd/LaneBuilder.h"

#include "mlir/IR/BuiltinOps.h"
#include "mlir/IR/Verifier.h"

#include <gtest/gtest.h>

#include <numeric>

using namespace mlir;
using pumice::cpu::LaneBuilder;

namespace {

/// Builds operations in llvm.func @f(i32, vector<4xi1>, vector<4xi32>), for four lanes.
struct LaneBuilderTest : ::testing::Test {
  LaneBuilderTest() {
    context.loadDialect<LLVM::LLVMDialect, arith::ArithDialect>();
    module = ModuleOp::create(UnknownLoc::get(&context));
    b.emplace(module->getLoc(), 4);
    b->setInsertionPointToStart(module->getBody());
    function =
        LLVM::LLVMFuncOp::create(*b, "f",
                                 LLVM::LLVMFunctionType::get(LLVM::LLVMVoidType::get(&context),
                                                             {b->getI32Type(), b->maskType(),
                                                              b->vectorOf(b->getI32Type())}));
    b->fill(function);
    b->startBlock(b->entry);
    scalar = function.getArgument(0);
    mask = function.getArgument(1);
    vector = function.getArgument(2);
  }

  /// Ends the current block, and verifies the function.
  void TearDown() override {
    if (b->isOpen())
      LLVM::ReturnOp::create(*b, ValueRange{});
    EXPECT_TRUE(succeeded(verify(*module)));
  }

  static std::vector<int64_t> constants(Value value) {
    auto elements = cast<DenseElementsAttr>(value.getDefiningOp<LLVM::ConstantOp>().getValue());
    std::vector<int64_t> all;
    for (const APInt &one : elements.getValues<APInt>())
      all.push_back(one.getSExtValue());
    return all;
  }
  static std::vector<int32_t> pattern(Value value) {
    return value.getDefiningOp<LLVM::ShuffleVectorOp>().getMask().vec();
  }
  size_t operations() const { return b->getInsertionBlock()->getOperations().size(); }

  MLIRContext context{MLIRContext::Threading::DISABLED};
  OwningOpRef<ModuleOp> module;
  std::optional<LaneBuilder> b;
  LLVM::LLVMFuncOp function;
  Value scalar, mask, vector;
};

TEST_F(LaneBuilderTest, SplatsConstantsWithoutAnInstruction) {
  EXPECT_EQ(constants(b->splat(b->i32(7))), (std::vector<int64_t>{7, 7, 7, 7}));
  EXPECT_EQ(constants(b->splat(b->i32(-1), 2)), (std::vector<int64_t>{-1, -1}));
}

TEST_F(LaneBuilderTest, SplatsOtherScalarsByOneShuffle) {
  Value same = b->splat(scalar);
  EXPECT_EQ(same.getType(), vector.getType());
  EXPECT_EQ(pattern(same), (std::vector<int32_t>{0, 0, 0, 0}));
}

TEST_F(LaneBuilderTest, NumbersLanes) {
  EXPECT_EQ(constants(b->laneNumbers(b->getI32Type(), -3)), (std::vector<int64_t>{0, -3, -6, -9}));
}

TEST_F(LaneBuilderTest, TakesANullMaskForAFullOne) {
  EXPECT_EQ(b->both({}, mask), mask);
  Value both = b->both(mask, b->allLanes());
  EXPECT_EQ(both.getDefiningOp<LLVM::SelectOp>().getCondition(), mask);
}

TEST_F(LaneBuilderTest, JoinsPiecesOfUnequalLength) {
  Value all = b->concatenate({vector, vector, vector});
  std::vector<int32_t> expected(16);
  std::iota(expected.begin(), expected.end(), 0);
  EXPECT_EQ(pattern(all), expected);
  EXPECT_EQ(b->concatenate({vector}), vector);
}

TEST_F(LaneBuilderTest, KeepsTruthValuesInBytes) {
  Value bytes = b->toMemory(mask);
  EXPECT_EQ(bytes.getType(), b->vectorOf(b->getI8Type()));
  EXPECT_EQ(b->fromMemory(bytes, b->getI1Type()).getType(), mask.getType());
  EXPECT_EQ(b->toMemory(vector), vector);
  EXPECT_EQ(b->fromMemory(vector, b->getI32Type()), vector);
}

TEST_F(LaneBuilderTest, AddsNoInstructionForAnOffsetOfZero) {
  Value pointer = b->stackOf(b->getI32Type());
  size_t before = operations();
  EXPECT_EQ(b->offset(pointer, int64_t{0}), pointer);
  EXPECT_EQ(operations(), before);
  EXPECT_NE(b->offset(pointer, int64_t{4}), pointer);
}

TEST_F(LaneBuilderTest, AllocatesInTheEntryBlock) {
  Block *next = b->newBlock();
  b->branch(next);
  b->startBlock(next);
  Value memory = b->stackOf(b->getI32Type());
  EXPECT_EQ(memory.getDefiningOp()->getBlock(), b->entry);
  EXPECT_EQ(b->getInsertionBlock(), next);
}

TEST_F(LaneBuilderTest, BranchesFromOpenBlocksOnly) {
  Block *next = b->newBlock();
  EXPECT_TRUE(b->isOpen());
  b->branch(next);
  EXPECT_FALSE(b->isOpen());
  size_t before = operations();
  b->branch(next);
  EXPECT_EQ(operations(), before);
  b->startBlock(next);
}

} // namespace
