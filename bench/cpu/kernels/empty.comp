#version 450
// Does nothing, to measure the cost of a launch and of a workgroup.
layout(local_size_x = 64) in;
void main() {}
