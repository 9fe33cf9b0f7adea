// The kernel of empty.comp in OpenCL C.
__attribute__((reqd_work_group_size(64, 1, 1)))
__kernel void empty(void) {}
