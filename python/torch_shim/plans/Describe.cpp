//===- Describe.cpp - writes the arguments of a call as JSON ----------------===//
// The compiler of plans reads it (python/pumice_torch/vk/plans/building.py and own.py). Tensors
// and numbers are counted as Calls.cpp counts them.
//===-------------------------------------------------------------------------===//
#include "python/torch_shim/plans/Calls.h"
#include "python/torch_shim/plans/Layouts.h"

#include "python/torch_shim/device/Device.h"

#include <ATen/core/Tensor.h>

#include <cmath>
#include <sstream>

namespace pumice::vk {
namespace {

void writeText(std::ostream &out, std::string_view text) {
  out << '"';
  for (char c : text) {
    if (c == '"' || c == '\\')
      out << '\\' << c;
    else if (static_cast<unsigned char>(c) < 0x20)
      out << "\\u00" << "0123456789abcdef"[c >> 4] << "0123456789abcdef"[c & 15];
    else
      out << c;
  }
  out << '"';
}

/// Writes a float so that Python reads the same one.
void writeReal(std::ostream &out, double value) {
  if (std::isnan(value))
    out << "NaN";
  else if (std::isinf(value))
    out << (value < 0 ? "-Infinity" : "Infinity");
  else {
    char digits[40];
    std::snprintf(digits, sizeof digits, "%.17g", value);
    out << digits;
    if (std::string_view(digits).find_first_of(".e") == std::string_view::npos)
      out << ".0";
  }
}

template <typename Range, typename Write>
void writeList(std::ostream &out, const Range &range, Write &&write) {
  out << '[';
  const char *before = "";
  for (const auto &one : range) {
    out << before;
    write(one);
    before = ",";
  }
  out << ']';
}

class Writer {
public:
  Writer(std::ostream &out, const Call &call, bool byValue)
      : out(out), call(call), byValue(byValue) {}

  void write(const Signature::Argument &kind, const c10::IValue &value) {
    if (value.isNone() || kind.role == Role::Generator)
      out << "null";
    else if (kind.role == Role::Tensor && !value.isTensor())
      writeList(out, value.toListRef(), [&](const c10::IValue &part) {
        part.isNone() ? void(out << "null") : writeTensor(part.toTensor());
      });
    else if (kind.role == Role::Tensor)
      writeTensor(value.toTensor());
    else if (kind.role == Role::Scalar)
      writeScalar(value);
    else if (kind.role == Role::Size && value.isInt())
      writeInteger(value.toInt());
    else if (kind.role == Role::Size)
      writeList(out, value.toIntVector(), [&](int64_t part) { writeInteger(part); });
    else
      writeValue(value);
  }

private:
  void writeInteger(int64_t value) {
    if (byValue)
      out << value;
    else
      out << R"({"integer":)" << value << R"(,"number":)" << nextNumber++ << '}';
  }

  void writeScalar(const c10::IValue &value) {
    if (value.isBool())
      out << (value.toBool() ? "true" : "false");
    else if (value.isInt())
      writeInteger(value.toInt());
    else
      writeFloat(value.toDouble());
  }

  void writeFloat(double value) {
    if (byValue)
      return writeReal(out, value);
    out << R"({"real":)";
    writeReal(out, value);
    out << R"(,"number":)" << nextNumber++ << '}';
  }

  void writeTensor(const at::Tensor &tensor) {
    if (!tensor.defined())
      return void(out << "null");
    if (tensor.device().type() != deviceType) {
      out << R"({"cpu":")" << c10::toString(tensor.scalar_type()) << R"(","wrapped":)"
          << (tensor.unsafeGetTensorImpl()->is_wrapped_number() ? "true" : "false")
          << R"(,"value":)";
      if (c10::isFloatingType(tensor.scalar_type()))
        writeFloat(tensor.item().toDouble());
      else
        writeInteger(tensor.item().toLong());
      return void(out << '}');
    }
    for (size_t i = 0; i < seen.size(); ++i)
      if (isSame(*seen[i], tensor))
        return void(out << R"({"tensor":)" << i << '}');
    out << R"({"tensor":)" << seen.size() << R"(,"type":")" << c10::toString(tensor.scalar_type())
        << R"(","aligned":)"
        << (reinterpret_cast<uintptr_t>(tensor.const_data_ptr()) % 16 == 0 ? "true" : "false")
        << R"(,"sizes":)";
    writeList(out, tensor.sizes(), [&](int64_t size) { out << size; });
    out << R"(,"strides":)";
    writeList(out, tensor.strides(), [&](int64_t stride) { out << stride; });
    Layout layout(tensor);
    out << R"(,"even":)" << (layout.isEven ? layout.inner : -1);
    out << R"(,"layout":")" << static_cast<char>(layout.kind) << R"(","dims":)";
    writeList(out, layout.dims, [&](char dim) {
      if (layout.kind == Layout::Permuted)
        out << int(dim);
      else
        out << '"' << dim << '"';
    });
    out << '}';
    seen.push_back(&tensor);
  }

  void writeValue(const c10::IValue &value) {
    if (value.isInt())
      out << value.toInt();
    else if (value.isBool())
      out << (value.toBool() ? "true" : "false");
    else if (value.isDouble())
      writeReal(out, value.toDouble());
    else if (value.isString())
      writeText(out, value.toStringRef());
    else if (value.isDevice())
      out << R"({"device":)" << call.device << '}';
    else
      writeList(out, value.toList(), [&](const c10::IValue &part) { writeValue(part); });
  }

  std::ostream &out;
  const Call &call;
  const bool byValue;
  size_t nextNumber = 0;
  c10::SmallVector<const at::Tensor *, 8> seen;
};

} // namespace

std::string Call::describe() const {
  std::ostringstream out;
  Writer writer(out, *this, byValue);
  size_t next = 0;
  writeList(out, arguments,
            [&](const c10::IValue &value) { writer.write(signature.arguments[next++], value); });
  return out.str();
}

} // namespace pumice::vk
