//===- LaneTranslation.cpp - attributes of SIMD code → LLVM's metadata ------===//
#include "compiler/cpu/native/LaneTranslation.h"
#include "compiler/dialect/lane/LaneDialect.h"

#include "mlir/IR/DialectRegistry.h"
#include "mlir/Target/LLVMIR/LLVMTranslationInterface.h"
#include "llvm/IR/Constants.h"
#include "llvm/IR/Instructions.h"
#include "llvm/IR/Metadata.h"

using namespace mlir;
using namespace pumice;

/// Returns the alias scope of a buffer. Kernels have only one domain of scopes.
static llvm::MDNode *scopeOf(llvm::LLVMContext &context, int32_t number) {
  auto *domain = llvm::MDNode::get(context, llvm::MDString::get(context, "buffers"));
  auto name = "buffer " + std::to_string(number);
  return llvm::MDNode::get(context, {llvm::MDString::get(context, name), domain});
}

/// Sets alias scopes. A buffer with the decoration Restrict is only accessed through its own
/// variable.
static void setScopes(llvm::Instruction &access, ArrayRef<int32_t> which) {
  llvm::LLVMContext &context = access.getContext();
  SmallVector<llvm::Metadata *> others;
  for (int32_t i = 0; i < which[1]; ++i)
    if (i != which[0])
      others.push_back(scopeOf(context, i));
  if (which[0] >= 0)
    access.setMetadata(llvm::LLVMContext::MD_alias_scope,
                       llvm::MDNode::get(context, scopeOf(context, which[0])));
  if (!others.empty())
    access.setMetadata(llvm::LLVMContext::MD_noalias, llvm::MDNode::get(context, others));
}

static void setNontemporal(llvm::Instruction &access) {
  llvm::LLVMContext &context = access.getContext();
  auto *one =
      llvm::ConstantAsMetadata::get(llvm::ConstantInt::get(llvm::Type::getInt32Ty(context), 1));
  access.setMetadata(llvm::LLVMContext::MD_nontemporal, llvm::MDNode::get(context, one));
}

namespace {
struct LaneTranslation final : LLVMTranslationDialectInterface {
  using LLVMTranslationDialectInterface::LLVMTranslationDialectInterface;

  LogicalResult amendOperation(Operation *, ArrayRef<llvm::Instruction *> instructions,
                               NamedAttribute attribute, LLVM::ModuleTranslation &) const override {
    for (llvm::Instruction *instruction : instructions) {
      if (attribute.getName() == "lane.flatten" && instruction->isTerminator())
        instruction->setMetadata(llvm::LLVMContext::MD_unpredictable,
                                 llvm::MDNode::get(instruction->getContext(), {}));
      if (!instruction->mayReadOrWriteMemory())
        continue;
      if (attribute.getName() == "lane.nontemporal")
        setNontemporal(*instruction);
      else if (attribute.getName() == "lane.restrict")
        setScopes(*instruction, cast<DenseI32ArrayAttr>(attribute.getValue()));
    }
    return success();
  }
};
} // namespace

void cpu::registerLaneTranslation(DialectRegistry &registry) {
  registry.addExtension(+[](MLIRContext *, lane::LaneDialect *dialect) {
    dialect->addInterfaces<LaneTranslation>();
  });
}
