//===- LaunchFile.cpp - reads a launch file ---------------------------------===//
#include "tools/run/LaunchFile.h"

#include "tools/run/BufferContents.h"
#include "tools/run/Files.h"

#include <algorithm>
#include <limits>
#include <set>

namespace pumice::run {

#define PUMICE_DISPATCH_KEYS                                                                       \
  "name", "module", "executable", "target", "entry", "groups", "threads", "workgroup_size",        \
      "global_offset", "dynamic_memory_bytes", "subgroup_size", "full_subgroups", "robust",        \
      "specialization", "push_constants", "bindings", "arguments", "work"
#define PUMICE_CONTENT_KEYS "data", "fill", "iota", "step", "modulo", "random", "file"

namespace {
constexpr std::string_view ofFile[] = {"$schema", "cases"};
constexpr std::string_view ofCase[] = {"$schema", "buffers", "dispatches", "repeat",
                                       PUMICE_DISPATCH_KEYS};
constexpr std::string_view ofDispatch[] = {PUMICE_DISPATCH_KEYS};
constexpr std::string_view ofBuffer[] = {
    "type",   "count",  "shape",     "set",   "binding", "element",          "uniform",
    "memory", "expect", "tolerance", "print", "save",    PUMICE_CONTENT_KEYS};
constexpr std::string_view ofContent[] = {PUMICE_CONTENT_KEYS};
constexpr std::string_view ofRandom[] = {"seed", "min", "max"};
constexpr std::string_view ofPrint[] = {"limit"};
constexpr std::string_view ofTolerance[] = {"absolute", "relative", "ulps"};
constexpr std::string_view ofBinding[] = {"set", "binding", "element", "buffer", "offset", "bytes"};
constexpr std::string_view ofPushConstant[] = {"type", "value", "at", "name", "address", "offset"};
constexpr std::string_view ofAddress[] = {"address", "offset"};
constexpr std::string_view ofSpecialization[] = {"type", "value"};
constexpr std::string_view ofArgument[] = {"buffer", "shape", "strides", "offset", "local"};
constexpr std::string_view ofWork[] = {"bytes", "operations"};
constexpr uint64_t most32 = std::numeric_limits<uint32_t>::max();
} // namespace

const Keys fileKeys = ofFile, caseKeys = ofCase, dispatchKeys = ofDispatch, bufferKeys = ofBuffer,
           contentKeys = ofContent, randomKeys = ofRandom, printKeys = ofPrint,
           toleranceKeys = ofTolerance, bindingKeys = ofBinding, pushConstantKeys = ofPushConstant,
           addressKeys = ofAddress, specializationKeys = ofSpecialization,
           argumentKeys = ofArgument, workKeys = ofWork;

Status DispatchSpec::codeError(const std::string &message, StatusCode code) const {
  for (const char *key : {"module", "executable"})
    if (place.members.contains(key))
      return place.of(key).error(message, code);
  return Status(code, message);
}

std::string Slot::text() const {
  return "set " + std::to_string(set) + " binding " + std::to_string(binding) +
         (element ? " element " + std::to_string(element) : "");
}

const BufferSpec *LaunchSpec::find(std::string_view buffer) const {
  auto found = std::ranges::find(buffers, buffer, &BufferSpec::name);
  return found == buffers.end() ? nullptr : &*found;
}

namespace {
class FileReader {
public:
  FileReader(const std::string &fileName, const std::string &input)
      : reader(fileName), folder(folderOf(fileName)), input(input) {}

  std::vector<LaunchSpec> file(const Node &root);
  Reader reader;

private:
  LaunchSpec oneCase(const Node &node);
  BufferSpec buffer(const Node &node, const std::string &name);
  Slot slot(const Node &node);
  void shape(const Node &node, BufferSpec &buffer);
  void expectation(const Node &node, BufferSpec &buffer);
  void outputs(const Node &node, BufferSpec &buffer);
  DispatchSpec dispatch(const Node &node);
  void code(const Node &node, DispatchSpec &dispatch);
  void size(const Node &node, DispatchSpec &dispatch);
  void specialization(const Node &node, DispatchSpec &dispatch);
  void pushConstants(const Node &node, DispatchSpec &dispatch);
  PushConstantSpec pushConstant(const Node &item, uint64_t &next);
  void bindings(const Node &node, DispatchSpec &dispatch);
  void arguments(const Node &node, DispatchSpec &dispatch);
  ArgumentSpec argument(const Node &item);
  std::vector<int64_t> integers(const Node &object, std::string_view key);
  std::optional<std::array<uint64_t, 3>> sizes(const Node &object, std::string_view key,
                                               uint64_t otherwise, uint64_t most);
  std::vector<Scalar> scalars(const Node &node);

  std::string folder, input;
};

std::vector<int64_t> FileReader::integers(const Node &object, std::string_view key) {
  std::vector<int64_t> found;
  Node list = object.member(key);
  if (list && reader.isList(list, "a list of whole numbers"))
    for (size_t i = 0; i < list.value().items.size(); ++i)
      found.push_back(reader.signedNumber(list.item(i)).value_or(0));
  return found;
}

/// Reads a number, or a list of up to three.
std::optional<std::array<uint64_t, 3>> FileReader::sizes(const Node &object, std::string_view key,
                                                         uint64_t otherwise, uint64_t most) {
  Node node = object.member(key);
  if (!node)
    return std::nullopt;
  std::array<uint64_t, 3> found{otherwise, otherwise, otherwise};
  if (node.is(json::Kind::Number)) {
    found[0] = reader.wholeNumber(node, most).value_or(otherwise);
  } else if (!node.is(json::Kind::List) || node.value().items.empty() ||
             node.value().items.size() > 3) {
    reader.expected(node, "a number, or a list of one to three");
  } else {
    for (size_t i = 0; i < node.value().items.size(); ++i)
      found[i] = reader.wholeNumber(node.item(i), most).value_or(otherwise);
  }
  return found;
}

std::vector<Scalar> FileReader::scalars(const Node &node) {
  if (!node.is(json::Kind::List))
    return {readScalar(reader, node)};
  std::vector<Scalar> found;
  for (size_t i = 0; i < node.value().items.size(); ++i) {
    Node item = node.item(i);
    for (Scalar &scalar : scalars(item)) // matrices may be lists of columns
      found.push_back(std::move(scalar));
  }
  return found;
}

Slot FileReader::slot(const Node &node) {
  return {uint32_t(reader.integer(node, "set", 0, most32)),
          uint32_t(reader.integer(node, "binding", 0, most32)),
          uint32_t(reader.integer(node, "element", 0, most32))};
}

void FileReader::shape(const Node &node, BufferSpec &buffer) {
  // Contents are made in the host's memory.
  constexpr uint64_t mostBytes = uint64_t{16} << 30;
  uint64_t most = mostBytes / byteSize(buffer.type), count = 1;
  buffer.shape = integers(node, "shape");
  Node list = node.member("shape");
  if (list && buffer.shape.empty())
    reader.expected(list, "one extent at least");
  for (size_t i = 0; i < buffer.shape.size() && reader.status.isOk(); ++i) {
    int64_t extent = buffer.shape[i];
    if (extent < 1 || count > most / uint64_t(extent))
      return reader.expected(list.item(i), "an extent of at least 1, and at most " +
                                               std::to_string(most) + " elements in all (16 GiB)");
    count *= uint64_t(extent);
  }
  Node given = node.member("count");
  if (!given)
    return;
  if (!buffer.shape.empty())
    return reader.fail(given, "both count and shape say how long the buffer is; leave one out");
  buffer.shape = {int64_t(reader.wholeNumber(given, most, 1).value_or(1))};
}

void FileReader::expectation(const Node &node, BufferSpec &buffer) {
  if (Node expect = node.member("expect")) {
    BufferSpec like;
    like.type = buffer.type;
    like.shape = buffer.shape;
    std::vector<uint8_t> bytes;
    if (expect.is(json::Kind::List)) {
      readElements(reader, expect, like, bytes);
    } else if (reader.isObject(expect, contentKeys,
                               "a list of numbers, or an object that describes "
                               "the contents")) {
      readContents(reader, expect, folder, like, bytes);
    }
    if (!like.addresses.empty())
      reader.fail(expect, "addresses cannot be expected: they differ from run to run");
    else if (bytes.empty() && reader.status.isOk())
      reader.fail(expect, "expect is empty; give a list, fill, iota, random or file");
    buffer.expected = std::move(bytes);
  }
  Node tolerance = node.member("tolerance");
  if (tolerance &&
      reader.isObject(tolerance, toleranceKeys, "an object with absolute, relative or ulps")) {
    buffer.tolerance = {reader.amount(tolerance, "absolute"), reader.amount(tolerance, "relative"),
                        reader.amount(tolerance, "ulps")};
    if (!buffer.expected)
      reader.fail(tolerance, "a tolerance without expect compares nothing");
    const Tolerance &given = buffer.tolerance;
    if (!isFloat(buffer.type) && (given.absolute > 0 || given.relative > 0 || given.ulps > 0))
      reader.fail(tolerance, std::string(typeName(buffer.type)) + " is compared exactly");
  }
}

void FileReader::outputs(const Node &node, BufferSpec &buffer) {
  Node print = node.member("print");
  if (print.is(json::Kind::Object)) {
    buffer.print = true;
    if (reader.isObject(print, printKeys, "an object with limit"))
      buffer.printLimit = reader.integer(print, "limit", buffer.printLimit);
  } else if (print && !print.is(json::Kind::Boolean)) {
    reader.expected(print, "true, false, or an object with limit");
  } else {
    buffer.print = reader.flag(node, "print");
  }
  if (std::string save = reader.text(node, "save"); !save.empty())
    buffer.save = inFolder(folder, save);
}

BufferSpec FileReader::buffer(const Node &node, const std::string &name) {
  BufferSpec buffer;
  buffer.name = name;
  buffer.place = reader.objectPlace(node);
  if (!reader.isObject(node, bufferKeys, "an object that describes a buffer"))
    return buffer;
  buffer.type = readType(reader, node).value_or(Type::f32);
  shape(node, buffer);
  if (!reader.status.isOk())
    return buffer;
  readContents(reader, node, folder, buffer, buffer.initial);
  if (buffer.shape.empty() && reader.status.isOk())
    reader.fail(node, "its length is unknown; give count, shape, data or file");
  if (!reader.status.isOk())
    return buffer;
  uint64_t count = 1;
  for (int64_t extent : buffer.shape)
    count *= uint64_t(extent);
  buffer.initial.resize(count * byteSize(buffer.type));

  if (node.member("set") || node.member("binding") || node.member("element")) {
    if (!node.member("binding"))
      reader.expected(node.member("binding"), "the binding of the set or element");
    buffer.slot = slot(node);
  }
  if (node.member("uniform"))
    buffer.uniform = reader.flag(node, "uniform");
  std::string memory = reader.text(node, "memory", "device");
  if (memory != "device" && memory != "host")
    reader.fail(node.member("memory"), json::quote(memory) + " is neither device nor host");
  buffer.hostMemory = memory == "host";
  expectation(node, buffer);
  outputs(node, buffer);
  return buffer;
}

void FileReader::code(const Node &node, DispatchSpec &dispatch) {
  Node module = node.member("module"), executable = node.member("executable");
  if (module && executable)
    return reader.fail(executable, "both module and executable say what to run; leave one out");
  std::string name = reader.text(node, module ? "module" : "executable");
  dispatch.file = name.empty() ? input : inFolder(folder, name);
  if (dispatch.file.empty())
    reader.fail(module, "nothing to run: name a module (.spv) or an executable (.pumice), here "
                        "or on the command line");
  dispatch.entry = reader.text(node, "entry");
  dispatch.target = reader.text(node, "target");
  dispatch.name = reader.text(node, "name");
}

void FileReader::size(const Node &node, DispatchSpec &dispatch) {
  auto narrow = [](const std::array<uint64_t, 3> &wide) {
    return std::array{uint32_t(wide[0]), uint32_t(wide[1]), uint32_t(wide[2])};
  };
  if (auto groups = sizes(node, "groups", 1, most32))
    dispatch.groups = narrow(*groups);
  dispatch.threads = sizes(node, "threads", 1, uint64_t{1} << 48);
  Node groups = node.member("groups"), threads = node.member("threads");
  if (groups && threads)
    reader.fail(threads, "both groups and threads say how much is run; leave one out");
  dispatch.groupsPlace = reader.place(threads ? threads : groups);
  if (auto size = sizes(node, "workgroup_size", 0, most32))
    dispatch.workgroupSize = narrow(*size);
  if (auto offset = sizes(node, "global_offset", 0, most32))
    dispatch.globalOffset = narrow(*offset);
  for (std::string_view key : {"groups", "threads", "workgroup_size", "global_offset"})
    if (Node given = node.member(key); given && given.is(json::Kind::List))
      dispatch.dimensions =
          std::clamp<uint32_t>(uint32_t(given.value().items.size()), dispatch.dimensions, 3);
  dispatch.dynamicMemoryBytes = uint32_t(reader.integer(node, "dynamic_memory_bytes", 0, most32));
  dispatch.subgroupSize = uint32_t(reader.integer(node, "subgroup_size", 0, most32));
  dispatch.fullSubgroups = reader.flag(node, "full_subgroups");
  dispatch.robust = reader.flag(node, "robust");
}

void FileReader::specialization(const Node &node, DispatchSpec &dispatch) {
  Node constants = node.member("specialization");
  if (!constants)
    return;
  if (!constants.is(json::Kind::Object))
    return reader.expected(constants, "an object: constants by id or by name");
  for (const json::Member &member : constants.value().members) {
    Node value = constants.member(member.name);
    SpecializationSpec constant{reader.objectPlace(value), member.name, {}, {}};
    if (value.is(json::Kind::Object)) {
      if (!reader.isObject(value, specializationKeys, "a number, or type and value"))
        return;
      constant.type = readType(reader, value);
      constant.value = readNumber(reader, value.member("value")).value_or(Number());
    } else {
      constant.value = readNumber(reader, value).value_or(Number());
    }
    dispatch.constants.push_back(std::move(constant));
  }
}

/// Reads {"type", "value"} or {"address", "offset"}. `next` is the end of the previous constant.
PushConstantSpec FileReader::pushConstant(const Node &item, uint64_t &next) {
  PushConstantSpec constant;
  constant.place = reader.objectPlace(item);
  if (!reader.isObject(item, pushConstantKeys, "an object with value or address"))
    return constant;
  constant.member = reader.text(item, "name");
  constant.type = readType(reader, item);
  Node value = item.member("value"), address = item.member("address");
  if (bool(value) == bool(address))
    reader.fail(value ? address : value, value ? "both value and address are given; leave one out"
                                               : "expected value or address, got neither");
  if (address) {
    Scalar scalar;
    scalar.place = reader.objectPlace(item);
    scalar.buffer = reader.text(item, "address");
    scalar.offset = reader.integer(item, "offset");
    constant.values.push_back(std::move(scalar));
  } else if (value) {
    if (item.member("offset"))
      reader.fail(item.member("offset"), "offset belongs to an address; a value is placed by at");
    constant.values = scalars(value);
  }
  if (!constant.member.empty()) {
    if (item.member("at"))
      reader.fail(item.member("at"), "the module says where " + json::quote(constant.member) +
                                         " is; leave at or name out");
    return constant;
  }
  // By default, each has its natural alignment and follows the one before.
  bool wide = address || (!constant.values.empty() && !constant.values[0].buffer.empty());
  uint64_t size = wide ? 8 : byteSize(constant.type.value_or(Type::i32));
  constexpr uint64_t most = 1 << 20;
  constant.at = uint32_t(reader.integer(item, "at", (next + size - 1) / size * size, most));
  next = std::min(constant.at + size * constant.values.size(), most);
  return constant;
}

void FileReader::pushConstants(const Node &node, DispatchSpec &dispatch) {
  Node constants = node.member("push_constants");
  if (!constants)
    return;
  if (constants.is(json::Kind::Object)) {
    for (const json::Member &member : constants.value().members) {
      Node value = constants.member(member.name);
      PushConstantSpec constant;
      constant.place = reader.objectPlace(value);
      constant.member = member.name;
      constant.values = scalars(value);
      dispatch.pushConstants.push_back(std::move(constant));
    }
  } else if (reader.isList(constants, "a list, or an object: values by the members' names")) {
    uint64_t next = 0;
    for (size_t i = 0; i < constants.value().items.size(); ++i)
      dispatch.pushConstants.push_back(pushConstant(constants.item(i), next));
  }
}

void FileReader::bindings(const Node &node, DispatchSpec &dispatch) {
  Node list = node.member("bindings");
  if (!list || !reader.isList(list, "a list of {\"set\", \"binding\", \"buffer\"}"))
    return;
  for (size_t i = 0; i < list.value().items.size(); ++i) {
    Node item = list.item(i);
    if (!reader.isObject(item, bindingKeys, "an object with set, binding and buffer"))
      return;
    BindingSpec &binding = dispatch.bindings.emplace_back();
    binding.place = reader.objectPlace(item);
    binding.buffer = reader.text(item, "buffer");
    binding.offset = reader.integer(item, "offset");
    if (!item.member("binding"))
      reader.expected(item.member("binding"), "the number of a binding");
    if (!item.member("buffer"))
      reader.expected(item.member("buffer"), "the name of a buffer");
    binding.slot = slot(item);
    if (item.member("bytes"))
      binding.bytes = reader.integer(item, "bytes", 0, UINT64_MAX, 1);
  }
}

ArgumentSpec FileReader::argument(const Node &item) {
  ArgumentSpec argument;
  argument.place = reader.objectPlace(item);
  bool isText = item.is(json::Kind::String);
  // Such strings are numbers, since no buffer needs such a name.
  bool isNumber = isText && (item.value().text.starts_with("0x") || item.value().text == "nan" ||
                             item.value().text == "inf" || item.value().text == "-inf");
  if (isText && !isNumber) {
    argument.buffer = item.value().text;
  } else if (item.is(json::Kind::Object)) {
    if (!reader.isObject(item, argumentKeys, "a buffer's name, or an object"))
      return argument;
    if (Node local = item.member("local")) {
      argument.local = reader.integer(item, "local", 1, most32, 1);
      if (item.value().members.size() > 1)
        reader.fail(local, "local memory has no buffer; leave one out");
      return argument;
    }
    argument.buffer = reader.text(item, "buffer");
    argument.shape = integers(item, "shape");
    argument.strides = integers(item, "strides");
    argument.offset = int64_t(reader.integer(item, "offset", 0, INT64_MAX));
    if (!item.member("buffer"))
      reader.expected(item.member("buffer"), "the name of a buffer, or local instead");
  } else {
    argument.values = scalars(item);
  }
  return argument;
}

void FileReader::arguments(const Node &node, DispatchSpec &dispatch) {
  Node list = node.member("arguments");
  dispatch.hasArguments = bool(list);
  if (!list || !reader.isList(list, "a list: arguments by position"))
    return;
  for (size_t i = 0; i < list.value().items.size(); ++i)
    dispatch.arguments.push_back(argument(list.item(i)));
}

DispatchSpec FileReader::dispatch(const Node &node) {
  DispatchSpec dispatch;
  dispatch.place = reader.objectPlace(node);
  code(node, dispatch);
  size(node, dispatch);
  specialization(node, dispatch);
  pushConstants(node, dispatch);
  bindings(node, dispatch);
  arguments(node, dispatch);
  constexpr double mostWork = 1e18; // for one launch; sums of these fit 64 bits
  if (Node work = node.member("work");
      work && reader.isObject(work, workKeys, "an object with bytes or operations")) {
    dispatch.workBytes = reader.amount(work, "bytes", mostWork);
    dispatch.workOperations = reader.amount(work, "operations", mostWork);
  }
  return dispatch;
}

LaunchSpec FileReader::oneCase(const Node &node) {
  LaunchSpec launch;
  launch.place = reader.place(node);
  if (!reader.isObject(node, caseKeys, "an object with buffers and dispatches"))
    return launch;
  launch.name = reader.text(node, "name");
  launch.repeat = uint32_t(reader.integer(node, "repeat", 1, 1 << 24, 1));
  reader.text(node, "$schema"); // for editors
  if (Node buffers = node.member("buffers")) {
    if (!buffers.is(json::Kind::Object))
      reader.expected(buffers, "an object: buffers by name");
    for (const json::Member &member : buffers.value().members)
      if (reader.status.isOk())
        launch.buffers.push_back(buffer(buffers.member(member.name), member.name));
  }
  Node several = node.member("dispatches");
  if (!several) {
    launch.dispatches.push_back(dispatch(node));
    return launch;
  }
  for (std::string_view key : dispatchKeys)
    if (key != "name" && node.member(key))
      reader.fail(node.member(key), "with dispatches, this must be inside one of them");
  if (!reader.isList(several, "a list of dispatches"))
    return launch;
  for (size_t i = 0; i < several.value().items.size() && reader.status.isOk(); ++i) {
    Node item = several.item(i);
    if (reader.isObject(item, dispatchKeys, "an object that describes a dispatch"))
      launch.dispatches.push_back(dispatch(item));
  }
  return launch;
}

std::vector<LaunchSpec> FileReader::file(const Node &root) {
  std::vector<LaunchSpec> found;
  Node cases = root.is(json::Kind::Object) ? root.member("cases") : root;
  if (!root.is(json::Kind::Object) || !cases) {
    found.push_back(oneCase(root));
  } else if (reader.isObject(root, fileKeys, "an object") &&
             reader.isList(cases, "a list of launches")) {
    reader.text(root, "$schema");
    if (cases.value().items.empty())
      reader.expected(cases, "one launch at least");
    for (size_t i = 0; i < cases.value().items.size() && reader.status.isOk(); ++i) {
      Node item = cases.item(i);
      found.push_back(oneCase(item));
      if (found.back().name.empty())
        found.back().name = "case " + std::to_string(i);
    }
  }
  return found;
}
} // namespace

/// Names files: "scale.spv", or the whole path if another file has the same name.
static void nameFiles(std::vector<LaunchSpec> &launches) {
  auto base = [](const std::string &file) { return file.substr(file.rfind('/') + 1); };
  std::set<std::string> files;
  for (const LaunchSpec &launch : launches)
    for (const DispatchSpec &dispatch : launch.dispatches)
      files.insert(dispatch.file);
  if (files.size() < 2)
    return;
  for (LaunchSpec &launch : launches)
    for (DispatchSpec &dispatch : launch.dispatches) {
      auto isNamesake = [&](const std::string &file) { return base(file) == base(dispatch.file); };
      dispatch.called =
          std::ranges::count_if(files, isNamesake) > 1 ? dispatch.file : base(dispatch.file);
    }
}

Result<std::vector<LaunchSpec>> parseLaunchFile(std::string_view text, const std::string &fileName,
                                                const std::string &input) {
  Result<json::Value> root = json::parse(text);
  if (!root.isOk())
    return Status(root.status().code(), fileName + ":" + root.status().message());
  FileReader file(fileName, input);
  Node whole(*root);
  std::vector<LaunchSpec> launches = file.file(whole);
  PUMICE_RETURN_IF_ERROR(std::move(file.reader.status));
  nameFiles(launches);
  return launches;
}

} // namespace pumice::run
