// An error that a user can cause, as a value: what is wrong and where, and a hint what to do. Printed on one line.
#pragma once

#include <string>
#include <tl/expected.hpp>
#include <type_traits>

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

template <class T>
T without_error(Result<T>&& result) {
  if constexpr (!std::is_void_v<T>) return *std::move(result);
}

}  // namespace assay

// The value of an expression that gives a Result. Where it gives an error, the function around it returns that error:
//
//   const Suite suite = ASSAY_TRY(read_suite(path));
//
// A statement expression, which g++ and clang have: nothing else returns from within an expression.
#define ASSAY_TRY(...)                                                       \
  ({                                                                         \
    auto assay_tried = __VA_ARGS__;                                          \
    if (!assay_tried) return tl::unexpected(std::move(assay_tried).error()); \
    ::assay::without_error(std::move(assay_tried));                          \
  })
