//===- Capabilities.cpp - what SPIR-V needs for an operation of gen ---------===//
#include "compiler/gen/Capabilities.h"

#include "compiler/dialect/gen/GenDialect.h"

#include "mlir/IR/BuiltinTypes.h"
#include "mlir/IR/TypeUtilities.h"
#include "llvm/ADT/TypeSwitch.h"

using namespace mlir;
using namespace pumice::gen;

namespace {

/// Holds what an operation needs: one of the capabilities, the version that introduced them, and an
/// extension.
struct Need {
  SmallVector<spirv::Capability, 2> oneOf;
  spirv::Version version = spirv::Version::V_1_0;
  StringRef extension = {};
};

} // namespace

/// Returns the need of an operation that combines values. Sums, and minima and maxima of integers,
/// also exist for uniform control flow.
static Need needOf(Reduction kind, bool uniform) {
  bool isCore = kind == Reduction::Add || (kind >= Reduction::SMin && kind <= Reduction::UMax);
  if (uniform && isCore)
    return {{spirv::Capability::Groups}};
  return {{spirv::Capability::GroupNonUniformArithmetic}, spirv::Version::V_1_3};
}

static Need needOf(Operation *op) {
  return llvm::TypeSwitch<Operation *, Need>(op)
      .Case<SubGroupLocalIdOp, SubGroupSizeOp, SubGroupIdOp, NumSubGroupsOp>([](auto) -> Need {
        return {{spirv::Capability::Kernel, spirv::Capability::GroupNonUniform}};
      })
      .Case([](SubGroupShuffleOp shuffle) -> Need {
        bool isRelative =
            shuffle.getKind() == ShuffleKind::Up || shuffle.getKind() == ShuffleKind::Down;
        return {{isRelative ? spirv::Capability::GroupNonUniformShuffleRelative
                            : spirv::Capability::GroupNonUniformShuffle},
                spirv::Version::V_1_3};
      })
      .Case<SubGroupReduceOp, SubGroupScanOp>(
          [](auto op) { return needOf(op.getKind(), op.getUniform()); })
      .Case([](SubGroupBroadcastOp) -> Need { return {{spirv::Capability::Groups}}; })
      .Case([](SubGroupBallotOp) -> Need {
        return {{spirv::Capability::GroupNonUniformBallot}, spirv::Version::V_1_3};
      })
      .Case([](MatrixMadOp) -> Need {
        return {{}, spirv::Version::V_1_0, "SPV_INTEL_subgroup_matrix_multiply_accumulate"};
      })
      .Case<BlockLoad2DOp, BlockStore2DOp, BlockPrefetch2DOp>([](auto) -> Need {
        return {{spirv::Capability::Addresses}, spirv::Version::V_1_0, "SPV_INTEL_2d_block_io"};
      })
      .Case<SubGroupBlockReadOp, SubGroupBlockWriteOp>([](auto) -> Need {
        return {{spirv::Capability::SubgroupBufferBlockIOINTEL},
                spirv::Version::V_1_0,
                "SPV_INTEL_subgroups"};
      })
      .Default([](Operation *) { return Need(); });
}

/// Returns the capabilities for values of this type.
static SmallVector<spirv::Capability, 2> capabilitiesOf(Type type) {
  if (auto vector = dyn_cast<VectorType>(type); vector && vector.getNumElements() > 4) {
    SmallVector<spirv::Capability, 2> result = capabilitiesOf(vector.getElementType());
    result.push_back(spirv::Capability::Vector16);
    return result;
  }
  type = getElementTypeOrSelf(type);
  if (type.isInteger(8))
    return {spirv::Capability::Int8};
  if (type.isInteger(16))
    return {spirv::Capability::Int16};
  if (type.isInteger(64))
    return {spirv::Capability::Int64};
  if (type.isF16())
    return {spirv::Capability::Float16};
  if (type.isBF16()) // exchanged as its bits
    return {spirv::Capability::BFloat16TypeKHR, spirv::Capability::Int16};
  if (type.isF64())
    return {spirv::Capability::Float64};
  return {};
}

static LogicalResult report(Operation *op, const Twine &what) {
  return op->emitError("'") << op->getName() << "' needs " << what
                            << ", which the target environment lacks: add it to "
                               "spirv.target_env if the device has it";
}

/// Returns whether the device has the extension. MLIR has no name for some of Intel's.
static bool allows(StringRef extension, const spirv::TargetEnv &env, ArrayRef<std::string> more) {
  std::optional<spirv::Extension> known = spirv::symbolizeExtension(extension);
  return llvm::is_contained(more, extension) || (known && env.allows(*known));
}

static LogicalResult check(Operation *op, const spirv::TargetEnv &env,
                           ArrayRef<std::string> extensions, unsigned indexBits) {
  if (llvm::any_of(op->getOperandTypes(), llvm::IsaPred<LLVM::LLVMPointerType>))
    return op->emitError("'") << op->getName()
                              << "' has an LLVM pointer, but convert-gen-to-spirv expects an "
                                 "address of type index";
  Need need = needOf(op);
  if (!need.extension.empty() && !allows(need.extension, env, extensions)) {
    if (spirv::symbolizeExtension(need.extension))
      return report(op, "the extension " + need.extension);
    return op->emitError("'") << op->getName() << "' needs the extension " << need.extension
                              << ": use convert-gen-to-spirv{extensions=" << need.extension
                              << "} if the device has it, or pumice-emulate-gen";
  }
  if (env.getVersion() < need.version)
    return report(op, "SPIR-V " + spirv::stringifyVersion(need.version).drop_front());
  if (!need.oneOf.empty() && !env.allows(need.oneOf)) {
    std::string names;
    llvm::raw_string_ostream out(names);
    llvm::interleave(
        need.oneOf, out, [&](spirv::Capability each) { out << spirv::stringifyCapability(each); },
        " or ");
    return report(op, "the capability " + names);
  }
  for (Type type : llvm::concat<Type>(SmallVector<Type>(op->getOperandTypes()),
                                      SmallVector<Type>(op->getResultTypes()))) {
    if (type.isIndex())
      type = IntegerType::get(op->getContext(), indexBits);
    for (spirv::Capability needed : capabilitiesOf(type))
      if (!env.allows(needed))
        return report(op, "the capability " + spirv::stringifyCapability(needed));
  }
  return success();
}

LogicalResult pumice::gen::checkCapabilities(Operation *root, const spirv::TargetEnv &env,
                                             ArrayRef<std::string> extensions, unsigned indexBits) {
  bool failed = false;
  root->walk([&](Operation *op) {
    if (isa_and_nonnull<GenDialect>(op->getDialect()))
      failed |= mlir::failed(check(op, env, extensions, indexBits));
  });
  return failure(failed);
}
