//===- StoreSingleLanes.cpp - works around an LLVM bug in x86 stores --------===//
//   before: %v = trunc <16 x i32> %x to <16 x i8>
//           llvm.masked.store(%v, %p, <i1 0, i1 0, i1 0, i1 1, i1 0, …>)
//   after:  %e = extractelement <16 x i8> %v, 3
//           store i8 %e, (getelementptr i8, %p, 3)
// With AVX-512, LLVM 22.1 folds the truncation into the masked store. It then turns this store into
// a store of the single lane, but wrongly stores the value before the truncation: four bytes in
// this example.
//===-------------------------------------------------------------------------===//
#include "compiler/cpu/native/StoreSingleLanes.h"

#include "llvm/IR/IRBuilder.h"
#include "llvm/IR/InstIterator.h"
#include "llvm/IR/IntrinsicInst.h"
#include "llvm/IR/Module.h"

#include <optional>

using namespace llvm;

/// Returns the only active lane of a constant mask.
static std::optional<unsigned> singleLane(Value *mask) {
  auto *constant = dyn_cast<Constant>(mask);
  auto *type = dyn_cast<FixedVectorType>(mask->getType());
  if (!constant || !type)
    return std::nullopt;
  std::optional<unsigned> found;
  for (unsigned lane = 0; lane < type->getNumElements(); ++lane) {
    Constant *bit = constant->getAggregateElement(lane);
    if (!bit)
      return std::nullopt;
    if (isa<UndefValue>(bit) || bit->isNullValue())
      continue;
    if (found)
      return std::nullopt;
    found = lane;
  }
  return found;
}

void pumice::cpu::storeSingleLanes(Module &module) {
  SmallVector<std::pair<IntrinsicInst *, unsigned>> stores;
  for (Function &function : module)
    for (Instruction &instruction : instructions(function))
      if (auto *store = dyn_cast<IntrinsicInst>(&instruction);
          store && store->getIntrinsicID() == Intrinsic::masked_store)
        if (auto lane = singleLane(store->getArgOperand(store->arg_size() - 1)))
          stores.emplace_back(store, *lane);
  for (auto [store, lane] : stores) {
    IRBuilder<> b(store);
    Value *element = b.CreateExtractElement(store->getArgOperand(0), lane);
    const DataLayout &layout = module.getDataLayout();
    uint64_t bytes = layout.getTypeStoreSize(element->getType()) * lane;
    Value *place = b.CreatePtrAdd(store->getArgOperand(1), b.getInt64(bytes));
    Align whole = store->getParamAlign(1).valueOrOne();
    StoreInst *single = b.CreateAlignedStore(element, place, commonAlignment(whole, bytes));
    single->copyMetadata(*store);
    store->eraseFromParent();
  }
}
