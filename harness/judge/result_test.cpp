// Rows survive JSON, whatever their numbers, and malformed rows are refused.
#include "harness/judge/result.h"

#include <gtest/gtest.h>
#include <rapidcheck.h>
#include <rapidcheck/gtest.h>

#include <cmath>
#include <nlohmann/json.hpp>

namespace assay {
namespace {

using nlohmann::json;

// Any bits of a double, NaN and infinity among them more often than chance would have it.
double any_double(uint64_t draw) {
  constexpr double kSpecial[] = {0.0, -0.0, 5e-324, 1.7976931348623157e308, HUGE_VAL, -HUGE_VAL, NAN};
  if (draw % 2 == 0) return kSpecial[draw / 2 % std::size(kSpecial)];
  double value;
  std::memcpy(&value, &draw, sizeof value);
  return std::isnan(value) ? NAN : value;
}

std::string ascii(std::string text) {
  for (char& c : text) c = static_cast<char>(c & 0x7F);
  return text;
}

bool same(double a, double b) {
  return (std::isnan(a) && std::isnan(b)) || (a == b && std::signbit(a) == std::signbit(b));
}

ResultRow full_row() {
  ResultRow row;
  row.case_line = "op/v f16 n=1 fill=normal seed=0 schedule=0";
  row.op = "op";
  row.variant = "v";
  row.dtype = DType::f16;
  row.device = "cpu";
  row.verdict = Kind::race;
  row.either_way = 3;
  row.worst = {{"y", "[0]", NAN, HUGE_VAL, -HUGE_VAL}};
  row.maps = {{"y", {1, 2}, 1, 2, {0.5, HUGE_VAL}}};
  row.power = {{"zeros:y", true}};
  row.statistics = {
      .compulsory_bytes = 64,
      .kernels = {{.kernel = "k<float>",
                   .launches = 1,
                   .blocks = 2,
                   .total = {.reads = {1, 4, 4}, .writes = {}, .updates = {}, .lanes_active = 32, .lanes_present = 32},
                   .lines = {{"k.cu:3", {.reads = {1, 4, 4}, .writes = {}, .updates = {}, .barriers = 5}}}}},
      .incomplete = "a reason"};
  KernelCounts& kernel = row.statistics->kernels[0];
  kernel.threads_per_block = 256;
  kernel.dynamic_shared_bytes = 1024;
  kernel.resources = KernelResources{.kernel = "k<float>",
                                     .capability = 90,
                                     .registers = 40,
                                     .stack_bytes = 16,
                                     .spill_bytes = 8,
                                     .shared_bytes = 512,
                                     .source = "kernels/op/variant.cu"};
  return row;
}

RC_GTEST_PROP(ResultRowJson, RoundTripsThroughText,
              (const std::string& detail, uint64_t a, uint64_t b, const std::vector<uint64_t>& cells, uint8_t kind)) {
  ResultRow row = full_row();
  row.detail = ascii(detail);
  row.verdict = static_cast<Kind>(kind % (static_cast<int>(Kind::skipped) + 1));
  row.error_over_budget = any_double(a);
  row.worst[0].got = any_double(b);
  const size_t count = std::min<size_t>(cells.size(), 64);
  row.maps[0] = {"y", {static_cast<int64_t>(count)}, count ? 1 : 0, static_cast<int>(count), {}};
  for (size_t i = 0; i < count; ++i) row.maps[0].cells.push_back(any_double(cells[i]));

  const ResultRow back = row_from_json(json::parse(to_json(row).dump()));
  RC_ASSERT(to_json(back) == to_json(row));
  RC_ASSERT(back.statistics->incomplete == row.statistics->incomplete);
  RC_ASSERT(back.statistics->kernels[0].threads_per_block == 256);
  RC_ASSERT(back.statistics->kernels[0].dynamic_shared_bytes == 1024);
  RC_ASSERT(back.statistics->kernels[0].resources == row.statistics->kernels[0].resources);
  RC_ASSERT(back.statistics->kernels[0].total == row.statistics->kernels[0].total);
  RC_ASSERT(back.statistics->kernels[0].lines[0].counts == row.statistics->kernels[0].lines[0].counts);
  RC_ASSERT(back.detail == row.detail);
  RC_ASSERT(back.either_way == row.either_way);
  RC_ASSERT(back.verdict == row.verdict);
  RC_ASSERT(same(back.error_over_budget, row.error_over_budget));
  RC_ASSERT(same(back.worst[0].got, row.worst[0].got));
  for (size_t i = 0; i < count; ++i) RC_ASSERT(same(back.maps[0].cells[i], row.maps[0].cells[i]));
}

TEST(ResultRowJson, HasTheNamedFieldsAndLeavesEmptyListsOut) {
  json full = to_json(full_row());
  for (const char* field : {"case", "op", "variant", "dtype", "device", "verdict", "detail", "error_over_budget",
                            "either_way", "shrunk_from", "seconds", "worst", "maps", "power", "statistics"})
    EXPECT_EQ(full.erase(field), 1u) << field;
  EXPECT_TRUE(full.empty()) << full;
  ResultRow bare = full_row();
  bare.either_way = 0;
  bare.worst = {};
  bare.maps = {};
  bare.power = {};
  bare.statistics = {};
  for (const char* field : {"either_way", "worst", "maps", "power", "statistics"})
    EXPECT_FALSE(to_json(bare).contains(field)) << field;
}

TEST(ResultRowJson, MalformedRowsAreRefused) {
  const auto refused = [](const char* pointer, json value) {
    json row = to_json(full_row());
    row[json::json_pointer(pointer)] = std::move(value);
    EXPECT_THROW(row_from_json(row), json::exception) << pointer;
  };
  refused("/verdict", "FINE");
  refused("/dtype", "f8");
  refused("/error_over_budget", "much");
  refused("/error_over_budget", nullptr);
  refused("/either_way", "many");
  refused("/maps/0/rows", 2);
  refused("/maps/0/rows", -1);
  refused("/power/0/noticed", "yes");
  refused("/statistics/kernels/0/blocks", "many");
  refused("/statistics/kernels/0/total/read_requests", "many");
  refused("/statistics/kernels/0/lines/0/counts/cache_misses", 3);
  EXPECT_THROW(row_from_json(json::array()), json::exception);
  EXPECT_THROW(row_from_json(json::object()), json::exception);
}

}  // namespace
}  // namespace assay
