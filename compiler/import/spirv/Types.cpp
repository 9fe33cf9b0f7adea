//===- Types.cpp - SPIR-V's types in MLIR -----------------------------------===//
#include "compiler/import/spirv/Types.h"

#include "mlir/Dialect/SPIRV/IR/SPIRVTypes.h"
#include "mlir/IR/BuiltinAttributes.h"
#include "mlir/IR/BuiltinTypes.h"
#include "mlir/IR/TypeRange.h"
#include "llvm/ADT/StringExtras.h"

using namespace mlir;
using namespace pumice::spirv_import;

namespace {

constexpr uint32_t deepest = 128;
constexpr uint64_t mostLeaves = 1 << 16;

bool isScalar(Type type) { return type.isIntOrFloat(); }
/// Returns whether a variable can hold the type.
bool isObject(Type type) { return !isa<NoneType, FunctionType>(type); }

FloatType floatOf(MLIRContext *context, uint32_t width, std::optional<uint32_t> encoding) {
  if (encoding)
    return width == 16 && *encoding == 0 ? FloatType(BFloat16Type::get(context)) : FloatType();
  return width == 16   ? FloatType(Float16Type::get(context))
         : width == 32 ? FloatType(Float32Type::get(context))
         : width == 64 ? FloatType(Float64Type::get(context))
                       : FloatType();
}

} // namespace

Type Types::get(uint32_t id, const Instruction &user) {
  FailureOr<Known> found = known(id, user);
  return failed(found) ? Type() : found->type;
}

FunctionType Types::function(uint32_t id, const Instruction &user) {
  Type type = get(id, user);
  if (!type)
    return {};
  if (auto found = dyn_cast<FunctionType>(type))
    return found;
  (void)reading.fail(user, "id " + Twine(id) + " is not the type of a function");
  return {};
}

FailureOr<Types::Known> Types::known(uint32_t id, const Instruction &user) {
  if (auto found = types.find(id); found != types.end())
    return found->second;
  Instruction in = source.definition(id);
  if (!in)
    return reading.fail(user, "type " + Twine(id) + " is not defined");
  const Row *row = findInstruction(in.opcode);
  if (row->kind == RowKind::Refused)
    return reading.refuse(in, *row);
  if (!StringRef(row->name).starts_with("Type"))
    return reading.fail(user, "id " + Twine(id) + " is not a type, but Op" + row->name);
  if (nesting > deepest)
    return reading.fail(in, "types are nested more than " + Twine(deepest) + " deep");
  if (!making.try_emplace(id, true).second)
    return reading.fail(in, "the type contains itself");
  ++nesting;
  FailureOr<Known> made = make(id, in);
  --nesting;
  making.erase(id);
  if (failed(made))
    return failure();
  if (made->depth > deepest)
    return reading.fail(in, "types are nested more than " + Twine(deepest) + " deep");
  if (made->leaves > mostLeaves)
    return reading.fail(in, "a type of more than " + Twine(mostLeaves) + " members");
  return types[id] = *made;
}

FailureOr<Types::Known> Types::make(uint32_t id, const Instruction &in) {
  MLIRContext *context = reading.context;
  switch (in.opcode) {
  case OpTypeVoid:
    return Known{NoneType::get(context)};
  case OpTypeBool:
    return Known{IntegerType::get(context, 1)};
  case OpTypeEvent: // an opaque token
    return Known{IntegerType::get(context, 32)};
  case OpTypeInt:
    if (in[1] != 8 && in[1] != 16 && in[1] != 32 && in[1] != 64)
      return reading.fail(in, "integers have 8, 16, 32 or 64 bits, not " + Twine(in[1]));
    return Known{IntegerType::get(context, in[1])};
  case OpTypeFloat: {
    auto encoding = in.operands.size() > 2 ? std::optional(in[2]) : std::nullopt;
    FloatType type = floatOf(context, in[1], encoding);
    if (!type)
      return reading.fail(in, "floating-point numbers are f16, bf16, f32 or f64");
    return Known{type};
  }
  case OpTypeVector:
  case OpTypeMatrix:
    return makeVector(in);
  case OpTypeArray:
  case OpTypeRuntimeArray:
    return makeArray(in);
  case OpTypeStruct:
    return makeStruct(id, in);
  case OpTypePointer:
    return makePointer(id, in);
  case OpTypeCooperativeMatrixKHR:
    return makeCooperativeMatrix(in);
  case OpTypeFunction: {
    FailureOr<Known> result = known(in[1], in);
    if (failed(result))
      return failure();
    Known type{{}, result->depth + 1, result->leaves};
    SmallVector<Type> inputs, results;
    if (!isa<NoneType>(result->type))
      results.push_back(result->type);
    for (uint32_t parameter : in.operands.drop_front(std::min<size_t>(2, in.operands.size()))) {
      FailureOr<Known> each = known(parameter, in);
      if (failed(each))
        return failure();
      if (!isObject(each->type))
        return reading.fail(in, "a parameter is neither value nor address");
      inputs.push_back(each->type);
      type.depth = std::max(type.depth, each->depth + 1);
      type.leaves += each->leaves;
    }
    if (!results.empty() && !isObject(results[0]))
      return reading.fail(in, "the result is neither a value nor an address");
    type.type = FunctionType::get(context, inputs, results);
    return type;
  }
  default:
    return reading.fail(in, "this type is not supported");
  }
}

FailureOr<Types::Known> Types::makeVector(const Instruction &in) {
  FailureOr<Known> element = known(in[1], in);
  if (failed(element))
    return failure();
  uint32_t count = in[2];
  if (in.opcode == OpTypeMatrix) {
    if (count < 2 || count > 4 || !spirv::MatrixType::isValidColumnType(element->type))
      return reading.fail(in, "matrices have 2 to 4 columns of 2 to 4 floating-point numbers");
    return Known{spirv::MatrixType::get(element->type, count), element->depth + 1, element->leaves};
  }
  if (!isScalar(element->type) || ((count < 2 || count > 4) && count != 8 && count != 16))
    return reading.fail(in,
                        "vectors have 2, 3, 4, 8 or 16 numbers or booleans, not " + Twine(count));
  return Known{VectorType::get({count}, element->type), element->depth + 1, 1};
}

uint32_t Types::strideOf(uint32_t id) const {
  constexpr uint32_t arrayStride = 6;
  const Decoration *found = source.decoration(id, arrayStride);
  return found && !found->literals.empty() ? found->literals[0] : 0;
}

FailureOr<Types::Known> Types::makeArray(const Instruction &in) {
  FailureOr<Known> element = known(in[1], in);
  if (failed(element))
    return failure();
  if (!isObject(element->type))
    return reading.fail(in, "its elements are not values");
  uint32_t stride = strideOf(in[0]);
  Known type{{}, element->depth + 1, element->leaves};
  if (in.opcode == OpTypeRuntimeArray) {
    type.type = spirv::RuntimeArrayType::get(element->type, stride);
    return type;
  }
  FailureOr<uint64_t> count = constants.integer(in[2], in);
  if (failed(count))
    return failure();
  if (*count == 0 || *count > UINT32_MAX)
    return reading.fail(in, "an array of " + Twine(*count) + " elements");
  type.type = spirv::ArrayType::get(element->type, static_cast<unsigned>(*count), stride);
  return type;
}

/// Returns whether MLIR's struct type can represent a decoration of structs and members.
static bool isKept(spirv::Decoration decoration) {
  using enum spirv::Decoration;
  switch (decoration) {
  case Block:
  case BufferBlock:
  case CPacked:
  case RowMajor:
  case ColMajor:
  case MatrixStride:
  case NonWritable:
  case NonReadable:
  case Restrict:
  case Aliased:
  case Volatile:
  case Coherent:
    return true;
  default:
    return false;
  }
}

FailureOr<Types::Known> Types::makeStruct(uint32_t id, const Instruction &in) {
  MLIRContext *context = reading.context;
  ArrayRef<uint32_t> members = in.operands.drop_front(1);
  Known type{{}, 1, 1};
  SmallVector<Type> elements;
  SmallVector<uint32_t> offsets;
  SmallVector<spirv::StructType::MemberDecorationInfo> decorations;
  SmallVector<spirv::StructType::StructDecorationInfo> own;
  for (auto [number, member] : llvm::enumerate(members)) {
    FailureOr<Known> each = known(member, in);
    if (failed(each))
      return failure();
    if (!isObject(each->type))
      return reading.fail(in, "member " + Twine(number) + " is not a value");
    elements.push_back(each->type);
    type.depth = std::max(type.depth, each->depth + 1);
    type.leaves += each->leaves;
    SmallVector<uint32_t> seen;
    for (const Decoration &decoration :
         source.memberDecorations(id, static_cast<uint32_t>(number))) {
      std::optional<spirv::Decoration> kind = spirv::symbolizeDecoration(decoration.kind);
      uint32_t value = decoration.literals.empty() ? 0 : decoration.literals[0];
      if (kind == spirv::Decoration::Offset && offsets.size() == number)
        offsets.push_back(value);
      if (!kind || !isKept(*kind) || llvm::is_contained(seen, decoration.kind))
        continue;
      seen.push_back(decoration.kind);
      Attribute attribute = UnitAttr::get(context);
      if (kind == spirv::Decoration::MatrixStride)
        attribute = IntegerAttr::get(IntegerType::get(context, 32), value);
      decorations.emplace_back(static_cast<uint32_t>(number), *kind, attribute);
    }
    if (!offsets.empty() && offsets.size() != number + 1)
      return reading.fail(in, "member " + Twine(offsets.size() == number ? number : 0) +
                                  " has no Offset, others have one");
  }
  for (const Decoration &decoration : source.decorations(id))
    if (auto kind = spirv::symbolizeDecoration(decoration.kind);
        kind && isKept(*kind) &&
        llvm::none_of(own, [&](const auto &other) { return other.decoration == *kind; }))
      own.emplace_back(*kind, UnitAttr::get(context));
  if (auto found = recursive.find(id); found != recursive.end()) {
    auto body = cast<spirv::StructType>(found->second);
    if (failed(body.trySetBody(elements, offsets, decorations, own)))
      return reading.fail(in, "another module of this context has a struct of the same name");
    type.type = body;
    return type;
  }
  if (elements.empty())
    type.type = spirv::StructType::getEmpty(context);
  else
    type.type = spirv::StructType::get(elements, offsets, decorations, own);
  return type;
}

FailureOr<Types::Known> Types::makePointer(uint32_t id, const Instruction &in) {
  std::optional<spirv::StorageClass> storage = spirv::symbolizeStorageClass(in[1]);
  if (!storage)
    return reading.fail(in, "storage class " + Twine(in[1]) + " is not known");
  if (source.forwardPointers.contains(id)) {
    // The struct gets its name before its members, so that members can point to the struct.
    uint32_t pointee = in[2];
    if (source.definition(pointee).opcode != OpTypeStruct)
      return reading.fail(in, "it is declared before its pointee, which is not a struct");
    if (!types.contains(pointee) && !recursive.contains(pointee)) {
      std::string name = "s" + llvm::utohexstr(identity, true) + "_" + std::to_string(pointee);
      recursive[pointee] = spirv::StructType::getIdentified(reading.context, name);
    }
    auto named = recursive.find(pointee);
    if (named != recursive.end()) {
      Known type{spirv::PointerType::get(named->second, *storage), 2, 2};
      types[id] = type;
      if (!making.contains(pointee) && failed(known(pointee, in)))
        return failure();
      return type;
    }
  }
  FailureOr<Known> pointee = known(in[2], in);
  if (failed(pointee))
    return failure();
  if (!isObject(pointee->type))
    return reading.fail(in, "pointers to functions or to nothing are not supported");
  return Known{spirv::PointerType::get(pointee->type, *storage), pointee->depth + 1,
               pointee->leaves};
}

FailureOr<Types::Known> Types::makeCooperativeMatrix(const Instruction &in) {
  FailureOr<Known> element = known(in[1], in);
  if (failed(element))
    return failure();
  uint64_t numbers[4] = {};
  for (int i = 0; i < 4; ++i) {
    FailureOr<uint64_t> number = constants.integer(in[2 + i], in);
    if (failed(number))
      return failure();
    numbers[i] = *number;
  }
  auto [scope, rows, columns, use] = numbers;
  auto knownScope = spirv::symbolizeScope(static_cast<uint32_t>(scope));
  auto knownUse = spirv::symbolizeCooperativeMatrixUseKHR(static_cast<uint32_t>(use));
  if (!isScalar(element->type) || element->type.isInteger(1) || !knownScope || !knownUse)
    return reading.fail(in, "its elements, scope or use are not known");
  if (rows == 0 || rows > UINT16_MAX || columns == 0 || columns > UINT16_MAX)
    return reading.fail(in, Twine(rows) + " rows and " + Twine(columns) + " columns");
  return Known{spirv::CooperativeMatrixType::get(element->type, static_cast<uint32_t>(rows),
                                                 static_cast<uint32_t>(columns), *knownScope,
                                                 *knownUse),
               2, 1};
}
