// The fields of a row, declared once: what JSON lines hold, and what CSV, JUnit, GitHub's annotations and the page
// show.
#pragma once

#include <functional>
#include <nlohmann/json_fwd.hpp>
#include <string>
#include <string_view>
#include <vector>

#include "harness/result/row.h"

namespace assay {

struct Field {
  std::string_view name;  // in every file
  std::string_view title;
  unsigned shown = 0;                                                 // Shown (figures.h), or-ed
  std::function<std::string(const ResultRow&)> text = {};             // "" where the row has none; for what is shown
  std::function<void(const ResultRow&, nlohmann::json&)> write = {};  // into the row's object; none: not in JSON lines
  std::function<void(const nlohmann::json&, ResultRow&)> read = {};   // throws for what makes no sense
};

// Words, then the figures (figures.h), then what only JSON lines hold.
const std::vector<Field>& fields();

// "0.25", "1e-07", "nan", "inf": six significant digits, the shortest form, the same on every machine.
std::string number_text(double value);
std::string figure_text(double value);  // "" where there is none

}  // namespace assay
