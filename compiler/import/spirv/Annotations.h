//===- Annotations.h - the table of decorations and execution modes ---------===//
#pragma once

#include "llvm/ADT/ArrayRef.h"

#include <cstdint>

namespace pumice::spirv_import {

/// How the reader treats an annotation. Annotations.def describes the values.
enum class AnnotationUse : uint8_t { Kept, Elsewhere, Free };

/// One line of Annotations.def.
struct Annotation {
  uint32_t number = 0;
  const char *name = "";
  AnnotationUse use = AnnotationUse::Free;
  const char *note = "";
};

/// The mode FPFastMathDefault, which MLIR does not know.
inline constexpr uint32_t modeFastMathDefault = 6028;

llvm::ArrayRef<Annotation> allDecorations();
llvm::ArrayRef<Annotation> allModes();

/// Returns how the reader treats a decoration: Free if the table lacks its number.
AnnotationUse useOfDecoration(uint32_t number);
AnnotationUse useOfMode(uint32_t number);

} // namespace pumice::spirv_import
