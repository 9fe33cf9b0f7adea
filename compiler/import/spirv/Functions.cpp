//===- Functions.cpp - blocks of a SPIR-V function and how they follow ------===//
// Blocks are created in the module's order. They are filled in reverse postorder, so that
// definitions come before uses. Terminators are created last, because only they refer backwards.
//===-------------------------------------------------------------------------===//
#include "compiler/dialect/lane/LaneDialect.h"
#include "compiler/import/spirv/FunctionReader.h"

#include "mlir/Dialect/ControlFlow/IR/ControlFlowOps.h"
#include "mlir/Dialect/SPIRV/IR/SPIRVOps.h"
#include "mlir/IR/Dominance.h"

#include <unordered_set>

using namespace mlir;
using namespace pumice::spirv_import;

namespace {

bool isTerminator(uint32_t opcode) {
  return opcode == OpBranch || opcode == OpBranchConditional || opcode == OpSwitch ||
         opcode == OpReturn || opcode == OpReturnValue || opcode == OpUnreachable ||
         opcode == OpKill || opcode == OpTerminateInvocation || opcode == OpIgnoreIntersectionKHR ||
         opcode == OpTerminateRayKHR;
}
bool isMerge(uint32_t opcode) { return opcode == OpLoopMerge || opcode == OpSelectionMerge; }

/// Returns the number of words of one literal in a switch.
FailureOr<size_t> literalWords(Type selector) {
  auto type = dyn_cast_if_present<IntegerType>(selector);
  if (!type || type.getWidth() < 8)
    return failure();
  return type.getWidth() > 32 ? 2 : 1;
}

} // namespace

FailureOr<uint32_t> FunctionReader::blockOf(uint32_t label, const Instruction &user) {
  auto found = blockByLabel.find(label);
  if (found == blockByLabel.end())
    return reading.fail(user, "block " + Twine(label) + " is not in this function");
  return found->second;
}

LogicalResult FunctionReader::findBlocks(const Instruction &function) {
  Location unknown = UnknownLoc::get(reading.context);
  BasicBlock *open = nullptr;
  Instruction in = source.next(function);
  for (; in && in.opcode != OpFunctionEnd; in = source.next(in)) {
    if (in.opcode == OpFunction)
      return reading.fail(in, "is in another function");
    if (in.opcode == OpLabel) {
      if (open)
        return reading.fail(in, "the block before it has no terminator");
      blockByLabel[in[0]] = static_cast<uint32_t>(blocks.size());
      open = &blocks.emplace_back(BasicBlock{.label = in[0], .location = unknown});
      open->begin = source.next(in).at;
    } else if (open && isMerge(in.opcode)) {
      if (open->merge)
        return reading.fail(in, "the block already has a merge instruction");
      open->merge = in.at;
    } else if (open && isTerminator(in.opcode)) {
      open->terminator = in.at;
      open = nullptr;
    } else if (!open && in.opcode != OpFunctionParameter && in.opcode != OpLine &&
               in.opcode != OpNoLine && in.opcode != OpExtInst) {
      return reading.fail(in, "is outside of any block");
    }
  }
  if (!in || open)
    return reading.fail(function,
                        open ? "its last block has no terminator" : "it has no OpFunctionEnd");
  if (blocks.empty())
    return reading.fail(function, "function '" + source.name(function[1]) +
                                      "' has no body; link modules before they are compiled");
  return success();
}

/// Reads the labels to which a terminator branches. The literals of a switch have the width of its
/// selector, which the selector's definition shows.
static FailureOr<SmallVector<uint32_t>> labelsOf(Reading &reading, Types &types,
                                                 const Instruction &in) {
  SmallVector<uint32_t> labels;
  if (in.opcode == OpBranch)
    labels = {in[0]};
  if (in.opcode == OpBranchConditional)
    labels = {in[1], in[2]};
  if (in.opcode == OpSwitch) {
    FailureOr<size_t> words = literalWords(types.get(reading.source.definition(in[0]).type(), in));
    if (failed(words))
      return reading.fail(in, "its selector is not an integer");
    if (in.operands.size() < 2 || (in.operands.size() - 2) % (*words + 1))
      return reading.fail(in, "its literals and labels are incomplete");
    labels.push_back(in[1]);
    for (size_t i = 2 + *words; i < in.operands.size(); i += *words + 1)
      labels.push_back(in[i]);
  }
  return labels;
}

LogicalResult FunctionReader::findSuccessors() {
  std::vector<uint32_t> work{0};
  blocks[0].reachable = true;
  while (!work.empty()) {
    BasicBlock &block = blocks[work.back()];
    work.pop_back();
    Instruction in = source.instruction(block.terminator);
    auto labels = labelsOf(reading, types, in);
    if (failed(labels))
      return failure();
    for (uint32_t label : *labels) {
      FailureOr<uint32_t> to = blockOf(label, in);
      if (failed(to))
        return failure();
      if (*to == 0)
        return reading.fail(in, "goes to the function's first block");
      block.successors.push_back(*to);
      if (!blocks[*to].reachable)
        work.push_back(*to);
      blocks[*to].reachable = true;
    }
  }
  return success();
}

LogicalResult FunctionReader::nameMerges() {
  for (BasicBlock &block : blocks) {
    if (!block.reachable || !block.merge)
      continue;
    Instruction in = source.instruction(block.merge);
    if (source.next(in).at != block.terminator)
      return reading.fail(in, "is not followed by a branch");
    for (size_t i = 0; i < (in.opcode == OpLoopMerge ? 2 : 1); ++i) {
      FailureOr<uint32_t> to = blockOf(in[i], in);
      if (failed(to))
        return failure();
      if (*to == 0)
        return reading.fail(in, "names the function's first block");
      blocks[*to].named = true;
    }
  }
  return success();
}

std::vector<uint32_t> FunctionReader::reversePostorder() {
  std::vector<uint32_t> order;
  std::vector<bool> seen(blocks.size());
  std::vector<std::pair<uint32_t, size_t>> path{{0, 0}};
  seen[0] = true;
  while (!path.empty()) {
    auto &[number, next] = path.back();
    if (next == blocks[number].successors.size()) {
      order.push_back(number);
      path.pop_back();
      continue;
    }
    uint32_t to = blocks[number].successors[next++];
    if (!seen[to])
      path.push_back({to, 0});
    seen[to] = true;
  }
  std::reverse(order.begin(), order.end());
  return order;
}

/// Returns the decoration that MLIR's verifier requires on parameters that are, or point to,
/// physical pointers.
static std::optional<spirv::Decoration> aliasing(Type parameter) {
  auto isPhysical = [](Type type) {
    auto pointer = dyn_cast_if_present<spirv::PointerType>(type);
    return pointer && pointer.getStorageClass() == spirv::StorageClass::PhysicalStorageBuffer;
  };
  auto pointer = dyn_cast<spirv::PointerType>(parameter);
  Type pointee = pointer ? pointer.getPointeeType() : Type();
  if (isPhysical(pointee))
    return spirv::Decoration::AliasedPointer;
  auto array = dyn_cast_if_present<spirv::ArrayType>(pointee);
  if (isPhysical(parameter) || (array && isPhysical(array.getElementType())))
    return spirv::Decoration::Aliased; // MLIR also requires it for arrays
  return std::nullopt;
}

LogicalResult FunctionReader::addParameters(const Instruction &function, Operation *op) {
  auto type = cast<spirv::FuncOp>(op).getFunctionType();
  unsigned count = 0;
  for (Instruction in = source.next(function); in && in.opcode != OpLabel; in = source.next(in)) {
    if (in.opcode != OpFunctionParameter)
      continue;
    if (count >= type.getNumInputs() || types.get(in.type(), in) != type.getInput(count))
      return reading.fail(
          in, "parameter " + Twine(count) +
                  " is missing in the function's OpTypeFunction, or has another type there");
    values[in[1]] = entry->getArgument(count);
    if (DictionaryAttr attributes = decorationsOf(reading.context, source, in[1], constants))
      cast<spirv::FuncOp>(op).setArgAttr(count, "spvx.decorations", attributes);
    if (std::optional<spirv::Decoration> aliased = aliasing(type.getInput(count)))
      cast<spirv::FuncOp>(op).setArgAttr(count, spirv::DecorationAttr::name,
                                         spirv::DecorationAttr::get(reading.context, *aliased));
    ++count;
  }
  if (count != type.getNumInputs())
    return reading.fail(function,
                        "the number of OpFunctionParameter must be that of its OpTypeFunction, " +
                            Twine(type.getNumInputs()) + ", got " + Twine(count));
  return success();
}

LogicalResult FunctionReader::addPhi(BasicBlock &block, const Instruction &in) {
  Type type = types.get(in.type(), in);
  if (!type)
    return failure();
  if (isa<NoneType, FunctionType>(type) || &block == &blocks[0] || in.operands.size() % 2)
    return reading.fail(in, "must have pairs of a value and a predecessor, at least one");
  Phi phi{in.at, {}};
  for (size_t i = 2; i < in.operands.size(); i += 2)
    phi.valueFrom.try_emplace(in[i + 1], in[i]);
  block.phis.push_back(std::move(phi));
  return define(in[1], block.block->addArgument(type, here(in)));
}

LogicalResult FunctionReader::fill(BasicBlock &block) {
  builder.setInsertionPointToEnd(block.block);
  line.reset();
  if (block.named)
    pumice::lane::LabelOp::create(builder, here(source.instruction(block.begin)),
                                  static_cast<int32_t>(block.label));
  for (Instruction in = source.instruction(block.begin); in.at != block.terminator;
       in = source.next(in)) {
    if (in.opcode == OpPhi) {
      if (failed(addPhi(block, in)))
        return failure();
    } else if (!isMerge(in.opcode) && failed(readInstruction(in))) {
      return failure();
    }
  }
  block.location = here(source.instruction(block.terminator));
  return success();
}

LogicalResult FunctionReader::edge(const BasicBlock &from, uint32_t to,
                                   SmallVector<Value> &operands) {
  const BasicBlock &target = blocks[to];
  constexpr uint64_t most = uint64_t{1} << 24;
  edgeOperands += target.phis.size();
  if (edgeOperands > most)
    return reading.fail(source.instruction(from.terminator),
                        "the function's branches carry more than " + Twine(most) + " values");
  for (auto [phi, argument] : llvm::zip_equal(target.phis, target.block->getArguments())) {
    Instruction in = source.instruction(phi.at);
    auto found = phi.valueFrom.find(from.label);
    if (found == phi.valueFrom.end())
      return reading.fail(in, "has no value from block " + Twine(from.label));
    Value operand = value(found->second, in);
    if (!operand)
      return failure();
    if (operand.getType() != argument.getType())
      return reading.fail(in, "the value from block " + Twine(from.label) + " has another type");
    operands.push_back(operand);
  }
  return success();
}

LogicalResult FunctionReader::markHeader(const BasicBlock &block, Operation *terminator) {
  Instruction in = source.instruction(block.terminator);
  size_t branch = in.opcode == OpBranchConditional ? 3 : in.operands.size();
  if (in.operands.size() == branch + 2)
    terminator->setAttr("lane.weights",
                        builder.getDenseI32ArrayAttr({static_cast<int32_t>(in[branch]),
                                                      static_cast<int32_t>(in[branch + 1])}));
  if (!block.merge)
    return success();
  Instruction merge = source.instruction(block.merge);
  bool loop = merge.opcode == OpLoopMerge;
  bool branches = in.opcode == OpBranchConditional || in.opcode == OpBranch;
  if (loop ? !branches : in.opcode != OpBranchConditional && in.opcode != OpSwitch)
    return reading.fail(merge, "expected " +
                                   Twine(loop ? "OpBranch or OpBranchConditional"
                                              : "OpBranchConditional or OpSwitch") +
                                   " next, got Op" + Twine(findInstruction(in.opcode)->name));
  auto set = [&](StringRef name, uint32_t number) {
    terminator->setAttr(name, builder.getI32IntegerAttr(static_cast<int32_t>(number)));
  };
  size_t control = loop ? 2 : 1;
  set("lane.merge", merge[0]);
  if (loop)
    set("lane.continue", merge[1]);
  if (merge[control])
    set("lane.control", merge[control]);
  if (merge.operands.size() > control + 1) {
    SmallVector<int32_t> literals(merge.operands.begin() + control + 1, merge.operands.end());
    terminator->setAttr("lane.control_operands", builder.getDenseI32ArrayAttr(literals));
  }
  return success();
}

LogicalResult FunctionReader::endSwitch(BasicBlock &block, const Instruction &in) {
  Value selector = value(in[0], in);
  if (!selector)
    return failure();
  size_t words = *literalWords(selector.getType());
  auto type = cast<IntegerType>(selector.getType());
  SmallVector<APInt> cases;
  SmallVector<Block *> targets;
  SmallVector<SmallVector<Value>> operands(block.successors.size());
  std::unordered_set<uint64_t> seen;
  for (auto [number, to] : llvm::enumerate(block.successors)) {
    if (failed(edge(block, to, operands[number])))
      return failure();
    if (number == 0)
      continue;
    size_t at = 2 + (number - 1) * (words + 1);
    uint64_t bits = in[at] | (words == 2 ? uint64_t{in[at + 1]} << 32 : 0);
    cases.push_back(APInt(64, bits).trunc(type.getWidth()));
    if (!seen.insert(cases.back().getZExtValue()).second)
      return reading.fail(in, "the literal " + Twine(bits) + " occurs twice");
    targets.push_back(blocks[to].block);
  }
  SmallVector<ValueRange> caseOperands;
  for (size_t i = 1; i < operands.size(); ++i)
    caseOperands.push_back(operands[i]);
  DenseIntElementsAttr literals;
  if (!cases.empty())
    literals = DenseIntElementsAttr::get(
        VectorType::get({static_cast<int64_t>(cases.size())}, type), cases);
  auto op =
      cf::SwitchOp::create(builder, block.location, selector, blocks[block.successors[0]].block,
                           operands[0], literals, targets, caseOperands);
  return failed(check(op, in)) ? failure() : markHeader(block, op);
}

LogicalResult FunctionReader::end(BasicBlock &block) {
  builder.setInsertionPointToEnd(block.block);
  Instruction in = source.instruction(block.terminator);
  Operation *op = nullptr;
  switch (in.opcode) {
  case OpBranch: {
    SmallVector<Value> operands;
    if (failed(edge(block, block.successors[0], operands)))
      return failure();
    op = cf::BranchOp::create(builder, block.location, blocks[block.successors[0]].block, operands);
    break;
  }
  case OpBranchConditional: {
    Value condition = value(in[0], in);
    SmallVector<Value> first, second;
    if (!condition || failed(edge(block, block.successors[0], first)) ||
        failed(edge(block, block.successors[1], second)))
      return failure();
    if (!condition.getType().isInteger(1))
      return reading.fail(in, "its condition is not a boolean");
    op = cf::CondBranchOp::create(builder, block.location, condition,
                                  blocks[block.successors[0]].block, first,
                                  blocks[block.successors[1]].block, second);
    break;
  }
  case OpSwitch:
    return endSwitch(block, in);
  case OpReturn:
    if (resultType)
      return reading.fail(in, "the function has a result");
    op = spirv::ReturnOp::create(builder, block.location);
    break;
  case OpReturnValue: {
    Value result = value(in[0], in);
    if (!result)
      return failure();
    if (result.getType() != resultType)
      return reading.fail(in, "the function's result has another type");
    op = spirv::ReturnValueOp::create(builder, block.location, result);
    break;
  }
  case OpUnreachable:
    op = spirv::UnreachableOp::create(builder, block.location);
    break;
  default:
    return reading.refuse(in, *findInstruction(in.opcode));
  }
  return failed(check(op, in)) ? failure() : markHeader(block, op);
}

LogicalResult FunctionReader::checkDominance(Operation *op) {
  DominanceInfo dominance(op);
  for (Block &block : op->getRegion(0))
    for (Operation &user : block)
      for (Value operand : user.getOperands())
        if (operand.getParentBlock() != &block &&
            !dominance.dominates(operand.getParentBlock(), &block)) {
          Instruction in = source.instruction(positions[&user]);
          return in ? reading.fail(in, "uses a value that is not defined on every path to it")
                    : failure();
        }
  return success();
}

Operation *FunctionReader::read(uint32_t start, StringAttr symbol, Block *into) {
  Instruction function = source.instruction(start);
  FunctionType type = types.function(function[3], function);
  if (!type || failed(findBlocks(function)) || failed(findSuccessors()) || failed(nameMerges()))
    return nullptr;
  resultType = type.getNumResults() ? type.getResult(0) : Type();
  Type declared = types.get(function.type(), function);
  if (!declared)
    return nullptr;
  if (declared != (resultType ? resultType : NoneType::get(reading.context))) {
    (void)reading.fail(function, "its result type is not that of its function type");
    return nullptr;
  }
  auto control = spirv::symbolizeFunctionControl(function[2]);
  builder.setInsertionPointToEnd(into);
  auto op = spirv::FuncOp::create(builder, here(function), symbol.getValue(), type,
                                  control.value_or(spirv::FunctionControl::None));
  for (BasicBlock &block : blocks)
    if (block.reachable)
      op.getBody().push_back(block.block = new Block());
  entry = blocks[0].block;
  for (Type input : type.getInputs())
    entry->addArgument(input, op.getLoc());
  if (failed(addParameters(function, op)))
    return nullptr;
  for (uint32_t number : reversePostorder())
    if (failed(fill(blocks[number])))
      return nullptr;
  for (BasicBlock &block : blocks)
    if (block.reachable && failed(end(block)))
      return nullptr;
  if (failed(checkDominance(op)) || failed(check(op, function)))
    return nullptr;
  return op;
}
