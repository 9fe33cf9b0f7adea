//===- ValueMapTest.cpp - the map of SIMD values, tested alone --------------===//
#include "compiler/cpu/simd/ValueMap.h"
#include "compiler/cpu/testing/LoadKernels.h"

#include "mlir/Dialect/Func/IR/FuncOps.h"

#include <gtest/gtest.h>

using namespace mlir;
using namespace pumice;
using namespace pumice::cpu;

namespace {

/// Workgroups have 4 x 4 invocations. Subgroups have 8 lanes, which are two rows.
constexpr const char *kernelText = R"(
func.func @k() attributes {lane.kernel, lane.workgroup_size = array<i32: 4, 4, 1>} {
  %in = lane.buffer 0, 0
  %c3 = arith.constant 3 : i32
  %same = lane.load %in align 4 : i32
  %i = lane.builtin local_index
  %strided = arith.muli %i, %c3 : i32
  %y = lane.builtin local_id_y
  %varying = arith.muli %i, %i : i32
  return
}
)";

/// Replaces the kernel around the map and records what the map asks it for.
struct Recorder final : ValueSource {
  Value emitLeaf(Operation *op) override {
    ++leaves;
    return b->clone(*op)->getResult(0);
  }
  void bring(Value value) override {
    brought.push_back(value);
    map->defineHere(value, toBring);
  }
  bool isKept(Value value) override { return value == keptValue; }
  void keep(Value value, Value as) override { keptAs.push_back(as); }

  LaneBuilder *b = nullptr;
  ValueMap *map = nullptr;
  Value toBring, keptValue;
  unsigned leaves = 0;
  std::vector<Value> brought, keptAs;
};

struct ValueMapTest : ::testing::Test {
  ValueMapTest() {
    module = cpu::testing::loadKernels(kernelText, context);
    kernel = *module->getOps<func::FuncOp>().begin();
    WorkgroupShape shape;
    shape.size = {4, 4, 1};
    shape.lanes = shape.registerLanes = 8;
    analysis.emplace(kernel, shape);
    b.emplace(kernel.getLoc(), 8);
    b->setInsertionPoint(kernel);
    auto i32 = b->getI32Type();
    function =
        LLVM::LLVMFuncOp::create(*b, "f",
                                 LLVM::LLVMFunctionType::get(LLVM::LLVMVoidType::get(&context),
                                                             {i32, i32, b->vectorOf(i32)}));
    b->fill(function);
    b->startBlock(b->entry);
    map.emplace(*b, *analysis, source);
    source.b = &*b;
    source.map = &*map;
    scalar = function.getArgument(0);
    other = function.getArgument(1);
    vector = function.getArgument(2);
  }

  /// Returns the result of the kernel's operation with this number.
  Value result(unsigned number) {
    return std::next(kernel.getBody().front().begin(), number)->getResult(0);
  }
  Value constant() { return result(1); }
  Value same() { return result(2); }
  Value strided() { return result(4); }
  Value rows() { return result(5); }
  Value varying() { return result(6); }

  MLIRContext context{MLIRContext::Threading::DISABLED};
  OwningOpRef<ModuleOp> module;
  func::FuncOp kernel;
  std::optional<LaneAnalysis> analysis;
  std::optional<LaneBuilder> b;
  LLVM::LLVMFuncOp function;
  Recorder source;
  std::optional<ValueMap> map;
  Value scalar, other, vector;
};

TEST_F(ValueMapTest, EmitsALeafAtEachUse) {
  Value first = map->scalar(constant()), second = map->scalar(constant());
  EXPECT_NE(first, second);
  EXPECT_EQ(source.leaves, 2u);
}

TEST_F(ValueMapTest, HoldsTheWorkgroupsValuesForAllSubgroups) {
  map->define(same(), scalar);
  for (int subgroup = 0; subgroup < 2; ++subgroup) {
    map->startSubgroup();
    EXPECT_EQ(map->scalar(same()), scalar);
    map->endSubgroup();
  }
  EXPECT_TRUE(source.brought.empty());
}

TEST_F(ValueMapTest, MakesAVectorOfAStridedScalar) {
  map->startSubgroup();
  map->define(strided(), scalar);
  EXPECT_EQ(map->scalar(strided()), scalar);
  auto sum = map->vector(strided()).getDefiningOp<LLVM::AddOp>();
  ASSERT_TRUE(sum);
  auto steps = cast<DenseElementsAttr>(sum.getRhs().getDefiningOp<LLVM::ConstantOp>().getValue());
  EXPECT_EQ(steps.getValues<int32_t>()[7], 21);
}

TEST_F(ValueMapTest, ExtractsALaneOfAVector) {
  map->startSubgroup();
  map->define(varying(), vector);
  EXPECT_EQ(map->vector(varying()), vector);
  auto extracted = map->laneOf(varying(), 5).getDefiningOp<LLVM::ExtractElementOp>();
  ASSERT_TRUE(extracted);
  EXPECT_EQ(extracted.getVector(), vector);
}

TEST_F(ValueMapTest, HoldsTheFirstLanesOfBlocks) {
  ASSERT_EQ(map->blocksOf(analysis->shape(rows())), 2u);
  map->startSubgroup();
  map->defineFirsts(rows(), {scalar, other});
  EXPECT_EQ(map->laneOf(rows(), 0), scalar);
  EXPECT_EQ(map->laneOf(rows(), 7), other);
  EXPECT_EQ(map->vector(rows()).getType(), vector.getType());
}

TEST_F(ValueMapTest, AsksForWhatAnotherSegmentHasComputed) {
  map->startSubgroup();
  map->define(varying(), vector);
  map->startSubgroup();
  source.toBring = b->splat(scalar);
  EXPECT_EQ(map->vector(varying()), source.toBring);
  EXPECT_EQ(map->vector(varying()), source.toBring);
  EXPECT_EQ(source.brought, std::vector<Value>{varying()});
}

TEST_F(ValueMapTest, PassesOnWhatOtherSegmentsNeed) {
  source.keptValue = varying();
  map->startSubgroup();
  map->define(strided(), scalar);
  map->define(varying(), vector);
  map->defineHere(varying(), vector);
  EXPECT_EQ(source.keptAs, std::vector<Value>{vector});
}

} // namespace
