// An error that a user can cause, as a value: what is wrong and where, and how to mend it. Printed on one line.
#pragma once

#include <string>
#include <tl/expected.hpp>

namespace assay {

struct Error {
  std::string what;  // what is wrong and where: "case line, column 9: unknown key 'colz'"
  std::string mend;  // the next thing to do: "softmax_forward takes rows and cols"

  std::string line() const { return mend.empty() ? what : what + "; " + mend; }
};

template <class T>
using Result = tl::expected<T, Error>;

inline tl::unexpected<Error> fail(std::string what, std::string mend = "") {
  return tl::unexpected<Error>(Error{std::move(what), std::move(mend)});
}

}  // namespace assay
