#version 450
#extension GL_GOOGLE_include_directive : require
#define WORDS 1
#include "PushWords.glsl"
