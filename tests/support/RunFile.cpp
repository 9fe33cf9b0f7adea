//===- RunFile.cpp - what to run, on which data, and what must come out -----===//
#include "tests/support/RunFile.h"

#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/StringExtras.h"
#include "llvm/Support/MemoryBuffer.h"
#include "llvm/Support/Path.h"

namespace json = llvm::json;

namespace pumice::tests {
namespace {

/// One place of the document: a value, and the path that leads to it. The first error sticks.
class Reader {
public:
  Reader(const std::string &folder) : folder(folder) {}

  std::vector<Case> cases(const json::Value &root);
  Status status;

private:
  void fail(const std::string &path, const std::string &message) {
    if (status.isOk())
      status = Status(StatusCode::InvalidArgument, path + ": " + message);
  }
  template <typename T> T failed(const std::string &path, const std::string &message) {
    fail(path, message);
    return {};
  }

  const json::Object &object(const json::Value &value, const std::string &path) {
    static const json::Object none;
    if (const json::Object *found = value.getAsObject())
      return *found;
    fail(path, "expected an object");
    return none;
  }
  const json::Array &array(const json::Value &value, const std::string &path) {
    static const json::Array none;
    if (const json::Array *found = value.getAsArray())
      return *found;
    fail(path, "expected a list");
    return none;
  }
  std::string text(const json::Object &o, llvm::StringRef key, const std::string &path) {
    const json::Value *value = o.get(key);
    if (!value)
      return {};
    if (auto found = value->getAsString())
      return found->str();
    return failed<std::string>(path + "." + key.str(), "expected a string");
  }
  int64_t integer(const json::Object &o, llvm::StringRef key, const std::string &path,
                  int64_t otherwise = 0) {
    const json::Value *value = o.get(key);
    if (!value)
      return otherwise;
    if (auto found = value->getAsInteger(); found && *found >= 0)
      return *found;
    return failed<int64_t>(path + "." + key.str(), "expected a whole number, not negative");
  }
  double number(const json::Object &o, llvm::StringRef key, const std::string &path) {
    const json::Value *value = o.get(key);
    if (!value)
      return 0;
    if (auto found = value->getAsNumber(); found && *found >= 0)
      return *found;
    return failed<double>(path + "." + key.str(), "expected a number, not negative");
  }
  bool flag(const json::Object &o, llvm::StringRef key, const std::string &path) {
    const json::Value *value = o.get(key);
    if (!value)
      return false;
    if (auto found = value->getAsBoolean())
      return *found;
    return failed<bool>(path + "." + key.str(), "expected true or false");
  }
  void onlyKeys(const json::Object &o, std::initializer_list<llvm::StringRef> known,
                const std::string &path) {
    for (const auto &[key, value] : o)
      if (!llvm::is_contained(known, llvm::StringRef(key)))
        fail(path, "unknown key '" + key.str() + "'; there are " + llvm::join(known, ", "));
  }

  std::string fileName(const std::string &name) const {
    llvm::SmallString<256> path(name);
    if (!name.empty() && !llvm::sys::path::is_absolute(path) && !folder.empty()) {
      path = folder;
      llvm::sys::path::append(path, name);
    }
    return path.str().str();
  }
  std::vector<int64_t> integers(const json::Object &o, llvm::StringRef key,
                                const std::string &path);
  std::array<uint32_t, 3> sizes(const json::Object &o, llvm::StringRef key, const std::string &path,
                                uint32_t otherwise);
  Type type(const json::Object &o, const std::string &path, Type otherwise);
  std::vector<uint8_t> contents(const json::Object &o, BufferData &buffer, int64_t count,
                                const std::string &path);
  void list(const json::Array &values, BufferData &buffer, std::vector<uint8_t> &bytes,
            const std::string &path);
  BufferData buffer(llvm::StringRef name, const json::Value &value, const std::string &path);
  Dispatch dispatch(const json::Object &o, const std::string &path);
  PushConstant pushConstant(const json::Value &value, uint32_t &next, const std::string &path);
  ArgumentData argument(const json::Value &value, const std::string &path);
  Case oneCase(const json::Value &value, const std::string &path);

  const std::string &folder;
};

std::string item(const std::string &path, size_t index) {
  return path + "[" + std::to_string(index) + "]";
}

std::vector<int64_t> Reader::integers(const json::Object &o, llvm::StringRef key,
                                      const std::string &path) {
  std::vector<int64_t> found;
  if (const json::Value *value = o.get(key)) {
    std::string place = path + "." + key.str();
    for (const json::Value &element : array(*value, place)) {
      auto number = element.getAsInteger();
      if (!number)
        fail(item(place, found.size()), "expected a whole number");
      found.push_back(number.value_or(0));
    }
  }
  return found;
}

std::array<uint32_t, 3> Reader::sizes(const json::Object &o, llvm::StringRef key,
                                      const std::string &path, uint32_t otherwise) {
  std::vector<int64_t> found = integers(o, key, path);
  if (found.size() > 3)
    fail(path + "." + key.str(), "expected at most three numbers");
  found.resize(3, otherwise);
  std::array<uint32_t, 3> sizes;
  for (size_t i = 0; i < 3; ++i) {
    if (found[i] < 0 || found[i] > UINT32_MAX)
      fail(item(path + "." + key.str(), i), "expected a number of 32 bits");
    sizes[i] = static_cast<uint32_t>(found[i]);
  }
  return sizes;
}

Type Reader::type(const json::Object &o, const std::string &path, Type otherwise) {
  std::string name = text(o, "type", path);
  if (name.empty())
    return otherwise;
  Result<Type> found = parseType(name);
  if (!found.isOk())
    return fail(path + ".type", found.status().message()), otherwise;
  return *found;
}

/// A list of numbers; in a buffer of 64-bit integers an element may be {"address": "other"}.
void Reader::list(const json::Array &values, BufferData &buffer, std::vector<uint8_t> &bytes,
                  const std::string &path) {
  for (size_t i = 0; i < values.size() && status.isOk(); ++i) {
    if (const json::Object *o = values[i].getAsObject()) {
      onlyKeys(*o, {"address", "offset"}, item(path, i));
      if (byteSize(buffer.type) != 8)
        fail(item(path, i), "an address needs a buffer of i64 or u64");
      buffer.addresses.push_back({bytes.size(), text(*o, "address", item(path, i)),
                                  static_cast<uint64_t>(integer(*o, "offset", item(path, i)))});
      bytes.resize(bytes.size() + 8);
      continue;
    }
    if (Status appended = appendValue(bytes, buffer.type, values[i]); !appended.isOk())
      fail(item(path, i), appended.message());
  }
}

/// A list, or {"fill": v}, {"iota": start, "step": d, "modulo": m}, {"file": name}.
std::vector<uint8_t> Reader::contents(const json::Object &o, BufferData &buffer, int64_t count,
                                      const std::string &path) {
  std::vector<uint8_t> bytes;
  if (const json::Value *value = o.get("data")) {
    list(array(*value, path + ".data"), buffer, bytes, path + ".data");
  } else if (const json::Value *value = o.get("fill")) {
    for (int64_t i = 0; i < count && status.isOk(); ++i)
      if (Status appended = appendValue(bytes, buffer.type, *value); !appended.isOk())
        fail(path + ".fill", appended.message());
  } else if (const json::Value *value = o.get("iota")) {
    double start = value->getAsNumber().value_or(0);
    const json::Value *stepValue = o.get("step");
    double step = stepValue ? stepValue->getAsNumber().value_or(1) : 1;
    int64_t modulo = integer(o, "modulo", path);
    for (int64_t i = 0; i < count && status.isOk(); ++i) {
      double element = start + step * static_cast<double>(modulo ? i % modulo : i);
      bool whole = element == static_cast<double>(static_cast<int64_t>(element));
      json::Value one = whole ? json::Value(static_cast<int64_t>(element)) : json::Value(element);
      if (Status appended = appendValue(bytes, buffer.type, one); !appended.isOk())
        fail(path + ".iota", appended.message());
    }
  } else if (std::string name = text(o, "file", path); !name.empty()) {
    auto file = llvm::MemoryBuffer::getFile(fileName(name), false, false);
    if (!file)
      fail(path + ".file", fileName(name) + ": " + file.getError().message());
    else
      bytes.assign((*file)->getBufferStart(), (*file)->getBufferEnd());
  }
  return bytes;
}

BufferData Reader::buffer(llvm::StringRef name, const json::Value &value, const std::string &path) {
  const json::Object &o = object(value, path);
  onlyKeys(o,
           {"type", "count", "shape", "data", "fill", "iota", "step", "modulo", "file", "set",
            "binding", "uniform", "expect", "tolerance", "print"},
           path);
  BufferData buffer;
  buffer.name = name.str();
  buffer.type = type(o, path, Type::f32);
  buffer.shape = integers(o, "shape", path);
  int64_t count = 1;
  for (int64_t extent : buffer.shape)
    count *= extent;
  count = integer(o, "count", path, buffer.shape.empty() ? 0 : count);
  if (count < 0 || count > (int64_t(1) << 32))
    fail(path + ".count", std::to_string(count) + " elements are too many");
  buffer.initial = contents(o, buffer, count, path);
  if (count)
    buffer.initial.resize(count * byteSize(buffer.type));
  if (buffer.initial.empty())
    fail(path, "no elements: give count, shape, data or file");
  if (o.get("binding"))
    buffer.slot = {integer(o, "set", path), integer(o, "binding", path)};
  buffer.uniform = flag(o, "uniform", path);
  buffer.print = flag(o, "print", path);

  if (const json::Value *expect = o.get("expect")) {
    json::Object wrapped;
    if (expect->getAsArray())
      wrapped["data"] = *expect;
    else
      wrapped = object(*expect, path + ".expect");
    BufferData like;
    like.type = buffer.type;
    buffer.expected =
        contents(wrapped, like, buffer.initial.size() / byteSize(buffer.type), path + ".expect");
    if (!like.addresses.empty() || buffer.expected->empty())
      fail(path + ".expect", "expected a list of numbers, fill, iota or file");
  }
  if (const json::Value *tolerance = o.get("tolerance")) {
    std::string place = path + ".tolerance";
    const json::Object &t = object(*tolerance, place);
    onlyKeys(t, {"absolute", "relative", "ulps"}, place);
    buffer.tolerance = {number(t, "absolute", place), number(t, "relative", place),
                        number(t, "ulps", place)};
  }
  return buffer;
}

PushConstant Reader::pushConstant(const json::Value &value, uint32_t &next,
                                  const std::string &path) {
  const json::Object &o = object(value, path);
  onlyKeys(o, {"address", "offset", "type", "value", "at"}, path);
  PushConstant constant;
  uint32_t size = 8;
  if (o.get("address")) {
    constant.buffer = text(o, "address", path);
    constant.offset = integer(o, "offset", path);
  } else {
    Type kind = type(o, path, Type::i32);
    const json::Value *element = o.get("value");
    if (!element)
      fail(path, "expected address or value");
    else if (Status appended = appendValue(constant.bytes, kind, *element); !appended.isOk())
      fail(path + ".value", appended.message());
    size = byteSize(kind);
  }
  // Each at its natural alignment after the one before, unless it says where.
  constant.at = static_cast<uint32_t>(integer(o, "at", path, (next + size - 1) / size * size));
  next = constant.at + size;
  return constant;
}

ArgumentData Reader::argument(const json::Value &value, const std::string &path) {
  ArgumentData argument;
  if (auto name = value.getAsString();
      name && !name->starts_with("0x") && *name != "nan" && *name != "inf" && *name != "-inf") {
    argument.buffer = name->str();
  } else if (const json::Object *o = value.getAsObject()) {
    onlyKeys(*o, {"buffer", "shape", "strides", "offset"}, path);
    argument.buffer = text(*o, "buffer", path);
    argument.shape = integers(*o, "shape", path);
    argument.strides = integers(*o, "strides", path);
    argument.offset = integer(*o, "offset", path);
    if (argument.buffer.empty())
      fail(path, "expected the key buffer");
  } else {
    argument.scalar = value;
  }
  return argument;
}

Dispatch Reader::dispatch(const json::Object &o, const std::string &path) {
  Dispatch dispatch;
  dispatch.module = fileName(text(o, "module", path));
  dispatch.executable = fileName(text(o, "executable", path));
  if (dispatch.module.empty() == dispatch.executable.empty())
    fail(path, "expected either module or executable");
  dispatch.target = text(o, "target", path);
  dispatch.entry = text(o, "entry", path);
  dispatch.groups = sizes(o, "groups", path, 1);
  dispatch.workgroupSize = sizes(o, "workgroup_size", path, 0);
  dispatch.dynamicMemoryBytes = static_cast<uint32_t>(integer(o, "dynamic_memory_bytes", path));
  dispatch.dynamicMemoryElements = static_cast<uint32_t>(
      integer(o, "dynamic_memory_elements", path, dispatch.dynamicMemoryBytes));
  dispatch.subgroupSize = static_cast<uint32_t>(integer(o, "subgroup_size", path));
  dispatch.fullSubgroups = flag(o, "full_subgroups", path);
  if (const json::Value *constants = o.get("specialization"))
    for (const auto &[key, value] : object(*constants, path + ".specialization")) {
      std::string place = path + ".specialization." + key.str();
      SpecializationData constant;
      if (llvm::StringRef(key).getAsInteger(10, constant.id))
        fail(place, "the key is no number");
      const json::Object *typed = value.getAsObject();
      Type kind = typed ? type(*typed, place, Type::i32) : Type::i32;
      const json::Value *element = typed ? typed->get("value") : &value;
      if (!element)
        fail(place, "expected value");
      else if (Status appended = appendValue(constant.bytes, kind, *element); !appended.isOk())
        fail(place, appended.message());
      dispatch.constants.push_back(std::move(constant));
    }
  uint32_t next = 0;
  if (const json::Value *constants = o.get("push_constants")) {
    std::string place = path + ".push_constants";
    for (const json::Value &value : array(*constants, place))
      dispatch.pushConstants.push_back(
          pushConstant(value, next, item(place, dispatch.pushConstants.size())));
  }
  if (const json::Value *arguments = o.get("arguments")) {
    std::string place = path + ".arguments";
    for (const json::Value &value : array(*arguments, place))
      dispatch.arguments.push_back(argument(value, item(place, dispatch.arguments.size())));
  }
  return dispatch;
}

Case Reader::oneCase(const json::Value &value, const std::string &path) {
  const json::Object &o = object(value, path);
  Case found;
  found.name = text(o, "name", path);
  found.printfBuffer = text(o, "printf_buffer", path);
  if (const json::Value *buffers = o.get("buffers"))
    for (const auto &[name, description] : object(*buffers, path + ".buffers"))
      found.buffers.push_back(buffer(name, description, path + ".buffers." + name.str()));
  llvm::sort(found.buffers, [](const auto &a, const auto &b) { return a.name < b.name; });

  const std::initializer_list<llvm::StringRef> ofDispatch = {"module",
                                                             "executable",
                                                             "target",
                                                             "entry",
                                                             "groups",
                                                             "workgroup_size",
                                                             "subgroup_size",
                                                             "dynamic_memory_bytes",
                                                             "dynamic_memory_elements",
                                                             "full_subgroups",
                                                             "specialization",
                                                             "push_constants",
                                                             "arguments"};
  std::vector<llvm::StringRef> ofCase = {"name", "printf_buffer", "buffers", "dispatches"};
  const json::Value *several = o.get("dispatches");
  for (const auto &[key, unused] : o)
    if (!llvm::is_contained(ofCase, llvm::StringRef(key)) &&
        (several || !llvm::is_contained(ofDispatch, llvm::StringRef(key))))
      fail(path, "unknown key '" + key.str() + "'");
  if (!several) {
    found.dispatches.push_back(dispatch(o, path));
    return found;
  }
  std::string place = path + ".dispatches";
  for (const json::Value &element : array(*several, place)) {
    std::string here = item(place, found.dispatches.size());
    onlyKeys(object(element, here), ofDispatch, here);
    found.dispatches.push_back(dispatch(object(element, here), here));
  }
  return found;
}

std::vector<Case> Reader::cases(const json::Value &root) {
  const json::Object *o = root.getAsObject();
  const json::Value *several = o ? o->get("cases") : nullptr;
  if (!several)
    return {oneCase(root, "$")};
  onlyKeys(*o, {"cases"}, "$");
  std::vector<Case> found;
  for (const json::Value &element : array(*several, "cases")) {
    found.push_back(oneCase(element, item("cases", found.size())));
    if (!status.isOk())
      break;
  }
  return found;
}

} // namespace

Result<std::vector<Case>> parseRunFile(llvm::StringRef text, const std::string &folder) {
  llvm::Expected<json::Value> root = json::parse(text);
  if (!root)
    return Status(StatusCode::InvalidArgument, llvm::toString(root.takeError()));
  Reader reader(folder);
  std::vector<Case> cases = reader.cases(*root);
  PUMICE_RETURN_IF_ERROR(std::move(reader.status));
  for (size_t i = 0; i < cases.size(); ++i)
    if (cases[i].name.empty())
      cases[i].name = "case " + std::to_string(i);
  return cases;
}

} // namespace pumice::tests
