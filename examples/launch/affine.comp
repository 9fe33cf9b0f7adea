// Computes y = scale * x + offset. The scale is a specialization constant.
#version 450
layout(local_size_x = 64) in;
layout(constant_id = 0) const float scale = 1.0;
layout(push_constant) uniform Parameters { float offset; };
layout(binding = 0) buffer X { float x[]; };
void main() { x[gl_GlobalInvocationID.x] = scale * x[gl_GlobalInvocationID.x] + offset; }
