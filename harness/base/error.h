// An error that a user can cause, as a value: what is wrong and where, and a hint what to do. Printed on one line.
#pragma once

#include <string>
#include <tl/expected.hpp>

namespace assay {

struct Error {
  std::string what;  // what is wrong and where: "case line, column 9: unknown key 'colz'"
  std::string hint;  // the next thing to do: "softmax_forward takes rows and cols"

  std::string line() const { return hint.empty() ? what : what + "; " + hint; }
};

template <class T>
using Result = tl::expected<T, Error>;

inline tl::unexpected<Error> fail(std::string what, std::string hint = "") {
  return tl::unexpected<Error>(Error{std::move(what), std::move(hint)});
}

}  // namespace assay
