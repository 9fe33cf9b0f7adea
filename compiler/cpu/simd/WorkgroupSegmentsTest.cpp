//===- WorkgroupSegmentsTest.cpp - code between barriers, and what it keeps -===//
#include "compiler/cpu/simd/WorkgroupSegments.h"
#include "compiler/cpu/testing/EmittedKernel.h"

using namespace mlir;
using namespace pumice;
using namespace pumice::cpu;
using cpu::testing::EmittedKernel;

namespace {

/// Returns a kernel whose workgroups have `size` invocations. `%kept` is computed before a barrier
/// and stored after it.
std::string barrierKernel(unsigned size, const std::string &kept) {
  return R"(
func.func @k() attributes {lane.kernel, lane.workgroup_size = array<i32: )" +
         std::to_string(size) + R"(, 1, 1>} {
  %p = lane.buffer 0, 0
  %i = lane.builtin local_index
  %c4 = arith.constant 4 : i64
  %w = arith.extsi %i : i32 to i64
  %o = arith.muli %w, %c4 : i64
  %q = lane.offset %p[%o]
  %x = lane.load %q align 4 : i32
  %kept = )" +
         kept + R"(
  lane.barrier
  lane.store %kept to %q align 4 : i32
  return
}
)";
}

constexpr const char *product = "arith.muli %x, %x : i32";

/// Returns the numbers of subgroups over which the kernel's loops run, one for each loop.
std::vector<int64_t> loopsOf(EmittedKernel &kernel) {
  std::vector<int64_t> counts;
  for (LLVM::ICmpOp compare : kernel.all<LLVM::ICmpOp>())
    if (auto count = compare.getRhs().getDefiningOp<LLVM::ConstantOp>();
        count && count.getType().isInteger(32) &&
        compare.getPredicate() == LLVM::ICmpPredicate::ult)
      counts.push_back(cast<IntegerAttr>(count.getValue()).getInt());
  return counts;
}

/// Returns the alloca behind an address, or null.
LLVM::AllocaOp stackBehind(Value address) {
  while (auto offset = address.getDefiningOp<LLVM::GEPOp>())
    address = offset.getBase();
  return address.getDefiningOp<LLVM::AllocaOp>();
}

/// Returns the sizes of the bytes on the stack to which vectors are stored.
std::set<int64_t> scratchOf(EmittedKernel &kernel) {
  std::set<int64_t> sizes;
  for (LLVM::StoreOp store : kernel.all<LLVM::StoreOp>())
    if (LLVM::AllocaOp stack = stackBehind(store.getAddr());
        stack && stack.getElemType().isInteger(8) && isa<VectorType>(store.getValue().getType()))
      sizes.insert(
          cast<IntegerAttr>(stack.getArraySize().getDefiningOp<LLVM::ConstantOp>().getValue())
              .getInt());
  return sizes;
}

TEST(WorkgroupSegments, RunOnceForEachSubgroupOnBothSidesOfABarrier) {
  EmittedKernel kernel(barrierKernel(32, product));
  kernel.emit();
  EXPECT_EQ(loopsOf(kernel), (std::vector<int64_t>{4, 4}));
}

TEST(WorkgroupSegments, NeedNoLoopForOneSubgroup) {
  EmittedKernel kernel(barrierKernel(8, product));
  kernel.emit();
  EXPECT_TRUE(loopsOf(kernel).empty());
}

/// The part of each of the four subgroups is rounded up from 32 bytes to 64.
TEST(WorkgroupSegments, KeepAVectorForEachSubgroup) {
  EmittedKernel kernel(barrierKernel(32, product));
  kernel.emit();
  EXPECT_EQ(scratchOf(kernel), std::set<int64_t>{4 * 64});
}

TEST(WorkgroupSegments, ComputeCheapValuesAgain) {
  EmittedKernel kernel(barrierKernel(32, "arith.addi %i, %i : i32"));
  kernel.emit();
  EXPECT_TRUE(scratchOf(kernel).empty());
}

TEST(WorkgroupSegments, KeepMuchInTheScratchMemoryOfTheThread) {
  std::string text = barrierKernel(1024, product);
  for (int i = 0; i < 4; ++i) { // 1024 * 4 bytes for each, more than 16 KiB in all
    std::string name = "%more" + std::to_string(i);
    text.insert(text.find("  lane.barrier"), "  " + name + " = arith.muli %kept, %x : i32\n" +
                                                 "  %v" + std::to_string(i) + " = arith.xori " +
                                                 name + ", %i : i32\n");
    text.insert(text.find("  return"),
                "  lane.store %v" + std::to_string(i) + " to %q align 4 : i32\n");
  }
  EmittedKernel kernel(text);
  LLVM::LLVMFuncOp function = kernel.emit();
  EXPECT_TRUE(scratchOf(kernel).empty());
  EXPECT_GT(function->getAttrOfType<IntegerAttr>("lane.scratch_bytes").getInt(), 16 << 10);
}

/// Returns the numbers of invocations with which lane numbers are compared.
size_t startMasksOf(EmittedKernel &kernel) {
  return llvm::count_if(kernel.all<LLVM::ICmpOp>(), [](LLVM::ICmpOp compare) {
    return isa<VectorType>(compare.getLhs().getType());
  });
}

TEST(WorkgroupSegments, MaskTheLanesBehindTheLastInvocation) {
  EmittedKernel full(barrierKernel(16, product)), partial(barrierKernel(12, product));
  full.emit();
  partial.emit();
  EXPECT_EQ(startMasksOf(full), 0u);
  EXPECT_EQ(startMasksOf(partial), 2u); // one for each segment
}

TEST(WorkgroupSegments, EmitTheWorkgroupsScalarsOnce) {
  std::string text = barrierKernel(32, product);
  text.insert(text.find("  lane.barrier"), "  %same = lane.load %p align 4 : i32\n"
                                           "  %square = arith.muli %same, %same : i32\n");
  text.insert(text.find("  return"), "  lane.store %square to %p align 4 : i32\n");
  EmittedKernel kernel(text);
  kernel.emit();
  size_t scalars = llvm::count_if(kernel.all<arith::MulIOp>(),
                                  [](arith::MulIOp op) { return op.getType().isInteger(32); });
  EXPECT_EQ(scalars, 1u);
}

} // namespace
