//===- WidenIntegers.cpp - LLVM IR without integers of unusual widths -------===//
//   before: %t = trunc i64 %x to i6           %z = zext i6 %t to i64
//   after:  %t = and i8 (trunc i64 %x), 63    %z = zext i8 %t to i64
// The upper bits of a widened value are always zero.
//===-------------------------------------------------------------------------===//
#include "compiler/opencl/WidenIntegers.h"

#include "llvm/ADT/DenseMap.h"
#include "llvm/ADT/PostOrderIterator.h"
#include "llvm/ADT/SmallVector.h"
#include "llvm/IR/IRBuilder.h"
#include "llvm/IR/InstIterator.h"
#include "llvm/IR/IntrinsicInst.h"
#include "llvm/IR/Module.h"
#include "llvm/Support/MathExtras.h"
#include "llvm/Support/raw_ostream.h"
#include "llvm/Transforms/Utils/Local.h"

using namespace pumice;

namespace {

constexpr unsigned widest = 64;

bool isUnusual(const llvm::Type *type) {
  auto *integer = llvm::dyn_cast<llvm::IntegerType>(type->getScalarType());
  if (!integer)
    return false;
  unsigned bits = integer->getBitWidth();
  return bits != 1 && bits <= widest && (bits < 8 || !llvm::isPowerOf2_32(bits));
}

llvm::Type *wider(llvm::Type *type) {
  if (!isUnusual(type))
    return type;
  unsigned bits = std::max<unsigned>(8, llvm::PowerOf2Ceil(type->getScalarSizeInBits()));
  return type->getWithNewBitWidth(bits);
}

/// Widens the integers of one function.
struct Widening {
  explicit Widening(llvm::Function &function) : function(function), b(function.getContext()) {}

  llvm::Function &function;
  llvm::IRBuilder<> b;
  llvm::DenseMap<const llvm::Value *, llvm::Value *> widened;
  llvm::SmallVector<llvm::Instruction *> replaced;

  /// Returns an operand with zeros in its upper bits.
  llvm::Value *operand(llvm::Value *value) {
    if (!isUnusual(value->getType()))
      return value;
    if (auto *made = widened.lookup(value))
      return made;
    llvm::Type *type = wider(value->getType());
    if (llvm::isa<llvm::UndefValue>(value)) // the upper bits must be zero
      return llvm::Constant::getNullValue(type);
    if (auto *vector = llvm::dyn_cast<llvm::FixedVectorType>(value->getType())) {
      llvm::SmallVector<llvm::Constant *> elements;
      for (unsigned i = 0; i < vector->getNumElements(); ++i)
        elements.push_back(llvm::cast<llvm::Constant>(
            operand(llvm::cast<llvm::Constant>(value)->getAggregateElement(i))));
      return llvm::ConstantVector::get(elements);
    }
    if (auto *number = llvm::dyn_cast<llvm::ConstantInt>(value))
      return llvm::ConstantInt::get(type, number->getZExtValue());
    return nullptr;
  }

  /// Returns an operand with copies of its sign in the upper bits.
  llvm::Value *signedOperand(llvm::Value *value) {
    llvm::Value *made = operand(value);
    if (!made || !isUnusual(value->getType()))
      return made;
    uint64_t missing =
        made->getType()->getScalarSizeInBits() - value->getType()->getScalarSizeInBits();
    return b.CreateAShr(b.CreateShl(made, missing), missing);
  }

  /// Clears the upper bits of a value that stands for one of `type`.
  llvm::Value *clean(llvm::Value *value, llvm::Type *type) {
    uint64_t mask = llvm::maskTrailingOnes<uint64_t>(type->getScalarSizeInBits());
    return isUnusual(type) ? b.CreateAnd(value, mask) : value;
  }

  llvm::Value *binary(llvm::BinaryOperator &op) {
    using Instruction = llvm::Instruction;
    bool isSigned = op.getOpcode() == Instruction::AShr || op.getOpcode() == Instruction::SDiv ||
                    op.getOpcode() == Instruction::SRem;
    llvm::Value *x = isSigned ? signedOperand(op.getOperand(0)) : operand(op.getOperand(0));
    bool isShift = op.getOpcode() == Instruction::AShr;
    llvm::Value *y =
        isSigned && !isShift ? signedOperand(op.getOperand(1)) : operand(op.getOperand(1));
    return x && y ? clean(b.CreateBinOp(op.getOpcode(), x, y), op.getType()) : nullptr;
  }

  llvm::Value *cast(llvm::CastInst &op) {
    using Instruction = llvm::Instruction;
    bool isSigned = op.getOpcode() == Instruction::SExt || op.getOpcode() == Instruction::SIToFP;
    llvm::Value *x = isSigned ? signedOperand(op.getOperand(0)) : operand(op.getOperand(0));
    if (!x)
      return nullptr;
    llvm::Type *type = wider(op.getType());
    switch (op.getOpcode()) {
    case Instruction::Trunc:
    case Instruction::ZExt:
      return clean(b.CreateZExtOrTrunc(x, type), op.getType());
    case Instruction::SExt:
      return clean(b.CreateSExtOrTrunc(x, type), op.getType());
    case Instruction::UIToFP:
    case Instruction::SIToFP:
    case Instruction::FPToUI:
    case Instruction::FPToSI:
      return clean(b.CreateCast(op.getOpcode(), x, type), op.getType());
    case Instruction::BitCast:
      return bits(op, x);
    default:
      return nullptr;
    }
  }

  /// Converts between an integer and a vector of integers of usual widths, such as i24 and <3 x
  /// i8>.
  llvm::Value *bits(llvm::CastInst &op, llvm::Value *x) {
    llvm::Type *whole = wider(op.getType());
    if (auto *vector = llvm::dyn_cast<llvm::FixedVectorType>(op.getSrcTy());
        vector && vector->getElementType()->isIntegerTy() && !isUnusual(vector) &&
        op.getDestTy()->isIntegerTy()) {
      llvm::Value *all = llvm::Constant::getNullValue(whole);
      for (unsigned i = 0; i < vector->getNumElements(); ++i) {
        llvm::Value *part = b.CreateZExt(b.CreateExtractElement(x, i), whole);
        all = b.CreateOr(all, b.CreateShl(part, i * vector->getScalarSizeInBits()));
      }
      return all;
    }
    if (auto *vector = llvm::dyn_cast<llvm::FixedVectorType>(op.getDestTy());
        vector && vector->getElementType()->isIntegerTy() && !isUnusual(vector) &&
        op.getSrcTy()->isIntegerTy()) {
      llvm::Value *all = llvm::PoisonValue::get(vector);
      for (unsigned i = 0; i < vector->getNumElements(); ++i) {
        llvm::Value *part = b.CreateLShr(x, i * vector->getScalarSizeInBits());
        all = b.CreateInsertElement(all, b.CreateTrunc(part, vector->getElementType()), i);
      }
      return all;
    }
    return nullptr;
  }

  /// Loads whole bytes, since memory behind them may belong to something else.
  llvm::Value *load(llvm::LoadInst &op) {
    if (op.getType()->isVectorTy() || op.isAtomic())
      return nullptr;
    llvm::Type *type = wider(op.getType());
    llvm::Value *all = llvm::Constant::getNullValue(type);
    for (unsigned at = 0; 8 * at < op.getType()->getIntegerBitWidth(); ++at) {
      llvm::Value *place = b.CreateConstInBoundsGEP1_64(b.getInt8Ty(), op.getPointerOperand(), at);
      llvm::Value *part =
          b.CreateAlignedLoad(b.getInt8Ty(), place, llvm::Align(1), op.isVolatile());
      all = b.CreateOr(all, b.CreateShl(b.CreateZExt(part, type), 8 * at));
    }
    return clean(all, op.getType());
  }

  bool store(llvm::StoreInst &op) {
    llvm::Value *value = operand(op.getValueOperand());
    if (!value || value->getType()->isVectorTy() || op.isAtomic())
      return false;
    for (unsigned at = 0; 8 * at < op.getValueOperand()->getType()->getIntegerBitWidth(); ++at) {
      llvm::Value *place = b.CreateConstInBoundsGEP1_64(b.getInt8Ty(), op.getPointerOperand(), at);
      llvm::Value *part = b.CreateTrunc(b.CreateLShr(value, 8 * at), b.getInt8Ty());
      b.CreateAlignedStore(part, place, llvm::Align(1), op.isVolatile());
    }
    return true;
  }

  /// Returns the value that replaces `op`, or null if it cannot be widened.
  llvm::Value *replacement(llvm::Instruction &op) {
    llvm::Type *type = wider(op.getType());
    if (auto *binaryOp = llvm::dyn_cast<llvm::BinaryOperator>(&op))
      return binary(*binaryOp);
    if (auto *castOp = llvm::dyn_cast<llvm::CastInst>(&op))
      return cast(*castOp);
    if (auto *loadOp = llvm::dyn_cast<llvm::LoadInst>(&op))
      return load(*loadOp);
    if (auto *compare = llvm::dyn_cast<llvm::ICmpInst>(&op)) {
      llvm::Value *x =
          compare->isSigned() ? signedOperand(op.getOperand(0)) : operand(op.getOperand(0));
      llvm::Value *y =
          compare->isSigned() ? signedOperand(op.getOperand(1)) : operand(op.getOperand(1));
      return x && y ? b.CreateICmp(compare->getPredicate(), x, y) : nullptr;
    }
    if (auto *call = llvm::dyn_cast<llvm::IntrinsicInst>(&op)) {
      llvm::Intrinsic::ID id = call->getIntrinsicID();
      bool isSigned = id == llvm::Intrinsic::smin || id == llvm::Intrinsic::smax;
      if (!isSigned && id != llvm::Intrinsic::umin && id != llvm::Intrinsic::umax)
        return nullptr;
      llvm::Value *x = isSigned ? signedOperand(op.getOperand(0)) : operand(op.getOperand(0));
      llvm::Value *y = isSigned ? signedOperand(op.getOperand(1)) : operand(op.getOperand(1));
      return x && y ? clean(b.CreateBinaryIntrinsic(id, x, y), op.getType()) : nullptr;
    }
    if (auto *phi = llvm::dyn_cast<llvm::PHINode>(&op))
      return b.CreatePHI(type, phi->getNumIncomingValues());
    if (llvm::isa<llvm::SelectInst, llvm::FreezeInst, llvm::ExtractElementInst,
                  llvm::InsertElementInst, llvm::ShuffleVectorInst>(op)) {
      llvm::SmallVector<llvm::Value *> operands;
      for (llvm::Value *each : op.operands()) {
        operands.push_back(operand(each));
        if (!operands.back())
          return nullptr;
      }
      if (llvm::isa<llvm::SelectInst>(op))
        return b.CreateSelect(operands[0], operands[1], operands[2]);
      if (llvm::isa<llvm::FreezeInst>(op))
        return b.CreateFreeze(operands[0]);
      if (llvm::isa<llvm::ExtractElementInst>(op))
        return b.CreateExtractElement(operands[0], operands[1]);
      if (llvm::isa<llvm::InsertElementInst>(op))
        return b.CreateInsertElement(operands[0], operands[1], operands[2]);
      return b.CreateShuffleVector(operands[0], operands[1],
                                   llvm::cast<llvm::ShuffleVectorInst>(op).getShuffleMask());
    }
    return nullptr;
  }

  bool replace(llvm::Instruction &op) {
    b.SetInsertPoint(&op);
    if (auto *choice = llvm::dyn_cast<llvm::SwitchInst>(&op)) {
      llvm::Value *condition = operand(choice->getCondition());
      if (!condition)
        return false;
      auto *made = b.CreateSwitch(condition, choice->getDefaultDest(), choice->getNumCases());
      for (auto each : choice->cases())
        made->addCase(llvm::cast<llvm::ConstantInt>(operand(each.getCaseValue())),
                      each.getCaseSuccessor());
      replaced.push_back(&op);
      return true;
    }
    if (auto *step = llvm::dyn_cast<llvm::GetElementPtrInst>(&op)) { // indices have signs
      for (llvm::Use &index : step->indices())
        if (isUnusual(index->getType()))
          index.set(signedOperand(index.get()));
      return true;
    }
    if (auto *storing = llvm::dyn_cast<llvm::StoreInst>(&op)) {
      replaced.push_back(&op);
      return store(*storing);
    }
    llvm::Value *made = replacement(op);
    if (!made)
      return false;
    replaced.push_back(&op);
    if (isUnusual(op.getType()))
      widened[&op] = made;
    else
      op.replaceAllUsesWith(made);
    return true;
  }

  Status run() {
    llvm::removeUnreachableBlocks(function);
    llvm::ReversePostOrderTraversal<llvm::Function *> order(&function);
    llvm::SmallVector<llvm::Instruction *> work;
    for (llvm::BasicBlock *block : order)
      for (llvm::Instruction &op : *block)
        if (isUnusual(op.getType()) ||
            llvm::any_of(op.operands(), [](llvm::Use &use) { return isUnusual(use->getType()); }))
          work.push_back(&op);
    for (llvm::Instruction *op : work)
      if (!replace(*op)) {
        std::string text;
        llvm::raw_string_ostream(text) << *op;
        return Status(StatusCode::Unsupported,
                      "'" + llvm::StringRef(text).trim().str() +
                          "' has integers of a width that SPIR-V lacks; expected 1, 8, 16, 32 or "
                          "64 bits: use a wider type");
      }
    for (llvm::Instruction *op : replaced)
      if (auto *phi = llvm::dyn_cast<llvm::PHINode>(op))
        for (unsigned i = 0; i < phi->getNumIncomingValues(); ++i)
          llvm::cast<llvm::PHINode>(widened.lookup(phi))
              ->addIncoming(operand(phi->getIncomingValue(i)), phi->getIncomingBlock(i));
    for (llvm::Instruction *op : replaced)
      op->dropAllReferences();
    for (llvm::Instruction *op : replaced)
      op->eraseFromParent();
    return Status::ok();
  }
};

/// Replaces extensions of truncated integers by masks. The backend does so as well, but its masks
/// have the type of the result, which may not be that of the original integer.
void maskTruncations(llvm::Function &function) {
  llvm::SmallVector<llvm::ZExtInst *> extensions;
  for (llvm::Instruction &op : llvm::instructions(function))
    if (auto *extension = llvm::dyn_cast<llvm::ZExtInst>(&op);
        extension && llvm::isa<llvm::TruncInst>(extension->getOperand(0)) &&
        extension->getType()->getScalarSizeInBits() <= widest)
      extensions.push_back(extension);
  for (llvm::ZExtInst *extension : extensions) {
    auto *truncation = llvm::cast<llvm::TruncInst>(extension->getOperand(0));
    llvm::Value *x = truncation->getOperand(0);
    if (x->getType()->getScalarSizeInBits() > widest)
      continue;
    llvm::IRBuilder<> b(extension);
    unsigned kept = truncation->getType()->getScalarSizeInBits();
    llvm::Value *masked = b.CreateAnd(x, llvm::maskTrailingOnes<uint64_t>(kept));
    extension->replaceAllUsesWith(b.CreateZExtOrTrunc(masked, extension->getType()));
    extension->eraseFromParent();
  }
}

} // namespace

Status opencl::widenIntegers(llvm::Module &module) {
  for (llvm::Function &function : module) {
    if (function.isDeclaration())
      continue;
    maskTruncations(function);
    if (Status status = Widening(function).run(); !status.isOk())
      return status;
  }
  return Status::ok();
}
