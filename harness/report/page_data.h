// The data of report.html, as one JSON object: every figure is computed here, and the page's scripts only draw.
#pragma once

#include <nlohmann/json_fwd.hpp>

#include "harness/report/report.h"

namespace assay {

constexpr size_t kPicturesMax =
    100;  // causes of failures with source lines, worst elements and pictures; more would make a page of many MB

nlohmann::json page_data(const Report& report);

// The step of the colour scale that an error/budget falls on: 0 … 7, above 2 is outside the budget.
int error_level(double error_over_budget);

}  // namespace assay
