//===- LowerKernelArguments.cpp - kernel arguments to interfaces ------------===//
//   before: gpu.func @k(%x: memref<?xf32>, %n: i32) workgroup(%t: memref<32xf32, 3>) kernel
//   after:  gpu.func @k() kernel attributes {pumice.interface = {...}} {
//             %b = vk.parameter 0 : memref<?xf32>          (or vk.binding)
//             %d = vk.parameter 8 : i32                    (the extent)
//             %x = memref.reinterpret_cast %b to offset: [0], sizes: [%d], strides: [1]
//             %n = vk.parameter 12 : i32
//             %t = memref.get_global @k_workgroup_0
//
// Needs: calls inlined, and the hidden printf argument added. Leaves: kernels without arguments.
//===-------------------------------------------------------------------------===//
#include "compiler/lower/Passes.h"
#include "compiler/lower/structure/KernelInterface.h"
#include "compiler/lower/types/StorageTypes.h"
#include "executable/Validate.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/GPU/IR/GPUDialect.h"
#include "mlir/Dialect/MemRef/IR/MemRef.h"
#include "mlir/Dialect/SPIRV/IR/SPIRVAttributes.h"
#include "mlir/Dialect/SPIRV/IR/TargetAndABI.h"
#include "mlir/Dialect/Vector/IR/VectorOps.h"
#include "llvm/Support/MathExtras.h"

namespace pumice::lower {
#define GEN_PASS_DEF_LOWERKERNELARGUMENTS
#include "compiler/lower/Passes.h.inc"
} // namespace pumice::lower

using namespace mlir;
using namespace pumice;
using namespace pumice::lower;

namespace {

/// Lays out the parameter block of one kernel and emits the reads of it.
struct InterfaceBuilder {
  gpu::GPUFuncOp kernel;
  OpBuilder builder;
  Location loc;
  bool physical;
  bool reachesAddresses = false;     // whether it uses addresses other than those of its arguments
  bool takesWorkgroupMemory = false; // whether an OpenCL kernel takes a pointer to dynamic memory
  unsigned indexBits;
  uint32_t bytes = 0;
  SmallVector<Attribute> arguments, fields, bindings;

  InterfaceBuilder(gpu::GPUFuncOp kernel, bool physical, unsigned indexBits)
      : kernel(kernel), builder(kernel.getContext()), loc(kernel.getLoc()), physical(physical),
        indexBits(indexBits) {
    builder.setInsertionPointToStart(&kernel.getBody().front());
  }

  NamedAttribute named(StringRef name, Attribute value) {
    return builder.getNamedAttr(name, value);
  }
  IntegerAttr number(int64_t value) { return builder.getI64IntegerAttr(value); }

  /// Reserves `size` bytes, aligned to their size or to `alignment`, and records their source.
  uint32_t addField(StringRef source, unsigned argument, unsigned dimension, uint32_t size,
                    uint32_t alignment = 0) {
    uint32_t offset = llvm::alignTo(bytes, alignment ? alignment : size);
    bytes = offset + size;
    fields.push_back(builder.getDictionaryAttr(
        {named("source", builder.getStringAttr(source)), named("argument", number(argument)),
         named("dimension", number(dimension)), named("offset", number(offset)),
         named("size", number(size))}));
    return offset;
  }

  Value parameter(uint32_t offset, Type type) {
    return vk::ParameterOp::create(builder, loc, type, builder.getI32IntegerAttr(offset));
  }

  /// Returns an extent, stride or offset that the launch passes.
  Value indexParameter(StringRef source, unsigned argument, unsigned dimension) {
    uint32_t offset = addField(source, argument, dimension, indexBits / 8);
    Value raw = parameter(offset, builder.getIntegerType(indexBits));
    return arith::IndexCastOp::create(builder, loc, builder.getIndexType(), raw);
  }

  Value atAddress(BlockArgument arg, uint32_t offset, MemRefType type);
  FailureOr<Value> lowerBuffer(BlockArgument arg, unsigned number, MemRefType type);
  LogicalResult checkScalar(Type type, unsigned number);
  Value readScalar(uint32_t offset, Type type);
  FailureOr<Value> lowerScalar(BlockArgument arg, unsigned number);
  Value lowerAddress(BlockArgument arg, unsigned number);
  FailureOr<Value> lowerVector(VectorType type, unsigned number);
  LogicalResult lowerArgument(BlockArgument arg, unsigned number);
  void lowerAttributions(SymbolTable &symbols);
  LogicalResult finish(const target::TargetEnv &env);
};

StringRef nameOf(BlockArgument arg) {
  if (auto named = dyn_cast<NameLoc>(arg.getLoc()))
    return named.getName();
  return "";
}

bool isAddressTaken(BlockArgument arg) {
  return llvm::any_of(arg.getUsers(), [](Operation *user) { return isa<vk::AddressOfOp>(user); });
}

/// Reads a buffer's address as an integer, and makes a memref from it. If the kernel also uses the
/// address as a number, the block's member can only have the integer type.
Value InterfaceBuilder::atAddress(BlockArgument arg, uint32_t offset, MemRefType type) {
  Value address = parameter(offset, builder.getI64Type());
  for (Operation *user : llvm::make_early_inc_range(arg.getUsers()))
    if (auto taken = dyn_cast<vk::AddressOfOp>(user)) {
      taken.replaceAllUsesWith(address);
      taken.erase();
    }
  return vk::AtAddressOp::create(builder, loc, type, address);
}

FailureOr<Value> InterfaceBuilder::lowerBuffer(BlockArgument arg, unsigned index, MemRefType type) {
  SmallVector<int64_t> strides;
  int64_t offset = 0;
  if (failed(type.getStridesAndOffset(strides, offset)))
    return kernel.emitError() << "argument " << index << " has the layout " << type.getLayout()
                              << ", which is not strided; give it a strided layout";
  auto vector = dyn_cast<VectorType>(type.getElementType());
  if (vector && llvm::PowerOf2Ceil(vector.getNumElements()) > executable::maxVectorWidth)
    return kernel.emitError() << "argument " << index << " has elements of type " << vector
                              << "; vectors in buffers have at most " << executable::maxVectorWidth
                              << " components: make them dimensions of the memref";
  // Unsupported elements of a used argument are reported at the loads and stores that use them.
  bool isRefusedAtUse = !arg.use_empty() && !isa<BaseMemRefType>(type.getElementType());
  if (!isRefusedAtUse &&
      storageBytes(vector ? vector.getElementType() : type.getElementType()) == 0)
    return kernel.emitError() << "argument " << index << " has elements of type "
                              << type.getElementType()
                              << ", which no buffer can hold; pass buffers of integers and floats "
                                 "of at most 64 bits, each as an argument of its own";
  int64_t bytes = storageBytes(vector ? vector.getElementType() : type.getElementType());
  if (!executable::isCountable(type.getShape(), strides, offset,
                               vector ? bytes * vector.getNumElements() : bytes))
    return emitError(arg.getLoc()) << "argument " << index << " of type " << type
                                   << " has more bytes than 63 bits can count: make its extents "
                                      "smaller, or dynamic";
  bool isPrintf = kernel.getArgAttr(index, printfBufferAttrName) != nullptr;
  auto baseType = MemRefType::get({ShapedType::kDynamic}, type.getElementType(),
                                  MemRefLayoutAttrInterface{}, type.getMemorySpace());
  BufferAccess access = accessOf(arg); // must be read before another value replaces the argument
  Value base;
  if (physical) {
    uint32_t at =
        addField(isPrintf ? "printf_address" : "buffer_address", isPrintf ? 0 : index, 0, 8);
    base = isAddressTaken(arg) ? atAddress(arg, at, baseType) : parameter(at, baseType);
  } else {
    auto binding = builder.getI32IntegerAttr(bindings.size());
    bindings.push_back(builder.getDictionaryAttr(
        {named("set", number(0)), named("binding", number(binding.getInt())),
         named("source", builder.getStringAttr(isPrintf ? "printf" : "argument")),
         named("argument", number(isPrintf ? 0 : index))}));
    base = vk::BindingOp::create(builder, loc, baseType, builder.getI32IntegerAttr(0), binding);
  }

  // The runtime passes the printf buffer, and callers do not count it as an argument. Its fields
  // therefore have the argument number 0.
  unsigned field = isPrintf ? 0 : index;
  auto known = [&](int64_t value, StringRef source, unsigned dimension) -> OpFoldResult {
    if (ShapedType::isDynamic(value))
      return indexParameter(source, field, dimension);
    return builder.getIndexAttr(value);
  };
  OpFoldResult at = known(offset, "buffer_offset", 0);
  SmallVector<OpFoldResult> sizes, steps;
  for (auto [dim, extent] : llvm::enumerate(type.getShape()))
    sizes.push_back(known(extent, isPrintf ? "printf_words" : "buffer_extent", dim));
  for (auto [dim, stride] : llvm::enumerate(strides))
    steps.push_back(known(stride, "buffer_stride", dim));

  if (!isPrintf) {
    StringRef word =
        access.reads ? (access.writes ? "read_write" : "read") : (access.writes ? "write" : "none");
    auto numbers = [&](ArrayRef<int64_t> values) { return builder.getDenseI64ArrayAttr(values); };
    arguments.push_back(builder.getDictionaryAttr(
        {named("name", builder.getStringAttr(nameOf(arg))),
         named("type", TypeAttr::get(type.getElementType())),
         named("buffer", builder.getUnitAttr()), named("shape", numbers(type.getShape())),
         named("strides", numbers(strides)), named("offset", number(offset)),
         named("access", builder.getStringAttr(word))}));
  }
  return memref::ReinterpretCastOp::create(builder, loc, type, base, at, sizes, steps).getResult();
}

/// Checks an argument that a launch passes by value: a scalar or a vector of scalars.
LogicalResult InterfaceBuilder::checkScalar(Type type, unsigned index) {
  Type scalar = isa<VectorType>(type) ? cast<VectorType>(type).getElementType() : type;
  if (!scalar.isIndex() && !scalar.isIntOrFloat())
    return kernel.emitError() << "argument " << index << " has type " << type
                              << ", which a launch cannot pass; pass buffers, scalars and vectors";
  if (!scalar.isIndex() && scalar.getIntOrFloatBitWidth() > 64)
    return kernel.emitError() << "argument " << index << " of type " << type
                              << " is wider than 64 bits; pass it in a buffer";
  return success();
}

/// Reads a scalar from the parameter block. A narrow scalar is part of a 32-bit word, so that no
/// narrow-storage feature is needed.
Value InterfaceBuilder::readScalar(uint32_t offset, Type type) {
  if (type.isIndex()) {
    Value raw = parameter(offset, builder.getIntegerType(indexBits));
    return arith::IndexCastOp::create(builder, loc, type, raw);
  }
  unsigned bits = type.getIntOrFloatBitWidth();
  if (bits == 32 || bits == 64)
    return parameter(offset, type);
  Type word = builder.getIntegerType(bits > 32 ? 64 : 32);
  uint32_t within = bits > 32 ? 0 : offset % 4;
  Value raw = parameter(offset - within, word);
  if (within != 0) {
    Value shift = arith::ConstantOp::create(builder, loc, builder.getIntegerAttr(word, within * 8));
    raw = arith::ShRUIOp::create(builder, loc, raw, shift);
  }
  Value narrow = arith::TruncIOp::create(builder, loc, builder.getIntegerType(bits), raw);
  if (isa<FloatType>(type))
    narrow = arith::BitcastOp::create(builder, loc, type, narrow);
  return narrow;
}

FailureOr<Value> InterfaceBuilder::lowerScalar(BlockArgument arg, unsigned index) {
  Type type = arg.getType();
  if (failed(checkScalar(type, index)))
    return failure();
  arguments.push_back(builder.getDictionaryAttr(
      {named("name", builder.getStringAttr(nameOf(arg))), named("type", TypeAttr::get(type))}));
  if (auto vector = dyn_cast<VectorType>(type))
    return lowerVector(vector, index);
  unsigned bits = type.isIndex() ? indexBits : type.getIntOrFloatBitWidth();
  return readScalar(addField("scalar", index, 0, bits > 32 ? 8 : 4), type);
}

/// Reads a vector. Its elements are tightly packed in the form that they have in memory: an index
/// has 8 bytes, and a boolean has one.
FailureOr<Value> InterfaceBuilder::lowerVector(VectorType type, unsigned index) {
  if (type.getNumElements() > executable::maxVectorWidth)
    return kernel.emitError() << "argument " << index << " has type " << type
                              << "; vectors that a launch passes have at most "
                              << executable::maxVectorWidth << " elements: pass a buffer";
  Type scalar = type.getElementType();
  uint32_t elementBytes = storageBytes(scalar);
  auto count = static_cast<uint32_t>(type.getNumElements());
  uint32_t offset = addField("scalar", index, 0, count * elementBytes, std::max(4u, elementBytes));
  SmallVector<Value> elements;
  for (uint32_t i = 0; i < count; ++i)
    elements.push_back(readScalar(offset + i * elementBytes, scalar));
  return vector::FromElementsOp::create(builder, loc, type, elements).getResult();
}

/// Lowers an argument that is the address of a buffer of bytes.
Value InterfaceBuilder::lowerAddress(BlockArgument arg, unsigned index) {
  // No scalar needs a larger alignment, and the code does not state the one that it relies on.
  constexpr int64_t alignment = 16;
  int64_t extent = ShapedType::kDynamic, stride = 1;
  arguments.push_back(builder.getDictionaryAttr(
      {named("name", builder.getStringAttr(nameOf(arg))),
       named("type", TypeAttr::get(builder.getI8Type())), named("buffer", builder.getUnitAttr()),
       named("shape", builder.getDenseI64ArrayAttr(extent)),
       named("strides", builder.getDenseI64ArrayAttr(stride)), named("offset", number(0)),
       named("alignment", number(alignment)),
       named("access", builder.getStringAttr("read_write"))}));
  return parameter(addField("buffer_address", index, 0, 8), arg.getType());
}

LogicalResult InterfaceBuilder::lowerArgument(BlockArgument arg, unsigned index) {
  FailureOr<Value> value;
  if (auto type = dyn_cast<MemRefType>(arg.getType()))
    value = lowerBuffer(arg, index, type);
  else if (kernel.getArgAttr(index, bufferAddressAttrName))
    value = lowerAddress(arg, index);
  else
    value = lowerScalar(arg, index);
  if (failed(value))
    return failure();
  arg.replaceAllUsesWith(*value);
  return success();
}

/// Lowers attributions. Workgroup buffers become globals of the module, and private ones are
/// allocated on the invocation's stack.
void InterfaceBuilder::lowerAttributions(SymbolTable &symbols) {
  for (BlockArgument arg : kernel.getWorkgroupAttributions()) {
    auto type = cast<MemRefType>(arg.getType());
    OpBuilder module(kernel);
    auto global = memref::GlobalOp::create(
        module, loc, (kernel.getName() + "_workgroup").str(), module.getStringAttr("private"), type,
        /*initial_value=*/module.getUnitAttr(), /*constant=*/false, /*alignment=*/IntegerAttr());
    symbols.insert(global);
    arg.replaceAllUsesWith(memref::GetGlobalOp::create(builder, loc, type, global.getSymName()));
  }
  for (BlockArgument arg : kernel.getPrivateAttributions())
    arg.replaceAllUsesWith(memref::AllocaOp::create(builder, loc, cast<MemRefType>(arg.getType())));
}

/// Finishes the interface. A block larger than the push-constant limit gets its own buffer.
LogicalResult InterfaceBuilder::finish(const target::TargetEnv &env) {
  // The pointer is the last parameter. Zero is the first byte behind the memory of the code itself.
  if (takesWorkgroupMemory)
    bytes = llvm::alignTo(bytes, 8) + 8;
  StringRef place = bytes == 0 ? "none" : "push_constants";
  if (env.isOpenCl() && bytes > env.limits.maxPushConstantsSize)
    return kernel.emitError() << "takes " << bytes << " bytes of parameters, but "
                              << target::describe(env) << " allows "
                              << env.limits.maxPushConstantsSize
                              << " (CL_DEVICE_MAX_PARAMETER_SIZE): pass some of them in a buffer";
  if (bytes > env.limits.maxPushConstantsSize) {
    place = physical ? "addressed_buffer" : "described_buffer";
    if (!physical)
      bindings.push_back(builder.getDictionaryAttr(
          {named("set", number(0)), named("binding", number(bindings.size())),
           named("source", builder.getStringAttr("parameters")), named("argument", number(0))}));
  }
  NamedAttrList interface;
  interface.append("addressing", builder.getStringAttr(physical ? "physical" : "descriptors"));
  interface.append("arguments", builder.getArrayAttr(arguments));
  interface.append("place", builder.getStringAttr(place));
  interface.append("bytes", number(llvm::alignTo(bytes, 4)));
  interface.append("index_bits", number(indexBits));
  interface.append("fields", builder.getArrayAttr(fields));
  interface.append("bindings", builder.getArrayAttr(bindings));
  if (reachesAddresses)
    interface.append("unnamed_memory", builder.getUnitAttr());
  if (takesWorkgroupMemory)
    interface.append("workgroup_memory", builder.getUnitAttr());
  kernel->setAttr(interfaceAttrName, interface.getDictionary(kernel.getContext()));
  Block &entry = kernel.getBody().front();
  assert(llvm::all_of(entry.getArguments(), [](BlockArgument a) { return a.use_empty(); }));
  entry.eraseArguments(0, entry.getNumArguments());
  kernel->removeAttr(gpu::GPUFuncOp::getNumWorkgroupAttributionsAttrName());
  kernel->removeAttr(kernel.getWorkgroupAttribAttrsAttrName());
  kernel->removeAttr(kernel.getPrivateAttribAttrsAttrName());
  kernel.removeArgAttrsAttr();
  kernel.setFunctionType(builder.getFunctionType({}, {}));
  return success();
}

/// Sets known_block_size for later passes, from any form in which the workgroup size may be given.
void nameWorkgroupSize(gpu::GPUFuncOp kernel) {
  if (kernel.getKnownBlockSize())
    return;
  auto size = kernel->getAttrOfType<DenseI32ArrayAttr>("gpu.known_block_size");
  if (auto abi = kernel->getAttrOfType<mlir::spirv::EntryPointABIAttr>(
          mlir::spirv::getEntryPointABIAttrName());
      abi && !size)
    size = abi.getWorkgroupSize();
  if (size)
    kernel.setKnownBlockSizeAttr(size);
}

bool takesDynamicMemory(gpu::GPUFuncOp kernel) {
  return kernel.walk([](gpu::DynamicSharedMemoryOp) { return WalkResult::interrupt(); })
      .wasInterrupted();
}

/// Rejects addresses in kernels that use descriptors.
LogicalResult checkNoAddresses(gpu::GPUFuncOp kernel, const target::TargetEnv &env) {
  WalkResult walked = kernel.walk([&](Operation *op) {
    if (!isa<vk::AddressOfOp, vk::AtAddressOp>(op))
      return WalkResult::advance();
    op->emitError() << "computes with addresses of memory, for which buffers need some: compile "
                       "with physical addressing, which "
                    << (env.has(target::Feature::bufferDeviceAddress)
                            ? target::describe(env) + " has"
                            : target::needs(env, target::Feature::bufferDeviceAddress));
    return WalkResult::interrupt();
  });
  return failure(walked.wasInterrupted());
}

struct LowerKernelArguments final : lower::impl::LowerKernelArgumentsBase<LowerKernelArguments> {
  using LowerKernelArgumentsBase::LowerKernelArgumentsBase;

  FailureOr<bool> usesAddresses(const target::TargetEnv &env) {
    bool has = env.has(target::Feature::bufferDeviceAddress);
    if (addressing == Addressing::Physical && !has)
      return getOperation().emitError()
             << "physical addressing " << target::needs(env, target::Feature::bufferDeviceAddress)
             << "; use descriptors";
    if (addressing == Addressing::Descriptors && env.isOpenCl())
      return getOperation().emitError()
             << "descriptors do not exist in OpenCL, which " << target::describe(env)
             << " describes; use physical addressing, or leave the choice to the compiler";
    return addressing == Addressing::Automatic ? has : addressing == Addressing::Physical;
  }

  void runOnOperation() override {
    FailureOr<target::TargetEnv> env = vk::lookupTarget(getOperation());
    if (failed(env))
      return signalPassFailure();
    FailureOr<bool> physical = usesAddresses(*env);
    if (failed(physical))
      return signalPassFailure();
    SymbolTable symbols(getOperation());
    for (auto kernel : getOperation().getOps<gpu::GPUFuncOp>()) {
      if (!kernel.isKernel())
        continue;
      if (failed(lowerKernel(kernel, *env, *physical, symbols)))
        return signalPassFailure();
    }
  }

  LogicalResult lowerKernel(gpu::GPUFuncOp kernel, const target::TargetEnv &env, bool physical,
                            SymbolTable &symbols) {
    if (kernel.getNumResults() != 0)
      return kernel.emitError() << "a kernel cannot return values; store them to a buffer";
    if (!physical && failed(checkNoAddresses(kernel, env)))
      return failure();
    bool reachesAddresses =
        kernel.walk([](vk::AtAddressOp) { return WalkResult::interrupt(); }).wasInterrupted();
    nameWorkgroupSize(kernel);
    InterfaceBuilder interface(kernel, physical, indexBits);
    for (unsigned i = 0; i < kernel.getNumArguments(); ++i)
      if (failed(interface.lowerArgument(kernel.getArgument(i), i)))
        return failure();
    interface.lowerAttributions(symbols);
    interface.reachesAddresses = reachesAddresses;
    interface.takesWorkgroupMemory = env.isOpenCl() && takesDynamicMemory(kernel);
    return interface.finish(env);
  }
};

} // namespace
