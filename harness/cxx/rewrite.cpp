// Finding launches and qualifiers among the tokens, and changing the text there.
#include "harness/cxx/rewrite.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <vector>

#include "harness/adapter/read/cuda_text.h"
#include "harness/adapter/read/launch_syntax.h"
#include "harness/cxx/declaration.h"
#include "harness/cxx/inline_ptx.h"
#include "harness/cxx/marked_text.h"

namespace assay::cxx {
namespace {

constexpr const char* kOtherWay = "build the program with nvcc, and run it with `assay run` as well";

// The calls of the runtime that kernels may make, which are others there (include/kernels.h).
bool is_call_of_kernels(std::string_view name) {
  return is_one_of(name, {"cudaMalloc", "cudaFree", "cudaMemcpyAsync", "cudaStreamCreateWithFlags", "cudaStreamDestroy",
                          "cudaGetLastError", "cudaPeekAtLastError", "cudaGetErrorString", "cudaGraphSetConditional"});
}

class Rewriting {
 public:
  Rewriting(std::string_view text, std::string code, Side side, bool is_relocatable)
      : text_(text),
        code_(std::move(code)),
        tokens_(tokens_of(code_)),
        side_(side),
        is_relocatable_(is_relocatable),
        opens_(tokens_.size(), kNone) {
    for (size_t i = 0; i < tokens_.size(); ++i)
      if (tokens_[i].to_close != 0) opens_[i + tokens_[i].to_close] = i;
  }

  Result<Rewritten> done() {
    for (size_t i = 0; i < tokens_.size(); ++i) {
      const std::string_view word = tokens_[i].text;
      if (word == "<" && is_launch(i)) ASSAY_TRY(launch(i));
      if (word == "thread_local" && is("alignas", i + 1) && is("(", i + 2)) put_alignment_first(i);
      if (!is_one_of(word, {"__global__", "__device__", "__constant__", "__managed__", "__host__"})) continue;
      change(tokens_[i].at, tokens_[i].at + word.size(), "");
      if (word == "__global__") ASSAY_TRY(kernel(i));
      if (is_one_of(word, {"__device__", "__constant__", "__managed__"})) ASSAY_TRY(of_device(i));
    }
    if (side_ == Side::device)
      for (const Body& body : bodies_) change_body(body);
    if (!inline_ptx_.empty()) put_inline_ptx();
    result_.text = changed();
    return result_;
  }

 private:
  static constexpr size_t kNone = ~size_t{0};
  struct Change {
    size_t begin, end;
    std::string text;
  };
  struct Body {
    size_t begin, end;  // tokens of a function of the device
    bool is_the_hosts_too = false;
  };

  void change(size_t begin, size_t end, std::string text) { changes_.push_back({begin, end, std::move(text)}); }
  std::string_view between(size_t begin, size_t end) const { return text_.substr(begin, end - begin); }
  bool is(std::string_view text, size_t i) const { return token_is(tokens_, i, text); }
  tl::unexpected<Error> refused(size_t i, const std::string& what) const {
    return fail(fmt::format("{}: {}", place_of(text_, tokens_[i].at), what), kOtherWay);
  }

  // The change that begins first comes first; one that lies in a text that went is left out.
  std::string changed() {
    std::ranges::stable_sort(changes_, {}, &Change::begin);
    std::string text;
    size_t copied = 0;
    for (const Change& each : changes_) {
      if (each.begin < copied) continue;
      text += between(copied, each.begin);
      text += each.text;
      copied = each.end;
    }
    return text += text_.substr(copied);
  }

  bool three_in_a_row(size_t i, std::string_view text) const {
    return is(text, i) && is(text, i + 1) && is(text, i + 2) && tokens_[i + 2].at == tokens_[i].at + 2;
  }
  bool is_launch(size_t i) const { return i > 0 && three_in_a_row(i, "<"); }

  // The first token of what names the kernel: mine::scale<float>, table[i], this->kernel_, (a ? b : c), pick(n).
  size_t begin_of_callee(size_t open) const {
    size_t begin = open;
    while (begin > 0) {
      while (begin > 0 && is_one_of(tokens_[begin - 1].text, {")", "]", ">"}) && opens_[begin - 1] != kNone &&
             !(is(">", begin - 1) && is("-", begin - 2)))
        begin = opens_[begin - 1];
      if (begin > 0 && tokens_[begin - 1].is_word() &&
          !is_one_of(tokens_[begin - 1].text, {"return", "else", "do", "case", "throw", "co_return"}))
        --begin;
      if (begin > 1 && is("template", begin - 1)) --begin;
      if (begin > 0 && (is("::", begin - 1) || is(".", begin - 1))) {
        --begin;
      } else if (begin > 1 && is(">", begin - 1) && is("-", begin - 2)) {
        begin -= 2;
      } else {
        break;
      }
      if (begin == 0 || !(tokens_[begin - 1].is_word() || is_one_of(tokens_[begin - 1].text, {")", "]", ">"}))) break;
    }
    return begin;
  }

  // __shared__ alignas(16) int tile[4]: C++ has the alignment in front of all specifiers.
  void put_alignment_first(size_t qualifier) {
    const size_t close = closing(tokens_, qualifier + 2);
    if (close == tokens_.size()) return;
    size_t first = qualifier;
    while (first > 0 && is_one_of(tokens_[first - 1].text, {"static", "extern", "const", "volatile"})) --first;
    const size_t begin = tokens_[qualifier + 1].at, end = tokens_[close].at + 1;
    change(tokens_[first].at, tokens_[first].at, on_one_line(between(begin, end)) + " ");
    change(begin, end, emptied(between(begin, end)));
  }

  Result<void> launch(size_t open) {
    size_t end = open + 3;
    for (; end < tokens_.size() && !is(";", end); ++end) {
      if (is_one_of(tokens_[end].text, {"(", "{", "["})) end = std::min(closing(tokens_, end), tokens_.size() - 1);
      if (three_in_a_row(end, ">") && is("(", end + 3)) break;
    }
    const size_t close = three_in_a_row(end, ">") ? closing(tokens_, end + 3) : tokens_.size();
    if (close == tokens_.size()) return refused(open, "a launch without >>>(…) behind its <<<");
    const size_t from = tokens_[open].at, to = tokens_[end].at + 3;
    const std::string_view configuration = between(from + 3, tokens_[end].at);
    const size_t callee = tokens_[begin_of_callee(open)].at;
    const bool is_in_kernel = std::ranges::any_of(
        bodies_, [&](const Body& body) { return body.begin < open && open < body.end && !body.is_the_hosts_too; });
    if (is_in_kernel && side_ == Side::device) {
      change(callee, callee, "::assay::cxx::child(");
      change(from, to, fmt::format(", {}){}", on_one_line(configuration), emptied(configuration)));
      return {};
    }
    change(callee, callee, fmt::format("(::assay::cxx::configure({}), ", on_one_line(configuration)));
    change(from, to, emptied(configuration));
    change(tokens_[close].at + 1, tokens_[close].at + 1, ")");
    return {};
  }

  // In both texts its parameters have names; the host's passes them on, the device's says how it is started.
  Result<void> kernel(size_t at) {
    Declaration declaration = declaration_at(tokens_, at);
    if (declaration.kind != Declaration::Kind::function)
      return refused(at, "__global__ in front of what is no function");
    if (declaration.body == 0) return {};
    result_.has_kernels = true;
    std::vector<std::string> names, types;
    for (Parameter& parameter : declaration.parameters) {
      if (parameter.name.empty()) {
        parameter.name = fmt::format("assay_parameter{}", names.size());
        change(parameter.name_goes, parameter.name_goes, " " + parameter.name);
      }
      const char* const dots = parameter.is_pack ? "..." : "";
      names.push_back(parameter.name + dots);
      types.push_back(fmt::format("decltype({}){}", parameter.name, dots));
    }
    const size_t begin = tokens_[declaration.body].at + 1, end = tokens_[declaration.body_end].at;
    if (side_ == Side::host) {
      change(begin, end,
             fmt::format(" ::assay::cxx::launch({}); {}", fmt::join(names, ", "), emptied(between(begin, end))));
    } else {
      const std::string started = fmt::format("::assay::cxx::Started<{}>", fmt::join(types, ", "));
      change(begin, begin,
             fmt::format(" asm volatile(\"# assay kernel %c0 %c1 %c2\" : : \"i\"({0}::start), \"i\"({0}::kSizes), "
                         "\"i\"({0}::kCount)); ",
                         started));
    }
    bodies_.push_back({declaration.body, declaration.body_end});
    return {};
  }

  // The statement at token `at` becomes a call of a function (inline_ptx.h). Its operands stay as they stand there, so
  // that what is in them is changed as elsewhere: the token before those is the result.
  size_t inline_ptx(size_t at, size_t end) {
    size_t open = at + 1;
    while (open < end && !is("(", open)) ++open;
    const size_t close = std::min(closing(tokens_, open), end);
    PtxStatement statement;
    std::vector<std::pair<size_t, size_t>> values;  // the tokens of ( and ) around those that are parameters
    size_t section = 0;
    std::string literal;
    for (size_t i = open + 1; i < close; ++i) {
      if (is(":", i) || is("::", i)) {
        section += tokens_[i].text.size();
        literal.clear();
      } else if (tokens_[i].text.front() == '"') {
        const std::string part = unquoted(between(tokens_[i].at, tokens_[i].at + tokens_[i].text.size()));
        section == 0 ? statement.text += part : literal += part;
      } else if (is("(", i) && (section == 1 || section == 2)) {
        const size_t closed = closing(tokens_, i);
        const PtxOperand operand{literal, between(tokens_[i].at + 1, tokens_[closed].at)};
        (section == 1 ? statement.outputs : statement.inputs).push_back(operand);
        if (section == 1 || takes_value(operand)) values.emplace_back(i, closed);
        literal.clear();
        i = closed;
      }
    }
    const std::string place = place_of(text_, tokens_[at].at);
    const size_t colon = place.rfind(':');
    const int line = colon == std::string::npos ? 1 : std::stoi(place.substr(colon + 1));
    bool is_understood = false;
    const size_t number = inline_ptx_count_++;
    inline_ptx_ += inline_ptx_function(statement, number, place.substr(0, colon), line, is_understood);
    if (!is_understood) values.clear();
    size_t from = tokens_[at].at;
    const char* separator = "";
    std::string text = fmt::format("::assay::cxx::inline_ptx_{}(", number);
    for (const auto& [begins, ends] : values) {
      change(from, tokens_[begins].at, text + separator + emptied(between(from, tokens_[begins].at)));
      from = tokens_[ends].at + 1;
      text.clear();
      separator = ", ";
    }
    change(from, tokens_[close].at, text + emptied(between(from, tokens_[close].at)));
    return values.empty() ? close : open;
  }

  // Their functions go where the prelude says (include/program_prelude.h).
  void put_inline_ptx() {
    const size_t mark = text_.find("InlinePtxStandsHere");
    const size_t at = mark == std::string_view::npos ? 0 : text_.find('}', mark) + 1;
    change(at, at, inline_ptx_);
  }

  // threadIdx and its like, and clock(), are calls in functions of the device (include/built_in_variables.h).
  void change_body(const Body& body) {
    for (size_t i = body.begin; i < body.end; ++i) {
      if (is_one_of(tokens_[i].text, {"asm", "__asm__", "__asm"})) {
        i = inline_ptx(i, body.end);
        continue;
      }
      const bool is_call = is("(", i + 1) && !body.is_the_hosts_too;
      if (is_call && is_call_of_kernels(tokens_[i].text)) {
        change(tokens_[i].at, tokens_[i].at, "::assay::cxx::of_kernels::");
        continue;
      }
      const bool is_clock = is("clock", i) && is("(", i + 1) && is(")", i + 2);
      if (!is_clock && !is_one_of(tokens_[i].text, {"threadIdx", "blockIdx", "blockDim", "gridDim"})) continue;
      const bool is_member = is(".", i - 1) || is("::", i - 1) || (is(">", i - 1) && is("-", i - 2));
      const bool is_declared =
          tokens_[i - 1].is_word() && !is_one_of(tokens_[i - 1].text, {"return", "else", "do", "case", "sizeof"});
      if (!is_member && !is_declared)
        change(tokens_[i].at, tokens_[i].at + tokens_[i].text.size(),
               is_clock ? "::assay::cxx::built_in_clock" : fmt::format("::assay::cxx::built_in({})", tokens_[i].text));
    }
  }

  Result<void> of_device(size_t at) {
    for (size_t i = at; i > 0 && tokens_[i - 1].is_word(); --i)  // the first qualifier of a declaration speaks for it
      if (is_one_of(tokens_[i - 1].text, {"__device__", "__constant__", "__managed__"})) return {};
    const Declaration declaration = declaration_at(tokens_, at);
    result_.has_device_code = true;
    if (declaration.kind == Declaration::Kind::variables) return variables(at, declaration);
    if (declaration.body == 0) return {};
    const bool is_the_hosts_too = declaration.has("__host__") || declaration.kind == Declaration::Kind::lambda;
    bodies_.push_back({declaration.body, declaration.body_end, is_the_hosts_too});
    if (is_the_hosts_too) return {};
    const bool is_inline = declaration.has("inline") || declaration.has("__inline__") || declaration.has("__inline") ||
                           declaration.has("constexpr") || declaration.has("consteval");
    // Nobody calls it on the host: as an inline function it leaves nothing there.
    const size_t behind = tokens_[at].at + tokens_[at].text.size();
    if (side_ == Side::host && !is_inline) change(behind, behind, " inline");
    return {};
  }

  Result<void> variables(size_t at, const Declaration& declaration) {
    bool is_known = false;  // declared before, or a class's
    for (const Token& name : declaration.variables) {
      is_known = is_known || declared_.contains(std::string(name.text)) || (name.at > 1 && text_[name.at - 1] == ':');
      declared_.emplace(name.text);
    }
    const bool has_linkage = declaration.has("static") || declaration.has("extern") || declaration.has("inline") ||
                             declaration.has("template");
    const size_t behind_qualifier = tokens_[at].at + tokens_[at].text.size();
    if (!is_relocatable_ && !is_known && !has_linkage) change(behind_qualifier, behind_qualifier, " static");
    if (!declaration.has("__managed__")) {
      for (const Token& name : declaration.variables) result_.variables.emplace(name.text);
      return {};
    }
    if (declaration.variables.size() != 1) return refused(at, "several __managed__ variables in one declaration");
    const Token& name = declaration.variables[0];
    const std::string own = fmt::format("assay_managed_{}", name.text);
    result_.variables.insert(own);
    change(name.at, name.at + name.text.size(), own);
    const size_t behind = tokens_[declaration.end].at + 1;
    change(behind, behind,
           side_ == Side::host ? fmt::format(" static auto& {} = ::assay::cxx::managed({});", name.text, own)
                               : fmt::format(" static auto& {} = {};", name.text, own));
    return {};
  }

  std::string_view text_;
  std::string code_;
  std::vector<Token> tokens_;
  Side side_;
  bool is_relocatable_;
  std::vector<size_t> opens_;  // by the token that closes a bracket, the one that opens it
  std::vector<Change> changes_;
  std::vector<Body> bodies_;
  std::string inline_ptx_;  // the functions
  size_t inline_ptx_count_ = 0;
  std::set<std::string> declared_;  // variables of the device so far
  Rewritten result_;
};

}  // namespace

Result<Rewritten> rewritten(std::string_view preprocessed, Side side, bool is_relocatable) {
  const std::string joined = with_joined_brackets(std::string(preprocessed));
  std::string code = ASSAY_TRY(without_comments(joined));
  return Rewriting(joined, without_directives(std::move(code)), side, is_relocatable).done();
}

}  // namespace assay::cxx
