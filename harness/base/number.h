// The number that a text is as a whole: of "12" and "-3", but not of "+3", "12 " or "".
#pragma once

#include <charconv>
#include <optional>
#include <string_view>

namespace assay {

// A base may be given for whole numbers.
template <class Number, class... Base>
std::optional<Number> number_in(std::string_view text, Base... base) {
  Number number{};
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), number, base...);
  return error == std::errc{} && end == text.data() + text.size() ? std::optional(number) : std::nullopt;
}

}  // namespace assay
