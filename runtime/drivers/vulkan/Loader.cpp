//===- Loader.cpp - the one place that holds volk's code --------------------===//
#define VK_NO_PROTOTYPES
#define VOLK_IMPLEMENTATION
#include <volk.h>
