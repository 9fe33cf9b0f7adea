//===- CacheCommand.cpp - pumice cache --------------------------------------===//
#include "support/DiskCache.h"
#include "tools/arguments/Arguments.h"
#include "tools/pumice/Commands.h"

#include <chrono>
#include <cstdio>

using namespace pumice;
using namespace pumice::tools;

namespace {

const Command command{
    "cache",
    "[list|clear|path]",
    "List what Pumice keeps on disk, clear it, or print its folder",
    "Everything in the cache can be rebuilt: compiled pipelines and native code. 'list' shows\n"
    "the most recently used first. The folder is PUMICE_CACHE_DIR, else $XDG_CACHE_HOME/pumice, "
    "else\n"
    "~/.cache/pumice; PUMICE_CACHE_LIMIT limits its size (512M; the default is 1G);\n"
    "PUMICE_CACHE=off switches it off.",
    {},
    0,
    1};

void printList(const DiskCache &cache) {
  uint64_t total = 0;
  std::vector<DiskCache::Entry> entries = cache.list();
  auto now = std::filesystem::file_time_type::clock::now();
  for (const DiskCache::Entry &entry : entries) {
    auto hours = std::chrono::duration_cast<std::chrono::hours>(now - entry.lastUse).count();
    std::printf("%12llu  %5lldh ago  %s/%s\n", static_cast<unsigned long long>(entry.bytes),
                static_cast<long long>(hours), entry.kind.c_str(), entry.name.c_str());
    total += entry.bytes;
  }
  std::printf("%12llu bytes in %zu %s; the limit is %llu\n", static_cast<unsigned long long>(total),
              entries.size(), entries.size() == 1 ? "file" : "files",
              static_cast<unsigned long long>(cache.limitBytes()));
}

} // namespace

int tools::cacheCommand(int argc, char **argv) {
  Result<Arguments> arguments = Arguments::parse(command, argc, argv);
  if (!arguments.isOk())
    return usageError(command, arguments.status());
  if (arguments->wantsHelp()) {
    std::fputs(helpText(command).c_str(), stdout);
    return 0;
  }
  std::string what = arguments->positional().empty() ? "list" : arguments->positional()[0];
  if (what != "list" && what != "clear" && what != "path")
    return usageError(command,
                      Status(StatusCode::InvalidArgument,
                             "unknown action '" + what + "'; expected list, clear or path"));
  Result<DiskCache> cache = DiskCache::open();
  if (!cache.isOk())
    return failed(command, cache.status());
  if (what == "path")
    std::printf("%s\n", cache->folder().string().c_str());
  else if (what == "clear")
    std::printf("%llu bytes freed\n", static_cast<unsigned long long>(cache->clear()));
  else
    printList(*cache);
  return 0;
}
