//===- Launcher.cpp - the header and the source of launchers ----------------===//
// Both languages have the same source, in the common part of C11 and C++17. The header for C++
// wraps it in a class whose functions are inline, so that it works with and without PUMICE_THROW.
//===-------------------------------------------------------------------------===//
#include "compiler/export/Launcher.h"

#include "llvm/ADT/STLExtras.h"

using namespace pumice;
using namespace pumice::exporting;
using executable::ElementType;

namespace {

/// Names of locals and helpers in the source, which parameters may not hide.
constexpr const char *localNames[] = {"Kernels",      "all",
                                      "bool",         "data",
                                      "device",       "dynamic_memory_bytes",
                                      "executable",   "fail",
                                      "grid",         "groups",
                                      "kernels",      "launchers",
                                      "load",         "options",
                                      "overlap",      "path",
                                      "queue",        "start",
                                      "taken",        "workgroup_size",
                                      "larger",       "smaller",
                                      "is_aligned",   "MOST_ARGUMENTS",
                                      "launch",       "function",
                                      "to_f16",       "to_bf16",
                                      "floor_divide", "floor_modulo",
                                      "whole_divide", "shift_left",
                                      "shift_right",  "bits_of",
                                      "problem",      "fail_problem",
                                      "whole_sum",    "whole_difference",
                                      "whole_product"};

std::string parameterText(const Parameter &parameter, const std::string &name, Language language) {
  if (parameter.kind == ParameterKind::Buffer) {
    if (language == Language::Cpp)
      return std::string("const pumice::") +
             (parameter.isShaped ? "Argument &" : "BufferArgument &") + name;
    return (parameter.isShaped ? "pumice_argument " : "pumice_buffer *") + name;
  }
  std::string type = scalarType(parameter);
  if (parameter.vectorWidth == 1)
    return type + " " + name;
  std::string width = std::to_string(parameter.vectorWidth);
  if (language == Language::Cpp)
    return "const std::array<" + type + ", " + width + "> &" + name;
  return "const " + type + " " + name + "[" + width + "]";
}

std::string joined(const std::vector<std::string> &parts, const std::string &indent) {
  std::string text;
  size_t column = indent.size();
  for (size_t i = 0; i < parts.size(); ++i) {
    std::string part = parts[i] + (i + 1 < parts.size() ? "," : "");
    if (i > 0 && column + part.size() + 1 > 98) {
      text += "\n" + indent;
      column = indent.size();
    } else if (i > 0) {
      text += " ";
      ++column;
    }
    text += part;
    column += part.size();
  }
  return text;
}

/// Returns the parameters that state how much runs, as both languages have them.
std::vector<std::string> sizeParameters(const Kernel &kernel, Language language) {
  std::vector<std::string> all;
  bool cpp = language == Language::Cpp;
  if (!kernel.hasGrid)
    all.push_back(cpp ? "std::array<uint32_t, 3> groups" : "const uint32_t groups[3]");
  if (kernel.opensWorkgroup)
    all.push_back(cpp ? "std::array<uint32_t, 3> workgroup_size"
                      : "const uint32_t workgroup_size[3]");
  if (kernel.hasDynamicMemory)
    all.push_back("uint32_t dynamic_memory_bytes");
  return all;
}

/// Returns the description of a launcher, for its comment.
std::vector<std::string> descriptionOf(const Kernel &kernel) {
  std::vector<std::string> lines;
  std::string first = "Launches the kernel '" + kernel.name + "'";
  if (!kernel.source.empty())
    first += " (" + kernel.source + ")";
  lines.push_back(first + ".");
  std::string reads, writes, halves, bits;
  auto add = [](std::string &list, const std::string &name) {
    list += (list.empty() ? "" : ", ") + name;
  };
  for (const Parameter &one : kernel.parameters) {
    if (one.kind == ParameterKind::Buffer)
      add(executable::writes(one.access) ? writes : reads, one.name);
    else if (one.element == ElementType::f16 || one.element == ElementType::bf16)
      add(one.vectorWidth > 1 ? bits : halves, one.name);
    else if (one.element == ElementType::f8)
      add(bits, one.name);
  }
  if (!reads.empty())
    lines.push_back("It reads " + reads + ".");
  if (!writes.empty())
    lines.push_back("It writes " + writes + ".");
  if (!halves.empty())
    lines.push_back("The kernel has 16 bits for " + halves + ", to which the launcher rounds.");
  if (!bits.empty())
    lines.push_back("The caller passes the bits of " + bits + ".");
  if (!kernel.hasGrid)
    lines.push_back("`groups` is the number of workgroups along x, y and z.");
  if (kernel.opensWorkgroup)
    lines.push_back("`workgroup_size` is used on the axes that the kernel leaves open.");
  if (kernel.specialisations.size() > 1)
    lines.push_back("The arguments choose one of " + std::to_string(kernel.specialisations.size()) +
                    " specialisations.");
  for (const Parameter &one : kernel.parameters)
    if (!one.note.empty())
      lines.push_back("`" + one.name + "`: " + one.note);
  for (std::string &line : lines)
    line = commented(line);
  return lines;
}

std::string commentText(const Kernel &kernel, const std::string &indent, Language language) {
  std::string text;
  std::vector<std::string> lines = descriptionOf(kernel);
  for (size_t i = 0; i < lines.size(); ++i)
    if (language == Language::Cpp)
      text += indent + "/// " + lines[i] + "\n";
    else
      text += indent + (i ? " * " : "/* ") + lines[i] + (i + 1 == lines.size() ? " */" : "") + "\n";
  return text;
}

std::string topComment(const Plan &plan, const std::string &what) {
  std::string text = "/* " + commented(what) + "\n";
  text += " * Made by " +
          (plan.line.empty() ? std::string("pumice export") : commented(plan.line)) +
          ". The next export replaces it. */\n";
  return text;
}

/// Returns the function that the source defines, without its body.
std::string prototype(const Kernel &kernel, const LauncherNames &names, Language language) {
  std::vector<std::string> parts{"pumice_executable *kernels", "pumice_queue *queue"};
  for (const std::string &one : sizeParameters(kernel, Language::C))
    parts.push_back(one);
  for (size_t i = 0; i < kernel.parameters.size(); ++i) {
    bool isRange = language == Language::Cpp && kernel.parameters[i].kind == ParameterKind::Buffer;
    parts.push_back(isRange
                        ? "const pumice_argument &" + names.parameters[i]
                        : parameterText(kernel.parameters[i], names.parameters[i], Language::C));
  }
  std::string start =
      "pumice_status " + (language == Language::C ? names.function : names.method) + "(";
  return start + joined(parts, std::string(start.size() < 60 ? start.size() : 4, ' ')) + ")";
}

std::string loadPrototype(const Plan &plan, const Names &names) {
  std::string name = plan.language == Language::C ? names.load : "load";
  return "pumice_status " + name + "(pumice_device *device, " +
         (plan.beside ? "const char *path, " : "") + "pumice_executable **kernels)";
}

std::string cHeader(const Plan &plan, const Names &names) {
  std::string text = topComment(plan, names.prefix + ".h - launches kernels of " + plan.name);
  text += "#pragma once\n\n#include <pumice/pumice.h>\n\n#include <stdbool.h>\n\n"
          "#ifdef __cplusplus\nextern \"C\" {\n#endif\n\n";
  text +=
      "/* Loads the kernels for a device. Release them by pumice_executable_release. Threads may\n"
      " * share them, and work in flight keeps them alive. */\n" +
      loadPrototype(plan, names) + ";\n\n";
  for (size_t i = 0; i < plan.kernels.size(); ++i)
    text += commentText(plan.kernels[i], "", Language::C) +
            prototype(plan.kernels[i], names.launchers[i], Language::C) + ";\n\n";
  return text + "#ifdef __cplusplus\n}\n#endif\n";
}

/// Returns the C++ function of a kernel, which calls the function that the source defines.
std::string methodText(const Kernel &kernel, const LauncherNames &names) {
  std::vector<std::string> parts{"const pumice::Queue &queue"};
  std::vector<std::string> passed{"executable.get()", "queue.get()"};
  for (const std::string &one : sizeParameters(kernel, Language::Cpp))
    parts.push_back(one);
  if (!kernel.hasGrid)
    passed.push_back("groups.data()");
  if (kernel.opensWorkgroup)
    passed.push_back("workgroup_size.data()");
  if (kernel.hasDynamicMemory)
    passed.push_back("dynamic_memory_bytes");
  for (size_t i = 0; i < kernel.parameters.size(); ++i) {
    const Parameter &parameter = kernel.parameters[i];
    parts.push_back(parameterText(parameter, names.parameters[i], Language::Cpp));
    passed.push_back(names.parameters[i] + (parameter.vectorWidth > 1 ? ".data()" : ""));
  }
  std::string start = "  pumice::Status " + names.method + "(";
  std::string text = commentText(kernel, "  ", Language::Cpp) + start +
                     joined(parts, std::string(start.size() < 60 ? start.size() : 6, ' ')) +
                     ") const {\n";
  start = "    return launchers::" + names.method + "(";
  return text + start + joined(passed, std::string(start.size() < 60 ? start.size() : 8, ' ')) +
         ");\n  }\n";
}

std::string cppHeader(const Plan &plan, const Names &names) {
  std::string text = topComment(plan, names.prefix + ".hpp - launches kernels of " + plan.name);
  text += "#pragma once\n\n#include <pumice/pumice.hpp>\n\n#include <array>\n\nnamespace " +
          names.prefix + " {\n\n";
  text += "/// The functions of " + names.prefix + ".cpp. `Kernels` calls them.\n";
  text += "namespace launchers {\n" + loadPrototype(plan, names) + ";\n";
  for (size_t i = 0; i < plan.kernels.size(); ++i)
    text += prototype(plan.kernels[i], names.launchers[i], Language::Cpp) + ";\n";
  text += "} // namespace launchers\n\n";
  text += "/// The kernels, for a device. Copies refer to the same kernels, and threads may share "
          "them.\nclass Kernels {\npublic:\n";
  text += "  /// Loads the kernels for a device.\n"
          "  static pumice::Result<Kernels> load(const pumice::Device &device";
  text += plan.beside ? ", const char *path) {\n" : ") {\n";
  text += "    auto loaded = pumice::made<pumice::Executable, pumice_executable>(\n"
          "        [&](pumice_executable **place) { return launchers::load(device.get(), ";
  text += plan.beside ? "path, place); });\n" : "place); });\n";
  text += "    if (!loaded)\n      return loaded.error();\n"
          "    return Kernels(std::move(loaded).value());\n  }\n";
  for (size_t i = 0; i < plan.kernels.size(); ++i)
    text += methodText(plan.kernels[i], names.launchers[i]);
  text += "\nprivate:\n"
          "  explicit Kernels(pumice::Executable loaded) : executable(std::move(loaded)) {}\n"
          "  pumice::Executable executable;\n};\n\n} // namespace " +
          names.prefix + "\n";
  return text;
}

} // namespace

Names exporting::namesOf(const Plan &plan) {
  Names names;
  CNames functions(true), methods(true);
  names.prefix = functions.take(plan.name);
  auto own = [&](const char *suffix) {
    std::string name = names.prefix + suffix;
    functions.reserve(name);
    return name;
  };
  names.load = own("_load");
  names.data = own("_data");
  names.size = own("_data_bytes");
  for (const char *name : localNames) {
    functions.reserve(name);
    methods.reserve(name);
  }
  bool prefixIsFree = true; // one kernel may have the name of the export
  for (const Kernel &kernel : plan.kernels) {
    LauncherNames launcher;
    launcher.method = methods.take(kernel.name);
    CNames parameters;
    for (const char *name : localNames)
      parameters.reserve(name);
    for (const LauncherNames &other : names.launchers)
      parameters.reserve(other.function);
    if (kernel.name == plan.name && prefixIsFree) {
      launcher.function = names.prefix;
      prefixIsFree = false;
    } else {
      launcher.function = functions.take(names.prefix + "_" + kernel.name);
    }
    for (const Parameter &parameter : kernel.parameters)
      launcher.parameters.push_back(parameters.take(parameter.name));
    names.launchers.push_back(std::move(launcher));
  }
  return names;
}

std::string exporting::headerText(const Plan &plan, const Names &names) {
  return plan.language == Language::C ? cHeader(plan, names) : cppHeader(plan, names);
}

namespace {

/// Writes the statements that put all arguments into `all`.
std::string collectText(const Kernel &kernel, const LauncherNames &names, Language language,
                        std::set<std::string> &helpers) {
  if (kernel.parameters.empty())
    return {};
  std::string declarations, text;
  for (size_t i = 0; i < kernel.parameters.size(); ++i) {
    const Parameter &one = kernel.parameters[i];
    const std::string &name = names.parameters[i];
    if (one.kind == ParameterKind::Constant)
      continue;
    std::string place = "  all[" + std::to_string(i) + "] = ";
    bool isHalf = one.vectorWidth == 1 &&
                  (one.element == ElementType::f16 || one.element == ElementType::bf16);
    if (one.kind == ParameterKind::Buffer) {
      bool isRange = language == Language::Cpp || one.isShaped;
      text += place + (isRange ? name : "pumice_argument_buffer(" + name + ")") + ";\n";
    } else if (isHalf) {
      std::string helper = one.element == ElementType::f16 ? "to_f16" : "to_bf16";
      helpers.insert(helper);
      std::string bits = "bits_of[" + std::to_string(i) + "]";
      text += "  " + bits + " = " + helper + "(" + name + ");\n" + place +
              "pumice_argument_scalar(&" + bits + ", sizeof " + bits + ");\n";
      declarations = "  uint16_t bits_of[" + std::to_string(kernel.parameters.size()) + "];\n";
    } else if (one.vectorWidth > 1) {
      text += place + "pumice_argument_scalar(" + name + ", " + std::to_string(one.vectorWidth) +
              " * sizeof *" + name + ");\n";
    } else {
      text += place + "pumice_argument_scalar(&" + name + ", sizeof " + name + ");\n";
    }
  }
  if (text.empty())
    return {};
  return "  pumice_argument all[" + std::to_string(kernel.parameters.size()) + "];\n" +
         declarations + text;
}

/// Writes the rejection of arguments that share memory which the kernel writes.
std::string overlapText(const Kernel &kernel, std::set<std::string> &helpers) {
  std::string text;
  if (!kernel.rejectsOverlap)
    return text;
  for (size_t i = 0; i < kernel.parameters.size(); ++i)
    for (size_t j = i + 1; j < kernel.parameters.size(); ++j) {
      const Parameter &a = kernel.parameters[i], &b = kernel.parameters[j];
      if (a.kind != ParameterKind::Buffer || b.kind != ParameterKind::Buffer ||
          !(executable::writes(a.access) || executable::writes(b.access)))
        continue;
      helpers.insert("overlap");
      text += "  if (overlap(&all[" + std::to_string(i) + "], &all[" + std::to_string(j) +
              "]))\n    return pumice_fail(PUMICE_INVALID_ARGUMENT,\n                       "
              "\"kernel '" +
              escaped(kernel.name) + "': the arguments '" + escaped(a.name) + "' and '" +
              escaped(b.name) +
              "' share memory, which the kernel writes; pass separate buffers, or export it with "
              "overlap=True (in Triton IR: the attribute tt.overlap)\");\n";
    }
  return text;
}

std::string launchText(const Kernel &kernel, const LauncherNames &names,
                       const Specialisation &chosen, const std::string &indent,
                       std::set<std::string> &helpers) {
  std::string text, taken;
  for (size_t index : chosen.arguments)
    taken += (taken.empty() ? "" : ", ") + std::to_string(index);
  if (!taken.empty())
    text += indent + "static const unsigned taken[] = {" + taken + "};\n";
  std::vector<std::string> axes;
  for (size_t axis = 0; axis < 3; ++axis)
    axes.push_back(kernel.hasGrid ? expressionText(chosen.grid[axis], kernel, names, helpers)
                                  : "groups[" + std::to_string(axis) + "]");
  std::string declared = indent + "const int64_t grid[3] = {";
  text += declared + joined(axes, std::string(declared.size(), ' ')) + "};\n";
  bool hasOptions = kernel.opensWorkgroup || kernel.hasDynamicMemory;
  text += indent + "return start(kernels, queue, \"" + escaped(kernel.name) + "\", \"" +
          escaped(chosen.combinedName) + "\", " + (hasOptions ? "&options" : "NULL") +
          ", problem, grid, " + (taken.empty() ? "NULL, NULL" : "all, taken") + ", " +
          std::to_string(chosen.arguments.size()) + ");\n";
  return text;
}

/// Writes the failure of a launch whose arguments no specialisation takes.
std::string noneText(const Kernel &kernel, const LauncherNames &names) {
  std::string given, values, notes;
  size_t room = 0;
  for (size_t i = 0; i < kernel.parameters.size(); ++i) {
    const Parameter &one = kernel.parameters[i];
    if (one.kind == ParameterKind::Buffer || one.vectorWidth > 1)
      continue;
    std::string type = scalarType(one);
    bool isFloat = type == "float" || type == "double";
    given += (given.empty() ? "" : ", ") + one.name + "=" +
             (isFloat          ? "%g"
              : one.isUnsigned ? "%llu"
                               : "%lld");
    values += std::string(", (") +
              (isFloat          ? "double"
               : one.isUnsigned ? "unsigned long long"
                                : "long long") +
              ")" + names.parameters[i];
    room += 32;
  }
  for (const Specialisation &one : kernel.specialisations)
    notes += (notes.empty() ? "" : " | ") + (one.note.empty() ? one.combinedName : one.note);
  constexpr size_t most = 400;
  if (notes.size() > most)
    notes = notes.substr(0, most) + "...";
  std::string percents; // in names, a percent sign would be a conversion
  for (char c : "kernel '" + kernel.name + "': no exported specialisation takes these arguments: ")
    percents += c == '%' ? "%%" : std::string(1, c);
  std::string ends;
  for (char c : "; there are: " + notes + "; export it again with one more")
    ends += c == '%' ? "%%" : std::string(1, c);
  std::string format = percents + (given.empty() ? "buffers" : given) + ends;
  std::string undefined =
      "  if (problem)\n    return fail_problem(\"" + escaped(kernel.name) + "\", problem);\n";
  return undefined + "  {\n    char text[" + std::to_string(format.size() + room + 1) +
         "];\n    snprintf(text, sizeof text,\n             \"" + escaped(format) + "\"" + values +
         ");\n    return pumice_fail(PUMICE_INVALID_ARGUMENT, text);\n  }\n";
}

std::string functionText(const Plan &plan, const Kernel &kernel, const LauncherNames &names,
                         std::set<std::string> &helpers) {
  std::string body;
  bool isOpen = true; // a later specialisation can still be chosen
  for (const Specialisation &one : kernel.specialisations) {
    if (!isOpen)
      break;
    std::string condition;
    for (const Expression &part : one.conditions)
      condition += (condition.empty() ? "" : " && ") + expressionText(part, kernel, names, helpers);
    isOpen = !condition.empty();
    if (!one.note.empty())
      body += "  /* " + commented(one.note) + " */\n";
    // An expression in parentheses of its own would make compilers warn about ==.
    if (one.conditions.size() == 1 && condition.front() == '(' &&
        one.conditions.front().kind == Expression::Kind::Operation)
      condition = condition.substr(1, condition.size() - 2);
    if (!isOpen && kernel.specialisations.size() == 1)
      body += launchText(kernel, names, one, "  ", helpers);
    else
      body += (isOpen ? "  if (" + condition + ") {\n" : std::string("  {\n")) +
              launchText(kernel, names, one, "    ", helpers) + "  }\n";
  }
  if (isOpen)
    body += noneText(kernel, names);
  std::string collected = collectText(kernel, names, plan.language, helpers);
  std::string rest = overlapText(kernel, helpers);
  std::string options;
  if (kernel.opensWorkgroup || kernel.hasDynamicMemory)
    options = "  pumice_function_options options = PUMICE_INIT(pumice_function_options);\n";
  if (kernel.opensWorkgroup)
    rest += "  memcpy(options.workgroup_size, workgroup_size, sizeof options.workgroup_size);\n";
  if (kernel.hasDynamicMemory)
    rest += "  options.dynamic_memory_bytes = dynamic_memory_bytes;\n";
  std::string unused;
  for (size_t i = 0; i < kernel.parameters.size(); ++i)
    if (kernel.parameters[i].kind == ParameterKind::Constant)
      unused += "  (void)" + names.parameters[i] + ";\n";
  helpers.insert({"start", "fail_problem"});
  return prototype(kernel, names, plan.language) + " {\n  const char *problem = NULL;\n" + options +
         collected + unused + rest + body + "}\n";
}

} // namespace

std::string exporting::sourceText(const Plan &plan, const Names &names, const std::string &header) {
  std::set<std::string> helpers;
  std::string functions;
  size_t most = 1;
  for (size_t i = 0; i < plan.kernels.size(); ++i) {
    functions += "\n" + functionText(plan, plan.kernels[i], names.launchers[i], helpers);
    most = std::max(most, plan.kernels[i].parameters.size());
  }
  bool cpp = plan.language == Language::Cpp;
  std::string text = topComment(plan, "launches kernels of " + plan.name);
  text += "#include \"" + header +
          "\"\n\n#include <stdint.h>\n#include <stdio.h>\n"
          "#include <string.h>\n\n";
  text += "enum { MOST_ARGUMENTS = " + std::to_string(most) + " };\n\n";
  if (!plan.beside)
    text += "extern const unsigned char " + names.data + "[];\nextern const size_t " + names.size +
            ";\n\n";
  if (cpp)
    text += "namespace {\n\n";
  for (const std::string &helper : helperOrder())
    if (helpers.count(helper))
      text += helperText(helper) + "\n";
  if (cpp)
    text += "} // namespace\n\nnamespace " + names.prefix + " {\nnamespace launchers {\n\n";
  text += loadPrototype(plan, names) + " {\n  return ";
  text += plan.beside ? "pumice_executable_load_file(device, path, kernels);\n}\n"
                      : "pumice_executable_load(device, " + names.data + ", " + names.size +
                            ", kernels);\n}\n";
  text += functions;
  if (cpp)
    text += "\n} // namespace launchers\n} // namespace " + names.prefix + "\n";
  return text;
}

std::string exporting::dataText(const Plan &plan, const Names &names,
                                const std::vector<uint8_t> &bytes) {
  std::string text = topComment(plan, "the executable of " + plan.name);
  text += "#include <stddef.h>\n\n#ifdef __GNUC__ /* also clang: the string below has no limit "
          "there */\n"
          "#pragma GCC diagnostic ignored \"-Woverlength-strings\"\n#endif\n\n"
          "extern const unsigned char " +
          names.data + "[];\nextern const size_t " + names.size + ";\n\nconst size_t " +
          names.size + " = " + std::to_string(bytes.size()) + ";\nconst unsigned char " +
          names.data + "[] =";
  text.reserve(text.size() + bytes.size() * 4 + bytes.size() / 4);
  constexpr size_t perLine = 24;
  for (size_t i = 0; i < bytes.size(); ++i) {
    if (i % perLine == 0)
      text += "\n    \"";
    const char octal[] = {'\\', char('0' + (bytes[i] >> 6)), char('0' + (bytes[i] >> 3 & 7)),
                          char('0' + (bytes[i] & 7))};
    text.append(octal, sizeof octal);
    if (i % perLine == perLine - 1 || i + 1 == bytes.size())
      text += '"';
  }
  return text + ";\n";
}
