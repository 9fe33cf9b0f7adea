//===- WorkItems.cpp - positions, barriers and printf -----------------------===//
#include "compiler/dialect/vk/VkDialect.h"
#include "compiler/import/llvm/Builtins.h"

#include "mlir/Dialect/Vector/IR/VectorOps.h"
#include "llvm/IR/GlobalVariable.h"

using namespace mlir;
using namespace pumice;
using namespace pumice::llvm_import;

using Made = std::optional<FailureOr<Value>>;

static Value widened(Call &c, Value index) {
  return c.op<arith::IndexCastUIOp>(c.b.getI64Type(), index);
}

template <typename Op> static Value along(Call &c, gpu::Dimension dimension) {
  return widened(c, Op::create(c.b, c.loc, dimension));
}

/// Returns a function of a dimension, for dimension `d`.
static Value positionAlong(Call &c, gpu::Dimension d) {
  if (c.name == "get_global_id")
    return along<gpu::GlobalIdOp>(c, d);
  if (c.name == "get_local_id")
    return along<gpu::ThreadIdOp>(c, d);
  if (c.name == "get_group_id")
    return along<gpu::BlockIdOp>(c, d);
  if (c.name == "get_num_groups")
    return along<gpu::GridDimOp>(c, d);
  if (c.name == "get_local_size" || c.name == "get_enqueued_local_size")
    return along<gpu::BlockDimOp>(c, d);
  return c.op<arith::MulIOp>(along<gpu::GridDimOp>(c, d), along<gpu::BlockDimOp>(c, d));
}

Value llvm_import::linearId(Call &c, bool isGlobal) {
  Value id = c.constant(c.b.getI64Type(), int64_t(0));
  for (gpu::Dimension d : {gpu::Dimension::z, gpu::Dimension::y, gpu::Dimension::x}) {
    Value size = along<gpu::BlockDimOp>(c, d);
    if (isGlobal)
      size = c.op<arith::MulIOp>(size, along<gpu::GridDimOp>(c, d));
    Value at = isGlobal ? along<gpu::GlobalIdOp>(c, d) : along<gpu::ThreadIdOp>(c, d);
    id = c.op<arith::AddIOp>(c.op<arith::MulIOp>(id, size), at);
  }
  return id;
}

/// Returns the number of dimensions. A launch on Vulkan always has three, so dimensions at the end
/// in which the grid has only one work-item do not count.
static Value dimensions(Call &c) {
  Type i64 = c.b.getI64Type();
  Value made = c.constant(c.result, 1);
  for (auto [d, number] : {std::pair(gpu::Dimension::y, 2), std::pair(gpu::Dimension::z, 3)}) {
    Value size = c.op<arith::MulIOp>(along<gpu::GridDimOp>(c, d), along<gpu::BlockDimOp>(c, d));
    Value counts = c.compare(arith::CmpIPredicate::ugt, size, c.constant(i64, 1));
    made = c.select(counts, c.constant(c.result, number), made);
  }
  return made;
}

/// Returns the text of a constant string, or nothing.
static std::optional<std::string> textOf(const llvm::Value *pointer) {
  auto *global = dyn_cast<llvm::GlobalVariable>(pointer->stripPointerCasts());
  auto *data = global && global->hasInitializer()
                   ? dyn_cast<llvm::ConstantDataArray>(global->getInitializer())
                   : nullptr;
  if (!data || !data->isCString())
    return std::nullopt;
  return data->getAsCString().str();
}

/// Appends a conversion for each element of a vector: "%v2hlx" becomes "%x,%x". `flags` are those
/// before the "v", and `kind` is the conversion.
static void printVector(Call &c, Value vector, StringRef flags, char kind, std::string &format,
                        SmallVectorImpl<Value> &values) {
  Type element = cast<VectorType>(vector.getType()).getElementType();
  bool isSigned = kind == 'd' || kind == 'i';
  for (int64_t i = 0; i < cast<VectorType>(vector.getType()).getNumElements(); ++i) {
    Value part = c.op<vector::ExtractOp>(vector, i);
    if (element.isInteger() && Build::bits(element) < 32)
      part = c.resize(part, c.b.getI32Type(), isSigned);
    const char *size = element.isInteger(64) ? "l" : "";
    format += (Twine(i ? "," : "") + "%" + flags + size + Twine(kind)).str();
    values.push_back(part);
  }
}

static FailureOr<Value> print(Call &c) {
  std::optional<std::string> given = textOf(c.pointer(0));
  if (!given)
    return c.f.refuse("prints a format that is not a constant; give printf a string literal");
  std::string format;
  SmallVector<Value> values;
  StringRef rest = *given;
  for (unsigned next = 1; !rest.empty();) {
    StringRef text = rest.take_until([](char ch) { return ch == '%'; });
    format += text;
    rest = rest.drop_front(text.size());
    if (rest.empty())
      break;
    size_t end = rest.find_first_of("diouxXfFeEgGaAcsp%", 1);
    if (end == StringRef::npos || rest[end] == '%' || next >= c.x.size()) {
      size_t length = end == StringRef::npos ? rest.size() : end + 1;
      format += rest.take_front(length);
      rest = rest.drop_front(length);
      continue;
    }
    StringRef whole = rest.take_front(end + 1), flags = whole.slice(1, end);
    rest = rest.drop_front(end + 1);
    const llvm::Value *argument = c.pointer(next);
    Value value = c.x[next++];
    if (isa<VectorType>(value.getType())) {
      printVector(c, value, flags.take_until([](char ch) { return ch == 'v'; }), whole.back(),
                  format, values);
    } else if (whole.back() == 's') {
      std::optional<std::string> text = textOf(argument);
      if (!text || whole != "%s")
        return c.f.refuse("prints a string by '" + whole +
                          "'; Vulkan prints constant strings by '%s' only");
      for (char ch : *text)
        format += ch == '%' ? "%%" : std::string(1, ch);
    } else {
      format += whole;
      values.push_back(value);
    }
  }
  gpu::PrintfOp::create(c.b, c.loc, c.b.getStringAttr(format), values);
  return c.constant(c.result, int64_t(0));
}

Made llvm_import::translateWorkItem(Call &c) {
  static const llvm::StringLiteral positions[] = {"get_global_id",  "get_local_id",
                                                  "get_group_id",   "get_num_groups",
                                                  "get_local_size", "get_enqueued_local_size",
                                                  "get_global_size"};
  if (llvm::is_contained(positions, c.name)) {
    constexpr gpu::Dimension all[] = {gpu::Dimension::x, gpu::Dimension::y, gpu::Dimension::z};
    bool isSize = c.name.contains("size") || c.name == "get_num_groups";
    Value none = c.constant(c.b.getI64Type(), int64_t(isSize)); // of dimensions that do not exist
    if (std::optional<uint64_t> d = c.number(0))
      return *d < 3 ? positionAlong(c, all[*d]) : none;
    Value made = none;
    for (unsigned d = 0; d < 3; ++d) {
      Value same =
          c.compare(arith::CmpIPredicate::eq, c.x[0], c.constant(c.x[0].getType(), int64_t(d)));
      made = c.select(same, positionAlong(c, all[d]), made);
    }
    return made;
  }
  if (c.name == "get_global_linear_id" || c.name == "get_local_linear_id")
    return linearId(c, c.name == "get_global_linear_id");
  if (c.name == "get_global_offset") // a launch on Vulkan has none
    return c.constant(c.result, int64_t(0));
  if (c.name == "get_work_dim")
    return dimensions(c);
  if (c.name == "barrier" || c.name == "work_group_barrier" || c.name == "__spirv_ControlBarrier") {
    gpu::BarrierOp::create(c.b, c.loc);
    return Value();
  }
  if (c.name == "mem_fence" || c.name == "read_mem_fence" || c.name == "write_mem_fence" ||
      c.name == "atomic_work_item_fence" || c.name == "__spirv_MemoryBarrier") {
    vk::MemoryBarrierOp::create(c.b, c.loc);
    return Value();
  }
  if (c.name == "prefetch")
    return Value();
  if (c.name == "printf")
    return print(c);
  return std::nullopt;
}
