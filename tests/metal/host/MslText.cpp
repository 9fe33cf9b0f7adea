//===- MslText.cpp - prepares MSL for a C++ compiler ------------------------===//
#include "tests/metal/host/MslText.h"

#include <regex>
#include <sstream>

namespace pumice::msl {
namespace {

/// Returns the position after the bracket that closes the one at `open`, or npos.
size_t closing(const std::string &text, size_t open, char opens, char closes) {
  int depth = 0;
  for (size_t at = open; at < text.size(); ++at) {
    depth += text[at] == opens;
    depth -= text[at] == closes;
    if (depth == 0)
      return at + 1;
  }
  return std::string::npos;
}

/// Removes SPIRV-Cross's array class, because the shim has one.
void dropArrayClass(std::string &text) {
  size_t name = text.find("struct spvUnsafeArray\n");
  if (name == std::string::npos)
    return;
  size_t begin = text.rfind("template", name), open = text.find('{', name);
  size_t end = closing(text, open, '{', '}');
  if (begin != std::string::npos && end != std::string::npos)
    text.erase(begin, end + 1 - begin); // with the semicolon
}

void replaceConstants(std::string &text, const Constants &constants) {
  static const std::regex declared(R"(constant (\w+) (\w+) \[\[function_constant\((\d+)\)\]\];)");
  std::smatch found;
  while (std::regex_search(text, found, declared)) {
    std::string type = found[1], name = found[2];
    auto value = constants.find(uint32_t(std::stoul(found[3])));
    bool has = value != constants.end();
    std::string line =
        "constant " + type + " " + name + " = " + type + "(" + (has ? value->second : "0") + ");";
    text.replace(size_t(found.position()), size_t(found.length()), line);
    text = std::regex_replace(text, std::regex("is_function_constant_defined\\(" + name + "\\)"),
                              has ? "true" : "false");
  }
}

bool isOperation(const std::string &name) {
  return name.starts_with("simd_") || name.starts_with("quad_") ||
         name.starts_with("spvSubgroup") || name.starts_with("spvQuad") ||
         name.starts_with("simdgroup_") || name == "threadgroup_barrier" ||
         name == "simdgroup_barrier";
}

/// Puts the place in front of each operation in one line, as in `(shim::At(7), simd_sum(x))`.
std::string markOperations(const std::string &line, unsigned &site, bool &found) {
  static const std::regex call(R"(\b(\w+)\()");
  std::string result;
  std::smatch match;
  std::string rest = line;
  while (std::regex_search(rest, match, call)) {
    size_t begin = size_t(match.position()), open = begin + size_t(match.length()) - 1;
    std::string name = match[1];
    size_t end = isOperation(name) ? closing(rest, open, '(', ')') : std::string::npos;
    if (end == std::string::npos) {
      result += rest.substr(0, open + 1);
      rest = rest.substr(open + 1);
      continue;
    }
    found = true;
    unsigned number = ++site;
    std::string inner = markOperations(rest.substr(open + 1, end - open - 2), site, found);
    result += rest.substr(0, begin) + "(shim::At(" + std::to_string(number) + "), " + name + "(" +
              inner + "))";
    rest = rest.substr(end);
  }
  return result + rest;
}

struct Parameter {
  std::string type, name, attribute, argument;
};

/// Splits `device T& x [[buffer(0)]], uint y [[...]]` at the commas outside of brackets.
std::vector<std::string> splitParameters(const std::string &list) {
  std::vector<std::string> parts;
  std::string part;
  int depth = 0;
  for (char c : list) {
    depth += c == '(' || c == '[' || c == '<';
    depth -= c == ')' || c == ']' || c == '>';
    if (c == ',' && depth == 0) {
      parts.push_back(part);
      part.clear();
    } else {
      part += c;
    }
  }
  if (part.find_first_not_of(" \n") != std::string::npos)
    parts.push_back(part);
  return parts;
}

const std::map<std::string, std::string> positions{
    {"thread_position_in_grid", "{t.group.x * t.size.x + t.inGroup.x, t.group.y * t.size.y + "
                                "t.inGroup.y, t.group.z * t.size.z + t.inGroup.z}"},
    {"thread_position_in_threadgroup", "{t.inGroup.x, t.inGroup.y, t.inGroup.z}"},
    {"threadgroup_position_in_grid", "{t.group.x, t.group.y, t.group.z}"},
    {"threadgroups_per_grid", "{t.groups.x, t.groups.y, t.groups.z}"},
    {"threads_per_threadgroup", "{t.size.x, t.size.y, t.size.z}"},
    {"dispatch_threads_per_threadgroup", "{t.size.x, t.size.y, t.size.z}"},
    {"thread_index_in_threadgroup", "(t.index)"},
    {"thread_index_in_simdgroup", "(t.lane)"},
    {"thread_execution_width", "(t.lanes)"},
    {"threads_per_simdgroup", "(t.lanes)"},
    {"simdgroup_index_in_threadgroup", "(t.simd)"},
    {"simdgroups_per_threadgroup", "(t.simds)"},
    {"dispatch_simdgroups_per_threadgroup", "(t.simds)"},
};

Result<std::string> argumentOf(const std::string &parameter) {
  static const std::regex form(R"(^\s*(.*?)(\w+) \[\[(\w+)(?:\((\d+)\))?\]\]\s*$)");
  std::smatch found;
  if (!std::regex_match(parameter, found, form))
    return Status(StatusCode::Unsupported, "the kernel's parameter '" + parameter + "'");
  std::string type = found[1], attribute = found[3], number = found[4];
  if (attribute == "buffer") {
    size_t last = type.find_last_of("&*");
    if (last == std::string::npos)
      return Status(StatusCode::Unsupported, "the kernel's parameter '" + parameter + "'");
    bool reference = type[last] == '&';
    type = type.substr(0, last);
    return std::string(reference ? "*" : "") + "reinterpret_cast<" + type +
           "*>(const_cast<void *>(t.buffers[" + number + "]))";
  }
  auto position = positions.find(attribute);
  if (position == positions.end())
    return Status(StatusCode::Unsupported, "the kernel's parameter '" + parameter + "'");
  std::string value = position->second;
  if (value[0] == '{') // a vector, or its first component
    value = (type.find('3') != std::string::npos ? type + "(" : type + "(shim::first(") +
            value.substr(1, value.size() - 2) + (type.find('3') != std::string::npos ? ")" : "))");
  return value;
}

} // namespace

std::vector<std::string> kernelNames(const std::string &msl) {
  static const std::regex head(R"((?:^|\n)kernel void (\w+)\()");
  std::vector<std::string> names;
  for (std::sregex_iterator at(msl.begin(), msl.end(), head), end; at != end; ++at)
    names.push_back((*at)[1]);
  return names;
}

Result<Prepared> prepare(const std::string &msl, const std::string &kernel,
                         const Constants &constants) {
  std::string text = msl;
  dropArrayClass(text);
  replaceConstants(text, constants);
  size_t head = text.find("kernel void " + kernel + "(");
  if (head == std::string::npos)
    return Status(StatusCode::NotFound, "there is no kernel '" + kernel + "'");
  size_t open = text.find('(', head), end = closing(text, open, '(', ')');
  if (end == std::string::npos)
    return Status(StatusCode::InvalidArgument, "the parameters of '" + kernel + "' do not end");
  std::string arguments;
  for (const std::string &parameter : splitParameters(text.substr(open + 1, end - open - 2))) {
    PUMICE_TRY(std::string argument, argumentOf(parameter));
    arguments += (arguments.empty() ? "" : ",\n    ") + argument;
  }
  Prepared prepared;
  // Helpers before the first kernel have places of their own only by their callers.
  size_t bodies = text.find("\nkernel void ");
  bodies = bodies == std::string::npos ? head : bodies + 1;
  prepared.text = text.substr(0, bodies);
  static const std::regex loop(R"(^(\s*)((?:for|while) \(.*\)|do)$)");
  static const std::regex shared(R"(^(\s*)threadgroup (.*;)$)");
  std::istringstream lines(text.substr(bodies));
  unsigned site = 0;
  bool opensLoop = false;
  for (std::string line; std::getline(lines, line);) {
    std::smatch found;
    if (opensLoop && line.ends_with("{")) {
      line += " shim_loop.turn();";
      opensLoop = false;
    } else if (std::regex_match(line, found, shared)) {
      line = std::string(found[1]) + "SHIM_SHARED " + std::string(found[2]);
    } else if (std::regex_match(line, found, loop)) {
      opensLoop = true;
      unsigned number = ++site;
      line = std::string(found[1]) + "if (shim::Loop shim_loop{" + std::to_string(number) +
             "}; true) " + markOperations(found[2], site, prepared.needsFibres);
    } else {
      line = markOperations(line, site, prepared.needsFibres);
    }
    prepared.text += line + "\n";
  }
  prepared.text +=
      "\nstatic void shim_run(const shim::Thread &t) {\n  (void)t;\n  " + kernel + "(" + arguments +
      ");\n}\nstatic void shim_use(shim::Interpreter *used) { shim_interpreter = used; }\n"
      "extern \"C\" {\nthread_local shim::Interpreter *shim_interpreter;\n"
      "extern shim::Kernel shim_kernel;\n"
      "shim::Kernel shim_kernel{&shim_use, &shim_run};\n}\n";
  return prepared;
}

} // namespace pumice::msl
