//===- ShareArrays.cpp - merges arrays that are not needed together ---------===//
// Each step of a sort reads the previous step's array and writes another one, so two arrays
// suffice.
//===-------------------------------------------------------------------------===//
#include "compiler/lower/tile/loops/ShareArrays.h"

#include "llvm/ADT/MapVector.h"

using namespace mlir;
using namespace pumice;
using namespace pumice::lower::tiles;

namespace {

/// The first and the last operation of one block that use an array.
struct Span {
  Block *block = nullptr;
  Operation *first = nullptr, *last = nullptr;
};

} // namespace

/// Returns the operations that use an array. If a loop contains all uses, each iteration fills the
/// array before it reads it. Arrays can therefore share memory within the loop's body.
static Span spanOf(memref::AllocaOp array) {
  Span span;
  for (Operation *user : array->getUsers()) {
    if (!span.block)
      span.block = user->getBlock();
    while (!span.block->findAncestorOpInBlock(*user))
      span.block = span.block->getParentOp()->getBlock();
  }
  for (Operation *user : array->getUsers()) {
    Operation *op = span.block->findAncestorOpInBlock(*user);
    if (!span.first || op->isBeforeInBlock(span.first))
      span.first = op;
    if (!span.last || span.last->isBeforeInBlock(op))
      span.last = op;
  }
  return span;
}

uint64_t pumice::lower::tiles::shareArrays(SmallVectorImpl<memref::AllocaOp> &arrays) {
  llvm::MapVector<std::pair<Block *, Type>, SmallVector<std::pair<Span, memref::AllocaOp>>> uses;
  for (memref::AllocaOp array : arrays) {
    if (array->use_empty()) {
      array->erase();
      continue;
    }
    Span span = spanOf(array);
    uses[{span.block, array.getType()}].push_back({span, array});
  }
  arrays.clear();
  uint64_t bytes = 0;
  for (auto &[key, sharing] : uses) {
    llvm::sort(sharing, [](const auto &a, const auto &b) {
      if (a.first.first != b.first.first)
        return a.first.first->isBeforeInBlock(b.first.first);
      return a.second->isBeforeInBlock(b.second);
    });
    SmallVector<std::pair<Operation *, memref::AllocaOp>>
        kept; // the last use of each remaining array
    for (auto &[span, array] : sharing) {
      Operation *first = span.first;
      auto free = llvm::find_if(
          kept, [&](const auto &other) { return other.first->isBeforeInBlock(first); });
      if (free == kept.end()) {
        kept.push_back({span.last, array});
        continue;
      }
      free->first = span.last;
      array->replaceAllUsesWith(free->second);
      array->erase();
    }
    for (auto &[last, array] : kept) {
      MemRefType type = array.getType();
      bytes +=
          tile::storedBytes(type.getElementType()) * static_cast<uint64_t>(type.getNumElements());
      arrays.push_back(array);
    }
  }
  return bytes;
}
