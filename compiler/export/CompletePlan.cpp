//===- CompletePlan.cpp - plans and the executables that they name ----------===//
#include "compiler/export/Plan.h"

#include "llvm/ADT/STLExtras.h"
#include "llvm/Support/Path.h"

#include <functional>
#include <map>

using namespace pumice;
using namespace pumice::exporting;
using executable::ElementType;
using executable::EntryPoint;
using executable::Executable;

namespace {

/// Returns whether a launch must state the buffer's shape. One open extent follows from the size.
bool needsShape(const executable::Argument &argument) {
  auto isOpen = [](int64_t number) { return number == executable::dynamic; };
  return llvm::count_if(argument.shape, isOpen) > 1 || isOpen(argument.offset) ||
         llvm::count_if(argument.strides, isOpen) > 0;
}

Parameter parameterOf(const executable::Argument &argument) {
  Parameter parameter;
  parameter.name = parameter.argument = argument.name;
  parameter.kind = argument.kind == executable::ArgumentKind::Buffer ? ParameterKind::Buffer
                                                                     : ParameterKind::Scalar;
  parameter.element = argument.element;
  parameter.vectorWidth = argument.vectorWidth;
  parameter.isShaped = parameter.kind == ParameterKind::Buffer && needsShape(argument);
  parameter.access = argument.access;
  return parameter;
}

/// Makes one kernel of each entry point, whose grid the caller gives.
Status addEntryPoints(Plan &plan, const std::vector<Executable> &inputs) {
  for (size_t i = 0; i < inputs.size(); ++i)
    for (const EntryPoint &entry : inputs[i].entryPoints) {
      if (llvm::any_of(plan.kernels, [&](const Kernel &other) { return other.name == entry.name; }))
        return Status(StatusCode::InvalidArgument,
                      "several files have a kernel '" + entry.name +
                          "'; export each file with a --name of its own");
      Kernel kernel;
      kernel.name = entry.name;
      for (const executable::Argument &argument : entry.arguments)
        kernel.parameters.push_back(parameterOf(argument));
      Specialisation only;
      only.executable = i;
      only.entryPoint = entry.name;
      kernel.specialisations.push_back(std::move(only));
      plan.kernels.push_back(std::move(kernel));
    }
  return Status::ok();
}

/// Returns the Python name of an argument. Triton 3.9 names the parts of a descriptor, such as
/// "x.shape.0", where Triton 3.6 gives all of them the descriptor's name.
std::string pythonName(const executable::Argument &argument) {
  return llvm::StringRef(argument.name).split('.').first.str();
}

/// Returns the parameter of an argument. The parts of tuples and tensor descriptors have the same
/// name and keep their order, so `before` counts the arguments of this name before it.
auto findParameter(Kernel &kernel, const std::string &argument, size_t before) {
  return llvm::find_if(kernel.parameters, [&](const Parameter &parameter) {
    return parameter.argument == argument && before-- == 0;
  });
}

/// Finds the parameters of an entry point's arguments, by their names. Parameters that were made
/// from these arguments have the same order, and may lack names.
Status matchArguments(Kernel &kernel, Specialisation &specialisation, const EntryPoint &entry) {
  bool same = kernel.parameters.size() == entry.arguments.size() &&
              llvm::all_of(llvm::zip(kernel.parameters, entry.arguments), [](const auto &both) {
                return std::get<0>(both).argument == std::get<1>(both).name;
              });
  std::map<std::string, size_t> seen;
  for (size_t i = 0; i < entry.arguments.size(); ++i) {
    const executable::Argument &argument = entry.arguments[i];
    std::string name = pythonName(argument);
    auto found = same ? kernel.parameters.begin() + i : findParameter(kernel, name, seen[name]++);
    std::string place = "kernel '" + kernel.name + "': argument '" + argument.name + "' of '" +
                        specialisation.entryPoint + "'";
    if (found == kernel.parameters.end())
      return Status(StatusCode::InvalidArgument, place + " is not a parameter of the plan");
    Parameter actual = parameterOf(argument);
    if (found->kind != actual.kind || found->vectorWidth != actual.vectorWidth ||
        (actual.kind == ParameterKind::Scalar && found->element != actual.element))
      return Status(StatusCode::InvalidArgument,
                    place + " has the type " + std::string(toString(actual.element)) +
                        ", but the plan says " + std::string(toString(found->element)));
    found->isShaped |= actual.isShaped;
    if (&specialisation == &kernel.specialisations.front())
      found->access = actual.access;
    specialisation.arguments.push_back(size_t(found - kernel.parameters.begin()));
  }
  return Status::ok();
}

enum class Type : uint8_t { Whole, Float };

Status badExpression(const Kernel &kernel, const std::string &what) {
  return Status(StatusCode::InvalidArgument, "kernel '" + kernel.name + "': an expression " + what);
}

Result<const Parameter *> namedParameter(const Kernel &kernel, const std::string &name) {
  auto found =
      llvm::find_if(kernel.parameters, [&](const Parameter &one) { return one.name == name; });
  if (found == kernel.parameters.end())
    return badExpression(kernel, "names '" + name + "', which is not a parameter");
  return &*found;
}

Status checkAlignment(const Kernel &kernel, const Expression &expression) {
  const Expression &buffer = expression.operands[0], &bytes = expression.operands[1];
  if (buffer.kind == Expression::Kind::Name) {
    PUMICE_TRY(const Parameter *named, namedParameter(kernel, buffer.text));
    if (named->kind == ParameterKind::Buffer && bytes.kind == Expression::Kind::Number &&
        bytes.number > 0)
      return Status::ok();
  }
  return badExpression(kernel, "has 'aligned' with other operands; expected the name of a buffer "
                               "and a number of bytes");
}

/// Returns the type of an expression, and rejects those whose value C would not compute as Python
/// does: floats are only added, subtracted, multiplied and compared.
Result<Type> typeOf(const Kernel &kernel, const Expression &expression) {
  if (expression.kind == Expression::Kind::Number)
    return Type::Whole;
  if (expression.kind == Expression::Kind::Name) {
    PUMICE_TRY(const Parameter *named, namedParameter(kernel, expression.text));
    if (named->kind == ParameterKind::Buffer || named->vectorWidth > 1)
      return badExpression(kernel,
                           "computes with '" + expression.text + "', which is a " +
                               (named->kind == ParameterKind::Buffer ? "buffer" : "vector") +
                               "; expected a number");
    return isFloat(*named) ? Type::Float : Type::Whole;
  }
  if (expression.text == "aligned") {
    PUMICE_RETURN_IF_ERROR(checkAlignment(kernel, expression));
    return Type::Whole;
  }
  bool anyFloat = false;
  for (const Expression &operand : expression.operands) {
    PUMICE_TRY(Type type, typeOf(kernel, operand));
    bool decides = expression.text == "?:" && &operand == expression.operands.data();
    anyFloat |= type == Type::Float && !decides;
  }
  bool isArithmetic = llvm::is_contained({"+", "-", "*", "neg", "?:"}, expression.text);
  bool isTruth =
      llvm::is_contained({"<", "<=", ">", ">=", "==", "!=", "and", "or", "not"}, expression.text);
  if (anyFloat && !isArithmetic && !isTruth)
    return badExpression(kernel, "computes '" + expression.text +
                                     "' of a float; expected whole numbers, since floats are only "
                                     "added, subtracted, multiplied and compared");
  return anyFloat && isArithmetic ? Type::Float : Type::Whole;
}

Status completeSpecialisation(Kernel &kernel, Specialisation &specialisation,
                              const std::vector<Executable> &inputs) {
  if (specialisation.executable >= inputs.size())
    return Status(StatusCode::InvalidArgument,
                  "kernel '" + kernel.name + "': executable " +
                      std::to_string(specialisation.executable) + " is not among the " +
                      std::to_string(inputs.size()) + " that are given");
  const Executable &input = inputs[specialisation.executable];
  auto entry = llvm::find_if(input.entryPoints, [&](const EntryPoint &one) {
    return one.name == specialisation.entryPoint;
  });
  if (entry == input.entryPoints.end())
    return Status(StatusCode::NotFound, "kernel '" + kernel.name + "': its executable has no '" +
                                            specialisation.entryPoint + "'");
  PUMICE_RETURN_IF_ERROR(matchArguments(kernel, specialisation, *entry));
  for (const Expression &one : specialisation.conditions)
    PUMICE_RETURN_IF_ERROR(typeOf(kernel, one).status());
  for (const Expression &one : specialisation.grid) {
    PUMICE_TRY(Type type, typeOf(kernel, one));
    if (type == Type::Float)
      return badExpression(kernel, "for an axis of the grid is a float; expected a whole number");
  }
  kernel.rejectsOverlap |= entry->assumesNoOverlap;
  kernel.opensWorkgroup |= llvm::is_contained(entry->workgroupSize, 0u);
  kernel.hasDynamicMemory |= entry->dynamicWorkgroupMemory;
  if (kernel.source.empty() && !entry->location.file.empty())
    kernel.source = llvm::sys::path::filename(entry->location.file).str() + ":" +
                    std::to_string(entry->location.line);
  return Status::ok();
}

} // namespace

bool exporting::isFloat(const Parameter &parameter) {
  return parameter.element == ElementType::f32 || parameter.element == ElementType::f64 ||
         parameter.element == ElementType::f16 || parameter.element == ElementType::bf16;
}

Status exporting::complete(Plan &plan, const std::vector<Executable> &inputs) {
  if (plan.kernels.empty())
    PUMICE_RETURN_IF_ERROR(addEntryPoints(plan, inputs));
  if (plan.kernels.empty())
    return Status(StatusCode::InvalidArgument, "there is no kernel to export");
  std::map<std::string, size_t> used;
  for (Kernel &kernel : plan.kernels) {
    std::map<std::pair<size_t, std::string>, std::string> names;
    kernel.hasGrid = llvm::all_of(kernel.specialisations,
                                  [](const Specialisation &one) { return !one.grid.empty(); });
    for (Specialisation &one : kernel.specialisations) {
      PUMICE_RETURN_IF_ERROR(completeSpecialisation(kernel, one, inputs));
      std::string &name = names[{one.executable, one.entryPoint}];
      if (name.empty()) {
        size_t before = used[kernel.name]++;
        name = before ? kernel.name + "." + std::to_string(before) : kernel.name;
      }
      one.combinedName = name;
    }
    for (const Parameter &parameter : kernel.parameters)
      if (parameter.kind != ParameterKind::Buffer && parameter.element == ElementType::opaque)
        return Status(StatusCode::Unsupported,
                      "kernel '" + kernel.name + "': argument '" + parameter.name +
                          "' has an opaque type, which C has no type for; launch it by "
                          "pumice_launch, with the bytes of the value");
  }
  return Status::ok();
}

Executable exporting::combine(const Plan &plan, const std::vector<Executable> &inputs) {
  Executable all;
  for (size_t i = 0; i < inputs.size(); ++i) {
    std::map<std::string, std::string> names; // only entry points that the plan uses
    for (const Kernel &kernel : plan.kernels)
      for (const Specialisation &one : kernel.specialisations)
        if (one.executable == i)
          names[one.entryPoint] = one.combinedName;
    all.producer = inputs[i].producer;
    for (EntryPoint entry : inputs[i].entryPoints)
      if (auto name = names.find(entry.name); name != names.end()) {
        entry.name = name->second;
        all.entryPoints.push_back(std::move(entry));
      }
    for (executable::Variant variant : inputs[i].variants) {
      std::erase_if(variant.interfaces,
                    [&](const auto &one) { return !names.count(one.entryPoint); });
      for (executable::Interface &one : variant.interfaces)
        one.entryPoint = names[one.entryPoint];
      if (!variant.interfaces.empty())
        all.variants.push_back(std::move(variant));
    }
  }
  return all;
}
