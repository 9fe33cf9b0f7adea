#version 450
#extension GL_GOOGLE_include_directive : require
layout(local_size_x = 4) in;
layout(set = 0, binding = 0) buffer Printed { uint printed[]; };
layout(push_constant) uniform Parameters { uint capacity; };
#include "Printing.glsl"

void main() { PRINT(printed) }
