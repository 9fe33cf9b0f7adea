//===- Expressions.cpp - expressions and types in C -------------------------===//
#include "compiler/export/Launcher.h"

#include "llvm/ADT/STLExtras.h"

#include <map>

using namespace pumice;
using namespace pumice::exporting;
using executable::ElementType;

std::string exporting::scalarType(const Parameter &parameter) {
  bool isVector = parameter.vectorWidth > 1;
  std::string sign = parameter.isUnsigned ? "u" : "";
  switch (parameter.element) {
  case ElementType::i1:
    return isVector ? "uint8_t" : "bool";
  case ElementType::i4:
  case ElementType::i8:
    return sign + "int8_t";
  case ElementType::i16:
    return sign + "int16_t";
  case ElementType::i32:
    return sign + "int32_t";
  case ElementType::i64:
  case ElementType::index:
    return sign + "int64_t";
  case ElementType::f8:
    return "uint8_t";
  case ElementType::bf16:
  case ElementType::f16:
    return isVector ? "uint16_t" : "float";
  case ElementType::f32:
    return "float";
  case ElementType::f64:
    return "double";
  case ElementType::opaque:
    break; // `complete` rejects it
  }
  return "void";
}

namespace {

std::string nameText(const std::string &name, const Kernel &kernel, const LauncherNames &names,
                     std::set<std::string> &helpers) {
  for (size_t i = 0; i < kernel.parameters.size(); ++i) {
    const Parameter &parameter = kernel.parameters[i];
    if (parameter.name != name)
      continue;
    std::string type = scalarType(parameter);
    if (type == "int64_t")
      return names.parameters[i];
    if (isFloat(parameter))
      return "(double)" + names.parameters[i]; // as Python computes
    if (type == "uint64_t") {
      helpers.insert("whole_unsigned");
      return "whole_unsigned(" + names.parameters[i] + ", &problem)";
    }
    return "(int64_t)" + names.parameters[i];
  }
  return "0"; // `complete` rejects unknown names
}

/// Returns the function that computes an operation, or an empty text for operators of C.
std::string functionOf(const std::string &operation) {
  static const std::map<std::string, std::string> functions = {
      {"+", "whole_sum"},     {"-", "whole_difference"},  {"*", "whole_product"},
      {"//", "floor_divide"}, {"%", "floor_modulo"},      {"/", "whole_divide"},
      {"min", "smaller"},     {"max", "larger"},          {"<<", "shift_left"},
      {">>", "shift_right"},  {"neg", "whole_difference"}};
  auto found = functions.find(operation);
  return found == functions.end() ? std::string() : found->second;
}

/// Returns whether an expression is a float of C: it has a float's name, and no comparison of it.
bool computesFloat(const Expression &expression, const Kernel &kernel) {
  if (expression.kind == Expression::Kind::Name)
    return llvm::any_of(kernel.parameters, [&](const Parameter &one) {
      return one.name == expression.text && one.kind != ParameterKind::Buffer && isFloat(one);
    });
  bool keeps = llvm::is_contained({"+", "-", "*", "neg", "?:"}, expression.text);
  return expression.kind == Expression::Kind::Operation && keeps &&
         llvm::any_of(expression.operands,
                      [&](const Expression &one) { return computesFloat(one, kernel); });
}

std::string operatorOf(const std::string &operation) {
  if (operation == "and")
    return "&&";
  if (operation == "or")
    return "||";
  if (operation == "not")
    return "!";
  if (operation == "neg")
    return "-";
  return operation;
}

} // namespace

std::string exporting::expressionText(const Expression &expression, const Kernel &kernel,
                                      const LauncherNames &names, std::set<std::string> &helpers) {
  if (expression.kind == Expression::Kind::Number)
    return expression.number == INT64_MIN ? "INT64_MIN"
           : expression.number == int32_t(expression.number)
               ? std::to_string(expression.number)
               : "INT64_C(" + std::to_string(expression.number) + ")";
  if (expression.kind == Expression::Kind::Name)
    return nameText(expression.text, kernel, names, helpers);
  if (expression.text == "aligned") {
    helpers.insert("is_aligned");
    auto index = llvm::find_if(kernel.parameters,
                               [&](const Parameter &one) {
                                 return one.name == expression.operands[0].text;
                               }) -
                 kernel.parameters.begin();
    return "is_aligned(&all[" + std::to_string(index) + "], " +
           std::to_string(expression.operands[1].number) + ")";
  }
  std::vector<std::string> operands;
  for (const Expression &operand : expression.operands)
    operands.push_back(expressionText(operand, kernel, names, helpers));
  std::string function = computesFloat(expression, kernel) ? "" : functionOf(expression.text);
  if (!function.empty()) {
    helpers.insert(function);
    if (expression.text == "neg")
      operands.insert(operands.begin(), "0");
    bool mayFail = function != "smaller" && function != "larger";
    return function + "(" + operands[0] + ", " + operands[1] + (mayFail ? ", &problem)" : ")");
  }
  if (expression.text == "?:")
    return "(" + operands[0] + " ? " + operands[1] + " : " + operands[2] + ")";
  std::string sign = operatorOf(expression.text);
  if (operands.size() == 1)
    return "(" + sign + operands[0] + ")";
  return "(" + operands[0] + " " + sign + " " + operands[1] + ")";
}
