//===- BuiltinsTest.cpp - names of OpenCL's built-in functions --------------===//
// The expected names are what clang 22 writes for declarations in OpenCL C.
//===-------------------------------------------------------------------------===//
#include "compiler/gen/Builtins.h"

#include <gtest/gtest.h>

using namespace pumice::gen;

TEST(Builtins, NamesHaveTheirLengthAndParameters) {
  EXPECT_EQ(mangle("get_local_id", {{"j"}}), "_Z12get_local_idj");
  EXPECT_EQ(mangle("get_sub_group_size", {}), "_Z18get_sub_group_sizev");
  EXPECT_EQ(mangle("sub_group_shuffle", {{"Dh"}, {"j"}}), "_Z17sub_group_shuffleDhj");
}

TEST(Builtins, PointersNameTheirAddressSpace) {
  EXPECT_EQ(mangle("intel_sub_group_block_read", {{.code = "j", .pointsTo = 1, .isConst = true}}),
            "_Z26intel_sub_group_block_readPU3AS1Kj");
  EXPECT_EQ(mangle("intel_sub_group_block_write2",
                   {{.code = "j", .pointsTo = 1}, {.code = "j", .lanes = 2}}),
            "_Z28intel_sub_group_block_write2PU3AS1jDv2_j");
}

TEST(Builtins, CompoundTypesAreWrittenOnce) {
  BuiltinType int2 = {.code = "i", .lanes = 2}, int8 = {.code = "i", .lanes = 8};
  BuiltinType global = {.code = "v", .pointsTo = 1};
  EXPECT_EQ(mangle("f", {int2, int8, int2, int8}), "_Z1fDv2_iDv8_iS_S0_");
  EXPECT_EQ(mangle("f", {global, int2, global, int2}), "_Z1fPU3AS1vDv2_iS0_S1_");
  EXPECT_EQ(mangle("f", {int2, {.code = "i", .lanes = 2, .pointsTo = 1}}), "_Z1fDv2_iPU3AS1S_");
  BuiltinType global2 = {.code = "i", .lanes = 2, .pointsTo = 1};
  BuiltinType const2 = {.code = "i", .lanes = 2, .pointsTo = 1, .isConst = true};
  EXPECT_EQ(mangle("f", {global2, const2, int2}), "_Z1fPU3AS1Dv2_iPU3AS1KS_S_");
  EXPECT_EQ(mangle("f", {global, {"i"}, int2, {.code = "t", .pointsTo = 0}}),
            "_Z1fPU3AS1viDv2_iPt");
}
