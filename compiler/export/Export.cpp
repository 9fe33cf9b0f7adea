//===- Export.cpp - executables as sources for C and C++ --------------------===//
#include "compiler/export/Export.h"

#include "compiler/export/Launcher.h"
#include "support/Version.h"

using namespace pumice;
using namespace pumice::exporting;

namespace {

File fileOf(std::string name, const std::string &text) {
  return {std::move(name), std::vector<uint8_t>(text.begin(), text.end())};
}

std::string replaced(std::string text, std::string_view key, const std::string &value) {
  for (size_t at = 0; (at = text.find(key, at)) != std::string::npos; at += value.size())
    text.replace(at, key.size(), value);
  return text;
}

constexpr const char *cmakeTemplate =
    R"cmake(# Made by Pumice: a library with launchers of kernels, for find_package(pumice).
cmake_minimum_required(VERSION 3.16)
project(@NAME@ LANGUAGES @LANGUAGE@)

find_package(pumice @VERSION@ REQUIRED CONFIG)
add_library(@NAME@ STATIC @SOURCES@)
target_include_directories(@NAME@ PUBLIC $<BUILD_INTERFACE:${CMAKE_CURRENT_SOURCE_DIR}>)
target_compile_features(@NAME@ PUBLIC @STANDARD@)
target_link_libraries(@NAME@ PUBLIC pumice::pumice)
)cmake";

constexpr const char *pkgTemplate = R"pc(# Made by Pumice, for sources in this folder:
#   @COMPILER@ main.@ENDING@ $(pkg-config --variable=sources @NAME@) $(pkg-config --cflags --libs @NAME@)
folder=${pcfiledir}
sources=@PATHS@

Name: @NAME@
Description: Launchers of kernels
Version: 1
Requires: pumice >= @VERSION@
Cflags: -I${folder}
)pc";

} // namespace

bool exporting::isOfExport(std::string_view contents) {
  constexpr size_t top = 1000; // the comment at the top of each file
  return contents.substr(0, top).find("Made by ") != std::string_view::npos;
}

Result<std::vector<File>>
exporting::exportFiles(Plan plan, const std::vector<std::span<const uint8_t>> &executables) {
  std::vector<executable::Executable> inputs;
  for (size_t i = 0; i < executables.size(); ++i) {
    Result<executable::Executable> input = executable::read(executables[i]);
    if (!input.isOk())
      return Status(input.status()).at("executable " + std::to_string(i));
    inputs.push_back(std::move(*input));
  }
  PUMICE_RETURN_IF_ERROR(complete(plan, inputs));
  PUMICE_TRY(std::vector<uint8_t> bytes, executable::write(combine(plan, inputs)));

  Names names = namesOf(plan);
  bool cpp = plan.language == Language::Cpp;
  std::string ending = cpp ? ".cpp" : ".c", header = names.prefix + (cpp ? ".hpp" : ".h");
  std::vector<File> files;
  files.push_back(fileOf(header, headerText(plan, names)));
  files.push_back(fileOf(names.prefix + ending, sourceText(plan, names, header)));
  std::string sources = names.prefix + ending;
  std::string paths = "${folder}/" + names.prefix + ending;
  if (plan.beside) {
    files.push_back({names.prefix + ".pumice", std::move(bytes)});
  } else {
    files.push_back(fileOf(names.data + ending, dataText(plan, names, bytes)));
    sources += " " + names.data + ending;
    paths += " ${folder}/" + names.data + ending;
  }
  auto filled = [&](const char *text) {
    std::string made = replaced(text, "@LANGUAGE@", cpp ? "CXX" : "C");
    made = replaced(made, "@COMPILER@", cpp ? "c++ -std=c++17" : "cc -std=c11");
    made = replaced(made, "@STANDARD@", cpp ? "cxx_std_17" : "c_std_11");
    made = replaced(made, "@ENDING@", cpp ? "cpp" : "c");
    made = replaced(made, "@SOURCES@", sources);
    made = replaced(made, "@PATHS@", paths);
    made = replaced(made, "@VERSION@", PUMICE_VERSION_TEXT);
    return replaced(made, "@NAME@", names.prefix);
  };
  files.push_back(fileOf("CMakeLists.txt", filled(cmakeTemplate)));
  files.push_back(fileOf(names.prefix + ".pc", filled(pkgTemplate)));
  return files;
}

Result<std::vector<File>>
exporting::exportFiles(std::string_view plan,
                       const std::vector<std::span<const uint8_t>> &executables) {
  PUMICE_TRY(Plan read, readPlan(plan));
  return exportFiles(std::move(read), executables);
}
