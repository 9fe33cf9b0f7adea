//===- ConversionFunctions.cpp - OpenCL C's convert_ functions as LLVM IR ---===//
//   before: %y = call i8 @_Z21convert_uchar_sat_rtef(float %x)
//   after:  %r = call float @llvm.roundeven.f32(float %x)
//           %y = call i8 @llvm.fptoui.sat.i8.f32(float %r)
//===-------------------------------------------------------------------------===//
#include "compiler/opencl/ConversionFunctions.h"

#include "compiler/opencl/BuiltInName.h"

#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/StringSwitch.h"
#include "llvm/Demangle/Demangle.h"
#include "llvm/IR/IRBuilder.h"
#include "llvm/IR/Instructions.h"
#include "llvm/IR/Intrinsics.h"
#include "llvm/IR/Module.h"

#include <cmath>
#include <string>

using namespace pumice;

namespace {

/// The direction in which a conversion rounds. Nearest is to even.
enum class Rounding { Default, Nearest, TowardZero, Upward, Downward };

/// Makes the instructions for one call of a conversion.
struct Conversion {
  Conversion(llvm::CallInst &call, llvm::StringRef demangled)
      : b(&call), x(call.getArgOperand(0)), from(x->getType()), to(call.getType()) {
    auto [name, parameter] = demangled.split('(');
    for (auto [ending, direction] :
         {std::pair("_rte", Rounding::Nearest), std::pair("_rtz", Rounding::TowardZero),
          std::pair("_rtp", Rounding::Upward), std::pair("_rtn", Rounding::Downward)})
      if (name.consume_back(ending))
        rounding = direction;
    saturates = name.consume_back("_sat");
    fromSigned = !parameter.starts_with("unsigned");
    toSigned = !name.starts_with("convert_u");
  }

  llvm::IRBuilder<> b;
  llvm::Value *x;
  llvm::Type *from, *to;
  Rounding rounding = Rounding::Default;
  bool saturates = false, fromSigned = true, toSigned = true;

  llvm::Value *make() {
    if (to->isFPOrFPVectorTy())
      return from->isFPOrFPVectorTy() ? floatToFloat() : integerToFloat();
    return from->isFPOrFPVectorTy() ? floatToInteger() : integerToInteger();
  }

private:
  llvm::Value *number(llvm::Type *type, const llvm::APInt &value) {
    return llvm::ConstantInt::get(type, value);
  }

  llvm::Value *integerToInteger() {
    unsigned fromBits = from->getScalarSizeInBits(), toBits = to->getScalarSizeInBits();
    llvm::Value *inside = x;
    // Clamps in the type of the argument, with those bounds that it can exceed.
    if (saturates && fromSigned) {
      if (!toSigned)
        inside = b.CreateBinaryIntrinsic(llvm::Intrinsic::smax, inside,
                                         llvm::Constant::getNullValue(from));
      else if (toBits < fromBits)
        inside = b.CreateBinaryIntrinsic(
            llvm::Intrinsic::smax, inside,
            number(from, llvm::APInt::getSignedMinValue(toBits).sext(fromBits)));
      if (toBits < fromBits)
        inside =
            b.CreateBinaryIntrinsic(llvm::Intrinsic::smin, inside, number(from, most(fromBits)));
    } else if (saturates && (toBits < fromBits || (toBits == fromBits && toSigned))) {
      inside = b.CreateBinaryIntrinsic(llvm::Intrinsic::umin, inside, number(from, most(fromBits)));
    }
    return b.CreateIntCast(inside, to, fromSigned);
  }

  /// Returns the greatest number of the result's type, in a type of at least as many bits.
  llvm::APInt most(unsigned bits) const {
    unsigned toBits = to->getScalarSizeInBits();
    return (toSigned ? llvm::APInt::getSignedMaxValue(toBits) : llvm::APInt::getMaxValue(toBits))
        .zext(bits);
  }

  llvm::Value *floatToInteger() {
    llvm::Intrinsic::ID toWhole = rounding == Rounding::Nearest    ? llvm::Intrinsic::roundeven
                                  : rounding == Rounding::Upward   ? llvm::Intrinsic::ceil
                                  : rounding == Rounding::Downward ? llvm::Intrinsic::floor
                                                                   : llvm::Intrinsic::not_intrinsic;
    llvm::Value *whole = toWhole ? b.CreateUnaryIntrinsic(toWhole, x) : x;
    if (saturates) {
      // NaN becomes 0, but not in Intel's runtime for CPUs.
      llvm::Value *zero = llvm::Constant::getNullValue(from);
      whole = b.CreateSelect(b.CreateFCmpORD(whole, zero), whole, zero);
      return b.CreateIntrinsic(toSigned ? llvm::Intrinsic::fptosi_sat : llvm::Intrinsic::fptoui_sat,
                               {to, from}, {whole});
    }
    return toSigned ? b.CreateFPToSI(whole, to) : b.CreateFPToUI(whole, to);
  }

  llvm::Value *toFloat(llvm::Type *type) {
    return fromSigned ? b.CreateSIToFP(x, type) : b.CreateUIToFP(x, type);
  }

  llvm::Value *integerToFloat() {
    if (rounding == Rounding::Default || rounding == Rounding::Nearest)
      return toFloat(to);
    llvm::Value *near = toFloat(to);
    unsigned width = from->getScalarSizeInBits();
    // The nearest float may be beyond the range of the integers, or be infinite.
    int exponent = static_cast<int>(width) - fromSigned;
    llvm::Value *isBeyond =
        to->getScalarType()->isHalfTy() && exponent > 15
            ? b.CreateFCmpOEQ(near, llvm::ConstantFP::getInfinity(to))
            : b.CreateFCmpOGE(near, llvm::ConstantFP::get(to, std::ldexp(1.0, exponent)));
    llvm::Value *isBelowAll = llvm::Constant::getNullValue(isBeyond->getType());
    if (to->getScalarType()->isHalfTy() && fromSigned)
      isBelowAll = b.CreateFCmpOEQ(near, llvm::ConstantFP::getInfinity(to, /*Negative=*/true));
    llvm::Value *inside =
        b.CreateSelect(b.CreateOr(isBeyond, isBelowAll), llvm::Constant::getNullValue(to), near);
    llvm::Value *back = fromSigned ? b.CreateFPToSI(inside, from) : b.CreateFPToUI(inside, from);
    llvm::Value *isAbove = fromSigned ? b.CreateICmpSGT(back, x) : b.CreateICmpUGT(back, x);
    llvm::Value *isBelow = fromSigned ? b.CreateICmpSLT(back, x) : b.CreateICmpULT(back, x);
    isAbove = b.CreateOr(isBeyond, b.CreateAnd(isAbove, b.CreateNot(isBelowAll)));
    isBelow = b.CreateOr(isBelowAll, b.CreateAnd(isBelow, b.CreateNot(isBeyond)));
    llvm::Value *zero = llvm::Constant::getNullValue(from);
    return step(near, isAbove, isBelow, fromSigned ? b.CreateICmpSLT(x, zero) : nullptr);
  }

  llvm::Value *floatToFloat() {
    unsigned fromBits = from->getScalarSizeInBits(), toBits = to->getScalarSizeInBits();
    if (fromBits == toBits)
      return x;
    if (fromBits < toBits)
      return b.CreateFPExt(x, to);
    llvm::Value *near = b.CreateFPTrunc(x, to);
    if (rounding == Rounding::Default || rounding == Rounding::Nearest)
      return near;
    llvm::Value *back = b.CreateFPExt(near, from);
    return step(near, b.CreateFCmpOGT(back, x), b.CreateFCmpOLT(back, x),
                b.CreateFCmpOLT(x, llvm::Constant::getNullValue(from)));
  }

  /// Moves the nearest float by one step if it lies on the wrong side of the exact number.
  /// `isNegative` is null if no number is.
  llvm::Value *step(llvm::Value *near, llvm::Value *isAbove, llvm::Value *isBelow,
                    llvm::Value *isNegative) {
    llvm::Type *integers = to->getWithNewType(b.getIntNTy(to->getScalarSizeInBits()));
    if (!isNegative)
      isNegative = llvm::Constant::getNullValue(isAbove->getType());
    llvm::Value *bits = b.CreateBitCast(near, integers);
    llvm::Value *one = llvm::ConstantInt::get(integers, 1);
    llvm::Value *longer = b.CreateAdd(bits, one), *shorter = b.CreateSub(bits, one);
    llvm::Value *up = b.CreateSelect(isNegative, shorter, longer);
    llvm::Value *down = b.CreateSelect(isNegative, longer, shorter);
    llvm::Value *goesUp = isBelow, *goesDown = isAbove;
    if (rounding == Rounding::TowardZero) { // up from negative numbers only
      goesUp = b.CreateAnd(isBelow, isNegative);
      goesDown = b.CreateAnd(isAbove, b.CreateNot(isNegative));
    }
    llvm::Value *made = bits;
    if (rounding != Rounding::Upward)
      made = b.CreateSelect(goesDown, down, made);
    if (rounding != Rounding::Downward)
      made = b.CreateSelect(goesUp, up, made);
    return b.CreateBitCast(made, to);
  }
};

unsigned lanesOf(const llvm::Type *type) {
  auto *vector = llvm::dyn_cast<llvm::FixedVectorType>(type);
  return vector ? vector->getNumElements() : 1;
}

bool isNumber(const llvm::Type *type) {
  const llvm::Type *scalar = type->getScalarType();
  return scalar->isHalfTy() || scalar->isFloatTy() || scalar->isDoubleTy() ||
         (scalar->isIntegerTy() && scalar->getIntegerBitWidth() >= 8);
}

/// Returns whether a function is a conversion, as OpenCL C declares it.
bool isConversion(const llvm::Function &callee, llvm::StringRef demangled) {
  return demangled.starts_with("convert_") && callee.arg_size() == 1 &&
         isNumber(callee.getReturnType()) && isNumber(callee.getArg(0)->getType()) &&
         lanesOf(callee.getReturnType()) == lanesOf(callee.getArg(0)->getType());
}

/// Replaces vloada_half3, which has a vector in the place of four numbers, by vload_half3 at a
/// pointer that is moved. vstorea_half3 has the pointer and the place behind a vector.
void movePointer(llvm::CallInst &call, const opencl::BuiltInName &name) {
  unsigned place = name.base.starts_with("vstorea") ? 1 : 0;
  if (call.arg_size() != place + 2 || !call.getArgOperand(place)->getType()->isIntegerTy())
    return;
  llvm::IRBuilder<> b(&call);
  llvm::Value *index = call.getArgOperand(place), *pointer = call.getArgOperand(place + 1);
  llvm::Value *bytes = b.CreateShl(b.CreateZExtOrTrunc(index, b.getInt64Ty()), 3);
  call.setArgOperand(place + 1, b.CreateGEP(b.getInt8Ty(), pointer, bytes));
  call.setArgOperand(place, llvm::Constant::getNullValue(index->getType()));
  std::string plain = name.base.str();
  plain.erase(plain.find("a_half3"), 1);
  llvm::Function &callee = *call.getCalledFunction();
  llvm::FunctionCallee made =
      call.getModule()->getOrInsertFunction(opencl::BuiltInName::join(plain, name.parameters),
                                            callee.getFunctionType(), callee.getAttributes());
  auto *function = llvm::cast<llvm::Function>(made.getCallee());
  function->setCallingConv(callee.getCallingConv());
  call.setCalledFunction(function);
}

} // namespace

void opencl::expandConversionFunctions(llvm::Module &module) {
  llvm::SmallVector<llvm::Function *> callees;
  for (llvm::Function &function : module)
    if (function.isDeclaration() && function.getName().starts_with("_Z"))
      callees.push_back(&function);
  for (llvm::Function *callee : callees) {
    std::optional<BuiltInName> name = BuiltInName::parse(callee->getName());
    if (!name)
      continue;
    std::string demangled = llvm::demangle(callee->getName());
    bool isHalf3 =
        name->base.starts_with("vloada_half3") || name->base.starts_with("vstorea_half3");
    if (!isHalf3 && !isConversion(*callee, demangled))
      continue;
    for (llvm::User *user : llvm::make_early_inc_range(callee->users())) {
      auto *call = llvm::dyn_cast<llvm::CallInst>(user);
      if (!call || call->getCalledFunction() != callee)
        continue;
      if (isHalf3) {
        movePointer(*call, *name);
        continue;
      }
      call->replaceAllUsesWith(Conversion(*call, demangled).make());
      call->eraseFromParent();
    }
    if (callee->use_empty())
      callee->eraseFromParent();
  }
}
