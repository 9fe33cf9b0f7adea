//===- Files.h - reads and writes whole files -------------------------------===//
#pragma once

#include "tools/run/ElementData.h"

#include <optional>
#include <set>

namespace pumice::run {

/// Reads like pumice::readInput: "-" is standard input. Errors: NotFound. InvalidArgument for
/// devices. ResourceExhausted for more than `most` bytes.
Result<std::vector<uint8_t>> readFile(const std::string &name, uint64_t most = UINT64_MAX);
Status writeFile(const std::string &name, std::span<const uint8_t> bytes);
/// Checks that the folder of `name` exists, before long work whose result goes there.
Status checkFolderOf(const std::string &name);

/// Returns `name` if it is absolute, or else its path in `folder`.
std::string inFolder(const std::string &folder, const std::string &name);
/// Returns the folder of `file`, or an empty text for the current one.
std::string folderOf(const std::string &file);

/// Makes unique file names in one folder. They also differ if case is ignored, and do not leave the
/// folder.
class FileNames {
public:
  std::string take(std::string name);

private:
  std::set<std::string> taken;
};

/// An array in NumPy's form (.npy), in C order.
struct NumpyArray {
  std::string descr; // "<f4"
  std::vector<int64_t> shape;
  std::vector<uint8_t> bytes;

  /// Returns the type that the descr names, or nothing if it is not supported.
  std::optional<Type> type() const;
};

bool isNumpyFile(const std::string &name);
/// Parses a .npy file. Errors: DataCorrupt, Unsupported (big-endian, Fortran's order, objects).
Result<NumpyArray> parseNumpy(std::span<const uint8_t> file);
/// Makes a .npy file of `bytes`. A bf16 is stored as two raw bytes ("|V2").
std::vector<uint8_t> numpyFile(Type type, std::span<const int64_t> shape,
                               std::span<const uint8_t> bytes);

} // namespace pumice::run
