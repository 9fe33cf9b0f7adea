#version 450
// Prefix sums within blocks of 1024. Each invocation sums four elements. Steps of doubling distance
// then add up these sums.
layout(local_size_x = 256) in;
layout(std430, binding = 0) readonly buffer X { uint x[]; };
layout(std430, binding = 1) writeonly buffer Y { uint y[]; };
layout(push_constant) uniform Push { uint n; };
shared uint part[2][256];
void main() {
  uint lane = gl_LocalInvocationID.x, first = gl_WorkGroupID.x * 1024 + lane * 4;
  uint a = x[first], b = a + x[first + 1], c = b + x[first + 2], d = c + x[first + 3];
  uint from = 0;
  part[0][lane] = d;
  barrier();
  for (uint step = 1; step < 256; step <<= 1) {
    uint to = 1 - from;
    part[to][lane] = part[from][lane] + (lane >= step ? part[from][lane - step] : 0);
    from = to;
    barrier();
  }
  uint before = part[from][lane] - d;
  y[first] = before + a;
  y[first + 1] = before + b;
  y[first + 2] = before + c;
  y[first + 3] = before + d;
}
