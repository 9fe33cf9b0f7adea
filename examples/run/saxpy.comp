#version 450
// The same kernel in GLSL: the two buffers are the launch's memrefs, in the order of their bindings,
// and the push constant is its scalar.
layout(local_size_x = 8) in;
layout(set = 0, binding = 0) readonly buffer X { float x[]; };
layout(set = 0, binding = 1) buffer Y { float y[]; };
layout(push_constant) uniform Parameters { float a; };
void main() {
  uint i = gl_GlobalInvocationID.x;
  if (i < y.length())
    y[i] = a * x[i] + y[i];
}
