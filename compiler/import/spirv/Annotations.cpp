//===- Annotations.cpp - the table of decorations and execution modes -------===//
#include "compiler/import/spirv/Annotations.h"

#include "mlir/Dialect/SPIRV/IR/SPIRVEnums.h"

using namespace pumice::spirv_import;

namespace {

constexpr Annotation decorations[] = {
#define DECORATION(name, use, note)                                                                \
  {static_cast<uint32_t>(mlir::spirv::Decoration::name), #name, AnnotationUse::use, note},
#include "compiler/import/spirv/Annotations.def"
};
constexpr Annotation modes[] = {
#define NEW_MODE(name, number, use, note) {number, #name, AnnotationUse::use, note},
#define MODE(name, use, note)                                                                      \
  {static_cast<uint32_t>(mlir::spirv::ExecutionMode::name), #name, AnnotationUse::use, note},
#include "compiler/import/spirv/Annotations.def"
};

AnnotationUse find(llvm::ArrayRef<Annotation> table, uint32_t number) {
  for (const Annotation &each : table)
    if (each.number == number)
      return each.use;
  return AnnotationUse::Free;
}

} // namespace

llvm::ArrayRef<Annotation> pumice::spirv_import::allDecorations() { return decorations; }
llvm::ArrayRef<Annotation> pumice::spirv_import::allModes() { return modes; }
AnnotationUse pumice::spirv_import::useOfDecoration(uint32_t number) {
  return find(decorations, number);
}
AnnotationUse pumice::spirv_import::useOfMode(uint32_t number) { return find(modes, number); }
