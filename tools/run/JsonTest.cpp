//===- JsonTest.cpp - valid JSON, and positions of errors -------------------===//
#include "tools/run/Json.h"

#include <gtest/gtest.h>

using namespace pumice;
using namespace pumice::run;

namespace {

void expectIn(const std::string &part, const std::string &text) {
  EXPECT_NE(text.find(part), std::string::npos) << "'" << part << "' is not in: " << text;
}

TEST(Json, ErrorsSayWhere) {
  auto error = [](std::string_view text) { return json::parse(text).status().message(); };
  expectIn("2:3: expected a key between quotes; found \"}\"", error("{\"a\": 1,\n  }"));
  expectIn("1:4: expected ',' or ']' in the list; found \"2\"", error("[1 2]"));
  expectIn("1:9: the key \"a\" occurs twice", error("{\"a\":1, \"a\":2}"));
  for (const char *text : {"[01]", "[-]", "[1.]", "[.5]", "[1e]", "[tru]", "[+1]"})
    expectIn("1:2: expected a value", error(text));
  expectIn("a comment, which JSON does not allow", error("// no\n{}"));
  expectIn("the string is not closed on its line", error("\"abc\n\""));
  expectIn("1:3: more text after the end", error("1 2"));
  expectIn("nested deeper than 64", error(std::string(100, '[')));
  expectIn("half of a surrogate pair", error("\"\\ud800\""));
  expectIn("the end of the file", error("[1,"));
}

TEST(Json, ValuesKeepTheirSpelling) {
  auto value = json::parse("{\"n\": 18446744073709551615, \"s\": \"\\u20ac\\ud83d\\ude00\\n\"}");
  ASSERT_TRUE(value.isOk()) << value.status().message();
  EXPECT_EQ(value->find("n")->text, "18446744073709551615");
  EXPECT_EQ(value->find("s")->text, "\xe2\x82\xac\xf0\x9f\x98\x80\n");
  const std::pair<const char *, const char *> numbers[] = {
      {"64.0", "64"},
      {"1e2", "100"},
      {"-1.5E+1", "-15"},
      {"1200e-2", "12"},
      {"-0.0", "0"},
      {"0e999999", "0"},
      {"9007199254740993.0", "9007199254740993"},
      {"0.001e3", "1"},
      {"1.5", "1.5"},
      {"15e-1", "15e-1"},
      {"1e999999", "1e999999"}};
  for (auto [spelled, whole] : numbers)
    EXPECT_EQ(json::wholeText(json::parse(spelled).value()), whole);
  EXPECT_EQ(json::shown("a \"b\" \u20ac"), "a \"b\" \u20ac");
  EXPECT_EQ(json::shown("a\nb"), "\"a\\nb\"");
  EXPECT_EQ(json::shown("\x1b[31m\x7f\u009b"), "\"\\u001b[31m\\u007f\\u009b\"");
  EXPECT_EQ(json::quote("a\"\\\n\x01"), "\"a\\\"\\\\\\n\\u0001\"");
}

} // namespace
