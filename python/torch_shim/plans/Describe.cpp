//===- Describe.cpp - writes the arguments of a call as JSON ----------------===//
// The compiler of plans reads it (python/pumice_torch/vk/plans/building.py and own.py). Tensors
// and numbers are counted as Calls.cpp counts them.
//===-------------------------------------------------------------------------===//
#include "python/torch_shim/plans/Calls.h"
#include "python/torch_shim/plans/Layouts.h"

#include "python/torch_shim/device/Device.h"
#include "support/JsonWriter.h"

#include <ATen/core/Tensor.h>

#include <cmath>

namespace pumice::vk {
namespace {

/// Writes a float so that Python reads the same one.
void writeReal(JsonWriter &json, double value) {
  if (std::isnan(value))
    return void(json.raw("NaN"));
  if (std::isinf(value))
    return void(json.raw(value < 0 ? "-Infinity" : "Infinity"));
  char digits[40];
  std::snprintf(digits, sizeof digits, "%.17g", value);
  std::string text = digits;
  if (text.find_first_of(".e") == std::string::npos)
    text += ".0";
  json.raw(text);
}

template <typename Range, typename Write>
void writeList(JsonWriter &json, const Range &range, Write &&write) {
  json.beginArray(JsonWriter::Inline);
  for (const auto &one : range)
    write(one);
  json.end();
}

class Writer {
public:
  Writer(JsonWriter &json, const Call &call, bool byValue)
      : json(json), call(call), byValue(byValue) {}

  void write(const Signature::Argument &kind, const c10::IValue &value) {
    if (value.isNone() || kind.role == Role::Generator)
      json.null();
    else if (kind.role == Role::Tensor && !value.isTensor())
      writeList(json, value.toListRef(), [&](const c10::IValue &part) {
        part.isNone() ? void(json.null()) : writeTensor(part.toTensor());
      });
    else if (kind.role == Role::Tensor)
      writeTensor(value.toTensor());
    else if (kind.role == Role::Scalar)
      writeScalar(value);
    else if (kind.role == Role::Size && value.isInt())
      writeInteger(value.toInt());
    else if (kind.role == Role::Size)
      writeList(json, value.toIntVector(), [&](int64_t part) { writeInteger(part); });
    else
      writeValue(value);
  }

private:
  void writeInteger(int64_t value) {
    if (byValue)
      json.value(value);
    else
      begin().member("integer", value).member("number", nextNumber++).end();
  }

  void writeScalar(const c10::IValue &value) {
    if (value.isBool())
      json.value(value.toBool());
    else if (value.isInt())
      writeInteger(value.toInt());
    else
      writeFloat(value.toDouble());
  }

  void writeFloat(double value) {
    if (byValue)
      return writeReal(json, value);
    begin().key("real");
    writeReal(json, value);
    json.member("number", nextNumber++).end();
  }

  void writeTensor(const at::Tensor &tensor) {
    if (!tensor.defined())
      return void(json.null());
    if (tensor.device().type() != deviceType)
      return writeHostTensor(tensor);
    for (size_t i = 0; i < seen.size(); ++i)
      if (isSame(*seen[i], tensor))
        return void(begin().member("tensor", i).end());
    begin().member("tensor", seen.size()).member("type", c10::toString(tensor.scalar_type()));
    json.member("aligned", reinterpret_cast<uintptr_t>(tensor.const_data_ptr()) % 16 == 0);
    writeNumbers(json.key("sizes"), tensor.sizes());
    writeNumbers(json.key("strides"), tensor.strides());
    Layout layout(tensor);
    json.member("even", layout.isEven ? layout.inner : -1);
    auto kind = static_cast<char>(layout.kind);
    json.member("layout", std::string_view(&kind, 1)).key("dims");
    writeList(json, layout.dims, [&](char dim) {
      if (layout.kind == Layout::Permuted)
        json.value(int(dim));
      else
        json.value(std::string_view(&dim, 1));
    });
    json.end();
    seen.push_back(&tensor);
  }

  /// Writes the only element of a tensor in host memory.
  void writeHostTensor(const at::Tensor &tensor) {
    begin().member("cpu", c10::toString(tensor.scalar_type()));
    json.member("wrapped", tensor.unsafeGetTensorImpl()->is_wrapped_number()).key("value");
    if (c10::isFloatingType(tensor.scalar_type()))
      writeFloat(tensor.item().toDouble());
    else
      writeInteger(tensor.item().toLong());
    json.end();
  }

  void writeValue(const c10::IValue &value) {
    if (value.isInt())
      json.value(value.toInt());
    else if (value.isBool())
      json.value(value.toBool());
    else if (value.isDouble())
      writeReal(json, value.toDouble());
    else if (value.isString())
      json.value(std::string_view(value.toStringRef()));
    else if (value.isDevice())
      begin().member("device", call.device).end();
    else
      writeList(json, value.toList(), [&](const c10::IValue &part) { writeValue(part); });
  }

  JsonWriter &begin() { return json.beginObject(JsonWriter::Inline); }

  JsonWriter &json;
  const Call &call;
  const bool byValue;
  size_t nextNumber = 0;
  c10::SmallVector<const at::Tensor *, 8> seen;
};

} // namespace

std::string Call::describe() const {
  JsonWriter json;
  Writer writer(json, *this, byValue);
  size_t next = 0;
  writeList(json, arguments,
            [&](const c10::IValue &value) { writer.write(signature.arguments[next++], value); });
  return json.take();
}

} // namespace pumice::vk
