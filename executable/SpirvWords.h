//===- SpirvWords.h - the instructions of a SPIR-V module -------------------===//
// Implements section 2.3 of the SPIR-V specification: a header of five words, and then
// instructions. The upper half of the first word of an instruction is its length in words. After
// `SpirvWords::of` has accepted the words, their readers need not check for the end of the file.
//===-------------------------------------------------------------------------===//
#pragma once

#include "executable/FieldPath.h"

#include <cstdint>
#include <span>
#include <string_view>

namespace pumice::executable {

/// The opcodes and other numbers of the specification that this code uses.
namespace spirv {
enum Op : uint32_t {
  OpName = 5,
  OpMemberName = 6,
  OpString = 7,
  OpExtension = 10,
  OpMemoryModel = 14,
  OpEntryPoint = 15,
  OpExecutionMode = 16,
  OpCapability = 17,
  OpTypeVoid = 19,
  OpTypeBool = 20,
  OpTypeInt = 21,
  OpTypeFloat = 22,
  OpTypeVector = 23,
  OpTypeMatrix = 24,
  OpTypeImage = 25,
  OpTypeSampler = 26,
  OpTypeSampledImage = 27,
  OpTypeArray = 28,
  OpTypeRuntimeArray = 29,
  OpTypeStruct = 30,
  OpTypePointer = 32,
  OpTypeFunction = 33,
  OpTypeForwardPointer = 39,
  OpConstantTrue = 41,
  OpConstantFalse = 42,
  OpConstant = 43,
  OpConstantComposite = 44,
  OpSpecConstantTrue = 48,
  OpSpecConstantFalse = 49,
  OpSpecConstant = 50,
  OpSpecConstantComposite = 51,
  OpSpecConstantOp = 52,
  OpFunction = 54,
  OpFunctionParameter = 55,
  OpFunctionEnd = 56,
  OpFunctionCall = 57,
  OpVariable = 59,
  OpLoad = 61,
  OpStore = 62,
  OpCopyMemory = 63,
  OpCopyMemorySized = 64,
  OpAccessChain = 65,
  OpInBoundsAccessChain = 66,
  OpPtrAccessChain = 67,
  OpArrayLength = 68,
  OpInBoundsPtrAccessChain = 70,
  OpDecorate = 71,
  OpMemberDecorate = 72,
  OpGroupDecorate = 74,
  OpGroupMemberDecorate = 75,
  OpVectorExtractDynamic = 77,
  OpVectorShuffle = 79,
  OpCompositeExtract = 81,
  OpCompositeInsert = 82,
  OpCopyObject = 83,
  OpConvertPtrToU = 117,
  OpPtrCastToGeneric = 121,
  OpGenericCastToPtr = 122,
  OpGenericCastToPtrExplicit = 123,
  OpBitcast = 124,
  OpLoopMerge = 246,
  OpSelectionMerge = 247,
  OpLabel = 248,
  OpBranchConditional = 250,
  OpSwitch = 251,
  OpLifetimeStart = 256,
  OpLifetimeStop = 257,
  OpGroupAll = 261,
  OpGroupSMax = 271,
  OpLine = 8,
  OpExtInst = 12,
  OpUndef = 1,
  OpNoLine = 317,
  OpExecutionModeId = 331,
  OpGroupNonUniformElect = 333,
  OpGroupNonUniformQuadSwap = 366,
  OpTypeUntypedPointer = 4417,
  OpUntypedVariable = 4418,
  OpSDot = 4450,
  OpSUDotAccSat = 4455,
  OpCooperativeMatrixLoadKHR = 4457,
  OpCooperativeMatrixStoreKHR = 4458,
  OpCooperativeMatrixMulAddKHR = 4459,
  OpTypeAccelerationStructure = 5341,
};
enum Decoration : uint32_t {
  SpecId = 1,
  Block = 2,
  BufferBlock = 3,
  RowMajor = 4,
  ArrayStride = 6,
  MatrixStride = 7,
  CPacked = 10,
  BuiltIn = 11,
  NonWritable = 24,
  NonReadable = 25,
  Binding = 33,
  DescriptorSet = 34,
  Offset = 35,
};
enum StorageClass : uint32_t {
  UniformConstant = 0,
  Uniform = 2,
  Workgroup = 4,
  CrossWorkgroup = 5,
  Private = 6,
  Function = 7,
  Generic = 8,
  PushConstant = 9,
  StorageBuffer = 12,
  PhysicalStorageBuffer = 5349,
};
inline constexpr uint32_t modelGLCompute = 5, modelKernel = 6;
inline constexpr uint32_t addressingPhysicalStorageBuffer64 = 5348;
inline constexpr uint32_t memoryModelOpenCl = 2;
inline constexpr uint32_t modeLocalSize = 17, modeLocalSizeId = 38;
inline constexpr uint32_t builtInNumWorkgroups = 24, builtInWorkgroupSize = 25;
} // namespace spirv

class SpirvWords;

/// One instruction. Operands are counted from 0. The first one follows the opcode.
class SpirvInstruction {
public:
  uint32_t opcode() const { return word(0) & 0xffff; }
  size_t position() const { return at; } // in words, from the start of the module
  uint32_t operands() const { return (word(0) >> 16) - 1; }
  /// Returns an operand, or 0 if it is missing.
  uint32_t operand(size_t index) const { return index < operands() ? word(index + 1) : 0; }
  /// Reads the string that begins at operand `index`. Returns false if the string has no end in the
  /// instruction.
  bool text(size_t index, std::string_view &found) const;
  /// Returns the number of operands that a string takes, including its terminating zero.
  static size_t textOperands(std::string_view text) { return text.size() / 4 + 1; }

private:
  friend class SpirvWords;
  SpirvInstruction(std::span<const uint8_t> code, size_t at) : code(code), at(at) {}
  uint32_t word(size_t index) const;

  std::span<const uint8_t> code;
  size_t at;
};

class SpirvWords {
public:
  /// Wraps the words of a module. Errors: DataCorrupt if the bytes do not have the form of a
  /// module.
  static Result<SpirvWords> of(std::span<const uint8_t> code, const FieldPath &path);

  uint32_t headerWord(size_t index) const { return SpirvInstruction(code, index).word(0); }
  SpirvInstruction at(size_t position) const { return {code, position}; }

  class Iterator {
  public:
    Iterator(std::span<const uint8_t> code, size_t at) : code(code), at(at) {}
    SpirvInstruction operator*() const { return {code, at}; }
    Iterator &operator++() {
      at += SpirvInstruction(code, at).operands() + 1;
      return *this;
    }
    bool operator==(const Iterator &other) const { return at == other.at; }

  private:
    std::span<const uint8_t> code;
    size_t at;
  };
  Iterator begin() const { return {code, headerWords}; }
  Iterator end() const { return {code, code.size() / 4}; }

private:
  static constexpr size_t headerWords = 5;
  explicit SpirvWords(std::span<const uint8_t> code) : code(code) {}

  std::span<const uint8_t> code;
};

} // namespace pumice::executable
