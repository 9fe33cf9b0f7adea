//===- Status.cpp - the result of a call that can fail ----------------------===//
#include "support/Status.h"

namespace pumice {

std::string_view toString(StatusCode code) {
  switch (code) {
  case StatusCode::Ok:
    return "ok";
  case StatusCode::InvalidArgument:
    return "invalid argument";
  case StatusCode::NotFound:
    return "not found";
  case StatusCode::Unsupported:
    return "unsupported";
  case StatusCode::DataCorrupt:
    return "corrupt data";
  case StatusCode::ResourceExhausted:
    return "resource exhausted";
  case StatusCode::DeviceLost:
    return "device lost";
  case StatusCode::DeadlineExceeded:
    return "deadline exceeded";
  case StatusCode::Internal:
    return "internal error";
  case StatusCode::InvalidAccess:
    return "invalid access";
  }
  return "unknown status";
}

const std::string &Status::message() const {
  static const std::string nothing;
  return failure ? failure->text : nothing;
}

std::string Status::toString() const {
  if (isOk())
    return "ok";
  return std::string(pumice::toString(failure->code)) + ": " + failure->text;
}

Status Status::at(std::string_view place) && {
  if (failure)
    failure->text = std::string(place) + ": " + failure->text;
  return std::move(*this);
}

} // namespace pumice
