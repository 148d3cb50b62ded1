// Writes the page: the table, and below it where torch tells more than the budget.
#include "harness/cli/sharpness_page.h"

#include <fmt/format.h>

#include <algorithm>
#include <utility>

namespace assay {
namespace {

// Rows in which one rule tells fewer of the elements that are off alone than another does.
size_t rows_behind(const std::vector<SharpnessOutput>& outputs, size_t rule, size_t ahead, size_t step) {
  return static_cast<size_t>(std::ranges::count_if(outputs, [&](const SharpnessOutput& output) {
    return output.rules[rule].told(step) < output.rules[ahead].told(step);
  }));
}

constexpr const char* kHead = R"(# How small an error is found

Written by `{}`: a row for each op, dtype and output.
From {} random cases each, as the suite `{}` has them under seed {}. No kernel runs: the figures follow from the
expected values. `assay sharpness --help` says what the columns mean; `assay` is the error budget, the others are the
tolerances of torch, of flash-attention's tests and of KernelBench.

Outputs in which the budget finds fewer elements than another rule, of {}:

| one element off by | than torch | than 2x | than 1e-2 |
|---|---|---|---|
| 1 % | {} | {} | {} |
| 10 % | {} | {} | {} |

A rule that is ahead there is no better judge: honest kernels may be off by more than it allows, as the end of this page
says row by row. Elements that plain f32 arithmetic has wrong by as much are in no row: their right value is rounding noise.
Integer outputs, such as codes of quantised blocks, are exact and have no row.

| op | dtype | output | smallest uniform error: assay | torch | 2x | 1e-2 | 1 % off, % found: assay | torch | 2x | 1e-2 | 10 % off: assay | torch | 2x | 1e-2 |
|---|---|---|---|---|---|---|---|---|---|---|---|---|---|---|
)";

constexpr const char* kWhereTorchTellsMore = R"(
## Where torch's tolerance tells more

The elements that it tells and the budget does not, by the fill of their cases, in the rows where it tells more. What these
fills have in common is that honest algebra errs there by much more than rounding the result does:

- A row of equal elements (`all_equal`, `lowest_rows`, `row_of_each`, and any row of one element) has the variance 0, and
  Σx²/n - mean² in floating point is not 0: rstd of a kernel that computes it so is off by any factor.
- Scores as large as the dtype goes (`largest`, `lowest_rows`): exp2(fma(x, c, -m·c)) is off by the rounding of m·c.
- Gradients of softmax and of norms are differences of nearly equal sums (`cancelling`, `one_huge`, `ties`), and what is left of
  the sums' roundings is large beside a small difference. Rows of one value err in step instead of at random.
- Small integers (`integers`) are added without any rounding in f32; a kernel that multiplies by a reciprocal is right too.

| op | dtype | output | off by | found by torch alone: fill of the case, elements |
|---|---|---|---|---|
)";

std::string where_torch_tells_more(const std::vector<SharpnessOutput>& outputs) {
  std::string text;
  for (const SharpnessOutput& output : outputs)
    for (size_t step = 0; step < Sharpness::kSteps.size(); ++step) {
      if (!(output.rules[0].told(step) < output.rules[1].told(step))) continue;
      std::vector<std::pair<int64_t, std::string>> fills;
      for (const auto& [fill, elements] : output.torch_alone[step]) fills.emplace_back(-elements, fill);
      std::ranges::sort(fills);
      std::vector<std::string> words;
      for (const auto& [elements, fill] : fills) words.push_back(fmt::format("{} {}", fill, -elements));
      text += fmt::format("| {} | {} | {} | {:g} % | {} |\n", output.op, name(output.dtype), output.name,
                          100 * Sharpness::kSteps[step], fmt::join(words, ", "));
    }
  return text.empty() ? text : kWhereTorchTellsMore + text;
}

}  // namespace

std::string power_text(const Sharpness& rule) {
  return rule.finest() < 0 ? "none" : fmt::format("2^-{}", rule.finest());
}

std::string percent_text(const Sharpness& rule, size_t step) {
  return rule.elements(step) == 0 ? "-" : fmt::format("{:.1f}", 100 * rule.told(step));
}

std::string sharpness_page(const std::vector<SharpnessOutput>& outputs, const SharpnessArguments& arguments) {
  std::string command = "assay sharpness";
  for (const std::string& word : arguments.select) command += " '" + word + "'";
  const auto behind = [&](size_t ahead, size_t step) { return rows_behind(outputs, 0, ahead, step); };
  std::string text =
      fmt::format(kHead, command + " --markdown FILE", arguments.cases, arguments.suite, arguments.seed, outputs.size(),
                  behind(1, 0), behind(2, 0), behind(3, 0), behind(1, 1), behind(2, 1), behind(3, 1));
  for (const SharpnessOutput& output : outputs) {
    text += fmt::format("| {} | {} | {} |", output.op, name(output.dtype), output.name);
    for (const Sharpness& rule : output.rules) text += fmt::format(" {} |", power_text(rule));
    for (size_t step = 0; step < Sharpness::kSteps.size(); ++step)
      for (const Sharpness& rule : output.rules) text += fmt::format(" {} |", percent_text(rule, step));
    text += '\n';
  }
  return text + where_torch_tells_more(outputs);
}

}  // namespace assay
