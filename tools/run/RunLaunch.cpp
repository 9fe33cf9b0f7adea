//===- RunLaunch.cpp - pumice run --launch ----------------------------------===//
#include "tools/run/RunLaunch.h"

#include "runtime/hal/Registry.h"
#include "tools/run/Dump.h"
#include "tools/run/Files.h"
#include "tools/run/SpirvTools.h"

#include <cstdio>

namespace pumice::run {
namespace {

/// Returns a message that names the input's source instead of the compiled file.
std::string named(std::string text, const RunOptions &options) {
  if (options.inputSource.empty())
    return text;
  for (size_t at = 0; (at = text.find(options.input, at)) != std::string::npos;
       at += options.inputSource.size())
    text.replace(at, options.input.size(), options.inputSource);
  return text;
}

class LaunchCommand {
public:
  explicit LaunchCommand(const RunOptions &options)
      : options(options), files([this](const Code &code) { return check(code); }) {}
  Status run();
  /// Dumps the code that was read, whether or not it could be run.
  Status dump() const {
    return options.dumpFolder.empty() ? Status::ok() : dumpCode(files, options.dumpFolder);
  }
  int exitStatus() const { return errors ? 2 : failures ? 1 : 0; }

private:
  Status check(const Code &code);
  Status openDevice(const ResolvedLaunch &launch);
  Status runOne(const LaunchSpec &spec, size_t number);
  Status report(const LaunchSpec &spec, const ExecuteResult &result);
  Status saveAll(const LaunchSpec &spec, const ExecuteResult &result) const;
  Status reportProfile();
  void note(const std::string &text) const {
    std::fprintf(stderr, "pumice run: note: %s\n", named(text, options).c_str());
  }

  const RunOptions &options;
  CodeFiles files;
  Ref<hal::Device> device;
  std::vector<QueueProfile> profile; // each launch has its own queue
  unsigned passed = 0, failures = 0, errors = 0, skipped = 0;
};

/// Validates SPIR-V, including that of executables, before anything else reads it.
Status LaunchCommand::check(const Code &code) {
  if (!options.validate)
    return Status::ok();
  if (code.executable) {
    Status judged = validateVariants(*code.executable);
    return judged.isOk() ? judged
                         : Status(judged.code(), "'" + code.file + "': " + judged.message() +
                                                     "; --no-validate runs it anyway");
  }
  Result<std::string> judged = validate(code.bytes, code.module);
  // OpenCL's modules are run even if they break a rule. clang 22 writes some that are not valid, or
  // newer than the validator. The parts that are read are still checked.
  if (!judged.isOk() && code.module.openCl && !isDamage(judged.status().message())) {
    note("'" + code.file + "': " + judged.status().message());
    return Status::ok();
  }
  if (!judged.isOk())
    return Status(judged.status().code(), "'" + code.file + "': " + judged.status().message() +
                                              "; --no-validate runs it anyway");
  if (!judged->empty())
    note("'" + code.file + "': " + *judged);
  return Status::ok();
}

/// Opens the named device, or the best one. It must be able to run the first executable, if any.
Status LaunchCommand::openDevice(const ResolvedLaunch &launch) {
  if (device)
    return Status::ok();
  hal::Registry &registry = hal::Registry::global();
  std::shared_ptr<const executable::Executable> executable;
  for (const ResolvedDispatch &dispatch : launch.dispatches)
    if (!executable)
      executable = dispatch.code->executable;
  Result<Ref<hal::Device>> opened =
      executable ? registry.openFor(*executable, options.device) : registry.open(options.device);
  if (!opened.isOk())
    return opened.status();
  device = *opened;
  if (options.opened)
    options.opened(*device);
  return Status::ok();
}

Status LaunchCommand::report(const LaunchSpec &spec, const ExecuteResult &result) {
  std::fwrite(result.printed.data(), 1, result.printed.size(), stdout);
  bool compared = false;
  Status first;
  for (size_t i = 0; i < spec.buffers.size(); ++i) {
    const BufferSpec &buffer = spec.buffers[i];
    const std::vector<uint8_t> &bytes = result.contents[i];
    if (buffer.print)
      std::printf("%s: %s\n", json::shown(buffer.name).c_str(),
                  printElements(buffer.type, bytes, buffer.printLimit).c_str());
    if (!buffer.expected)
      continue;
    compared = true;
    Status same = compareElements(buffer.type, bytes, *buffer.expected, buffer.tolerance);
    if (first.isOk() && !same.isOk())
      first = std::move(same).at("buffer " + json::shown(buffer.name));
  }
  if (result.secondsEach > 0)
    std::printf("%.6g us each\n", result.secondsEach * 1e6);
  std::string name = (spec.name.empty() ? "" : " ") + json::shown(spec.name);
  if (!first.isOk()) {
    ++failures;
    std::printf("FAIL%s: %s\n", name.c_str(), first.message().c_str());
  } else {
    ++passed;
    if (compared || !spec.name.empty())
      std::printf("PASS%s\n", name.c_str());
  }
  return Status::ok();
}

Status LaunchCommand::saveAll(const LaunchSpec &spec, const ExecuteResult &result) const {
  for (size_t i = 0; i < spec.buffers.size(); ++i) {
    const BufferSpec &buffer = spec.buffers[i];
    if (buffer.save.empty())
      continue;
    Status written =
        isNumpyFile(buffer.save)
            ? writeFile(buffer.save, numpyFile(buffer.type, buffer.shape, result.contents[i]))
            : writeFile(buffer.save, result.contents[i]);
    if (!written.isOk())
      return buffer.place.of("save").error(written.message(), written.code());
  }
  return Status::ok();
}

Status LaunchCommand::runOne(const LaunchSpec &spec, size_t number) {
  PUMICE_TRY(ResolvedLaunch launch, resolve(spec, files));
  for (const std::string &text : launch.notes)
    note(text);
  if (!options.dumpFolder.empty())
    PUMICE_RETURN_IF_ERROR(dumpLaunch(launch, number, options.dumpFolder));
  PUMICE_RETURN_IF_ERROR(openDevice(launch));
  ExecuteOptions execution{options.repeat.value_or(spec.repeat), options.profile};
  execution.printBytes = options.printBytes.value_or(execution.printBytes);
  PUMICE_TRY(ExecuteResult result, execute(launch, device, execution));
  profile.push_back({spec.name.empty() ? "queue" : "queue of " + spec.name, result.profile});
  PUMICE_RETURN_IF_ERROR(saveAll(spec, result));
  if (!options.dumpFolder.empty())
    PUMICE_RETURN_IF_ERROR(dumpResults(launch, result, number, options.dumpFolder));
  return report(spec, result);
}

Status LaunchCommand::reportProfile() {
  if (!options.profile || !device)
    return Status::ok();
  std::string table = profileTable(profile);
  std::string file = options.traceFile;
  if (file.empty())
    file = inFolder(options.dumpFolder, "pumice-trace.json");
  std::printf("\n%s", table.c_str());
  std::string trace = chromeTrace(profile, device->info());
  PUMICE_RETURN_IF_ERROR(
      writeFile(file, {reinterpret_cast<const uint8_t *>(trace.data()), trace.size()}));
  std::printf("trace: %s\n", file.c_str());
  return Status::ok();
}

Status LaunchCommand::run() {
  PUMICE_RETURN_IF_ERROR(checkFolderOf(options.traceFile));
  PUMICE_TRY(std::vector<uint8_t> text, readFile(options.launchFile, mostLaunchFileBytes));
  std::string name = options.launchFile == "-" ? "<stdin>" : options.launchFile;
  PUMICE_TRY(std::vector<LaunchSpec> launches,
             parseLaunchFile({reinterpret_cast<const char *>(text.data()), text.size()}, name,
                             options.input));
  for (size_t i = 0; i < launches.size(); ++i) {
    Status status = runOne(launches[i], i);
    std::fflush(stdout);
    if (status.isOk())
      continue;
    // If there is only one launch, its error ends the command. Otherwise the others still run.
    if (launches.size() == 1 &&
        !(options.skipUnsupported && status.code() == StatusCode::Unsupported))
      return status;
    bool skip = options.skipUnsupported && status.code() == StatusCode::Unsupported;
    ++(skip ? skipped : errors);
    std::printf("%s %s: %s\n", skip ? "SKIP" : "ERROR", json::shown(launches[i].name).c_str(),
                named(status.message(), options).c_str());
    if (status.code() == StatusCode::DeviceLost)
      return status;
  }
  if (launches.size() > 1)
    std::printf("%u passed, %u failed, %u could not be run, %u skipped\n", passed, failures, errors,
                skipped);
  return reportProfile();
}
} // namespace

int runLaunch(const RunOptions &options) {
  LaunchCommand command(options);
  Status status = command.run(), dumped = command.dump();
  if (status.isOk())
    status = std::move(dumped);
  if (status.isOk())
    return command.exitStatus();
  std::fflush(stdout);
  std::fprintf(stderr, "pumice run: error: %s\n", named(status.message(), options).c_str());
  return 2;
}

} // namespace pumice::run
