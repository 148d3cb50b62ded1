// Splitting tokens into declarations: where they end, then what they are called.
#include "harness/adapter/slice/declarations.h"

#include <algorithm>
#include <array>

#include "harness/adapter/cuda_text.h"
#include "harness/adapter/slice/declared_names.h"

namespace assay {
namespace {

using Tokens = std::vector<Token>;

bool balanced(const Tokens& tokens) {
  std::string open;
  for (const Token& token : tokens) {
    const char c = token.text.size() == 1 ? token.text[0] : ' ';
    if (c == '(' || c == '[' || c == '{') open += c;
    if (c != ')' && c != ']' && c != '}') continue;
    if (open.empty() || open.back() != (c == ')' ? '(' : c == ']' ? '[' : '{')) return false;
    open.pop_back();
  }
  return open.empty();
}

class Splitter {
 public:
  Splitter(std::string_view code, const Macros& macros) : tokens_(tokens_of(code)), macros_(macros) {}

  std::vector<Declaration> split() {
    if (!balanced(tokens_)) return {};
    while (at_ < tokens_.size()) {
      if (is(at_, ";") || is(at_, "}"))
        ++at_;
      else if (const size_t inside = past_opening(); inside > 0)
        at_ = inside;
      else
        declaration();
    }
    return std::move(all_);
  }

 private:
  bool is(size_t i, std::string_view text) const { return token_is(tokens_, i, text); }
  size_t past(size_t open) const { return std::min(closing(tokens_, open), tokens_.size() - 1) + 1; }

  // Past `namespace a::b {`, `extern "C" {` or a macro that opens or closes such a scope; 0 for anything else.
  size_t past_opening() const {
    size_t i = at_ + (is(at_, "inline") ? 1 : 0);
    if (is(i, "namespace")) {
      for (++i; i < tokens_.size() && (tokens_[i].is_word() || is(i, "::")); ++i) {
      }
      return is(i, "{") ? i + 1 : 0;
    }
    if (is(at_, "extern") && at_ + 1 < tokens_.size() && tokens_[at_ + 1].text.front() == '"' && is(at_ + 2, "{"))
      return at_ + 3;
    const auto& definitions = macros_.find(tokens_[at_].text);
    const auto opens = [](const Macro& macro) { return !balanced(tokens_of(macro.body)); };
    if (std::none_of(definitions.begin(), definitions.end(), opens)) return 0;
    return is(at_ + 1, "(") ? past(at_ + 1) : at_ + 1;
  }

  // Whether the parenthesis that closes at `close` ends a macro that writes declarations of its own: DEFINE(float), or
  // one of a header that is not here, alone on its line.
  bool ends_macro_call(size_t close) const {
    if (!is(at_ + 1, "(") || closing(tokens_, at_ + 1) != close || !tokens_[at_].is_word()) return false;
    const std::string_view name = tokens_[at_].text;
    if (is_annotation_word(name) || name == "static_assert") return false;
    const auto& definitions = macros_.find(name);
    if (!definitions.empty())
      return std::any_of(definitions.begin(), definitions.end(),
                         [](const Macro& m) { return m.writes_declarations(); }) &&
             !is(close + 1, "{") && !is(close + 1, ";");
    if (close + 1 == tokens_.size()) return true;
    const Token& next = tokens_[close + 1];
    return next.line > tokens_[close].line && (next.is_word() || next.text == "[" || next.text == "}");
  }

  void declaration() {
    Head head{.begin = at_};
    size_t i = at_;
    while (is(i, "template") && is(i + 1, "<")) i = past_template_head(tokens_, i + 1);
    head.first = i;
    bool is_type = false, has_value = false, is_macro_call = false;
    size_t end = 0;  // one past its last token
    for (; i < tokens_.size() && end == 0; ++i) {
      const std::string_view text = tokens_[i].text;
      if (text == ";") {
        end = i + 1;
      } else if (text == "}") {
        end = i;
        break;
      } else if (is_class_key(text) && head.group == 0) {
        if (!is_type) head.class_key = i;
        is_type = true;
      } else if (text == "=" && !is(i - 1, "operator")) {
        if (head.body == 0) head.body = i;
        has_value = true;
      } else if (text == "operator") {
        head.is_operator = true;
        if (is(i + 1, "(") && is(i + 2, ")")) i += 2;
      } else if (text == "(") {
        if (head.group == 0 && !has_value && !annotates(i, is_type)) {
          head.group = i;
          is_type = false;
        }
        i = past(i) - 1;
        if (ends_macro_call(i)) {
          is_macro_call = true;
          end = i + 1;
        }
      } else if (text == "[" ||
                 (text == "<" && i > 0 && tokens_[i - 1].is_word() && closing(tokens_, i) < tokens_.size())) {
        i = past(i) - 1;
      } else if (text == "{") {
        if (head.body == 0) head.body = i;
        i = past(i) - 1;
        const bool goes_on = has_value || is_type || is(i + 1, ",") || is(i + 1, "{") || is(i + 1, ";");
        if (!goes_on) end = i + 1;
      }
    }
    if (end == 0 || end > tokens_.size()) end = std::min(i, tokens_.size());
    head.end = std::max(end, at_ + 1);
    keep(head, is_macro_call);
    at_ = head.end;
  }

  // Whether the parenthesis belongs to an annotation, not to the declared function: __launch_bounds__(256) void f().
  bool annotates(size_t open, bool is_type) const {
    if (open == 0 || !tokens_[open - 1].is_word()) return false;
    if (is_annotation_word(tokens_[open - 1].text)) return true;
    const size_t next = past(open);
    constexpr std::array<std::string_view, 8> kTrailing = {"const",    "noexcept", "override", "final",
                                                           "volatile", "requires", "try",      "__attribute__"};
    return next < tokens_.size() && tokens_[next].is_word() && !(is_type && is(next, "{")) &&
           std::find(kTrailing.begin(), kTrailing.end(), tokens_[next].text) == kTrailing.end();
  }

  void keep(const Head& head, bool is_macro_call) {
    const Token& last = tokens_[head.end - 1];
    Declaration d;
    d.begin = tokens_[head.begin].at;
    d.end = last.at + last.text.size();
    d.signature_end = head.body > 0 ? tokens_[head.body].at : d.end;
    for (size_t i = head.begin; i < std::min(head.end, head.body > 0 ? head.body : head.end); ++i)
      d.is_kernel = d.is_kernel || is(i, "__global__");
    if (is_macro_call) {
      add_names_of_macro_call(head, d);
    } else if (is(head.first, "static_assert") || head.is_operator) {
      d.has_no_name = true;
    } else if (is(head.first, "using") && is(head.first + 1, "namespace")) {
      d.stays = true;
    } else {
      d.names = declared_names(tokens_, head, macros_);
      d.stays = d.names.empty();
    }
    all_.push_back(std::move(d));
  }

  void add_names_of_macro_call(const Head& head, Declaration& d) const {
    const std::string written = macros_.expanded(spelled({tokens_.begin() + static_cast<std::ptrdiff_t>(head.begin),
                                                          tokens_.begin() + static_cast<std::ptrdiff_t>(head.end)}));
    if (macros_.find(tokens_[head.begin].text).empty()) return;
    for (const Declaration& inner : Splitter(written, Macros()).split()) {
      d.names.insert(d.names.end(), inner.names.begin(), inner.names.end());
      d.is_kernel = d.is_kernel || inner.is_kernel;
    }
  }

  Tokens tokens_;
  const Macros& macros_;
  size_t at_ = 0;
  std::vector<Declaration> all_;
};

}  // namespace

std::vector<Declaration> declarations_of(std::string_view code, const Macros& macros) {
  // Brackets that #else opens a second time balance only in one branch.
  for (const Branches branches : {Branches::all, Branches::first}) {
    const std::string read = without_directives(std::string(code), branches);
    if (auto all = Splitter(read, macros).split(); !all.empty()) return all;
  }
  return {};
}

}  // namespace assay
