//===- FunctionReader.h - one function of a SPIR-V module -------------------===//
#pragma once

#include "compiler/import/spirv/Types.h"

#include "mlir/IR/Block.h"
#include "mlir/IR/Builders.h"
#include "mlir/IR/BuiltinAttributes.h"
#include "mlir/IR/Operation.h"

#include <deque>

namespace pumice::spirv_import {

/// The interface through which functions query the module that contains them.
class Module : public Variables {
public:
  virtual ~Module() = default;
  /// Returns the symbol of a function, and makes sure that it will be read. Returns null after an
  /// error.
  virtual mlir::FlatSymbolRefAttr callee(uint32_t id, const Instruction &user) = 0;
};

/// Returns the `spvx.decorations` of an id, or null if it has no decoration to keep.
mlir::DictionaryAttr decorationsOf(mlir::MLIRContext *context, const Source &source, uint32_t id,
                                   Constants &constants);

class FunctionReader {
public:
  FunctionReader(Reading &reading, Types &types, Constants &constants, Module &module)
      : reading(reading), source(reading.source), types(types), constants(constants),
        module(module), builder(reading.context) {}

  /// Appends the function that begins at `start` to the block. Returns null after an error.
  mlir::Operation *read(uint32_t start, mlir::StringAttr symbol, mlir::Block *into);

private:
  struct Phi {
    uint32_t at = 0;
    std::unordered_map<uint32_t, uint32_t> valueFrom; // the label of the predecessor
  };
  struct BasicBlock {
    uint32_t label = 0;
    uint32_t begin = 0, terminator = 0; // positions after the label, and of the terminator
    uint32_t merge = 0;                 // the position of the merge instruction
    std::vector<uint32_t> successors;   // indices of blocks
    bool reachable = false, named = false;
    mlir::Block *block = nullptr;
    std::vector<Phi> phis;
    mlir::Location location;
  };
  struct Operands {
    llvm::SmallVector<mlir::Value> values;
    llvm::SmallVector<mlir::NamedAttribute> attributes;
    llvm::SmallVector<int32_t> literals; // used if the operation becomes an spvx.op
  };

  // Functions.cpp: blocks and their order
  mlir::LogicalResult findBlocks(const Instruction &function);
  mlir::LogicalResult findSuccessors();
  mlir::FailureOr<uint32_t> blockOf(uint32_t label, const Instruction &user);
  mlir::LogicalResult nameMerges();
  std::vector<uint32_t> reversePostorder();
  mlir::LogicalResult addParameters(const Instruction &function, mlir::Operation *op);
  mlir::LogicalResult addPhi(BasicBlock &block, const Instruction &in);
  mlir::LogicalResult fill(BasicBlock &block);
  mlir::LogicalResult end(BasicBlock &block);
  mlir::LogicalResult endSwitch(BasicBlock &block, const Instruction &in);
  mlir::LogicalResult edge(const BasicBlock &from, uint32_t to,
                           llvm::SmallVector<mlir::Value> &operands);
  mlir::LogicalResult markHeader(const BasicBlock &block, mlir::Operation *terminator);
  mlir::LogicalResult checkDominance(mlir::Operation *op);
  std::optional<mlir::Location> lineOf(uint32_t file, uint32_t number, uint32_t column);
  mlir::Location here(const Instruction &in);

  // Operations.cpp: single instructions
  mlir::LogicalResult readInstruction(const Instruction &in);
  mlir::LogicalResult readSpecial(const Instruction &in);
  mlir::LogicalResult readCast(const Instruction &in);
  mlir::LogicalResult readVariable(const Instruction &in);
  mlir::LogicalResult readCall(const Instruction &in);
  mlir::LogicalResult readExtended(const Instruction &in);
  mlir::LogicalResult readPrintf(const Instruction &in, llvm::StringRef set);
  mlir::LogicalResult readByTable(const Instruction &in, const Row &row);
  mlir::LogicalResult decode(const Instruction &in, llvm::StringRef letters, size_t first,
                             Operands &found);
  mlir::LogicalResult decodeValues(const Instruction &in, char letter, size_t &at, Operands &found);
  mlir::LogicalResult decodeEnum(const Instruction &in, char letter, size_t &at, Operands &found);
  mlir::LogicalResult decodeMemory(const Instruction &in, char letter, size_t &at, Operands &found);
  /// Creates the operation. Creates an `spvx.op` instead if `operation` is empty, or if MLIR
  /// rejects the operation and `orSpvx` is set.
  mlir::LogicalResult create(const Instruction &in, llvm::StringRef operation,
                             const llvm::Twine &spvxName, mlir::Type type, Operands &operands,
                             bool orSpvx);
  mlir::Value value(uint32_t id, const Instruction &user);
  mlir::Value constant(const Constant &constant, const Instruction &user);
  mlir::Value index(uint32_t id, const Instruction &user);
  mlir::LogicalResult define(uint32_t id, mlir::Value value) {
    values[id] = value;
    return mlir::success();
  }
  mlir::LogicalResult check(mlir::Operation *op, const Instruction &in);
  void decorate(mlir::Operation *op, uint32_t id);

  Reading &reading;
  const Source &source;
  Types &types;
  Constants &constants;
  Module &module;
  mlir::OpBuilder builder;

  std::deque<BasicBlock> blocks; // references to blocks must stay valid
  std::unordered_map<uint32_t, uint32_t> blockByLabel;
  std::unordered_map<uint32_t, mlir::Value> values;
  std::unordered_map<mlir::Operation *, uint32_t> positions;
  mlir::Type resultType; // null: no result
  mlir::Block *entry = nullptr;
  mlir::Operation *lastConstant = nullptr;
  std::optional<mlir::Location> line;
  uint64_t edgeOperands = 0;
};

} // namespace pumice::spirv_import
