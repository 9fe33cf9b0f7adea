//===- Arguments.cpp - command lines of the pumice subcommands --------------===//
#include "tools/arguments/Arguments.h"

#include "support/NearestName.h"

#include <algorithm>
#include <cstdio>

using namespace pumice;
using namespace pumice::tools;

static Status unknownOption(const Command &command, std::string_view name) {
  std::vector<std::string_view> names;
  for (const Option &option : command.options)
    names.push_back(option.name);
  std::string_view near = nearestName(name, names);
  std::string message = "unknown option '" + std::string(name) + "'";
  if (!near.empty())
    message += "; did you mean '" + std::string(near) + "'?";
  return Status(StatusCode::InvalidArgument, message);
}

Result<Arguments> Arguments::parse(const Command &command, int argc, char **argv) {
  Arguments result;
  bool onlyPositional = false;
  auto bad = [](std::string message) {
    return Status(StatusCode::InvalidArgument, std::move(message));
  };
  for (int i = 1; i < argc; ++i) {
    std::string word = argv[i];
    if (onlyPositional || word.size() < 2 || word[0] != '-') {
      result.positionals.push_back(word);
      continue;
    }
    if (word == "--") {
      onlyPositional = true;
      continue;
    }
    if (word == "--help" || word == "-h") {
      result.given["--help"];
      return result;
    }
    size_t equals = word.find('=');
    std::string name = word.substr(0, equals);
    auto option = std::find_if(command.options.begin(), command.options.end(),
                               [&](const Option &o) { return o.name == name; });
    if (option == command.options.end())
      return unknownOption(command, name);
    std::vector<std::string> &values = result.given[name];
    if (!values.empty() && !option->repeats)
      return bad("option '" + name + "' is given twice");
    if (option->value.empty()) {
      if (equals != std::string::npos)
        return bad("option '" + name + "' takes no value, but has '" + word.substr(equals + 1) +
                   "'");
      values.push_back("");
    } else if (equals != std::string::npos) {
      values.push_back(word.substr(equals + 1));
    } else if (i + 1 < argc) {
      values.push_back(argv[++i]);
    } else {
      return bad("option '" + name + "' needs a value: " + name + " " + option->value);
    }
    if (!option->value.empty() && values.back().empty())
      return bad("option '" + name + "' has an empty value; give " + name + " " + option->value +
                 ", or leave it out");
  }
  size_t count = result.positionals.size();
  if (count < command.minPositional)
    return bad("missing argument: " + command.arguments);
  if (count > command.maxPositional)
    return bad("unexpected argument '" + result.positionals[command.maxPositional] + "'" +
               (command.maxPositional ? "" : "; expected only options, which --help lists"));
  return result;
}

std::string Arguments::value(std::string_view name, std::string_view otherwise) const {
  auto found = given.find(std::string(name));
  return found == given.end() ? std::string(otherwise) : found->second.back();
}

std::vector<std::string> Arguments::values(std::string_view name) const {
  auto found = given.find(std::string(name));
  return found == given.end() ? std::vector<std::string>() : found->second;
}

std::string tools::helpText(const Command &command) {
  std::string text = "usage: pumice " + command.name;
  if (!command.arguments.empty())
    text += " " + command.arguments;
  text += " [options]\n\n" + command.summary + "\n";
  size_t width = 6;
  auto left = [](const Option &option) {
    return option.name + (option.value.empty() ? "" : " " + option.value);
  };
  for (const Option &option : command.options)
    width = std::max(width, left(option).size());
  text += "\noptions:\n";
  auto line = [&](std::string name, const std::string &help) {
    name.resize(width, ' ');
    text += "  " + name + "  " + help + "\n";
  };
  for (const Option &option : command.options)
    line(left(option), option.help + (option.repeats ? " (repeatable)" : ""));
  line("--help", "print this text");
  if (!command.details.empty())
    text += "\n" + command.details + "\n";
  return text;
}

int tools::failed(const Command &command, const Status &status) {
  std::fprintf(stderr, "pumice %s: error: %s\n", command.name.c_str(), status.message().c_str());
  return 1;
}

int tools::usageError(const Command &command, const Status &status) {
  failed(command, status);
  std::fprintf(stderr, "try 'pumice %s --help'\n", command.name.c_str());
  return 2;
}
