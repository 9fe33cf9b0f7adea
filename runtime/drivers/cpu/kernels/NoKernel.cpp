// A shared object that is none.
extern "C" __attribute__((visibility("default"))) int something() { return 1; }
