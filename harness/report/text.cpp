// Small texts that several sinks share.
#include "harness/report/text.h"

#include <fmt/format.h>

#include <map>
#include <utility>

namespace assay {

std::string titled_fields(const ResultRow& row, Shown shown) {
  std::string lines;
  for (const Field& field : fields())
    if (const std::string text = field.shown & shown ? field.text(row) : ""; !text.empty())
      lines += fmt::format("{}: {}\n", field.title, text);
  return lines;
}

std::string_view first_line(std::string_view text) { return text.substr(0, text.find('\n')); }

std::string grouped(int64_t number) {
  std::string digits = std::to_string(number);
  for (auto at = static_cast<ptrdiff_t>(digits.size()) - 3; at > 0; at -= 3)
    digits.insert(static_cast<size_t>(at), 1, ',');
  return digits;
}

std::string plural(int64_t count, std::string_view noun) {
  return fmt::format("{} {}{}", count, noun, count == 1 ? "" : "s");
}

std::string hints_text(const std::vector<ResultRow>& rows) {
  std::map<std::string, std::pair<int, const ResultRow*>> by_id;  // cases with hints, and the first of them
  for (const ResultRow& row : rows)
    if (!row.hints.empty() && by_id[row.id()].first++ == 0) by_id[row.id()].second = &row;
  std::string text;
  for (const auto& [id, found] : by_id) {
    text += fmt::format("hints in {} of {}; in {}\n", plural(found.first, "case"), id, found.second->line());
    for (const std::string& hint : found.second->hints) text += "  " + printable(hint) + "\n";
  }
  return text.empty() ? "no hints\n" : text;
}

}  // namespace assay
