//===- simd.h - the header of vectors, which metal_stdlib has ---------------===//
#pragma once

#include <metal_stdlib>
