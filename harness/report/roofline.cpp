// Computes where each roof's line begins and ends.
#include "harness/report/roofline.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

namespace assay {
namespace {

constexpr std::string_view kBandwidth = "TB/s", kArithmetic = "TFLOP/s";

using Rate = double Roof::*;

double highest(const std::vector<Roof>& roofs, std::string_view unit, Rate rate) {
  double rates = 0;
  for (const Roof& roof : roofs)
    if (roof.unit == unit) rates = std::max(rates, roof.*rate);
  return rates;
}

std::string label_of(const Roof& roof) {
  const std::string by = roof.means.empty() ? "" : ", by " + roof.means;
  if (roof.measured > 0 && roof.physical > 0)
    return fmt::format("{} {:.3g} of {:.3g} {}{}", roof.name, roof.measured, roof.physical, roof.unit, by);
  return fmt::format("{} {:.3g} {}{}", roof.name, std::max(roof.measured, roof.physical), roof.unit, by);
}

// 1 byte/operation times 1 TB/s is 1 TFLOP/s, so y = x × bandwidth.
std::optional<RoofLine> line_of(const std::vector<Roof>& roofs, const Roof& roof, Rate rate, double x_min,
                                double x_max) {
  const double own = roof.*rate;
  if (!(own > 0)) return std::nullopt;
  if (roof.unit == kArithmetic) {
    const double bandwidth = highest(roofs, kBandwidth, rate);
    return RoofLine{bandwidth > 0 ? own / bandwidth : x_min, own, x_max, own};
  }
  const double arithmetic = highest(roofs, kArithmetic, rate);
  const double end = arithmetic > 0 ? arithmetic / own : x_max;
  return RoofLine{x_min, x_min * own, end, end * own};
}

}  // namespace

std::vector<RoofLines> roofline(const std::vector<Roof>& roofs, double x_min, double x_max) {
  for (const Rate rate : {&Roof::measured, &Roof::physical})
    for (const Roof& bandwidth : roofs)
      for (const Roof& arithmetic : roofs) {
        if (bandwidth.unit != kBandwidth || arithmetic.unit != kArithmetic) continue;
        if (!(bandwidth.*rate > 0 && arithmetic.*rate > 0)) continue;
        const double ridge = arithmetic.*rate / (bandwidth.*rate);
        x_min = std::min(x_min, ridge);
        x_max = std::max(x_max, ridge);
      }
  x_min = std::pow(10, std::floor(std::log10(x_min)));
  x_max = std::pow(10, std::ceil(std::log10(x_max)));
  std::vector<RoofLines> lines;
  for (const Roof& roof : roofs)
    if (roof.unit == kBandwidth || roof.unit == kArithmetic)
      lines.push_back({label_of(roof), line_of(roofs, roof, &Roof::measured, x_min, x_max),
                       line_of(roofs, roof, &Roof::physical, x_min, x_max)});
  return lines;
}

}  // namespace assay
