#version 450
#extension GL_GOOGLE_include_directive : require
#define WORDS 32
#include "PushWords.glsl"
