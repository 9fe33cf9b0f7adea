// Needs functions of the system on some processors: the clock, and fma without the instruction.
#version 450
#extension GL_EXT_shader_realtime_clock : require
#extension GL_ARB_gpu_shader_int64 : require
layout(local_size_x = 16) in;
layout(binding = 0) buffer Numbers { double numbers[]; };
layout(binding = 1) buffer Times { uint64_t times[]; };
void main() {
  uint i = gl_GlobalInvocationID.x;
  precise double fused = fma(numbers[i], numbers[i], -1.0);
  numbers[i] = fused;
  times[i] = clockRealtimeEXT();
}
