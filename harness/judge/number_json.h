// Numbers as JSON, which has no NaN or infinity, the very values a wrong kernel produces: they travel as the strings
// "nan", "inf" and "-inf".
#pragma once

#include <cmath>
#include <limits>
#include <nlohmann/json.hpp>
#include <string>

namespace assay {

inline nlohmann::json number_to_json(double value) {
  if (std::isnan(value)) return "nan";
  if (std::isinf(value)) return value > 0 ? "inf" : "-inf";
  return value;
}

// Throws nlohmann::json::exception for anything else than a number or one of the strings.
inline double number_from_json(const nlohmann::json& value) {
  if (!value.is_string()) return value.get<double>();
  const auto& text = value.get_ref<const std::string&>();
  if (text == "nan") return std::numeric_limits<double>::quiet_NaN();
  if (text == "inf") return std::numeric_limits<double>::infinity();
  if (text == "-inf") return -std::numeric_limits<double>::infinity();
  throw nlohmann::json::other_error::create(501, "'" + text + "' is no number", nullptr);
}

}  // namespace assay
