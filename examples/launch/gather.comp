#version 450
#extension GL_EXT_buffer_reference : require
// Uses no descriptors: rows are found through a table of addresses.
layout(local_size_x = 4) in;
layout(buffer_reference, std430, buffer_reference_align = 4) readonly buffer Row { float at[]; };
layout(buffer_reference, std430, buffer_reference_align = 8) readonly buffer Table { Row rows[]; };
layout(buffer_reference, std430, buffer_reference_align = 4) buffer Result { float at[]; };
layout(push_constant) uniform Parameters { Table table; Result result; uint rows; };

void main() {
  uint i = gl_GlobalInvocationID.x;
  float sum = 0;
  for (uint row = 0; row < rows; ++row)
    sum += table.rows[row].at[i];
  result.at[i] = sum;
}
