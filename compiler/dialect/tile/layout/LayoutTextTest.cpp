//===- LayoutTextTest.cpp - layouts as people read them ---------------------===//
#include "compiler/dialect/tile/layout/LayoutText.h"
#include "compiler/dialect/tile/testing/RandomLayouts.h"

using namespace pumice;
using namespace pumice::tile;
using namespace pumice::tile::testing;

TEST(LayoutText, ReadsWhatItWrites) {
  forSeeds(1000, [](RandomLayouts &random) {
    std::vector<std::string> outputs = {"dim0", "dim1", "offset"};
    outputs.resize(random.upTo(3));
    LinearLayout layout = random.anyLayout({"register", "lane", "subgroup"}, outputs, 3);
    EXPECT_EQ(valueOf(parseLayout(print(layout))), layout) << print(layout);
  });
  EXPECT_EQ(print(LinearLayout()), "[]");
}

TEST(LayoutText, IsReadable) {
  std::string text = "[4, 8], register = [[0, 1]], lane = [[0, 2], [0, 4], [1, 0], [2, 0]]";
  EXPECT_EQ(print(valueOf(parseLayout(text))), text);
  EXPECT_EQ(print(valueOf(parseLayout("  [8],register=[1],lane=[[2],4] "))),
            "[8], register = [1], lane = [2, 4]");
  EXPECT_EQ(print(valueOf(parseLayout("[offset: 8], dim0 = [1, 6]"))),
            "[offset: 8], dim0 = [1, 6]");
}

TEST(LayoutText, ErrorsNameThePosition) {
  auto message = [](std::string_view text) { return failureOf(parseLayout(text)); };
  EXPECT_EQ(message("8"), "layout, character 0: expected '['");
  EXPECT_EQ(message("[8"), "layout, character 2: expected ']'");
  EXPECT_EQ(message("[6]"),
            "layout, character 2: the size of 'dim0' is 6; layout sizes must be powers of two");
  EXPECT_EQ(message("[x 8]"), "layout, character 3: expected ':'");
  EXPECT_EQ(message("[99999999999999999999]"),
            "layout, character 11: the number is larger than a layout can be");
  EXPECT_EQ(message("[8], lane [1]"), "layout, character 10: expected '='");
  EXPECT_EQ(message("[8], 5 = [1]"), "layout, character 5: expected a name");
  EXPECT_EQ(message("[8], lane = [x]"), "layout, character 13: expected '['");
  EXPECT_EQ(message("[8], lane = [1] lane"), "layout, character 16: expected ',' or the end");
  EXPECT_EQ(message("[8], lane = [8]"),
            "a basis vector of 'lane' has the coordinate 8 in dim0, whose size is 8");
}

TEST(LayoutText, DrawsTheHolderOfEachElement) {
  EXPECT_EQ(valueOf(drawTable(valueOf(parseLayout(
                "[2, 4], register = [[0, 1]], lane = [[0, 2], [1, 0]], subgroup = []")))),
            "0:0 0:1 1:0 1:1\n"
            "2:0 2:1 3:0 3:1\n");
  EXPECT_EQ(
      valueOf(drawTable(valueOf(parseLayout("[4], register = [1], lane = [0], subgroup = [2]")))),
      "0/0:0*2 0/0:1*2 1/0:0*2 1/0:1*2\n");
  EXPECT_EQ(valueOf(drawTable(valueOf(parseLayout("[4], lane = [2]")))), "0:0 -   1:0 -\n");
  EXPECT_EQ(failureOf(drawTable(valueOf(parseLayout("[8192]")))),
            "[8192] cannot be drawn: tables have at most two dimensions, 4096 elements and 65536 "
            "places");
}
