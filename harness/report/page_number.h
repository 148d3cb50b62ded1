// Numbers for report.html's data.
#pragma once

#include <fmt/format.h>

#include <cmath>
#include <nlohmann/json.hpp>

namespace assay {

// Few digits, since a page has thousands of them; non-finite numbers as text.
inline nlohmann::json number(double value, int digits) {
  if (std::isnan(value)) return "nan";
  if (std::isinf(value)) return value > 0 ? "inf" : "-inf";
  return std::stod(fmt::format("{:.{}g}", value, digits));
}

// As number(), and null where there is no number to show.
inline nlohmann::json figure(double value, int digits = 4) {
  return std::isfinite(value) ? number(value, digits) : nlohmann::json();
}

}  // namespace assay
