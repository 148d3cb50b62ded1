// Comparisons of what case lines say with numbers, words and each other.
#include "harness/report/comparisons.h"

#include <fmt/format.h>

#include <algorithm>
#include <charconv>
#include <functional>
#include <optional>
#include <set>

namespace assay {
namespace {

using Cases = std::vector<bool>;

std::optional<int64_t> whole_number(const std::string& text) {
  int64_t value = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), value);
  return error == std::errc{} && end == text.data() + text.size() ? std::optional(value) : std::nullopt;
}

bool is_real(const std::string& text) {
  double value = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), value);
  return error == std::errc{} && end == text.data() + text.size();
}

// Something that every case line says.
struct Word {
  std::string name;
  std::vector<std::string> texts;
  std::vector<int64_t> numbers = {};  // where all texts are whole numbers
  std::string adapter = {};           // see Comparison
};

void add_word(std::vector<Word>& words, Word word) {
  for (const std::string& text : word.texts)
    if (const auto number = whole_number(text)) word.numbers.push_back(*number);
  if (word.numbers.size() < word.texts.size()) word.numbers.clear();
  words.push_back(std::move(word));
}

std::vector<Word> words_of(const std::vector<Case>& cases) {
  std::vector<Word> words;
  const auto add = [&](const std::string& name, auto text, const std::string& adapter = "") {
    Word word{name, {}, {}, adapter};
    for (const Case& c : cases) word.texts.push_back(text(c));
    add_word(words, std::move(word));
  };
  for (const Param& param : cases.front().params)
    if (std::all_of(cases.begin(), cases.end(), [&](const Case& c) { return c.find(param.name()) != nullptr; }))
      add(param.name(), [&](const Case& c) { return c.text(param.name()); });
  if (std::all_of(cases.begin(), cases.end(), [](const Case& c) { return c.block.has_value(); }))
    add("block", [](const Case& c) { return std::to_string(*c.block); });
  add("dtype", [](const Case& c) { return std::string(name(c.dtype)); });
  add("fill", [](const Case& c) { return c.fill; });
  add(
      "grid", [](const Case& c) { return std::to_string(c.grid.value_or(0)); }, "any_grid = false");
  add(
      "offset", [](const Case& c) { return std::to_string(c.offset ? c.offset->elements : 0); }, "aligned = 16");
  return words;
}

// The number from `low` to `high` that is a multiple of the largest power of two: a limit in a kernel is rather that
// than the next size that happened to be tried.
int64_t roundest(int64_t low, int64_t high) {
  for (int64_t step = int64_t{1} << 40; step > 1; step /= 2) {
    const int64_t multiple = high / step * step;
    if (multiple >= low && multiple > 0) return multiple;
  }
  return low;
}

bool is_power_of_two(int64_t x) { return (x & (x - 1)) == 0; }

constexpr size_t kEqualMax = 16;  // of a word with more values no single one is named

class Making {
 public:
  Making(const std::vector<Case>& cases, size_t failing) : count_(cases.size()), failing_(failing) {
    const std::vector<Word> words = words_of(cases);
    for (const Word& word : words) {
      add_equal(word);
      if (word.numbers.size() == count_) add_numbers(word);
    }
    for (const Word& x : words)
      for (const Word& y : words)
        if (&x != &y && !x.numbers.empty() && !y.numbers.empty() && x.adapter.empty() && y.adapter.empty())
          add_both(x, y);
  }

  Comparisons simplest() && {
    std::stable_sort(all_.begin(), all_.end(), [](auto& a, auto& b) { return a.cost < b.cost; });
    std::set<Cases> known;
    std::erase_if(all_, [&](const Comparison& each) { return !known.insert(each.met).second; });
    return {std::move(all_), tried_};
  }

 private:
  void add(int cost, const Word& word, const std::string& is, const std::string& is_not,
           const std::function<bool(size_t)>& met) {
    Cases yes(count_), no(count_);
    for (size_t i = 0; i < count_; ++i) yes[i] = met(i), no[i] = !yes[i];
    tried_ += 2;
    all_.push_back({is, is_not, cost, std::move(yes), word.adapter});
    all_.push_back({is_not, is, cost, std::move(no), word.adapter});
  }

  void add_equal(const Word& word) {
    const std::set<std::string> values(word.texts.begin(), word.texts.end());
    if (values.size() > kEqualMax) return;
    const bool reals = std::all_of(values.begin(), values.end(), is_real);
    const auto is = [&](const char* equals, const std::string& value) {
      return fmt::format(fmt::runtime(reals ? "{} {} {}" : "{} {} \"{}\""), word.name, equals, value);
    };
    for (const std::string& value : values) {
      const std::string& other = value == *values.begin() ? *values.rbegin() : *values.begin();
      add(0, word, is("==", value), values.size() == 2 ? is("==", other) : is("!=", value),
          [&](size_t i) { return word.texts[i] == value; });
    }
  }

  void add_numbers(const Word& word) {
    const std::string& x = word.name;
    const auto& n = word.numbers;
    for (const int64_t k : {2, 4, 8, 16, 32, 64, 128})
      add(1, word, fmt::format("{} % {} == 0", x, k), fmt::format("{} % {} != 0", x, k),
          [&](size_t i) { return n[i] % k == 0; });
    add(1, word, fmt::format("({0} & ({0} - 1)) == 0", x), fmt::format("({0} & ({0} - 1)) != 0", x),
        [&](size_t i) { return is_power_of_two(n[i]); });
    // A limit that fits lies where the failing cases end, or the passing ones.
    const std::set<int64_t> values(n.begin(), n.end());
    const auto passing = n.begin() + static_cast<std::ptrdiff_t>(failing_);
    const auto [fail_min, fail_max] = std::minmax_element(n.begin(), passing);
    const auto [pass_min, pass_max] = std::minmax_element(passing, n.end());
    for (auto at = values.begin(); std::next(at) != values.end(); ++at) {
      const int64_t below = *at, above = *std::next(at), limit = roundest(below, above - 1);
      if (above == *fail_min || below == *fail_max || above == *pass_min || below == *pass_max)
        add(2, word, fmt::format("{} > {}", x, limit), fmt::format("{} <= {}", x, limit),
            [&](size_t i) { return n[i] > limit; });
      else
        tried_ += 2;
    }
  }

  void add_both(const Word& x, const Word& y) {
    const auto& a = x.numbers;
    const auto& b = y.numbers;
    if (std::all_of(b.begin(), b.end(), [](int64_t n) { return n > 0; }))  // `requires` would divide by zero
      add(3, x, fmt::format("{} % {} == 0", x.name, y.name), fmt::format("{} % {} != 0", x.name, y.name),
          [&](size_t i) { return a[i] % b[i] == 0; });
    add(3, x, fmt::format("{} > {}", x.name, y.name), fmt::format("{} <= {}", x.name, y.name),
        [&](size_t i) { return a[i] > b[i]; });
    if (x.name < y.name)
      add(3, x, fmt::format("{} == {}", x.name, y.name), fmt::format("{} != {}", x.name, y.name),
          [&](size_t i) { return a[i] == b[i]; });
  }

  size_t count_, failing_;
  double tried_ = 0;
  std::vector<Comparison> all_;
};

}  // namespace

Comparisons comparisons(const std::vector<Case>& cases, size_t failing) { return Making(cases, failing).simplest(); }

}  // namespace assay
