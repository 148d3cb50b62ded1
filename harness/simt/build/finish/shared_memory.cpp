// Reading the definitions of thread-locals, and rewriting what refers to them.
#include "harness/simt/build/finish/shared_memory.h"

#include <algorithm>
#include <array>
#include <utility>

#include "harness/simt/build/finish/symbols.h"
#include "harness/simt/include/simt/limits.h"

namespace assay::simt::finish {
namespace {

constexpr std::string_view kDynamic = "assay_simt_dynamic_shared";

std::string quoted(const Line& line) { return "'" + std::string(line.text) + "'"; }

void replace_all(std::string& text, std::string_view what, std::string_view by) {
  for (size_t at = text.find(what); at != std::string::npos; at = text.find(what, at + by.size()))
    text.replace(at, what.size(), by);
}

// The symbol that ends at `end`.
std::string_view symbol_before(std::string_view text, size_t end) {
  size_t begin = end;
  while (begin > 0 && is_symbol_character(text[begin - 1])) --begin;
  return text.substr(begin, end - begin);
}

class Rewriter {
 public:
  explicit Rewriter(Assembly& assembly) : assembly_(assembly) {}

  SharedMemory run() {
    for (Line& line : assembly_.lines)
      if (line.thread_local_section) define(line);
    for (Line& line : assembly_.lines) {
      if (!result_.error.empty()) break;
      if (line.is_instruction()) rewrite(line);
      if (line.is_directive() && !line.thread_local_section) rewrite_data(line);
    }
    return std::move(result_);
  }

 private:
  void refuse(const Line& line, const std::string& why) {
    if (result_.error.empty()) result_.error = why + ": " + quoted(line);
  }

  // The unit that a directive of a section of zeros defines: single zeros, or for .zero so many bytes.
  static uint64_t bytes_of_unit(std::string_view directive) {
    return directive == ".zero" || directive == ".byte"                              ? 1
           : directive == ".short" || directive == ".value" || directive == ".hword" ? 2
           : directive == ".long" || directive == ".word" || directive == ".4byte"   ? 4
           : directive == ".quad" || directive == ".xword" || directive == ".8byte"  ? 8
                                                                                     : 0;
  }

  // Compilers write what concerns the whole file wherever they stand.
  static bool says_nothing_of_the_section(std::string_view directive) {
    return states_visibility(directive) || directive == ".set" || directive == ".weakref" || directive == ".ident" ||
           directive == ".file" || directive == ".loc" || directive == ".local" || directive == ".comm" ||
           directive.starts_with(".addrsig") || directive.starts_with(".cfi_");
  }

  // A section of zeros vanishes, definitions_of() makes another; of one with values only the name changes.
  void define(Line& line) {
    if (line.section.starts_with(".tdata")) {
      if (!line.label.empty()) initialised_.insert(line.label);
      if (line.operation == ".section") assembly_.replace(line, "\t.section\t.data");
      return;
    }
    if (says_nothing_of_the_section(line.operation)) return;
    line.dropped = true;
    if (!line.label.empty()) {
      places_.emplace(line.label, result_.arrays.size());
      result_.arrays.push_back({line.label, 0, std::exchange(alignment_, 1), line.label.starts_with("_ZGV")});
    }
    const std::string_view operation = line.operation;
    const auto number = number_in(operands_of(line.operands)[0]);
    const uint64_t unit = bytes_of_unit(operation);
    if (unit != 0 && number && !result_.arrays.empty() && (operation == ".zero" || *number == 0)) {
      result_.arrays.back().bytes += operation == ".zero" ? *number : unit;
    } else if ((operation == ".align" || operation == ".balign") && number) {
      alignment_ = std::max(alignment_, *number);
    } else if (operation == ".p2align" && number && *number < 32) {
      alignment_ = std::max(alignment_, uint64_t{1} << *number);
    } else if (!operation.empty() && operation != ".section" && operation != ".type" && operation != ".size") {
      refuse(line, "the definition of a shared array is not understood");
    }
  }

  // The text by which an access names a thread-local, and the text for a plain variable.
  struct Form {
    std::string_view of_thread_local, of_plain;
  };
  static constexpr std::array<Form, 4> kForms = {{{"@gottpoff(%rip)", "@GOTPCREL(%rip)"},
                                                  {"@GOTTPOFF(%rip)", "@GOTPCREL(%rip)"},
                                                  {":gottprel_lo12:", ":got_lo12:"},
                                                  {":gottprel:", ":got:"}}};

  void rewrite(Line& line) {
    const bool mentions =
        line.operands.find("%fs") != std::string_view::npos || line.operands.find("tp") != std::string_view::npos ||
        line.operands.find("TP") != std::string_view::npos || line.operands.find("tls") != std::string_view::npos ||
        line.operands.find("TLS") != std::string_view::npos;
    if (!mentions) return;
    std::string text(line.text);
    for (const Form& form : kForms) {
      const size_t at = text.find(form.of_thread_local);
      if (at == std::string::npos) continue;
      const bool name_follows = form.of_plain.front() == ':';
      size_t end = name_follows ? at + form.of_thread_local.size() : at;
      while (name_follows && end < text.size() && is_symbol_character(text[end])) ++end;
      const std::string name(symbol_before(text, end));
      if (is_of_the_library(name)) {
        if (name_follows) return refuse(line, "a thread-local of the C++ library is used");
        return assembly_.replace(line, load_of_address(line, std::move(text)));
      }
      text.replace(at, form.of_thread_local.size(), form.of_plain);
      const size_t name_at = name_follows ? at + form.of_plain.size() : at - name.size();
      text.replace(name_at, name.size(), plain_name(name, line.function));
    }
    // The stack protector's word and the like, at a number from the thread pointer, are not ours.
    if (const size_t at = text.find("%fs:0"); at != std::string::npos && is_whole_number(text, at + 4)) {
      if (!line.operands.starts_with("%fs:0")) return refuse(line, "an access to a thread-local is not understood");
      text.replace(at, 5, "$0");
    } else if (const size_t prefix = text.find("%fs:");
               prefix != std::string::npos && is_memory_operand(text, prefix + 4)) {
      text.erase(prefix, 4);
    }
    replace_thread_pointer(text);
    if (not_understood(text)) return refuse(line, "an access to a thread-local is not understood");
    if (text != line.text) assembly_.replace(line, std::move(text));
  }

  static bool is_whole_number(std::string_view text, size_t at) {
    const size_t end = text.find_first_not_of("0123456789", at);
    return end == std::string_view::npos || text[end] == ',' || text[end] == ' ' || text[end] == '\t';
  }

  // "8(%rax,%rdx,4)"
  static bool is_memory_operand(std::string_view text, size_t at) {
    const size_t bracket = text.find_first_not_of("-0123456789", at);
    return bracket != std::string_view::npos && text[bracket] == '(' && text.substr(bracket, 5) != "(%rip";
  }

  // AArch64: what is read instead of the thread pointer.
  static void replace_thread_pointer(std::string& text) {
    const size_t at = text.find(", tpidr_el0");
    if (at == std::string::npos) return;
    text.resize(at);
    replace_all(text, "mrs", "mov");
    text += ", xzr";
  }

  static bool not_understood(std::string_view text) {
    for (const std::string_view form :
         {"@tpoff", "@TPOFF", "@tlsgd", "@TLSGD", "@tlsld", "@TLSLD", "@dtpoff", "@DTPOFF", "@tlsdesc", "@TLSDESC",
          "@gottpoff", "@GOTTPOFF", "@gotntpoff", ":tprel", ":dtprel", ":tlsdesc", ":tlsgd", ":gottprel"})
      if (text.find(form) != std::string_view::npos) return true;
    const size_t at = text.find("%fs:");
    return at != std::string_view::npos && !is_whole_number(text, at + 4);
  }

  static bool is_of_the_library(std::string_view name) { return name.starts_with("_ZSt") || name.starts_with("_ZNSt"); }

  // The address instead of the offset, without changing the flags: `R = offset` becomes `R = offset + thread pointer`.
  std::string load_of_address(const Line& line, std::string text) {
    const std::string to(operands_of(line.operands).back());
    if (line.operation == "addq") return text + "\n\taddq\t%fs:0, " + to;
    if (line.operation != "movq") refuse(line, "an access to a thread-local of the C++ library is not understood");
    const std::string other = to == "%rax" ? "%rcx" : "%rax";
    return text + "\n\tpushq\t" + other + "\n\tmovq\t%fs:0, " + other + "\n\tleaq\t(" + to + "," + other + "), " + to +
           "\n\tpopq\t" + other;
  }

  std::string plain_name(const std::string& name, std::string_view function) {
    if (initialised_.contains(name)) return name;
    const auto found = places_.find(name);
    if (found == places_.end()) return std::string(kDynamic);
    if (!function.empty() && !result_.arrays[found->second].is_guard) result_.used_by[function].insert(found->second);
    return name;
  }

  // Line tables name variables, which debuggers would look for among the thread's.
  void rewrite_data(Line& line) {
    if (line.operands.find("@dtpoff") == std::string_view::npos &&
        line.operands.find("@DTPOFF") == std::string_view::npos)
      return;
    assembly_.replace(
        line, "\t" + std::string(line.operation) + "\t0" + (operands_of(line.operands).size() == 2 ? ", 0" : ""));
  }

  Assembly& assembly_;
  SharedMemory result_;
  std::unordered_map<std::string_view, size_t> places_;
  std::set<std::string_view> initialised_;
  uint64_t alignment_ = 1;
};

std::string definition(std::string_view name, uint64_t bytes, uint64_t alignment, uint64_t gap) {
  std::string text = "\t.balign\t" + std::to_string(alignment) + "\n\t.type\t" + std::string(name) +
                     ", %object\n\t.size\t" + std::string(name) + ", " + std::to_string(bytes) + "\n" +
                     std::string(name) + ":\n\t.zero\t" + std::to_string(bytes) + "\n";
  if (gap > 0) text += "\t.zero\t" + std::to_string(gap) + "\n";
  return text;
}

}  // namespace

SharedMemory make_shared_memory_plain(Assembly& assembly) { return Rewriter(assembly).run(); }

std::string definitions_of(const SharedMemory& memory, uint64_t gap) {
  std::string text = "\t.section\tassay_shared,\"aw\",%nobits\n";
  for (const SharedArray& array : memory.arrays) text += definition(array.name, array.bytes, array.alignment, gap);
  // One for each library, whatever files it is linked from: a group of sections that the linker keeps once.
  const std::string name(kDynamic);
  return text + "\t.section\tassay_shared,\"awG\",%nobits," + name + ",comdat\n\t.weak\t" + name + "\n\t.hidden\t" +
         name + "\n" + definition(kDynamic, kSharedBytesMax, kDynamicSharedAlignment, gap);
}

}  // namespace assay::simt::finish
