//===- Standard.h - headers of the standard library that many files parse ---===//
// Parsed once for the runtime, the executables' format and the tools, which halves the time to
// compile such a file. Every file still includes what it uses, since cross builds do not use this
// list.
//===-------------------------------------------------------------------------===//
#pragma once

#include <algorithm>
#include <array>
#include <atomic>
#include <bit>
#include <charconv>
#include <chrono>
#include <cmath>
#include <condition_variable>
#include <cstring>
#include <filesystem>
#include <fstream>
#include <functional>
#include <map>
#include <memory>
#include <mutex>
#include <optional>
#include <random>
#include <set>
#include <span>
#include <sstream>
#include <string>
#include <string_view>
#include <thread>
#include <unordered_map>
#include <variant>
#include <vector>
