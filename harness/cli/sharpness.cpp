// `assay sharpness`: how small an error the budgets detect, for each op, dtype and output.
#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "harness/base/error.h"
#include "harness/base/interrupt.h"
#include "harness/base/printable.h"
#include "harness/base/write_file.h"
#include "harness/cli/cli.h"
#include "harness/cli/options.h"
#include "harness/cli/range_table.h"
#include "harness/cli/sharpness_page.h"
#include "harness/judge/oracle.h"
#include "harness/judge/sharpness.h"
#include "harness/op/registry.h"
#include "harness/search/generate.h"
#include "harness/search/range_survey.h"
#include "harness/search/suite.h"

namespace assay {
namespace {

// Adds a case to the results of one op and dtype, output by output.
void add_case(const Contract& op, const Case& c, std::vector<SharpnessOutput>& outputs) {
  const Tensors given = make_tensors(op, c);
  const Expected expected = Oracle{op, any_variant(op), c, given}.expect();
  const auto plain = op.reference.narrow(c, given);
  for (size_t t = 0; t < expected.size(); ++t) {
    if (!is_float(expected[t].dtype)) continue;
    auto output = std::ranges::find_if(outputs, [&](const SharpnessOutput& each) {
      return each.op == op.name && each.dtype == c.dtype && each.name == expected[t].name;
    });
    if (output == outputs.end()) output = outputs.insert(output, {op.name, c.dtype, expected[t].name});
    const SharpnessSample sample{expected[t], plain[t]};
    for (Sharpness& rule : output->rules) rule.add(sample);
    for (size_t step = 0; step < Sharpness::kSteps.size(); ++step)
      if (const int64_t elements = told_only_by(Rule::torch, step, sample); elements > 0)
        output->torch_alone[step][c.fill] += elements;
  }
}

// Case lines have blanks in them, patterns do not.
bool is_case_line(const std::string& word) { return word.find(' ') != std::string::npos; }

// Sorted by name. Every pattern must match some.
Result<std::vector<const Contract*>> ops_that_match(const std::vector<std::string>& patterns) {
  std::vector<const Contract*> ops;
  for (const std::string& pattern : patterns) {
    const size_t before = ops.size();
    for (const Contract& op : all_ops())
      if (selects(pattern, any_variant(op))) ops.push_back(&op);
    if (ops.size() > before) continue;
    std::vector<std::string> known;
    for (const Contract& op : all_ops()) known.push_back(op.name);
    return tl::unexpected(
        Error{"no op is called '" + pattern + "'", suggestion(pattern, known) + " (`assay list ops`)"});
  }
  std::ranges::sort(ops, [](const Contract* a, const Contract* b) { return a->name < b->name; });
  ops.erase(std::unique(ops.begin(), ops.end()), ops.end());
  return ops;
}

std::vector<std::string> patterns_of(const SharpnessArguments& arguments) {
  std::vector<std::string> patterns = arguments.select;
  std::erase_if(patterns, is_case_line);
  if (arguments.select.empty()) patterns.emplace_back("*");
  return patterns;
}

Result<std::vector<SharpnessOutput>> measure(const SharpnessArguments& arguments, const Suite& suite) {
  std::vector<SharpnessOutput> outputs;
  for (const std::string& word : arguments.select) {
    if (!is_case_line(word)) continue;
    const auto c = ASSAY_TRY(read_case(word));
    add_case(*find_op(c.op), c, outputs);
  }
  for (const Contract* op : ASSAY_TRY(ops_that_match(patterns_of(arguments)))) {
    auto more = sharpness_of(*op, suite.counts_of(op->name), arguments.seed, arguments.cases);
    std::ranges::move(more, std::back_inserter(outputs));
  }
  return outputs;
}

void print_table(const std::vector<SharpnessOutput>& outputs) {
  say("{:<45}{:<28}{:<28}{}\n", "", "smallest uniform error found", "1 element off by 1 %: found",
      "off by 10 %: found, % of them");
  std::string rules;
  for (size_t question = 0; question <= Sharpness::kSteps.size(); ++question)
    for (const Rule rule : kRules) rules += fmt::format("{:>7}", name(rule));
  say("{:<31} {:<5} {:<6}{}\n", "op", "dtype", "output", rules);
  for (const SharpnessOutput& output : outputs) {
    std::string figures;
    for (const Sharpness& rule : output.rules) figures += fmt::format("{:>7}", power_text(rule));
    for (size_t step = 0; step < Sharpness::kSteps.size(); ++step)
      for (const Sharpness& rule : output.rules) figures += fmt::format("{:>7}", percent_text(rule, step));
    say("{:<31} {:<5} {:<6}{}\n", output.op, name(output.dtype), output.name, figures);
  }
}

std::string csv_text(const std::vector<SharpnessOutput>& outputs) {
  std::string text = "op,dtype,output,rule,smallest_uniform_error,elements,told_1_percent,told_10_percent\n";
  for (const SharpnessOutput& output : outputs)
    for (size_t r = 0; r < kRules.size(); ++r) {
      const Sharpness& rule = output.rules[r];
      const std::string smallest = rule.finest() < 0 ? "" : fmt::format("{}", std::ldexp(1.0, -rule.finest()));
      text += fmt::format("{},{},{},{},{},{}", output.op, name(output.dtype), output.name, name(kRules[r]), smallest,
                          rule.elements(0));
      for (size_t step = 0; step < Sharpness::kSteps.size(); ++step)
        text += rule.elements(step) == 0 ? "," : fmt::format(",{:.6g}", rule.told(step));
      text += '\n';
    }
  return text;
}

Result<int> run_ranges(const SharpnessArguments& arguments, const Suite& suite) {
  if (std::ranges::any_of(arguments.select, is_case_line))
    return fail("--ranges is about the cases of an op, and a case line was given", "name its op instead");
  std::vector<OpRanges> ranges;
  for (const Contract* op : ASSAY_TRY(ops_that_match(patterns_of(arguments))))
    if (!interrupted_flag())
      ranges.push_back(ranges_of(*op, suite.counts_of(op->name), arguments.seed, arguments.cases));
  say("{}", range_table(ranges));
  if (!arguments.markdown.empty()) ASSAY_TRY(write_file(arguments.markdown, range_page(ranges, arguments)));
  return interrupted_flag() ? kExitInconclusive : kExitPass;
}

Result<int> run_sharpness(const SharpnessArguments& arguments) {
  const std::string path = ASSAY_TRY(find_suite(arguments.suite));
  const Suite suite = ASSAY_TRY(read_suite(path));
  if (arguments.ranges) return run_ranges(arguments, suite);
  const auto outputs = ASSAY_TRY(measure(arguments, suite));
  print_table(outputs);
  if (!arguments.csv.empty()) ASSAY_TRY(write_file(arguments.csv, csv_text(outputs)));
  if (!arguments.markdown.empty()) ASSAY_TRY(write_file(arguments.markdown, sharpness_page(outputs, arguments)));
  return interrupted_flag() ? kExitInconclusive : kExitPass;
}

}  // namespace

std::vector<SharpnessOutput> sharpness_of(const Contract& op, const SuiteCounts& counts, uint64_t seed, int64_t cases) {
  std::vector<SharpnessOutput> outputs;
  const Variant variant = any_variant(op);
  const GenerateLimits limits{.elements_max = counts.elements_max, .flops_max = counts.flops_max};
  for (const DType dtype : op.dtypes)
    for (int64_t i = 0; i < cases && !interrupted_flag(); ++i)
      add_case(op, generate_case(op, variant, dtype, seed, i, limits), outputs);
  return outputs;
}

Command sharpness_command() {
  return command_of<SharpnessArguments>(
      "sharpness",
      [](CLI::App& command, SharpnessArguments& arguments) {
        command.add_option("select", arguments.select);
        command.add_option("--cases", arguments.cases)->check(CLI::Range(int64_t{1}, kCasesMax));
        command.add_option("--seed", arguments.seed)->check(kSeed);
        command.add_option("--suite", arguments.suite);
        command.add_option("--csv", arguments.csv);
        command.add_option("--markdown", arguments.markdown);
        command.add_flag("--ranges", arguments.ranges);
      },
      [](const SharpnessArguments& arguments, const std::vector<std::string>&) { return run_sharpness(arguments); });
}

}  // namespace assay
