//===- NoKernel.cpp - a shared object that is no kernel ---------------------===//
extern "C" __attribute__((visibility("default"))) int something() { return 1; }
