//===- Terminal.cpp - the standard error as a terminal ----------------------===//
#include "support/Terminal.h"

#include <cstdlib>

#ifndef _WIN32
#include <sys/ioctl.h>
#include <unistd.h>
#endif

namespace pumice {

#ifdef _WIN32

bool terminal::isThere() { return false; }
size_t terminal::columns() { return 80; }
void terminal::write(std::string_view) {}

#else

bool terminal::isThere() {
  const char *kind = std::getenv("TERM");
  if (!isatty(STDERR_FILENO) || (kind && std::string_view(kind) == "dumb"))
    return false;
  pid_t foreground = tcgetpgrp(STDERR_FILENO); // -1: another terminal controls this process
  return foreground == -1 || foreground == getpgrp();
}

size_t terminal::columns() {
  winsize size{};
  return ioctl(STDERR_FILENO, TIOCGWINSZ, &size) == 0 && size.ws_col ? size.ws_col : 80;
}

void terminal::write(std::string_view text) {
  while (!text.empty()) {
    ssize_t written = ::write(STDERR_FILENO, text.data(), text.size());
    if (written <= 0)
      return;
    text.remove_prefix(static_cast<size_t>(written));
  }
}

#endif

} // namespace pumice
