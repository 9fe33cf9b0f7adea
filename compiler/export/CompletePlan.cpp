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
      kernel.rejectsOverlap = plan.rejectsOverlap;
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

Status checkNames(const Kernel &kernel, const Expression &expression) {
  if (expression.kind == Expression::Kind::Name &&
      llvm::none_of(kernel.parameters,
                    [&](const Parameter &one) { return one.name == expression.text; }))
    return Status(StatusCode::InvalidArgument, "kernel '" + kernel.name +
                                                   "': an expression names '" + expression.text +
                                                   "', which is not a parameter");
  for (const Expression &operand : expression.operands)
    PUMICE_RETURN_IF_ERROR(checkNames(kernel, operand));
  return Status::ok();
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
    PUMICE_RETURN_IF_ERROR(checkNames(kernel, one));
  for (const Expression &one : specialisation.grid)
    PUMICE_RETURN_IF_ERROR(checkNames(kernel, one));
  kernel.opensWorkgroup |= llvm::is_contained(entry->workgroupSize, 0u);
  kernel.hasDynamicMemory |= entry->dynamicWorkgroupMemory;
  if (kernel.source.empty() && !entry->location.file.empty())
    kernel.source = llvm::sys::path::filename(entry->location.file).str() + ":" +
                    std::to_string(entry->location.line);
  return Status::ok();
}

} // namespace

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
