//===- NoKernel.cpp - a shared object without a kernel ----------------------===//
extern "C" __attribute__((visibility("default"))) int something() { return 1; }
