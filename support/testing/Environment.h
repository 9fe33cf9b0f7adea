//===- Environment.h - variables of the environment, for tests --------------===//
#pragma once

#include <cstdlib>
#include <optional>
#include <string>

namespace pumice::testing_support {

/// Sets a variable of the environment, or removes it if `value` is null.
inline void setVariable(const char *name, const char *value) {
#ifdef _WIN32
  _putenv_s(name, value ? value : ""); // an empty value removes it
#else
  value ? setenv(name, value, 1) : unsetenv(name);
#endif
}

/// Sets a variable for the lifetime of this object.
class Variable {
public:
  Variable(const char *name, const char *value) : name(name) {
    if (const char *was = std::getenv(name))
      before = was;
    setVariable(name, value);
  }
  Variable(const Variable &) = delete;
  Variable &operator=(const Variable &) = delete;
  ~Variable() { setVariable(name, before ? before->c_str() : nullptr); }

private:
  const char *name;
  std::optional<std::string> before;
};

} // namespace pumice::testing_support
