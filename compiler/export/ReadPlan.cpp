//===- ReadPlan.cpp - plans from JSON ---------------------------------------===//
#include "compiler/export/Plan.h"

#include "llvm/ADT/StringSwitch.h"
#include "llvm/Support/JSON.h"

using namespace pumice;
using namespace pumice::exporting;
namespace json = llvm::json;
using executable::ElementType;

namespace {

Status bad(const std::string &place, const std::string &expected) {
  return Status(StatusCode::InvalidArgument, "plan: " + place + ": expected " + expected);
}

Result<std::string> textAt(const json::Object &object, llvm::StringRef key,
                           const std::string &place) {
  if (auto text = object.getString(key))
    return text->str();
  return bad(place + "." + key.str(), "a text");
}

/// The operators, and how many operands each has.
int operandsOf(llvm::StringRef name) {
  return llvm::StringSwitch<int>(name)
      .Cases({"+", "-", "*", "//", "%", "/", "min", "max"}, 2)
      .Cases({"<", "<=", ">", ">=", "==", "!=", "and", "or"}, 2)
      .Cases({"<<", ">>", "&", "|", "^", "aligned"}, 2)
      .Cases({"not", "neg", "~"}, 1)
      .Case("?:", 3)
      .Default(0);
}

Result<Expression> readExpression(const json::Value &value, const std::string &place,
                                  unsigned depth = 0) {
  constexpr unsigned deepest = 200;
  if (depth > deepest)
    return bad(place, "an expression of at most 200 levels");
  Expression read;
  if (auto number = value.getAsInteger()) {
    read.number = *number;
    return read;
  }
  if (auto name = value.getAsString()) {
    read.kind = Expression::Kind::Name;
    read.text = name->str();
    return read;
  }
  const json::Array *list = value.getAsArray();
  if (!list || list->empty() || !list->front().getAsString())
    return bad(place, "a number, a name, or a list of an operator and its operands");
  read.kind = Expression::Kind::Operation;
  read.text = list->front().getAsString()->str();
  int operands = operandsOf(read.text);
  if (operands == 0 || list->size() != size_t(operands) + 1)
    return bad(place, "a known operator with its operands, got '" + read.text + "' with " +
                          std::to_string(list->size() - 1));
  for (size_t i = 1; i < list->size(); ++i) {
    PUMICE_TRY(Expression operand, readExpression((*list)[i], place, depth + 1));
    read.operands.push_back(std::move(operand));
  }
  return read;
}

Result<std::vector<Expression>> readExpressions(const json::Object &object, llvm::StringRef key,
                                                const std::string &place) {
  std::vector<Expression> all;
  if (const json::Array *list = object.getArray(key))
    for (size_t i = 0; i < list->size(); ++i) {
      PUMICE_TRY(Expression one, readExpression((*list)[i], place + "." + key.str() + "[" +
                                                                std::to_string(i) + "]"));
      all.push_back(std::move(one));
    }
  return all;
}

Result<Parameter> readParameter(const json::Object &object, const std::string &place) {
  Parameter read;
  PUMICE_TRY(read.name, textAt(object, "name", place));
  read.argument = object.getString("argument").value_or(read.name).str();
  read.note = object.getString("note").value_or("").str();
  PUMICE_TRY(std::string kind, textAt(object, "kind", place));
  if (kind == "buffer")
    read.kind = ParameterKind::Buffer;
  else if (kind == "scalar")
    read.kind = ParameterKind::Scalar;
  else if (kind == "constant")
    read.kind = ParameterKind::Constant;
  else
    return bad(place + ".kind", "buffer, scalar or constant, got '" + kind + "'");
  PUMICE_TRY(std::string element, textAt(object, "element", place));
  bool found = false;
  for (unsigned i = 0; i <= unsigned(ElementType::opaque); ++i)
    if (executable::toString(ElementType(i)) == element) {
      read.element = ElementType(i);
      found = true;
    }
  if (!found)
    return bad(place + ".element", "a type such as f32, got '" + element + "'");
  read.isUnsigned = object.getBoolean("unsigned").value_or(false);
  return read;
}

Result<Specialisation> readSpecialisation(const json::Object &object, const std::string &place) {
  Specialisation read;
  read.executable = size_t(object.getInteger("executable").value_or(0));
  PUMICE_TRY(read.entryPoint, textAt(object, "entry", place));
  PUMICE_TRY(read.conditions, readExpressions(object, "when", place));
  PUMICE_TRY(read.grid, readExpressions(object, "grid", place));
  if (!read.grid.empty() && read.grid.size() != 3)
    return bad(place + ".grid", "three expressions, got " + std::to_string(read.grid.size()));
  read.note = object.getString("note").value_or("").str();
  return read;
}

Result<Kernel> readKernel(const json::Object &object, const std::string &place) {
  Kernel read;
  PUMICE_TRY(read.name, textAt(object, "name", place));
  read.rejectsOverlap = object.getBoolean("rejects_overlap").value_or(false);
  auto each = [&](llvm::StringRef key, auto add) -> Status {
    const json::Array *list = object.getArray(key);
    for (size_t i = 0; list && i < list->size(); ++i) {
      std::string where = place + "." + key.str() + "[" + std::to_string(i) + "]";
      const json::Object *one = (*list)[i].getAsObject();
      if (!one)
        return bad(where, "an object");
      PUMICE_RETURN_IF_ERROR(add(*one, where));
    }
    return Status::ok();
  };
  PUMICE_RETURN_IF_ERROR(each("parameters", [&](const json::Object &one, std::string where) {
    Result<Parameter> parameter = readParameter(one, where);
    if (parameter.isOk())
      read.parameters.push_back(*parameter);
    return parameter.status();
  }));
  PUMICE_RETURN_IF_ERROR(each("specialisations", [&](const json::Object &one, std::string where) {
    Result<Specialisation> specialisation = readSpecialisation(one, where);
    if (specialisation.isOk())
      read.specialisations.push_back(*specialisation);
    return specialisation.status();
  }));
  if (read.specialisations.empty())
    return bad(place + ".specialisations", "at least one");
  return read;
}

} // namespace

Result<Plan> exporting::readPlan(std::string_view text) {
  llvm::Expected<json::Value> parsed = json::parse(llvm::StringRef(text.data(), text.size()));
  if (!parsed)
    return bad("text", "JSON: " + llvm::toString(parsed.takeError()));
  const json::Object *object = parsed->getAsObject();
  if (!object)
    return bad("text", "an object");
  Plan read;
  PUMICE_TRY(read.name, textAt(*object, "name", "top"));
  std::string language = object->getString("language").value_or("c++").str();
  if (language != "c" && language != "c++")
    return bad("language", "c or c++, got '" + language + "'");
  read.language = language == "c" ? Language::C : Language::Cpp;
  read.beside = object->getBoolean("beside").value_or(false);
  read.line = object->getString("line").value_or("").str();
  if (const json::Array *list = object->getArray("kernels"))
    for (size_t i = 0; i < list->size(); ++i) {
      std::string place = "kernels[" + std::to_string(i) + "]";
      const json::Object *one = (*list)[i].getAsObject();
      if (!one)
        return bad(place, "an object");
      PUMICE_TRY(Kernel kernel, readKernel(*one, place));
      read.kernels.push_back(std::move(kernel));
    }
  return read;
}
