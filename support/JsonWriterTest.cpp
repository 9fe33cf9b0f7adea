//===- JsonWriterTest.cpp - layouts and escapes -----------------------------===//
#include "support/JsonWriter.h"

#include <gtest/gtest.h>

#include <array>
#include <limits>

using namespace pumice;

TEST(JsonWriter, PutsItemsOnLinesOfTheirOwn) {
  JsonWriter json;
  json.beginObject().member("name", "add").member("count", uint64_t(1) << 63).key("none").null();
  json.key("empty").beginObject().end().key("list").beginArray().value(-1).value(true).end().end();
  EXPECT_EQ(json.take(), "{\n"
                         "  \"name\": \"add\",\n"
                         "  \"count\": 9223372036854775808,\n"
                         "  \"none\": null,\n"
                         "  \"empty\": {},\n"
                         "  \"list\": [\n"
                         "    -1,\n"
                         "    true\n"
                         "  ]\n"
                         "}");
  EXPECT_EQ(json.value("next").take(), "\"next\"");
}

TEST(JsonWriter, PutsInlineItemsOnOneLine) {
  JsonWriter json;
  json.beginArray().beginObject(JsonWriter::Inline).key("sizes");
  writeNumbers(json, std::array{4u, 8u}).key("x").raw("1.5").end().end();
  EXPECT_EQ(json.take(), "[\n  {\"sizes\": [4, 8], \"x\": 1.5}\n]");
}

TEST(JsonWriter, WritesLists) {
  JsonWriter json;
  json.beginObject().list("words", std::array{"a", "b"}).list("none", std::array<int, 0>());
  json.list("pairs", std::array{1, 2}, [&](int n) { writeNumbers(json, std::array{n, -n}); });
  json.end();
  EXPECT_EQ(json.take(), "{\n"
                         "  \"words\": [\n"
                         "    \"a\",\n"
                         "    \"b\"\n"
                         "  ],\n"
                         "  \"none\": [],\n"
                         "  \"pairs\": [\n"
                         "    [1, -1],\n"
                         "    [2, -2]\n"
                         "  ]\n"
                         "}");
}

TEST(JsonWriter, WritesRealNumbers) {
  EXPECT_EQ(JsonWriter().value(0.1).take(), "0.10000000000000001");
  EXPECT_EQ(JsonWriter().value(2.0).take(), "2");
  EXPECT_EQ(JsonWriter().value(std::numeric_limits<double>::infinity()).take(), "null");
}

TEST(JsonWriter, EscapesControlCharacters) {
  EXPECT_EQ(jsonString("a\"b\\c\n\t\x01\x7f"), "\"a\\\"b\\\\c\\n\\t\\u0001\\u007f\"");
  EXPECT_EQ(jsonString("\xc2\x9b"), "\"\\u009b\"");
  EXPECT_EQ(jsonString("\xc2\xa0\xe2\x82\xac\xf0\x9f\x8c\x8b"),
            "\"\xc2\xa0\xe2\x82\xac\xf0\x9f\x8c\x8b\"");
}

TEST(JsonWriter, ReplacesBytesThatAreNotText) {
  const std::string replaced = "\"\xef\xbf\xbd\"";
  EXPECT_EQ(jsonString("\xff"), replaced);
  EXPECT_EQ(jsonString("\xc2"), replaced);                      // a truncated sequence
  EXPECT_EQ(jsonString("\xc0\x80").size(), 2 + 2 * 3);          // an overlong form
  EXPECT_EQ(jsonString("\xed\xa0\x80").size(), 2 + 3 * 3);      // a surrogate
  EXPECT_EQ(jsonString("\xf4\x90\x80\x80").size(), 2u + 4 * 3); // beyond U+10FFFF
}
