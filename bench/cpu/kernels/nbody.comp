#version 450
// Computes the acceleration of each body by all others. A vec4 holds position and mass.
layout(local_size_x = 256) in;
layout(std430, binding = 0) readonly buffer P { vec4 bodies[]; };
layout(std430, binding = 1) writeonly buffer Q { vec4 accelerations[]; };
layout(push_constant) uniform Push { uint n; };
void main() {
  uint i = gl_GlobalInvocationID.x;
  vec3 position = bodies[i].xyz, sum = vec3(0.0);
  for (uint j = 0; j < n; ++j) {
    vec4 other = bodies[j];
    vec3 d = other.xyz - position;
    float r = inversesqrt(dot(d, d) + 0.01);
    sum += d * (other.w * r * r * r);
  }
  accelerations[i] = vec4(sum, 0.0);
}
