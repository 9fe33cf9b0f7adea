#version 450
// Nothing: what a launch, and a workgroup, cost.
layout(local_size_x = 64) in;
void main() {}
