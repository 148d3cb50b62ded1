// The fields of a timing, once, for writing and reading.
#include "harness/judge/timing_json.h"

#include <cmath>
#include <nlohmann/json.hpp>
#include <type_traits>

namespace assay {
namespace {

using nlohmann::json;

// Calls visit(name, field) for each figure and word of `timing`, which may be constant.
template <class T, class Visit>
void each_field(T& timing, const Visit& visit) {
  visit("gpu", timing.gpu);
  visit("median_us", timing.median_us);
  visit("low_us", timing.low_us);
  visit("high_us", timing.high_us);
  visit("noise", timing.noise);
  visit("median_cycles", timing.median_cycles);
  visit("gb_per_s", timing.gb_per_s);
  visit("tflop_per_s", timing.tflop_per_s);
  visit("roof", timing.roof);
  visit("of_roof", timing.of_roof);
  visit("vendor", timing.vendor);
  visit("speedup", timing.speedup);
  visit("speedup_low", timing.speedup_low);
  visit("speedup_high", timing.speedup_high);
  visit("verified", timing.verified);
  visit("end", timing.end);
}

}  // namespace

json to_json(const Timing& timing) {
  json out = json::object();
  each_field(timing, [&](const char* name, const auto& field) {
    if constexpr (std::is_same_v<decltype(field), const double&>)
      if (std::isnan(field)) return;
    out[name] = field;
  });
  json& samples = out["samples"] = json::array();
  for (const TimingSample& sample : timing.samples) {
    json entry{sample.us, sample.sm_mhz};
    if (sample.discarded) entry.push_back(1);
    samples.push_back(std::move(entry));
  }
  return out;
}

Timing timing_from_json(const json& in) {
  Timing timing;
  size_t known = 1;  // "samples"
  each_field(timing, [&](const char* name, auto& field) {
    if (!in.contains(name)) return;
    in.at(name).get_to(field);
    ++known;
  });
  if (known != in.size()) throw json::other_error::create(501, "an unknown field in a timing", nullptr);
  for (const json& entry : in.at("samples"))
    timing.samples.push_back({entry.at(0), entry.at(1), entry.size() > 2 && entry.at(2) == 1});
  return timing;
}

}  // namespace assay
