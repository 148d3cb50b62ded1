// A preprocessor's conditionals with three values: yes, no, and not known here.
#include "harness/adapter/known_branches.h"

#include <algorithm>
#include <map>

#include "harness/adapter/cuda_text.h"

namespace assay {
namespace {

enum class Truth { no, unknown, yes };

Truth negated(Truth a) { return a == Truth::unknown ? a : a == Truth::yes ? Truth::no : Truth::yes; }

using Macros = std::map<std::string, Truth, std::less<>>;  // whether names are defined

Truth is_defined(const Macros& macros, std::string_view name) {
  const auto known = macros.find(name);
  if (known != macros.end()) return known->second;
  return name.starts_with('_') || name.starts_with("CU") ? Truth::unknown : Truth::no;
}

// defined(A) && !(B || 1), of the tokens of a line from `at` on; what is none of this is unknown.
class Condition {
 public:
  Condition(const std::vector<Token>& tokens, size_t at, const Macros& macros)
      : tokens_(tokens), at_(at), macros_(macros) {}

  Truth value() {
    const Truth all = any();
    return at_ == tokens_.size() ? all : Truth::unknown;
  }

 private:
  bool take(std::string_view text) {
    if (at_ == tokens_.size() || tokens_[at_].text != text) return false;
    ++at_;
    return true;
  }
  bool take_twice(std::string_view text) {  // && and || are two tokens or one
    if (take(std::string(text) + std::string(text))) return true;
    if (at_ + 1 >= tokens_.size() || tokens_[at_].text != text || tokens_[at_ + 1].text != text) return false;
    at_ += 2;
    return true;
  }
  Truth any() {
    Truth value = every();
    while (take_twice("|")) value = std::max(value, every());
    return value;
  }
  Truth every() {
    Truth value = one();
    while (take_twice("&")) value = std::min(value, one());
    return value;
  }
  Truth one() {
    bool negates = false;
    while (take("!")) negates = !negates;
    return negates ? negated(operand()) : operand();
  }
  Truth operand() {
    if (depth_ < kDepthMax && take("(")) {
      ++depth_;
      const Truth inner = any();
      --depth_;
      return take(")") ? inner : Truth::unknown;
    }
    if (take("0")) return Truth::no;
    if (take("1")) return Truth::yes;
    if (!take("defined")) {
      if (at_ < tokens_.size()) ++at_;  // a condition that goes on in the next line, or is no condition, ends early
      return Truth::unknown;
    }
    const bool bracket = take("(");
    if (at_ == tokens_.size()) return Truth::unknown;
    const Truth value = is_defined(macros_, tokens_[at_++].text);
    return bracket && !take(")") ? Truth::unknown : value;
  }

  static constexpr int kDepthMax = 100;  // of brackets; what is deeper is unknown

  const std::vector<Token>& tokens_;
  size_t at_;
  const Macros& macros_;
  int depth_ = 0;
};

// A conditional that is open: whether what is around it is compiled, a branch before was, and this one is.
struct Open {
  Truth around, before, now;
};

class BranchReader {
 public:
  explicit BranchReader(const std::vector<std::string>& define) {
    for (const std::string& each : define) macros_[each.substr(0, each.find('='))] = Truth::yes;
  }

  Truth compiled() const { return open_.empty() ? Truth::yes : std::min(open_.back().around, open_.back().now); }

  void read(const std::vector<Token>& line) {  // that begins with #
    const std::string_view directive = line.size() > 1 ? line[1].text : std::string_view();
    const std::string_view name = line.size() > 2 ? line[2].text : std::string_view();
    if (directive == "if") begin(Condition(line, 2, macros_).value());
    if (directive == "ifdef") begin(is_defined(macros_, name));
    if (directive == "ifndef") begin(negated(is_defined(macros_, name)));
    if (directive == "elif") next(Condition(line, 2, macros_).value());
    if (directive == "else") next(Truth::yes);
    if (directive == "endif" && !open_.empty()) open_.pop_back();
    if ((directive == "define" || directive == "undef") && compiled() != Truth::no) {
      const Truth after = directive == "define" ? Truth::yes : Truth::no;
      macros_[std::string(name)] = compiled() == Truth::yes ? after : Truth::unknown;
    }
  }

 private:
  void begin(Truth condition) { open_.push_back({compiled(), condition, condition}); }
  void next(Truth condition) {
    if (open_.empty()) return;
    Open& last = open_.back();
    last.now = std::min(condition, negated(last.before));
    last.before = std::max(last.before, condition);
  }

  Macros macros_;
  std::vector<Open> open_;
};

}  // namespace

std::string with_known_branches(std::string_view code, const std::vector<std::string>& define) {
  std::string read;
  BranchReader reader(define);
  while (!code.empty()) {
    const size_t end = std::min(code.find('\n'), code.size() - 1) + 1;
    const std::string_view line = code.substr(0, end);
    const std::vector<Token> tokens = tokens_of(line);
    const bool is_directive = !tokens.empty() && tokens.front().text == "#";
    if (is_directive) reader.read(tokens);
    const size_t kept = read.size();
    read += line;
    if (!is_directive && reader.compiled() == Truth::no)
      std::replace_if(
          read.begin() + static_cast<std::ptrdiff_t>(kept), read.end(), [](char c) { return c != '\n'; }, ' ');
    code.remove_prefix(end);
  }
  return read;
}

}  // namespace assay
