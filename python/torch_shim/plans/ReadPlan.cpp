//===- ReadPlan.cpp - reads files of plans ----------------------------------===//
// A file is lines of words, and then the kernels' code. python/pumice_torch/vk/plans/file.py
// writes it, for this library alone: a file of another version is not read (Store.cpp). Numbers of
// values and tensors are checked, so that a damaged file is an error.
//===-------------------------------------------------------------------------===//
#include "python/torch_shim/plans/Plan.h"

#include <ATen/core/Tensor.h>

#include <array>
#include <istream>
#include <sstream>

namespace pumice::vk {
namespace {

constexpr std::array names = {
    "constant", "real", "size", "stride", "given", "add",    "sub",    "mul",    "floordiv",
    "mod",      "min",  "max",  "pow",    "neg",   "lshift", "rshift", "eq",     "ne",
    "lt",       "le",   "gt",   "ge",     "and",   "or",     "not",    "where",  "float",
    "addf",     "subf", "mulf", "divf",   "powf",  "negf",   "minf",   "maxf",   "sqrtf",
    "eqf",      "nef",  "ltf",  "lef",    "gtf",   "gef",    "truncf", "floorf", "ceilf"};
static_assert(names.size() == static_cast<size_t>(Operation::Last));

template <typename Enum> struct Name {
  const char *name;
  Enum value;
};

constexpr Name<CallArgument::Kind> argumentNames[] = {
    {"none", CallArgument::None},         {"tensor", CallArgument::Tensor},
    {"integer", CallArgument::Integer},   {"float", CallArgument::Float},
    {"bool", CallArgument::Bool},         {"text", CallArgument::Text},
    {"integers", CallArgument::Integers}, {"tensors", CallArgument::Tensors},
};

class Reader {
public:
  explicit Reader(std::istream &in) : in(in) {
    std::streampos here = in.tellg();
    limit = static_cast<size_t>(in.seekg(0, std::ios::end).tellg() - here);
    in.seekg(here);
  }

  /// Reads a line, whose first word must be `expected` if that is given.
  std::string line(const char *expected = nullptr) {
    std::string text, word;
    require(bool(std::getline(in, text)), "the file ends early");
    words = std::istringstream(text);
    words >> word;
    require(!expected || word == expected,
            "expected '" + std::string(expected ? expected : "") + "', got '" + text + "'");
    return word;
  }
  template <typename T> T number() {
    T value{};
    require(bool(words >> value), "expected a number");
    return value;
  }
  /// Reads how many parts follow. A part has at least one byte, so a damaged file cannot ask for
  /// more memory than its size suggests.
  uint32_t count() {
    auto made = number<uint32_t>();
    require(made <= limit, "a number of parts exceeds the file's size");
    return made;
  }
  std::string word() {
    std::string value;
    require(bool(words >> value), "expected a word");
    return value;
  }
  double real() { return std::strtod(word().c_str(), nullptr); }
  Value value() { return below(values, "value"); }
  TensorNumber tensor() { return below(tensors, "tensor"); }
  std::vector<Value> list() {
    std::vector<Value> made(count());
    for (Value &one : made)
      one = value();
    return made;
  }
  std::string bytes(size_t count) {
    require(count <= limit, "the code exceeds the file's size");
    std::string made(count, '\0');
    require(bool(in.read(made.data(), static_cast<std::streamsize>(count))), "the code is cut off");
    return made;
  }
  uint32_t below(size_t limit, const char *what) {
    auto made = number<uint32_t>();
    require(made < limit, std::string("a number of a ") + what + " is out of range");
    return made;
  }
  static void require(bool holds, const std::string &what) {
    TORCH_CHECK(holds, "a plan cannot be read: ", what);
  }

  size_t values = 0, tensors = 0, kernels = 0;

private:
  std::istream &in;
  std::istringstream words;
  size_t limit = 0; // the bytes of the file
};

Operation operationOf(const std::string &name) {
  for (size_t i = 0; i < names.size(); ++i)
    if (name == names[i])
      return static_cast<Operation>(i);
  Reader::require(false, "unknown operation " + name);
  return {};
}

Instruction readInstruction(Reader &in, size_t before) {
  Instruction made{operationOf(in.line())};
  in.values = before;
  switch (made.operation) {
  case Operation::Constant:
    made.a = in.number<int64_t>();
    break;
  case Operation::Real:
    made.real = in.real();
    break;
  case Operation::Given:
    made.a = in.number<uint32_t>();
    break;
  case Operation::Size:
  case Operation::Stride:
    made.a = in.tensor();
    made.b = in.number<uint32_t>();
    break;
  case Operation::Neg:
  case Operation::Not:
  case Operation::ToReal:
  case Operation::NegReal:
  case Operation::SqrtReal:
  case Operation::TruncReal:
  case Operation::FloorReal:
  case Operation::CeilReal:
    made.a = in.value();
    break;
  case Operation::Where:
    made.a = in.value();
    made.b = in.value();
    made.c = in.value();
    break;
  default:
    made.a = in.value();
    made.b = in.value();
  }
  return made;
}

LaunchArgument readLaunchArgument(Reader &in) {
  std::string kind = in.word();
  if (kind == "memory")
    return {LaunchArgument::Memory, in.tensor(), 0};
  if (kind == "seed")
    return {LaunchArgument::Seed, 0, 8};
  Reader::require(kind == "integer" || kind == "float", "unknown argument " + kind);
  Value value = in.value();
  auto bytes = in.number<uint32_t>();
  Reader::require(bytes == 1 || bytes == 2 || bytes == 4 || bytes == 8, "wrong size of a number");
  return {kind == "float" ? LaunchArgument::Float : LaunchArgument::Integer, value, bytes};
}

CallArgument readCallArgument(Reader &in) {
  std::string kind = in.word();
  for (const auto &[name, value] : argumentNames) {
    if (kind != name)
      continue;
    CallArgument made{value, {}, {}};
    if (value == CallArgument::Text)
      made.text = in.word();
    else if (value == CallArgument::Integers)
      made.numbers = in.list();
    else if (value == CallArgument::Tensors) {
      made.numbers.resize(in.count());
      for (TensorNumber &number : made.numbers)
        number = in.tensor();
    } else if (value == CallArgument::Tensor)
      made.numbers = {in.tensor()};
    else if (value != CallArgument::None)
      made.numbers = {in.value()};
    return made;
  }
  Reader::require(false, "unknown argument " + kind);
  return {};
}

Step readStep(Reader &in) {
  Step step{};
  std::string kind = in.line();
  if (kind == "allocate" || kind == "view") {
    step.kind = kind == "view" ? Step::View : Step::Allocate;
    step.tensor = in.tensor();
    if (step.kind == Step::View)
      step.from = in.tensor();
    else
      step.type = static_cast<c10::ScalarType>(
          in.below(static_cast<size_t>(c10::ScalarType::NumOptions), "type"));
    step.sizes = in.list();
    step.strides = in.list();
    if (step.kind == Step::View)
      step.offset = in.value();
    Reader::require(step.sizes.size() == step.strides.size(), "sizes and strides differ in number");
  } else if (kind == "launch") {
    step.kind = Step::Launch;
    step.kernel = in.below(in.kernels, "kernel");
    for (Value &groups : step.groups)
      groups = in.value();
    step.launchArguments.resize(in.count());
    for (LaunchArgument &argument : step.launchArguments)
      argument = readLaunchArgument(in);
  } else if (kind == "call") {
    step.kind = Step::CallOperator;
    step.name = in.word();
    step.overload = in.word();
    if (step.overload == "default")
      step.overload.clear();
    step.results = in.count();
    if (step.results > 0)
      step.tensor = in.tensor();
    Reader::require(size_t{step.tensor} + step.results <= in.tensors, "too many results");
    step.callArguments.resize(in.count());
    for (CallArgument &argument : step.callArguments)
      argument = readCallArgument(in);
  } else if (kind == "seeds") {
    step.kind = Step::RandomSeeds;
    step.tensor = in.tensor();
    step.sizes = {in.value()};
  } else if (kind == "free") {
    step.kind = Step::Free;
    step.tensor = in.tensor();
  } else
    Reader::require(false, "unknown step " + kind);
  return step;
}

} // namespace

std::unique_ptr<Plan> Plan::read(std::istream &stream) {
  Reader in(stream);
  auto plan = std::make_unique<Plan>();
  in.line("tensors");
  in.tensors = plan->tensorCount = in.count();
  in.line("values");
  plan->instructions.resize(in.count());
  plan->guardValues = in.below(plan->instructions.size() + 1, "value");
  for (size_t i = 0; i < plan->instructions.size(); ++i) {
    const Instruction &made = plan->instructions[i] = readInstruction(in, i);
    if (made.operation == Operation::Size || made.operation == Operation::Stride)
      plan->tensorsOfCall = std::max(plan->tensorsOfCall, static_cast<size_t>(made.a) + 1);
    else if (made.operation == Operation::Given)
      plan->numbersOfCall = std::max(plan->numbersOfCall, static_cast<size_t>(made.a) + 1);
  }
  in.values = plan->guardValues;
  in.line("guards");
  plan->guards = in.list();
  in.values = plan->instructions.size();
  in.line("kernels");
  plan->kernels.resize(in.kernels = in.count());
  std::vector<size_t> sizes;
  for (auto &kernel : plan->kernels) {
    in.line("kernel");
    kernel = std::make_unique<Kernel>();
    kernel->name = in.word();
    sizes.push_back(in.number<size_t>());
  }
  in.line("steps");
  plan->steps.resize(in.count());
  for (Step &step : plan->steps)
    step = readStep(in);
  in.line("results");
  plan->results.resize(in.count());
  for (TensorNumber &number : plan->results)
    number = in.tensor();
  in.line("code");
  for (size_t i = 0; i < sizes.size(); ++i)
    plan->kernels[i]->code = in.bytes(sizes[i]);
  return plan;
}

} // namespace pumice::vk
