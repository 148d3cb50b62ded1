// The table of fields.
#include "harness/result/fields.h"

#include <fmt/format.h>

#include <cmath>
#include <nlohmann/json.hpp>

#include "harness/result/parts_json.h"
#include "harness/result/replay.h"

namespace assay {
namespace {

using nlohmann::json;

// Whole numbers up to here are exact in a double.
constexpr double kExact = 0x1p53;

// A part of a row, which is constant if the row is.
template <class T>
auto of(T ResultRow::*member) {
  return [=](auto& row) -> auto& { return row.*member; };
}
template <class T>
auto of(T Case::*member) {
  return [=](auto& row) -> auto& { return row.c.*member; };
}
template <class T>
auto of(T Origin::*member) {
  return [=](auto& row) -> auto& { return row.origin.*member; };
}

std::string text_of(const std::string& word) { return word; }
std::string text_of(const auto& choice) { return std::string(name(choice)); }

// Every row has it.
template <class Get>
Field always(std::string_view name, Get get) {
  return {.name = name,
          .title = name,
          .write = [=](const ResultRow& row, json& out) { out[name] = get(row); },
          .read = [=](const json& in, ResultRow& row) { in.at(name).get_to(get(row)); }};
}

// A word or a list that JSON lacks where it is empty.
template <class Get>
Field unless_empty(std::string_view name, Get get) {
  Field field = always(name, get);
  field.write = [=](const ResultRow& row, json& out) {
    if (!get(row).empty()) out[name] = get(row);
  };
  field.read = [=](const json& in, ResultRow& row) {
    if (in.contains(name)) in.at(name).get_to(get(row));
  };
  return field;
}

// An optional part.
template <class Get>
Field if_there(std::string_view name, Get get) {
  return {.name = name,
          .title = name,
          .write =
              [=](const ResultRow& row, json& out) {
                if (get(row)) out[name] = *get(row);
              },
          .read =
              [=](const json& in, ResultRow& row) {
                if (in.contains(name)) in.at(name).get_to(get(row).emplace());
              }};
}

// A word that every row has, and that outputs show.
template <class Get>
Field word(std::string_view name, Get get, unsigned shown) {
  Field field = always(name, get);
  field.shown = shown;
  field.text = [=](const ResultRow& row) { return text_of(get(row)); };
  return field;
}

// A word of the timing, which has all its words in JSON.
Field timing_word(std::string_view name, std::string Timing::*word) {
  return {.name = name, .title = name, .shown = kCsv, .text = [=](const ResultRow& row) {
            return row.timing ? (*row.timing).*word : "";
          }};
}

// The line is for people and for looking a case up: what reads a row reads the parts of the case.
Field case_line() {
  return {.name = "case",
          .title = "case",
          .shown = kCsv | kJunit | kPage,
          .text = [](const ResultRow& row) { return row.line(); },
          .write = [](const ResultRow& row, json& out) { out["case"] = row.line(); }};
}

// JSON lacks a figure that the row lacks.
Field figure(size_t index) {
  const FigureSpec& spec = kFigures[index];
  return {.name = spec.name,
          .title = spec.title,
          .shown = spec.shown,
          .text = [=](const ResultRow& row) { return figure_text(row.figures.at(index)); },
          .write =
              [=](const ResultRow& row, json& out) {
                const double value = row.figures.at(index);
                if (std::isnan(value)) return;
                const bool integer = spec.whole && std::fabs(value) <= kExact;
                out[spec.name] = integer ? json(static_cast<int64_t>(value)) : number_to_json(value);
              },
          .read =
              [=](const json& in, ResultRow& row) {
                if (in.contains(spec.name)) row.figures.at(index) = number_from_json(in.at(spec.name));
              }};
}

// It is written for failures only: the paths in it differ between machines, and a passing run's results.csv shall not.
Field replay() {
  const auto text = [](const ResultRow& row) { return is_failure(row.verdict) ? replay_command(row) : ""; };
  return {
      .name = "replay", .title = "replay", .shown = kCsv, .text = text, .write = [=](const ResultRow& row, json& out) {
        if (const std::string command = text(row); !command.empty()) out["replay"] = command;
      }};
}

// Whoever puts rows together again, of shards or of a run that was killed, sorts by it.
Field place() {
  return {.name = "place",
          .title = "place",
          .write =
              [](const ResultRow& row, json& out) {
                if (row.place >= 0) out["place"] = row.place;
              },
          .read =
              [](const json& in, ResultRow& row) {
                if (!in.contains("place")) return;
                in.at("place").get_to(row.place);
                if (row.place < 0) malformed("a place below 0");
              }};
}

std::vector<Field> table() {
  constexpr unsigned kBoth = kCsv | kPage;
  std::vector<Field> fields{case_line(),
                            word("op", of(&Case::op), kBoth),
                            word("variant", of(&Case::variant), kBoth),
                            word("dtype", of(&Case::dtype), kBoth),
                            always("params", of(&Case::params)),
                            always("fill", of(&Case::fill)),
                            always("seed", of(&Case::seed)),
                            if_there("nonzero", of(&Case::nonzero)),
                            if_there("block", of(&Case::block)),
                            if_there("grid", of(&Case::grid)),
                            if_there("offset", of(&Case::offset)),
                            unless_empty("steps", of(&Case::steps)),
                            always("schedule", of(&Case::schedule)),
                            word("device", of(&ResultRow::device), kBoth),
                            unless_empty("source", of(&Origin::source)),
                            unless_empty("adapter", of(&Origin::adapter)),
                            unless_empty("kernel", of(&Origin::kernel)),
                            unless_empty("entry", of(&Origin::entry)),
                            unless_empty("compile", of(&Origin::compile)),
                            unless_empty("ops", of(&Origin::ops)),
                            unless_empty("library", of(&Origin::library)),
                            unless_empty("code", of(&Origin::code)),
                            unless_empty("options", of(&ResultRow::options)),
                            word("verdict", of(&ResultRow::verdict), kBoth),
                            word("detail", of(&ResultRow::detail), kBoth),
                            word("shrunk_from", of(&ResultRow::shrunk_from), kBoth),
                            place(),
                            replay(),
                            timing_word("roof", &Timing::roof),
                            timing_word("vendor", &Timing::vendor)};
  for (size_t i = 0; i < kFigures.size(); ++i) fields.push_back(figure(i));
  for (Field part :
       {unless_empty("findings", of(&ResultRow::findings)), unless_empty("hints", of(&ResultRow::hints)),
        unless_empty("printed", of(&ResultRow::printed)), unless_empty("output_bits", of(&ResultRow::output_bits)),
        unless_empty("worst", of(&ResultRow::worst)),
        unless_empty("maps", of(&ResultRow::maps)), unless_empty("sensitivity", of(&ResultRow::sensitivity)),
        if_there("statistics", of(&ResultRow::statistics)), unless_empty("resources", of(&ResultRow::resources)),
        if_there("timing", of(&ResultRow::timing))})
    fields.push_back(std::move(part));
  return fields;
}

}  // namespace

const std::vector<Field>& fields() {
  static const std::vector<Field> all = table();
  return all;
}

std::string number_text(double value) {
  if (std::isnan(value)) return "nan";  // one NaN: its sign depends on how the machine made it
  return fmt::format("{:.6g}", value);
}

std::string figure_text(double value) { return std::isnan(value) ? "" : number_text(value); }

}  // namespace assay
