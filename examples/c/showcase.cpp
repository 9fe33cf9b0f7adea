//===- showcase.cpp - two kernels on every device, checked and timed --------===//
// Compiles softmax.mlir and matmul.mlir for each device that Pumice finds. Launches them there, and
// compares the results with those of the host. Either argument may also be a .pumice file, which is
// used as it is. `make run` runs this program.
//
//   pumice-showcase [--small] SOFTMAX MATMUL
//
// It exits with 1 if a result is wrong or a device fails. A missing device, or one that lacks what
// a kernel needs, is reported and is not a failure.
//===-------------------------------------------------------------------------===//
#include <pumice/pumice.hpp>

#include <algorithm>
#include <chrono>
#include <cmath>
#include <cstring>
#include <fstream>
#include <iterator>

namespace {

using Clock = std::chrono::steady_clock;

double secondsSince(Clock::time_point begin) {
  return std::chrono::duration<double>(Clock::now() - begin).count();
}

struct Matrix {
  Matrix(size_t rows, size_t columns)
      : shape{static_cast<int64_t>(rows), static_cast<int64_t>(columns)}, values(rows * columns) {}
  uint64_t bytes() const { return values.size() * sizeof(float); }

  std::array<int64_t, 2> shape;
  std::vector<float> values;
};

/// One row of the table: the launch, and the expected results.
struct Case {
  const char *kernel;
  std::string path;
  std::string size;
  std::array<uint32_t, 3> groups;
  std::vector<Matrix> inputs; // the arguments; the result is the last one
  Matrix expected;
  float tolerance; // relative to the expected value
  double work;     // work of one launch, in billions of `unit`
  const char *unit;
};

/// Returns the same numbers on every machine: the high bits of a linear congruential generator.
class Numbers {
public:
  /// Returns a whole number from -limit to limit.
  int whole(int limit) {
    state = state * 6364136223846793005u + 1442695040888963407u;
    return static_cast<int>((state >> 33) % (2 * static_cast<unsigned>(limit) + 1)) - limit;
  }

private:
  uint64_t state = 1;
};

Case softmax(std::string path, size_t rows, size_t columns) {
  Matrix x(rows, columns), y(rows, columns);
  Numbers numbers;
  for (float &value : x.values)
    value = static_cast<float>(numbers.whole(8192)) / 1024; // -8 to 8
  std::vector<double> exponentials(columns);
  for (size_t row = 0; row < rows; ++row) {
    const float *from = &x.values[row * columns];
    const double largest = *std::max_element(from, from + columns);
    double sum = 0;
    for (size_t column = 0; column < columns; ++column)
      sum += exponentials[column] = std::exp(from[column] - largest);
    for (size_t column = 0; column < columns; ++column)
      y.values[row * columns + column] = static_cast<float>(exponentials[column] / sum);
  }
  // Vulkan allows an error of 35 units in the last place for exp(-16), which is 4e-6.
  // It affects the numerator and the sum.
  const float tolerance = 2e-5f;
  // Counts each element as read once and written once, which is the minimum with perfect caches.
  const double gigabytes = 2e-9 * static_cast<double>(x.bytes());
  return {"softmax",
          std::move(path),
          std::to_string(rows) + "x" + std::to_string(columns),
          {static_cast<uint32_t>(rows), 1, 1},
          {std::move(x)},
          std::move(y),
          tolerance,
          gigabytes,
          "GB/s"};
}

Case matmul(std::string path, size_t n) {
  Matrix a(n, n), b(n, n), c(n, n);
  Numbers numbers;
  // Whole numbers whose sums stay below 2^24: exact in f32, in whatever order they are added.
  for (float &value : a.values)
    value = static_cast<float>(numbers.whole(100));
  for (float &value : b.values)
    value = static_cast<float>(numbers.whole(100));
  for (size_t row = 0; row < n; ++row)
    for (size_t k = 0; k < n; ++k)
      for (size_t column = 0; column < n; ++column)
        c.values[row * n + column] += a.values[row * n + k] * b.values[k * n + column];
  const auto tiles = static_cast<uint32_t>((n + 15) / 16);
  const auto side = static_cast<double>(n);
  return {"matmul",
          std::move(path),
          std::to_string(n) + "x" + std::to_string(n) + "x" + std::to_string(n),
          {tiles, tiles, 1},
          {std::move(a), std::move(b)},
          std::move(c),
          0,
          2e-9 * side * side * side,
          "GFLOP/s"};
}

pumice::Error failure(pumice_status code, std::string message) {
  pumice::Error error;
  error.code = code;
  error.message = std::string(pumice_status_name(code)) + ": " + std::move(message);
  return error;
}

/// Returns the executable from a .pumice file, or compiles MLIR for the device.
pumice::Result<pumice::Executable> load(const pumice::Device &device, const std::string &path) {
  const std::string ending = ".pumice";
  if (path.size() > ending.size() &&
      path.compare(path.size() - ending.size(), ending.size(), ending) == 0)
    return device.loadFile(path.c_str());
  std::ifstream file(path, std::ios::binary);
  if (!file)
    return failure(PUMICE_NOT_FOUND, "cannot read '" + path + "'");
  const std::string source(std::istreambuf_iterator<char>(file), {});
  auto compiled = pumice::compile(source, device, path.c_str());
  if (!compiled)
    return compiled.error();
  return device.load(compiled->data(), compiled->size());
}

pumice::Argument argument(const pumice::Buffer &buffer, const Matrix &matrix) {
  pumice::Argument made(buffer);
  made.shape = matrix.shape.data();
  made.rank = 2;
  return made;
}

/// Returns the median time of seven launches. On slow devices, it is the median of those that begin
/// within a third of a second. Uses the device's clock, or the host's if the device has none.
pumice::Result<double> timed(const pumice::Queue &queue, const pumice::Function &function,
                             const Case &work, const std::vector<pumice::Argument> &arguments) {
  const pumice_launch_options grid = pumice_groups(work.groups[0], work.groups[1], work.groups[2]);
  std::vector<double> times;
  bool first = true;
  const auto begin = Clock::now();
  while (times.size() < 7 && (times.empty() || secondsSince(begin) < 1.0 / 3)) {
    const auto launched = Clock::now();
    if (auto status = queue.launch(function, grid, arguments); !status)
      return status.error();
    if (auto status = queue.finish(); !status)
      return status.error();
    const double onHost = secondsSince(launched);
    uint64_t onDevice = 0;
    auto profiled = queue.takeProfile([&](const pumice_profile_record &record) {
      if (record.kind == PUMICE_PROFILE_LAUNCH)
        onDevice += record.device_end - record.device_begin;
    });
    if (!profiled)
      return profiled.error();
    // The first launch may still compile, and touch memory for the first time, so it is not
    // counted. If it takes very long, it counts: the extra work hardly matters then, and another
    // launch would take as long.
    if (!std::exchange(first, false) || onHost > 0.5)
      times.push_back(onDevice ? static_cast<double>(onDevice) * 1e-9 : onHost);
  }
  std::sort(times.begin(), times.end());
  return times[times.size() / 2];
}

struct Outcome {
  double seconds = 0;
  std::vector<float> values;
};

pumice::Result<Outcome> run(const pumice::Device &device, const Case &work) {
  auto executable = load(device, work.path);
  if (!executable)
    return executable.error();
  auto function = executable->function(work.kernel);
  if (!function)
    return function.error();
  auto queue = device.createQueue(/*profiling=*/true);
  if (!queue)
    return queue.error();

  std::vector<pumice::Argument> arguments;
  std::vector<pumice::Buffer> buffers;
  for (const Matrix &input : work.inputs) {
    auto buffer = device.createBuffer(input.bytes());
    if (!buffer)
      return buffer.error();
    if (auto status = queue->upload(*buffer, input.values.data(), input.bytes()); !status)
      return status.error();
    arguments.push_back(argument(*buffer, input));
    buffers.push_back(*buffer);
  }
  auto result = device.createBuffer(work.expected.bytes());
  if (!result)
    return result.error();
  const uint32_t notANumber = 0x7FC00000; // makes elements that are never written visible
  if (auto status = queue->fill(*result, notANumber); !status)
    return status.error();
  arguments.push_back(argument(*result, work.expected));

  auto seconds = timed(*queue, *function, work, arguments);
  if (!seconds)
    return seconds.error();
  Outcome outcome{*seconds, std::vector<float>(work.expected.values.size())};
  if (auto status = queue->download(outcome.values.data(), *result, work.expected.bytes()); !status)
    return status.error();
  if (auto status = queue->finish(); !status)
    return status.error();
  return outcome;
}

/// Returns "ok", or the number of wrong values and the first of them.
std::string compare(const Case &work, const std::vector<float> &values) {
  const std::vector<float> &expected = work.expected.values;
  size_t wrong = 0, first = 0;
  for (size_t i = values.size(); i-- > 0;) {
    const float allowed = work.tolerance * std::fabs(expected[i]);
    if (std::fabs(values[i] - expected[i]) <= allowed) // false for NaN
      continue;
    ++wrong;
    first = i;
  }
  if (wrong == 0)
    return "ok";
  const size_t columns = static_cast<size_t>(work.expected.shape[1]);
  char text[160];
  std::snprintf(text, sizeof text, "WRONG: %zu of %zu; the first at [%zu, %zu]: %g, not %g", wrong,
                values.size(), first / columns, first % columns, static_cast<double>(values[first]),
                static_cast<double>(expected[first]));
  return text;
}

/// Prints the row. Returns false if an unexpected error occurred.
bool row(const std::string &name, int width, const pumice::Result<pumice::Device> &device,
         const Case &work) {
  std::printf("%-*s  %-7s  %-11s  ", width, name.c_str(), work.kernel, work.size.c_str());
  std::fflush(stdout); // the next step may take a while
  auto outcome = device ? run(device.value(), work) : device.error();
  if (!outcome) {
    std::string reason = outcome.error().message;
    std::replace(reason.begin(), reason.end(), '\n', ' ');
    std::printf("%9s  %-15s  not run: %s\n", "-", "-", reason.c_str());
    return outcome.error().code == PUMICE_UNSUPPORTED;
  }
  const std::string verdict = compare(work, outcome->values);
  const double rate = work.work / outcome->seconds;
  std::printf("%9.3f  %7.*f %-7s  %s\n", outcome->seconds * 1e3,
              rate < 10     ? 2
              : rate < 1000 ? 1
                            : 0,
              rate, work.unit, verdict.c_str());
  return verdict == "ok";
}

int showcase(const std::vector<Case> &cases) {
  pumice_device_list *list = nullptr;
  pumice::Status(pumice_list_devices(&list)).value();
  std::vector<std::pair<std::string, std::string>> devices; // the id, and the name in the table
  size_t width = std::strlen("device");
  for (size_t i = 0; i < pumice_device_list_count(list); ++i) {
    pumice_device_info info = PUMICE_INIT(pumice_device_info);
    pumice::Status(pumice_device_list_info(list, i, &info)).value();
    devices.emplace_back(info.id, std::string(info.id) + "  " + info.name);
    width = std::max(width, devices.back().second.size());
  }
  if (devices.empty())
    std::printf("no device found, nothing was run: install your GPU's Vulkan driver, or a Vulkan "
                "driver for the CPU (Debian: mesa-vulkan-drivers)\n%s\n",
                pumice_device_list_failures(list));
  pumice_device_list_release(list);
  if (devices.empty())
    return 0;

  const int columns = static_cast<int>(width);
  std::printf("%-*s  %-7s  %-11s  %9s  %-15s  %s\n", columns, "device", "kernel", "size", "ms",
              "   rate", "ok");
  bool good = true;
  for (const auto &[id, name] : devices) {
    const auto device = pumice::Device::open(id.c_str());
    for (const Case &work : cases)
      good &= row(name, columns, device, work);
  }
  return good ? 0 : 1;
}

} // namespace

int main(int argc, char **argv) {
  const char *usage = "usage: pumice-showcase [--small] SOFTMAX MATMUL\n\n"
                      "Runs a softmax and a product of matrices on every device of this machine, "
                      "and compares.\n"
                      "SOFTMAX and MATMUL are each a file of MLIR, or a .pumice file.\n\n"
                      "options:\n"
                      "  --small  small matrices, which do not divide by the kernels' tiles\n"
                      "  --help   print this text\n";
  for (int i = 1; i < argc; ++i)
    if (std::strcmp(argv[i], "--help") == 0 || std::strcmp(argv[i], "-h") == 0) {
      std::fputs(usage, stdout);
      return 0;
    }
  const bool small = argc > 1 && std::strcmp(argv[1], "--small") == 0;
  if (argc != (small ? 4 : 3) || argv[argc - 2][0] == '-' || argv[argc - 1][0] == '-') {
    std::fputs(usage, stderr);
    return 2;
  }
  const std::string first = argv[argc - 2], second = argv[argc - 1];
  // The sides of the small matrices are not multiples of the kernels' tiles.
  return showcase(small ? std::vector<Case>{softmax(first, 30, 200), matmul(second, 50)}
                        : std::vector<Case>{softmax(first, 4096, 1024), matmul(second, 512)});
}
