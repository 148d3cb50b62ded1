// `assay replay`: one case line, or a file of them, run again in a worker and told in full.
#include <fmt/format.h>

#include <cstdio>
#include <filesystem>
#include <map>

#include "harness/cli/cli.h"
#include "harness/cli/interrupt.h"
#include "harness/device/device.h"
#include "harness/op/registry.h"
#include "harness/report/text.h"
#include "harness/search/regressions.h"
#include "harness/search/worker_pool.h"

namespace assay {
namespace {

Result<std::vector<Case>> cases_of(const std::vector<std::string>& words, const std::string& device) {
  std::vector<SavedCase> lines;
  if (words.size() == 1 && std::filesystem::is_regular_file(words[0])) {
    auto read = read_case_file(words[0]);
    if (!read) return tl::unexpected(read.error());
    if (read->empty()) return fail(words[0] + " holds no case line", "write one case line in it");
    lines = std::move(*read);
  } else {
    std::string line;
    for (const std::string& word : words) line += (line.empty() ? "" : " ") + word;
    lines.push_back({"", line});
  }
  std::vector<Case> cases;
  for (const SavedCase& saved : lines) {
    auto c = read_case(saved.line);
    if (!c) return fail((saved.path.empty() ? "" : saved.path + ": ") + c.error().what, c.error().mend);
    if (!find_variant(c->op, c->variant, device)) {
      std::vector<std::string> known;
      for (const Variant* variant : variants())
        if (variant->op == c->op && variant->device == device) known.push_back(variant->name);
      const size_t at = saved.line.find('/') + 1;
      return tl::unexpected(error_at(saved.line, std::string_view(saved.line).substr(at, c->variant.size()),
                                     fmt::format("{} has no such variant for {}", c->op, device),
                                     suggestion(c->variant, known)));
    }
    cases.push_back(std::move(*c));
  }
  return cases;
}

void tell(const ResultRow& row) {
  fmt::print("{}  {}\n", name(row.verdict), row.case_line);
  if (!row.detail.empty()) fmt::print("  {}\n", printable(row.detail));
  if (row.error_over_budget == row.error_over_budget)
    fmt::print("  error/budget {}\n", number_text(row.error_over_budget));
  for (const WorstElement& element : row.worst)
    fmt::print("  {}{}: got {:.9g}, want {:.9g}, error/budget {}\n", element.tensor, element.index, element.got,
               element.want, number_text(element.error_over_budget));
  for (const PowerProbe& probe : row.power)
    if (!probe.noticed) fmt::print("  this case would not notice: {}\n", probe.wrong_output);
}

}  // namespace

int run_replay(const ReplayArguments& arguments) {
  if (make_device(arguments.device) == nullptr)
    return usage_error({fmt::format("device '{}' is not available", arguments.device), "use --device cpu"});
  const auto cases = cases_of(arguments.what, arguments.device);
  if (!cases) return usage_error(cases.error());
  WorkerPool pool({.device = arguments.device});
  bool failed = false, judged = false;
  for (const Case& c : *cases) {
    std::map<Kind, int> verdicts;
    for (int i = 0; i < arguments.times; ++i) {
      const auto row = pool.run_one(c, std::chrono::duration<double>(arguments.case_limit_s), &interrupted_flag());
      if (!row) return kExitInconclusive;
      if (verdicts[row->verdict]++ == 0) tell(*row);
      failed |= is_failure(row->verdict);
      judged |= is_failure(row->verdict) || row->verdict == Kind::pass;
    }
    if (arguments.times > 1)
      for (const auto& [kind, count] : verdicts)
        fmt::print("  {} of {} runs: {}\n", count, arguments.times, name(kind));
  }
  return failed ? kExitFail : judged ? kExitPass : kExitInconclusive;
}

}  // namespace assay
