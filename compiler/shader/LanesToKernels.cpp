//===- LanesToKernels.cpp - flat lane functions to OpenCL kernels -----------===//
//   before: func.func @main() attributes {lane.kernel} { %p = lane.buffer 0, 1 ... }
//   after:  llvm.func spir_kernelcc @main(%p: !llvm.ptr<1>, %bytes: i64, %constants: i64) { ... }
//===-------------------------------------------------------------------------===//
#include "compiler/shader/LanePatterns.h"
#include "compiler/shader/Passes.h"

#include "compiler/dialect/lane/LaneDialect.h"

#include "mlir/Conversion/ArithToLLVM/ArithToLLVM.h"
#include "mlir/Conversion/ControlFlowToLLVM/ControlFlowToLLVM.h"
#include "mlir/Conversion/UBToLLVM/UBToLLVM.h"
#include "mlir/Dialect/UB/IR/UBOps.h"
#include "mlir/Transforms/DialectConversion.h"

#include <set>

namespace pumice::shader {
#define GEN_PASS_DEF_LANESTOKERNELS
#include "compiler/shader/Passes.h.inc"
} // namespace pumice::shader

using namespace mlir;
using namespace pumice;

namespace {
using Slot = std::array<int64_t, 3>;

struct LanesToKernels final : shader::impl::LanesToKernelsBase<LanesToKernels> {
  using LanesToKernelsBase::LanesToKernelsBase;
  void runOnOperation() override;

private:
  std::vector<Slot> slotsOf(func::FuncOp function) const;
  LLVM::LLVMFuncOp declare(func::FuncOp function, shader::KernelValues &values);
  LogicalResult convert(func::FuncOp function);
};
} // namespace

std::vector<Slot> LanesToKernels::slotsOf(func::FuncOp function) const {
  std::vector<Slot> given;
  for (size_t i = 0; i + 2 < slots.size(); i += 3)
    given.push_back({slots[i], slots[i + 1], slots[i + 2]});
  if (!given.empty())
    return given;
  std::set<Slot> used;
  function.walk([&](Operation *op) {
    if (auto buffer = dyn_cast<lane::BufferOp>(op))
      used.insert({buffer.getSet(), buffer.getBinding(), buffer.getElement()});
    if (auto bytes = dyn_cast<lane::BufferBytesOp>(op))
      used.insert({bytes.getSet(), bytes.getBinding(), bytes.getElement()});
  });
  return {used.begin(), used.end()};
}

/// Returns whether the kernel depends on the number of lanes of its subgroups.
static bool usesSubgroups(func::FuncOp function) {
  return function
      .walk([](Operation *op) {
        auto builtin = dyn_cast<lane::BuiltinOp>(op);
        bool uses = isa<lane::ShuffleOp, lane::BallotOp, lane::ReduceOp>(op) ||
                    (builtin && builtin.getWhich().contains("subgroup"));
        return uses ? WalkResult::interrupt() : WalkResult::advance();
      })
      .wasInterrupted();
}

/// Appends the types of the parameters that hold the push constants: those of an OpenCL kernel, or
/// words. Returns their offsets.
static SmallVector<int64_t> parametersOf(func::FuncOp function, int64_t words,
                                         SmallVectorImpl<Type> &types) {
  SmallVector<int64_t> offsets;
  auto arguments = function->getAttrOfType<ArrayAttr>("lane.arguments");
  for (int64_t i = 0; i < words && !arguments; ++i) {
    types.push_back(IntegerType::get(function.getContext(), 64));
    offsets.push_back(8 * i);
  }
  for (Attribute argument : arguments ? arguments.getValue() : ArrayRef<Attribute>()) {
    auto pair = cast<ArrayAttr>(argument);
    types.push_back(cast<TypeAttr>(pair[0]).getValue());
    offsets.push_back(cast<IntegerAttr>(pair[1]).getInt());
  }
  return offsets;
}

/// Makes the kernel with the function's body. The entry block begins with the values that the
/// patterns take.
LLVM::LLVMFuncOp LanesToKernels::declare(func::FuncOp function, shader::KernelValues &values) {
  MLIRContext *context = &getContext();
  OpBuilder b(function);
  Location loc = function.getLoc();
  Type i64 = b.getI64Type();
  auto global = LLVM::LLVMPointerType::get(context, shader::Global);
  auto generic = LLVM::LLVMPointerType::get(context, shader::Generic);
  std::vector<Slot> parameters = slotsOf(function);
  SmallVector<Type> types;
  for (size_t i = 0; i < parameters.size(); ++i)
    types.append({global, i64});
  int64_t constantBytes = pushConstantBytes, sharedBytes = 0;
  if (auto bytes = function->getAttrOfType<IntegerAttr>("lane.push_constant_bytes"))
    constantBytes = std::max(constantBytes, bytes.getInt());
  if (auto bytes = function->getAttrOfType<IntegerAttr>("lane.shared_bytes"))
    sharedBytes = bytes.getInt();
  int64_t words = (constantBytes + 7) / 8;
  SmallVector<int64_t> offsets = parametersOf(function, words, types);
  auto kernel = LLVM::LLVMFuncOp::create(
      b, loc, function.getName(),
      LLVM::LLVMFunctionType::get(LLVM::LLVMVoidType::get(context), types));
  kernel.setCConv(LLVM::CConv::SPIR_KERNEL);
  if (auto size = function->getAttrOfType<DenseI32ArrayAttr>("lane.workgroup_size"))
    kernel.setReqdWorkGroupSizeAttr(size);
  auto lanes = function->getAttrOfType<IntegerAttr>("lane.subgroup_size");
  if (lanes && fixedSubgroups && usesSubgroups(function))
    kernel.setIntelReqdSubGroupSizeAttr(b.getI32IntegerAttr(int32_t(lanes.getInt())));
  kernel.getBody().takeBody(function.getBody());
  Block &body = kernel.getBody().front();
  // Loops may lead to the first block, which then cannot have the parameters.
  values.entry = b.createBlock(&body, types, SmallVector<Location>(types.size(), loc));
  b.setInsertionPointToEnd(values.entry);
  auto cast = [&](Value address) -> Value {
    return LLVM::AddrSpaceCastOp::create(b, loc, generic, address);
  };
  for (auto [i, slot] : llvm::enumerate(parameters))
    values.slots[slot] = {cast(values.entry->getArgument(unsigned(2 * i))),
                          values.entry->getArgument(unsigned(2 * i + 1))};
  if (words) {
    Value one = LLVM::ConstantOp::create(b, loc, b.getI32Type(), b.getI32IntegerAttr(1));
    Value memory = LLVM::AllocaOp::create(b, loc, LLVM::LLVMPointerType::get(context),
                                          LLVM::LLVMArrayType::get(i64, unsigned(words)), one, 16);
    for (auto [i, offset] : llvm::enumerate(offsets)) {
      Value at = LLVM::GEPOp::create(b, loc, memory.getType(), b.getI8Type(), memory,
                                     ArrayRef<LLVM::GEPArg>{int32_t(offset)});
      Value given = values.entry->getArgument(unsigned(2 * parameters.size() + i));
      if (isa<LLVM::LLVMPointerType>(given.getType()))
        given = LLVM::PtrToIntOp::create(b, loc, i64, given);
      LLVM::StoreOp::create(b, loc, given, at);
    }
    values.pushConstants = cast(memory);
  }
  if (sharedBytes) {
    auto place = LLVM::LLVMPointerType::get(context, shader::Workgroup);
    std::string name = (function.getName() + "_workgroup").str();
    Type type = LLVM::LLVMArrayType::get(b.getI8Type(), unsigned(sharedBytes));
    {
      OpBuilder::InsertionGuard guard(b);
      b.setInsertionPoint(kernel);
      auto memory =
          LLVM::GlobalOp::create(b, loc, type, /*isConstant=*/false, LLVM::Linkage::Internal, name,
                                 Attribute(), /*alignment=*/64, shader::Workgroup);
      b.createBlock(&memory.getInitializerRegion());
      Value undefined = LLVM::UndefOp::create(b, loc, type);
      LLVM::ReturnOp::create(b, loc, undefined);
    }
    values.shared = cast(LLVM::AddressOfOp::create(b, loc, place, name));
  }
  LLVM::BrOp::create(b, loc, &body);
  return kernel;
}

/// Reports what kernels of this form cannot do.
static LogicalResult checkOperations(func::FuncOp function) {
  WalkResult found = function.walk([](Operation *op) {
    if (isa<lane::PrintfOp>(op)) {
      op->emitError("prints, which code that is translated from SPIR-V cannot do on this device");
      return WalkResult::interrupt();
    }
    if (isa<lane::ProgramOp>(op)) {
      op->emitError("uses a variable of the program in global memory, which code that is "
                    "translated from SPIR-V cannot hold: pass a buffer");
      return WalkResult::interrupt();
    }
    return WalkResult::advance();
  });
  return failure(found.wasInterrupted());
}

LogicalResult LanesToKernels::convert(func::FuncOp function) {
  if (failed(checkOperations(function)))
    return failure();
  shader::KernelValues values;
  LLVM::LLVMFuncOp kernel = declare(function, values);
  function.erase();
  MLIRContext *context = &getContext();
  LowerToLLVMOptions options(context);
  options.overrideIndexBitwidth(64);
  LLVMTypeConverter converter(context, options);
  auto isOwnMemory = [](Type type) {
    auto pointer = dyn_cast<LLVM::LLVMPointerType>(type);
    return pointer && pointer.getAddressSpace() == shader::Private;
  };
  converter.addConversion([=](LLVM::LLVMPointerType type) -> Type {
    return isOwnMemory(type) ? LLVM::LLVMPointerType::get(type.getContext(), shader::Generic)
                             : type;
  });
  RewritePatternSet patterns(context);
  arith::populateArithToLLVMConversionPatterns(converter, patterns);
  cf::populateControlFlowToLLVMConversionPatterns(converter, patterns);
  ub::populateUBToLLVMConversionPatterns(converter, patterns);
  shader::populateLanePatterns(converter, values, patterns);
  shader::populateExchangePatterns(converter, patterns);
  shader::populateMathPatterns(converter, patterns);
  ConversionTarget target(*context);
  target.addDynamicallyLegalDialect<LLVM::LLVMDialect>([=](Operation *op) {
    // The memory of one invocation is cast to generic addresses where it is made.
    if (op->getBlock() == values.entry || op->getNumRegions() ||
        isa<LLVM::AllocaOp, LLVM::AddrSpaceCastOp>(op))
      return true;
    return llvm::none_of(op->getOperandTypes(), isOwnMemory) &&
           llvm::none_of(op->getResultTypes(), isOwnMemory);
  });
  return applyFullConversion(kernel, target, std::move(patterns));
}

void LanesToKernels::runOnOperation() {
  auto functions = llvm::to_vector(getOperation().getOps<func::FuncOp>());
  for (func::FuncOp function : functions)
    if (failed(convert(function)))
      return signalPassFailure();
  for (StringRef name :
       {"spvx.addressing", "spvx.capabilities", "spvx.memory_model", "spvx.version"})
    getOperation()->removeAttr(name);
}
