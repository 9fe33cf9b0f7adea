//===- Calls.cpp - computes the keys of calls -------------------------------===//
#include "python/torch_shim/plans/Calls.h"

#include "python/torch_shim/plans/Layouts.h"

#include "python/torch_shim/device/Device.h"

#include <ATen/Context.h>
#include <ATen/core/Tensor.h>
#include <c10/core/DefaultDtype.h>

namespace pumice::vk {
namespace {

Role roleOf(const c10::Type &type) {
  switch (type.kind()) {
  case c10::TypeKind::OptionalType:
    return roleOf(*type.castRaw<c10::OptionalType>()->getElementType());
  case c10::TypeKind::ListType: {
    Role role = roleOf(*type.castRaw<c10::ListType>()->getElementType());
    return role == Role::Scalar || role == Role::Generator ? Role::Unsupported : role;
  }
  case c10::TypeKind::TensorType:
    return Role::Tensor;
  case c10::TypeKind::NumberType:
    return Role::Scalar;
  case c10::TypeKind::SymIntType:
    return Role::Size;
  case c10::TypeKind::GeneratorType:
    return Role::Generator;
  case c10::TypeKind::IntType:
  case c10::TypeKind::FloatType:
  case c10::TypeKind::BoolType:
  case c10::TypeKind::StringType:
  case c10::TypeKind::DeviceObjType:
  case c10::TypeKind::ScalarTypeType:
  case c10::TypeKind::LayoutType:
  case c10::TypeKind::MemoryFormatType:
    return Role::ByValue;
  default:
    return Role::Unsupported;
  }
}

/// Returns whether inductor writes kernels for this type.
bool isSupported(c10::ScalarType type) {
  return c10::isIntegralType(type, /*includeBool=*/true) || c10::isFloatingType(type);
}

} // namespace

Signature::Signature(const c10::FunctionSchema &schema) {
  for (const c10::Argument &argument : schema.arguments()) {
    Role role = roleOf(*argument.real_type());
    bool isWritten = argument.alias_info() && argument.alias_info()->isWrite();
    isPlannable &= role != Role::Unsupported;
    arguments.push_back({role, isWritten});
  }
  for (const c10::Argument &result : schema.returns())
    isPlannable &= roleOf(*result.real_type()) == Role::Tensor;
}

SizeClass classOf(int64_t size) {
  if (size <= 1)
    return size == 0 ? SizeClass::Zero : SizeClass::One;
  return size < 128 ? SizeClass::Small : SizeClass::Large;
}

Call::Call(const Signature &signature, c10::ArrayRef<c10::IValue> arguments, Level level)
    : signature(signature), arguments(arguments), level(level), byValue(level != Level::Dynamic) {
  put(static_cast<char>(level));
  c10::ScalarType real = c10::get_default_dtype_as_scalartype(); // of Python's floats
  if (real != c10::ScalarType::Float) {
    put('%');
    put(static_cast<char>(real));
  }
  if (at::globalContext().deterministicAlgorithms()) // these plans add in order
    put('!');
  for (size_t i = 0; i < arguments.size() && !unsupported; ++i)
    add(signature.arguments[i], arguments[i]);
  if (device < 0)
    reject("no tensor is on vk");
  if (!unsupported)
    checkOverlaps();
}

void Call::add(const Signature::Argument &kind, const c10::IValue &value) {
  if (value.isNone() && kind.role != Role::Generator)
    return put('-');
  switch (kind.role) {
  case Role::Tensor:
    if (value.isTensor())
      return addTensor(value.toTensor(), kind.isWritten);
    put('[');
    putRaw(static_cast<uint32_t>(value.toListRef().size()));
    for (const c10::IValue &part : value.toListRef())
      part.isNone() ? put('-') : addTensor(part.toTensor(), kind.isWritten);
    return;
  case Role::Scalar:
    return addScalar(value);
  case Role::Size:
    return addSize(value);
  case Role::ByValue:
    return addValue(value);
  case Role::Generator:
    if (value.isGenerator())
      generator = &value;
    return;
  case Role::Unsupported:
    return reject("an argument has a type that plans do not support");
  }
}

void Call::addTensor(const at::Tensor &tensor, bool isWritten) {
  if (!tensor.defined())
    return put('-');
  c10::ScalarType type = tensor.scalar_type();
  if (!isSupported(type) || tensor.layout() != c10::kStrided || tensor.is_conj() || tensor.is_neg())
    return reject("a tensor's type or layout is not supported");
  if (tensor.device().type() != deviceType) {
    if (!tensor.device().is_cpu() || tensor.dim() != 0 || isWritten)
      return reject("a tensor is on another device");
    // Numbers of Python's arrive as such tensors.
    bool isWrapped = tensor.unsafeGetTensorImpl()->is_wrapped_number();
    if (type == c10::ScalarType::Bool)
      return reject("a tensor of the CPU is a boolean");
    bool isReal = c10::isFloatingType(type);
    put(isWrapped ? (isReal ? 'F' : 'I') : 'C');
    put(static_cast<char>(type));
    Number number{};
    if (isReal)
      number.real = tensor.item().toDouble();
    else
      number.integer = tensor.item().toLong();
    byValue ? putRaw(number) : numbers.push_back(number);
    return;
  }
  int64_t place = tensor.device().index();
  if (device < 0)
    device = place;
  else if (device != place)
    return reject("tensors are on several devices");
  for (size_t i = 0; i < tensors.size(); ++i)
    if (isSame(*tensors[i], tensor)) {
      written[i] = written[i] || isWritten;
      put('=');
      return putRaw(static_cast<uint16_t>(i));
    }
  tensors.push_back(&tensor);
  written.push_back(isWritten);
  put('t');
  put(static_cast<char>(type));
  put(static_cast<char>(tensor.dim()));
  putLayout(tensor);
}

void Call::putLayout(const at::Tensor &tensor) {
  bool isAligned = reinterpret_cast<uintptr_t>(tensor.const_data_ptr()) % 16 == 0;
  int64_t elements = tensor.numel();
  put(isAligned ? 'A' : 'U');
  if (level == Level::Static) {
    for (int64_t d = 0; d < tensor.dim(); ++d) {
      putRaw(tensor.size(d));
      putRaw(tensor.stride(d));
    }
    return;
  }
  put(elements < 4096 ? 's' : elements < 1 << 18 ? 'm' : 'l');
  for (int64_t size : tensor.sizes())
    put(static_cast<char>(classOf(size)));
  Layout layout(tensor);
  put(static_cast<char>(layout.kind));
  put(layout.isEven ? 'e' : '-');
  if (layout.kind != Layout::Contiguous)
    bytes.append(layout.dims.begin(), layout.dims.end());
}

void Call::addScalar(const c10::IValue &value) {
  if (value.isBool()) {
    put('b');
    return put(value.toBool() ? '1' : '0');
  }
  Number number{};
  if (value.isDouble()) {
    put('f');
    number.real = value.toDouble();
  } else if (value.isInt()) {
    put('i');
    number.integer = value.toInt();
  } else
    return reject("a scalar is neither an integer nor a float");
  byValue ? putRaw(number) : numbers.push_back(number);
}

void Call::addSize(const c10::IValue &value) {
  auto one = [&](int64_t integer) {
    byValue ? putRaw(integer) : numbers.push_back({.integer = integer});
  };
  if (value.isInt()) {
    put('s');
    return one(value.toInt());
  }
  if (!value.isIntList())
    return reject("a size is symbolic");
  put('S');
  c10::List<int64_t> list = value.toIntList();
  putRaw(static_cast<uint32_t>(list.size()));
  for (int64_t integer : list)
    one(integer);
}

void Call::addValue(const c10::IValue &value) {
  if (value.isInt()) {
    put('i');
    putRaw(value.toInt());
  } else if (value.isBool()) {
    put('b');
    put(value.toBool() ? '1' : '0');
  } else if (value.isDouble()) {
    put('f');
    putRaw(value.toDouble());
  } else if (value.isString()) {
    const std::string &text = value.toStringRef();
    put('q');
    putRaw(static_cast<uint32_t>(text.size()));
    bytes.append(text.begin(), text.end());
  } else if (value.isDevice()) {
    c10::Device given = value.toDevice();
    if (given.type() != deviceType)
      return reject("the result is on another device");
    if (device < 0)
      device = orCurrent(given.index());
    put('d');
  } else if (value.isList()) {
    put('[');
    putRaw(static_cast<uint32_t>(value.toListRef().size()));
    for (const c10::IValue &part : value.toListRef())
      addValue(part);
  } else
    reject("an argument has a type that plans do not support");
}

void Call::checkOverlaps() {
  for (size_t i = 0; i < tensors.size(); ++i) {
    if (!written[i])
      continue;
    if (mayOverlapItself(*tensors[i]))
      return reject("elements of a tensor that is written share memory");
    for (size_t j = 0; j < tensors.size(); ++j)
      if (i != j && mayOverlap(*tensors[i], *tensors[j]))
        return reject("a tensor that is written shares memory with another");
  }
}

} // namespace pumice::vk
