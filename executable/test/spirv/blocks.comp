#version 450
// glslangValidator -V --target-env vulkan1.0 blocks.comp -o blocks.spv
layout(local_size_x_id = 3, local_size_y = 2) in;
layout(constant_id = 1) const float offset = 0.5;
layout(constant_id = 7) const bool flag = true;
struct Inner { vec3 position; float weight; };
layout(set = 0, binding = 0) readonly buffer X { uint count; float x[]; };
layout(set = 1, binding = 2) writeonly buffer Y { float y[]; } result;
layout(set = 0, binding = 1) uniform U { mat3 rotation; layout(row_major) mat2x4 rows; Inner inner[2]; };
layout(set = 0, binding = 5) buffer Unused { int unused[]; };
layout(push_constant) uniform Parameters { float factor; ivec2 size; float weights[3]; } parameters;
void main() {
  uint i = gl_GlobalInvocationID.x + gl_NumWorkGroups.x;
  if (i < count && flag)
    result.y[i] = parameters.factor * x[i] + offset + (rotation * inner[1].position).x + rows[0].y +
                  parameters.weights[2] + float(parameters.size.y);
}
