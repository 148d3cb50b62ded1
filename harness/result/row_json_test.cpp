// Rows survive JSON lines, whatever their words and numbers; malformed rows and those of other versions are refused.
#include "harness/result/row_json.h"

#include <gmock/gmock.h>
#include <rapidcheck.h>
#include <rapidcheck/gtest.h>

#include <cmath>
#include <cstring>
#include <nlohmann/json.hpp>
#include <set>

#include "harness/op/registry.h"
#include "harness/result/fields.h"

namespace assay {
namespace {

using nlohmann::json;
using testing::HasSubstr;

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

// A row with something in each of its fields.
ResultRow full_row() {
  ResultRow row;
  row.c = *parse_case(
      "op/v f16 rows=3 eps=1e-5 fill=ties seed=18446744073709551615 nonzero=2 block=64 "
      "grid=3 offset=x:5 steps=norm:row,mlp:tile schedule=7");
  row.device = "cpu";
  row.origin = {.source = "mine.cu",
                .adapter = "mine.toml",
                .kernel = "mine",
                .entry = "second",
                .compile = {"-I", "include"},
                .ops = "my ops",
                .library = "a library",
                .code = "0123456789abcdef"};
  row.decide(Kind::race, "x[0] is read");
  row.findings.push_back({Kind::mismatch, "y is wrong"});
  row.hints = {"shared s[0] is written and never read"};
  row.printed = "12 of 13\nno bias\n";
  row.output_bits = "00f0c1e2d3b4a596";
  row.options = "--strict-barriers";
  row.shrunk_from = "op/v f16 rows=300";
  row.place = 7;
  for (size_t i = 0; i < kFigures.size(); ++i) row.figures.at(i) = static_cast<double>(i + 1);
  row.worst = {{"y", "[0]", NAN, HUGE_VAL, -HUGE_VAL}};
  row.maps = {{"y", {1, 2}, 1, 2, {0.5, HUGE_VAL}}};
  row.sensitivity = {{"zeros:y", true}};
  InstructionCounts some;
  for (size_t i = 0; i < kCounted; ++i) some.of[i] = static_cast<int64_t>(i * i + 1);
  some.by_threads = 77;
  row.statistics = {
      .compulsory_bytes = 64,
      .kernels = {{.kernel = "k<float>",
                   .launches = 1,
                   .blocks = 2,
                   .threads_per_block = 256,
                   .dynamic_shared_bytes = 1024,
                   .total = {.reads = {1, 4, 4}, .writes = {}, .updates = {}, .lanes_active = 32, .lanes_present = 32},
                   .lines = {{"k.cu:3", {.reads = {1, 4, 4}, .writes = {}, .updates = {}, .barriers = 5}, some}},
                   .warps = 16,
                   .instructions = some}},
      .incomplete = "a reason"};
  row.resources = {{.kernel = "k<float>",
                    .capability = 90,
                    .registers = 40,
                    .stack_bytes = 16,
                    .spill_bytes = 8,
                    .shared_bytes = 512,
                    .source = "kernels/op/variant.cu"}};
  row.timing = {.gpu = "Example GPU",
                .roof = "copy 4.25 TB/s",
                .vendor = "op/library_call",
                .verified = true,
                .end = "noise",
                .samples = {{10.5, 1980, false}, {11.25, 1200, true}, {10.25, 1980, false, 2}}};
  return row;
}

RC_GTEST_PROP(RowJson, RoundTripsThroughALine,
              (const std::string& detail, const std::string& variant, const std::vector<uint64_t>& draws, uint8_t kind,
               bool timed)) {
  ResultRow row = full_row();
  row.c.variant = ascii(variant);
  row.c.params = {{"rows", ascii(detail)}};
  if (kind % 2) row.c.nonzero.reset();
  if (kind % 3) row.c.block.reset();
  if (kind % 5) row.c.grid.reset();
  if (kind % 7) row.c.offset.reset();
  if (kind % 2) row.c.steps.clear();
  row.decide(static_cast<Kind>(kind % (static_cast<int>(Kind::skipped) + 1)), ascii(detail));
  const auto draw = [&](size_t i) { return draws.empty() ? NAN : any_double(draws[i % draws.size()] + i); };
  for (size_t i = 0; i < kFigures.size(); ++i)
    row.figures.at(i) = kFigures[i].whole ? std::round(std::fmod(draw(i), 1e18)) : draw(i);
  row.worst[0].got = draw(1);
  const size_t count = std::min<size_t>(draws.size(), 64);
  row.maps[0] = {"y", {static_cast<int64_t>(count)}, count ? 1 : 0, static_cast<int>(count), {}};
  for (size_t i = 0; i < count; ++i) row.maps[0].cells.push_back(draw(i));
  if (!timed) row.timing.reset();

  const Result<ResultRow> read = row_from_line(to_line(row));
  RC_ASSERT(read.has_value());
  RC_ASSERT(to_line(*read) == to_line(row));
  RC_ASSERT(read->c == row.c);
  RC_ASSERT(read->detail == row.detail);
  RC_ASSERT(read->verdict == row.verdict);
  RC_ASSERT(read->findings.size() == row.findings.size());
  for (size_t i = 0; i < kFigures.size(); ++i)
    RC_ASSERT(same(read->figures.at(i), row.figures.at(i)) || (kFigures[i].whole && row.figures.at(i) == 0));
  RC_ASSERT(same(read->worst[0].got, row.worst[0].got));
  for (size_t i = 0; i < count; ++i) RC_ASSERT(same(read->maps[0].cells[i], row.maps[0].cells[i]));
  RC_ASSERT(read->timing.has_value() == timed);
}

TEST(RowJson, GivesBackEveryPart) {
  const ResultRow row = full_row(), back = row_from_line(to_line(row)).value();
  EXPECT_EQ(back.c, row.c);
  EXPECT_EQ(back.origin.source, "mine.cu");
  EXPECT_EQ(back.origin.adapter, "mine.toml");
  EXPECT_EQ(back.origin.kernel, "mine");
  EXPECT_EQ(back.origin.entry, "second");
  EXPECT_EQ(back.origin.compile, (std::vector<std::string>{"-I", "include"}));
  EXPECT_EQ(back.origin.ops, "my ops");
  EXPECT_EQ(back.origin.library, "a library");
  EXPECT_EQ(back.origin.code, "0123456789abcdef");
  EXPECT_EQ(back.place, 7);
  EXPECT_EQ(back.findings[1].detail, "y is wrong");
  EXPECT_EQ(back.statistics->incomplete, "a reason");
  EXPECT_EQ(back.statistics->kernels[0].threads_per_block, 256);
  EXPECT_EQ(back.statistics->kernels[0].dynamic_shared_bytes, 1024);
  EXPECT_EQ(back.statistics->kernels[0].total, row.statistics->kernels[0].total);
  EXPECT_EQ(back.statistics->kernels[0].lines[0].counts, row.statistics->kernels[0].lines[0].counts);
  EXPECT_EQ(back.statistics->kernels[0].warps, 16);
  EXPECT_EQ(back.statistics->kernels[0].instructions, row.statistics->kernels[0].instructions);
  EXPECT_EQ(back.statistics->kernels[0].lines[0].instructions, row.statistics->kernels[0].instructions);
  EXPECT_EQ(back.resources, row.resources);
  EXPECT_EQ(back.timing->vendor, "op/library_call");
  EXPECT_TRUE(back.timing->verified);
  EXPECT_EQ(back.timing->samples[1].sm_mhz, 1200);
  EXPECT_TRUE(back.timing->samples[1].discarded);
  EXPECT_FALSE(back.timing->samples[0].discarded);
  EXPECT_EQ(back.timing->samples[1].process, 0);
  EXPECT_EQ(back.timing->samples[2].process, 2);
}

// A field that is written and not read, or the other way round, would be lost on the way.
TEST(RowJson, HoldsTheFieldsOfTheTableAndNothingElse) {
  json full = to_json(full_row());
  EXPECT_EQ(full.erase("schema"), 1u);
  std::set<std::string_view> names;
  for (const Field& field : fields()) {
    EXPECT_TRUE(names.insert(field.name).second) << "two fields are named " << field.name;
    EXPECT_EQ(full.erase(std::string(field.name)), field.write ? 1u : 0u) << field.name;
    EXPECT_EQ(field.shown != 0 && !field.text, false) << field.name << " has no text to show";
    EXPECT_TRUE(field.read || !field.write || field.name == "case" || field.name == "replay")
        << field.name << " is written and never read";
  }
  EXPECT_TRUE(full.empty()) << full;
}

TEST(RowJson, LeavesOutWhatTheRowLacks) {
  json bare = to_json(ResultRow{});
  for (const char* field : {"schema", "case", "op", "variant", "dtype", "params", "fill", "seed", "schedule", "device",
                            "verdict", "detail", "shrunk_from"})
    EXPECT_EQ(bare.erase(field), 1u) << field;
  EXPECT_TRUE(bare.empty()) << bare;
}

TEST(RowJson, MalformedRowsAreRefused) {
  const auto refused = [](const char* pointer, json value) {
    json row = to_json(full_row());
    row[json::json_pointer(pointer)] = std::move(value);
    EXPECT_FALSE(row_from_json(row)) << pointer;
  };
  refused("/verdict", "FINE");
  refused("/dtype", "f8");
  refused("/seed", "seven");
  refused("/case", "op/v f16 rows=4");
  refused("/params/0/1", "4");  // not that of the case line
  refused("/error_over_budget", "much");
  refused("/error_over_budget", nullptr);
  refused("/either_way", "many");
  refused("/maps/0/rows", 2);
  refused("/maps/0/rows", -1);
  refused("/sensitivity/0/noticed", "yes");
  refused("/statistics/kernels/0/blocks", "many");
  refused("/statistics/kernels/0/total/read_requests", "many");
  refused("/median_us", "quick");
  refused("/timing/verified", "yes");
  refused("/timing/gpu", 5);
  refused("/timing/samples/0", 12);
  refused("/timing/samples/1", json::array({12}));
  refused("/timing/samples/0/1", "fast");
  for (const char* field : {"case", "op", "params", "seed", "verdict"}) {
    json row = to_json(full_row());
    row.erase(field);
    EXPECT_FALSE(row_from_json(row)) << field;
  }
  for (const char* line : {"", "[]", "{}", "7", "null", "{\"case\": 1}", "{\"schema\":"})
    EXPECT_FALSE(row_from_line(line)) << line;
}

TEST(RowJson, RowsOfOtherVersionsSayWhatToDo) {
  json row = to_json(full_row());
  row["schema"] = kSchema + 1;
  EXPECT_EQ(row_from_json(row).error().line(),
            "its schema version is 2, and this Assay reads version 1; use the Assay that wrote it, or run the suite "
            "again with this one");
  row.erase("schema");
  EXPECT_EQ(row_from_json(row).error().line(),
            "it has no schema version, so an Assay before version 1 of the schema wrote it; run the suite again, or "
            "use the Assay that wrote it");
  row["schema"] = "1";
  EXPECT_THAT(row_from_json(row).error().line(), HasSubstr("its schema version is \"1\""));
}

TEST(RowJson, FieldsThatAreNotKnownAreIgnored) {
  json row = to_json(full_row());
  row["mean_us"] = 3;
  row["timing"]["mood"] = "good";
  row["statistics"]["kernels"][0]["total"]["cache_misses"] = 3;
  ASSERT_TRUE(row_from_json(row));
  EXPECT_EQ(to_json(*row_from_json(row)), to_json(full_row()));
}

TEST(RowFor, KnowsWhatTheContractSaysOfTheCase) {
  static const RegisterOp kSized({.name = "sized",
                                  .summary = "",
                                  .dims = {{.name = "n", .meaning = "", .min = 0}, {.name = "m", .meaning = ""}},
                                  .attrs = {{.name = "pad_id", .meaning = "", .choices = {"7"}}},
                                  .tensors = {{.name = "y", .role = Role::output, .shape = {"n", "m"}}},
                                  .reference = {},
                                  .flops = [](const Case& c) { return 2.0 * static_cast<double>(c.dim("n")); }});
  const ResultRow row = row_for(*parse_case("sized/v bf16 n=5 m=3 pad_id=7"), "cpu", Kind::crash, "it fell");
  EXPECT_EQ(row.figures["size"], 15) << "attributes do not count";
  EXPECT_EQ(row.figures["compulsory_bytes"], 5 * 3 * 2);
  EXPECT_EQ(row.figures["flops"], 10);
  ASSERT_EQ(row.findings.size(), 1u);
  EXPECT_EQ(row.findings[0].detail, "it fell");
  EXPECT_EQ(row_for(*parse_case("sized/v bf16 n=0 m=3 pad_id=7"), "cpu").figures["size"], 0);
  EXPECT_FALSE(row_for(*parse_case("unknown/v bf16 n=5"), "cpu").figures.has("size"));
}

// Keys are case lines: a run or baseline of before an op got attributes is compared with one of today.
TEST(RowJson, OfAnEarlierVersionHaveTheLineOfToday) {
  const std::string before = "rope/elementwise f32 T=3 H=2 D=8 pos_offset=0 direction=forward base=10000";
  const std::string after = " fill=normal seed=1 block=32 schedule=0";
  ResultRow row;
  row.c = *parse_case(before + after);
  row.shrunk_from = before + after;
  const auto read = row_from_line(to_line(row));
  ASSERT_TRUE(read) << read.error().line();
  EXPECT_EQ(read->line(), before + " pairs=half alias=none" + after);
  EXPECT_EQ(read->shrunk_from, read->line());
  EXPECT_EQ(row_from_line(to_line(*read))->line(), read->line());
}

}  // namespace
}  // namespace assay
