//===- Interpret.cpp - executes a lane kernel one invocation at a time ------===//
// Each invocation has a position in the code, its values and its variables. It runs until it ends
// or reaches a barrier. Then the next invocation runs.
//===-------------------------------------------------------------------------===//
#include "compiler/cpu/simd/WorkgroupPlan.h"
#include "compiler/cpu/testing/LoadKernels.h"
#include "compiler/cpu/testing/SimdModule.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/LLVMIR/LLVMTypes.h"
#include "llvm/ADT/TypeSwitch.h"

#include <gtest/gtest.h>

#include <cstring>

using namespace mlir;
using namespace pumice;
using namespace pumice::cpu::testing;

namespace {

struct Group {
  std::array<uint32_t, 3> number, count;
  std::vector<char> shared;
  LaunchMemory &memory;
};

struct Invocation {
  Invocation(Operation *at, std::array<uint32_t, 3> id, std::array<uint32_t, 3> size)
      : at(at), id(id), size(size) {}

  Operation *at;
  std::array<uint32_t, 3> id, size;
  DenseMap<Value, uint64_t> values;
  DenseMap<Value, std::vector<uint64_t>> variables;

  void run(Group &group); // runs to the next barrier, or to the end, where `at` is null
  void step(Operation *op, Group &group);
  uint64_t builtin(StringRef which, const Group &group) const;
  uint64_t compute(Operation *op) const;
  void leave(Operation *construct);
  void control(Operation *op);
  uint64_t get(Value value) const { return values.lookup(value); }
};

} // namespace

static uint64_t mask(Type type, uint64_t value) {
  unsigned width = isa<LLVM::LLVMPointerType>(type) ? 64 : type.getIntOrFloatBitWidth();
  return width == 64 ? value : value & ((uint64_t(1) << width) - 1);
}

static int64_t signedOf(Type type, uint64_t value) {
  unsigned shift = 64 - type.getIntOrFloatBitWidth();
  return int64_t(value << shift) >> shift;
}

static float real(uint64_t bits) {
  uint32_t word = bits;
  float value;
  std::memcpy(&value, &word, 4);
  return value;
}

static uint64_t bits(float value) {
  uint32_t word;
  std::memcpy(&word, &value, 4);
  return word;
}

static bool compare(arith::CmpIPredicate predicate, int64_t a, int64_t b, uint64_t ua,
                    uint64_t ub) {
  switch (predicate) {
  case arith::CmpIPredicate::eq:
    return ua == ub;
  case arith::CmpIPredicate::ne:
    return ua != ub;
  case arith::CmpIPredicate::slt:
    return a < b;
  case arith::CmpIPredicate::sle:
    return a <= b;
  case arith::CmpIPredicate::sgt:
    return a > b;
  case arith::CmpIPredicate::sge:
    return a >= b;
  case arith::CmpIPredicate::ult:
    return ua < ub;
  case arith::CmpIPredicate::ule:
    return ua <= ub;
  case arith::CmpIPredicate::ugt:
    return ua > ub;
  case arith::CmpIPredicate::uge:
    return ua >= ub;
  }
  return false;
}

uint64_t Invocation::compute(Operation *op) const {
  Type type = op->getNumOperands() ? op->getOperand(0).getType() : op->getResult(0).getType();
  uint64_t a = op->getNumOperands() > 0 ? get(op->getOperand(0)) : 0;
  uint64_t b = op->getNumOperands() > 1 ? get(op->getOperand(1)) : 0;
  int64_t sa = type.isInteger() ? signedOf(type, a) : 0,
          sb = type.isInteger() ? signedOf(type, b) : 0;
  return llvm::TypeSwitch<Operation *, uint64_t>(op)
      .Case([&](arith::ConstantOp op) -> uint64_t {
        if (auto value = dyn_cast<FloatAttr>(op.getValue()))
          return value.getValue().bitcastToAPInt().getZExtValue();
        return cast<IntegerAttr>(op.getValue()).getValue().getZExtValue();
      })
      .Case([&](arith::AddIOp) { return a + b; })
      .Case([&](arith::SubIOp) { return a - b; })
      .Case([&](arith::MulIOp) { return a * b; })
      .Case([&](arith::AndIOp) { return a & b; })
      .Case([&](arith::OrIOp) { return a | b; })
      .Case([&](arith::XOrIOp) { return a ^ b; })
      .Case([&](arith::ShLIOp) { return a << b; })
      .Case([&](arith::ShRUIOp) { return a >> b; })
      .Case([&](arith::DivUIOp) { return a / b; })
      .Case([&](arith::RemUIOp) { return a % b; })
      .Case([&](arith::DivSIOp) { return uint64_t(sa / sb); })
      .Case([&](arith::RemSIOp) { return uint64_t(sa % sb); })
      .Case([&](arith::CmpIOp op) { return uint64_t(compare(op.getPredicate(), sa, sb, a, b)); })
      .Case([&](arith::SelectOp op) { return a & 1 ? b : get(op.getFalseValue()); })
      .Case([&](arith::ExtSIOp) { return uint64_t(sa); })
      .Case<arith::ExtUIOp, arith::TruncIOp, arith::BitcastOp>([&](auto) { return a; })
      .Case([&](arith::UIToFPOp) { return bits(float(uint32_t(a))); })
      .Case([&](arith::AddFOp) { return bits(real(a) + real(b)); })
      .Case([&](arith::MulFOp) { return bits(real(a) * real(b)); })
      .Case([&](lane::OffsetOp) { return a + b; })
      .Default([&](Operation *op) -> uint64_t {
        ADD_FAILURE() << "the interpreter does not know " << op->getName().getStringRef().str();
        return 0;
      });
}

uint64_t Invocation::builtin(StringRef which, const Group &group) const {
  unsigned axis = which.back() - 'x';
  if (which.starts_with("local_id"))
    return id[axis];
  if (which.starts_with("workgroup_id"))
    return group.number[axis];
  if (which.starts_with("num_workgroups"))
    return group.count[axis];
  if (which.starts_with("workgroup_size"))
    return size[axis];
  if (which == "local_index")
    return id[0] + size[0] * (id[1] + size[1] * id[2]);
  ADD_FAILURE() << "the interpreter does not know " << which.str();
  return 0;
}

/// Continues after the construct.
void Invocation::leave(Operation *construct) { at = construct->getNextNode(); }

void Invocation::control(Operation *op) {
  Operation *parent = op->getParentOp();
  if (auto exit = dyn_cast<lane::ExitOp>(op))
    return leave(cpu::constructAt(op, exit.getDepth()));
  if (auto again = dyn_cast<lane::ContinueOp>(op)) {
    auto loop = cast<lane::LoopOp>(cpu::constructAt(op, again.getDepth()));
    at = &loop.getContinuing().front().front();
    return;
  }
  if (!isa<lane::EndOp>(op)) {
    at = nullptr; // lane.return, or the return of the function
    return;
  }
  if (auto loop = dyn_cast<lane::LoopOp>(parent)) {
    bool inBody = op->getParentRegion() == &loop.getBody();
    at = &(inBody ? loop.getContinuing() : loop.getBody()).front().front();
  } else if (auto choice = dyn_cast<lane::SwitchOp>(parent);
             choice && op->getParentRegion() != &choice->getRegions().back()) {
    at = &choice->getRegion(op->getParentRegion()->getRegionNumber() + 1).front().front();
  } else {
    leave(parent);
  }
}

void Invocation::step(Operation *op, Group &group) {
  at = op->getNextNode();
  if (op->hasTrait<OpTrait::IsTerminator>())
    return control(op);
  auto enter = [&](unsigned region) { at = &op->getRegion(region).front().front(); };
  auto define = [&](uint64_t value) {
    values[op->getResult(0)] = mask(op->getResult(0).getType(), value);
  };
  if (isa<lane::IfOp>(op))
    return enter(get(op->getOperand(0)) ? 0 : 1);
  if (auto choice = dyn_cast<lane::SwitchOp>(op)) {
    unsigned region = choice.getDefaultPosition();
    for (auto [i, number] : llvm::enumerate(choice.getCases()))
      if (i != choice.getDefaultPosition() &&
          mask(choice.getValue().getType(), number) == get(choice.getValue()))
        region = i;
    return enter(region);
  }
  if (cpu::isConstruct(op))
    return enter(0);
  llvm::TypeSwitch<Operation *>(op)
      .Case([&](lane::BuiltinOp op) { define(builtin(op.getWhich(), group)); })
      .Case([&](lane::BufferOp op) {
        define(reinterpret_cast<uint64_t>(group.memory.buffers.at(op.getBinding()).data()));
      })
      .Case([&](lane::BufferBytesOp op) {
        define(group.memory.buffers.at(op.getBinding()).size() * 4);
      })
      .Case([&](lane::PushConstantsOp) {
        define(reinterpret_cast<uint64_t>(group.memory.pushConstants.data()));
      })
      .Case([&](lane::SharedOp op) {
        define(reinterpret_cast<uint64_t>(group.shared.data()) + op.getOffset());
      })
      .Case<lane::VarOp, lane::ResetOp, lane::BarrierOp>([&](auto) {})
      .Case([&](lane::ArrayOp op) { variables[op.getArray()].assign(op.getCount(), 0); })
      .Case([&](lane::PrivateOp op) {
        auto &block = variables[op.getAddress()];
        block.assign(op.getBytes() / 8 + 2, 0);
        define(reinterpret_cast<uint64_t>(block.data()));
      })
      .Case([&](lane::GetOp op) {
        auto &slot = variables[op.getSlot()];
        define(slot.empty() ? 0 : slot[0]);
      })
      .Case([&](lane::SetOp op) { variables[op.getSlot()].assign(1, get(op.getValue())); })
      .Case([&](lane::ArrayGetOp op) { define(variables[op.getArray()].at(get(op.getIndex()))); })
      .Case([&](lane::ArraySetOp op) {
        variables[op.getArray()].at(get(op.getIndex())) = get(op.getValue());
      })
      .Case([&](lane::LoadOp op) {
        int64_t bytes = cpu::bytesOf(op.getResult(0).getType());
        for (auto [i, result] : llvm::enumerate(op.getResults())) {
          uint64_t value = 0;
          std::memcpy(&value, reinterpret_cast<char *>(get(op.getAddress())) + i * bytes, bytes);
          values[result] = value;
        }
      })
      .Case([&](lane::StoreOp op) {
        int64_t bytes = cpu::bytesOf(op.getValues()[0].getType());
        for (auto [i, value] : llvm::enumerate(op.getValues())) {
          uint64_t word = get(value);
          std::memcpy(reinterpret_cast<char *>(get(op.getAddress())) + i * bytes, &word, bytes);
        }
      })
      .Case([&](lane::AtomicOp op) {
        auto *word = reinterpret_cast<uint32_t *>(get(op.getAddress()));
        EXPECT_EQ(op.getKind(), "add");
        define(*word);
        *word += get(op.getValue());
      })
      .Default([&](Operation *op) { define(compute(op)); });
}

void Invocation::run(Group &group) {
  while (at) {
    Operation *op = at;
    step(op, group);
    if (isa<lane::BarrierOp>(op))
      return;
  }
}

static void runGroup(func::FuncOp kernel, std::array<uint32_t, 3> size, Group &group) {
  std::vector<Invocation> invocations;
  for (uint32_t z = 0; z < size[2]; ++z)
    for (uint32_t y = 0; y < size[1]; ++y)
      for (uint32_t x = 0; x < size[0]; ++x)
        invocations.emplace_back(&kernel.getBody().front().front(), std::array{x, y, z}, size);
  bool running = true;
  while (std::exchange(running, false))
    for (Invocation &invocation : invocations) {
      invocation.run(group);
      running |= invocation.at != nullptr;
    }
}

void pumice::cpu::testing::interpret(const std::string &kernels, const std::string &name,
                                     std::array<uint32_t, 3> groups, LaunchMemory &memory) {
  MLIRContext context(MLIRContext::Threading::DISABLED);
  OwningOpRef<ModuleOp> module = loadKernels(kernels, context);
  ASSERT_TRUE(module);
  auto kernel = module->lookupSymbol<func::FuncOp>(name);
  ASSERT_TRUE(kernel);
  std::array<uint32_t, 3> size{1, 1, 1};
  auto given = kernel->getAttrOfType<DenseI32ArrayAttr>("lane.workgroup_size");
  for (int axis = 0; axis < 3; ++axis)
    size[axis] = given[axis];
  auto shared = kernel->getAttrOfType<IntegerAttr>("lane.shared_bytes");
  for (uint32_t z = 0; z < groups[2]; ++z)
    for (uint32_t y = 0; y < groups[1]; ++y)
      for (uint32_t x = 0; x < groups[0]; ++x) {
        Group group{{x, y, z}, groups, std::vector<char>(shared ? shared.getInt() : 0), memory};
        runGroup(kernel, size, group);
      }
}
