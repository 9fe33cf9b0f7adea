//===- Files.h - whole files, with errors that name them --------------------===//
#pragma once

#include "tools/run/ElementData.h"

#include <optional>
#include <set>

namespace pumice::run {

/// As pumice::readInput: "-" is standard input. Errors: NotFound; InvalidArgument for devices;
/// ResourceExhausted for more than `most` bytes.
Result<std::vector<uint8_t>> readFile(const std::string &name, uint64_t most = UINT64_MAX);
Status writeFile(const std::string &name, std::span<const uint8_t> bytes);
/// Before long work whose result goes there: whether there is the folder that `name` names.
Status checkFolderOf(const std::string &name);

/// Returns `name` if it is absolute, or else its path in `folder`.
std::string inFolder(const std::string &folder, const std::string &name);
/// The folder that holds `file`; empty for the current one.
std::string folderOf(const std::string &file);

/// Names of files of one folder: what no other has, also where case does not count, and stays in
/// it.
class FileNames {
public:
  std::string take(std::string name);

private:
  std::set<std::string> taken;
};

/// An array as NumPy stores it (.npy), in the order of C.
struct NumpyArray {
  std::string descr; // "<f4"
  std::vector<int64_t> shape;
  std::vector<uint8_t> bytes;

  /// Returns the type that the descr names, or nothing if it is not supported.
  std::optional<Type> type() const;
};

bool isNumpyFile(const std::string &name);
/// Errors: DataCorrupt, Unsupported (big-endian, Fortran's order, objects).
Result<NumpyArray> parseNumpy(std::span<const uint8_t> file);
/// A .npy file of `bytes`; bf16 is stored as two raw bytes ("|V2").
std::vector<uint8_t> numpyFile(Type type, std::span<const int64_t> shape,
                               std::span<const uint8_t> bytes);

} // namespace pumice::run
