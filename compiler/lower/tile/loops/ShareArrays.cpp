//===- ShareArrays.cpp - arrays of which one begins where another ends ---------===//
// Steps of a sort each leave what the next one takes: two arrays are enough.
//===-------------------------------------------------------------------------===//
#include "compiler/lower/tile/loops/ShareArrays.h"

#include "llvm/ADT/MapVector.h"

using namespace mlir;
using namespace pumice;
using namespace pumice::lower::tiles;

namespace {

/// Where an array is used: operations of one block.
struct Span {
  Block *block = nullptr;
  Operation *first = nullptr, *last = nullptr;
};

} // namespace

/// An array is filled in each turn of a loop that has all of its uses, before it is read.
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
    SmallVector<std::pair<Operation *, memref::AllocaOp>> kept; // until where
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
