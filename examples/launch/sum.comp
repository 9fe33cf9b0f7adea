#version 450
// Each workgroup writes the sum of its part of `values` to `sums`.
layout(local_size_x_id = 0) in;
layout(constant_id = 0) const uint size = 64;
layout(set = 0, binding = 0) readonly buffer Values { uint values[]; };
layout(set = 0, binding = 1) writeonly buffer Sums { uint sums[]; };
layout(set = 0, binding = 2) uniform Sizes { uint counts[2]; };
layout(push_constant) uniform Parameters { uint pass; };
shared uint partial[size];

void main() {
  uint i = gl_GlobalInvocationID.x, lane = gl_LocalInvocationID.x;
  partial[lane] = i < (pass == 0 ? counts[0] : counts[1]) ? values[i] : 0;
  for (uint step = size / 2; step > 0; step /= 2) {
    barrier();
    if (lane < step)
      partial[lane] += partial[lane + step];
  }
  if (lane == 0)
    sums[gl_WorkGroupID.x] = partial[0];
}
