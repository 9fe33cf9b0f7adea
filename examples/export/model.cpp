//===- model.cpp - run a package of a PyTorch model without Python ----------===//
// The packages, the input and the expected output come from models.py. With a second package, the
// program measures both in turn, and prints the ratio of their times.
//
//   model INPUT SHAPE OUTPUT PACKAGE [PEER]        model mlp.input 32x64 mlp.output mlp.pt2
//===-------------------------------------------------------------------------===//
#include <ATen/ops/from_blob.h>
#include <c10/core/InferenceMode.h>
#include <torch/csrc/inductor/aoti_package/model_package_loader.h>

#include <algorithm>
#include <chrono>
#include <cmath>
#include <cstdio>
#include <fstream>
#include <memory>
#include <sstream>
#include <string>
#include <vector>

namespace {

using Loader = torch::inductor::AOTIModelPackageLoader;

std::vector<float> readFloats(const std::string &path) {
  std::ifstream file(path, std::ios::binary);
  if (!file)
    throw std::runtime_error("cannot read '" + path + "'");
  std::stringstream text;
  text << file.rdbuf();
  std::string bytes = text.str();
  std::vector<float> values(bytes.size() / sizeof(float));
  std::copy_n(bytes.data(), values.size() * sizeof(float), reinterpret_cast<char *>(values.data()));
  return values;
}

std::vector<int64_t> readShape(const std::string &text) {
  std::vector<int64_t> shape;
  std::istringstream stream(text);
  for (std::string extent; std::getline(stream, extent, 'x');)
    shape.push_back(std::stoll(extent));
  return shape;
}

double millisecondsOf(Loader &model, const std::vector<at::Tensor> &inputs, int runs) {
  auto begin = std::chrono::steady_clock::now();
  for (int i = 0; i < runs; ++i)
    model.run(inputs);
  std::chrono::duration<double, std::milli> time = std::chrono::steady_clock::now() - begin;
  return time.count() / runs;
}

double median(std::vector<double> values) {
  std::nth_element(values.begin(), values.begin() + values.size() / 2, values.end());
  return values[values.size() / 2];
}

/// Measures two packages in turn, so that a change of the machine's load affects both.
void compare(Loader &model, Loader &peer, const std::vector<at::Tensor> &inputs) {
  millisecondsOf(peer, inputs, 3); // the first runs load the kernels
  std::vector<double> times, ratios;
  for (int round = 0; round < 41; ++round) {
    times.push_back(millisecondsOf(model, inputs, 5));
    ratios.push_back(times.back() / millisecondsOf(peer, inputs, 5));
  }
  std::printf("%.3f ms, which is %.2f of the peer's time\n", median(times), median(ratios));
}

int run(int count, char **words) {
  c10::InferenceMode guard;
  std::vector<float> input = readFloats(words[1]), expected = readFloats(words[3]);
  std::vector<at::Tensor> inputs = {at::from_blob(input.data(), readShape(words[2]))};
  Loader model(words[4]);
  at::Tensor output = model.run(inputs).at(0).contiguous();
  if (static_cast<size_t>(output.numel()) != expected.size())
    throw std::runtime_error("the output has " + std::to_string(output.numel()) + " values");
  double error = 0;
  for (size_t i = 0; i < expected.size(); ++i)
    error = std::max(error, std::fabs(double(output.const_data_ptr<float>()[i]) - expected[i]));
  std::printf("%zu values, the largest error is %s\n", expected.size(),
              error < 1e-4 ? "below 0.0001" : std::to_string(error).c_str());
  if (count > 5) {
    Loader peer(words[5]);
    compare(model, peer, inputs);
  }
  return error < 1e-4 ? 0 : 1;
}

} // namespace

int main(int count, char **words) {
  if (count < 5) {
    std::fprintf(stderr, "usage: model INPUT SHAPE OUTPUT PACKAGE [PEER]\n");
    return 2;
  }
  try {
    return run(count, words);
  } catch (const std::exception &error) {
    std::fprintf(stderr, "model: %s\n", error.what());
    return 1;
  }
}
