// A PTX module with one function, whose parameters are the operands, goes through the translator.
#include "harness/cxx/inline_ptx.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>

#include "harness/base/error.h"
#include "harness/base/scanner.h"
#include "harness/ptx/translate.h"

namespace assay::cxx {
namespace {

struct PtxKind {
  std::string_view ptx, cpp;
};
// By the letter of a constraint.
Result<PtxKind> kind_of(char letter) {
  switch (letter) {
    case 'h':
      return PtxKind{"b16", "uint16_t"};
    case 'r':
      return PtxKind{"b32", "uint32_t"};
    case 'l':
      return PtxKind{"b64", "uint64_t"};
    case 'f':
      return PtxKind{"f32", "float"};
    case 'd':
      return PtxKind{"f64", "double"};
    default:
      return fail(fmt::format("an operand with the constraint \"{}\"", letter), "");
  }
}

struct PtxParameter {
  std::string name;
  PtxKind kind;
  bool is_read = false, is_written = false;
};

bool is_number(std::string_view text) {
  return !text.empty() && (is_digit(text[0]) || (text[0] == '-' && text.size() > 1 && is_digit(text[1]))) &&
         std::ranges::all_of(text.substr(1), [](char c) { return is_digit(c) || std::isxdigit(c) != 0 || c == 'x'; });
}
std::string_view without_spaces(std::string_view text) {
  while (!text.empty() && std::isspace(static_cast<unsigned char>(text.front())) != 0) text.remove_prefix(1);
  while (!text.empty() && std::isspace(static_cast<unsigned char>(text.back())) != 0) text.remove_suffix(1);
  return text;
}

// The instructions on one line, so that the module's lines are the source's, with names in place of %0, %1, ….
Result<std::string> with_names(std::string_view text, const std::vector<std::string>& names, size_t number) {
  std::string result;
  for (size_t i = 0; i < text.size(); ++i) {
    if (text.substr(i, 2) == "//") {
      i = std::min(text.find('\n', i), text.size());
      result += ' ';
    } else if (text[i] == '%' && i + 1 < text.size() && text[i + 1] == '%') {
      result += text[++i];
    } else if (text[i] == '%' && i + 1 < text.size() && text[i + 1] == '=') {
      result += std::to_string(number), ++i;
    } else if (text[i] == '%' && i + 1 < text.size() && is_digit(text[i + 1])) {
      size_t operand = 0;
      while (i + 1 < text.size() && is_digit(text[i + 1]) && operand < 1000)
        operand = operand * 10 + static_cast<size_t>(text[++i] - '0');
      if (operand >= names.size()) return fail(fmt::format("%{} names no operand", operand), "");
      result += names[operand];
    } else if (text[i] == '%' && i + 1 < text.size() && text[i + 1] == '[') {
      return fail("operands by name", "");
    } else {
      result += text[i] == '\n' ? ' ' : text[i];
    }
  }
  return result;
}

Result<std::string> function_of(const PtxStatement& statement, size_t number, const std::string& file, int line) {
  std::vector<PtxParameter> parameters;
  std::vector<std::string> names;  // by an operand's number
  for (const PtxOperand& output : statement.outputs) {
    const std::string& constraint = output.constraint;
    if (constraint.empty()) return fail("an output without a constraint", "");
    names.push_back(fmt::format("assay_operand{}", names.size()));
    parameters.push_back({names.back(), ASSAY_TRY(kind_of(constraint.back())), constraint.front() == '+', true});
  }
  for (const PtxOperand& input : statement.inputs) {
    names.push_back(fmt::format("assay_operand{}", names.size()));
    if (takes_value(input))
      parameters.push_back({names.back(), ASSAY_TRY(kind_of(input.constraint.back())), true, false});
    else if (is_number(without_spaces(input.value)))
      names.back() = without_spaces(input.value);
    else
      return fail(fmt::format("the constant {}, which is no number here", without_spaces(input.value)), "");
  }

  const std::string name = fmt::format("assay_inline_ptx_{}", number);
  std::vector<std::string> results, given, arguments, types, values;
  std::string registers, before, after, take, put;
  for (size_t i = 0; i < parameters.size(); ++i) {
    const PtxParameter& each = parameters[i];
    registers += fmt::format(".reg .{} {}; ", each.kind.ptx, each.name);
    if (each.is_written) {
      results.push_back(fmt::format(".param .{} out{}", each.kind.ptx, i));
      after += fmt::format("st.param.{} [out{}], {}; ", each.kind.ptx, i, each.name);
      put += fmt::format(" inline_ptx_put(v{0}, b{0});", i);
    }
    if (each.is_read) {
      given.push_back(fmt::format(".param .{} in{}", each.kind.ptx, i));
      before += fmt::format("ld.param.{} {}, [in{}]; ", each.kind.ptx, each.name, i);
    }
    take += each.is_read ? fmt::format(" {0} b{1} = inline_ptx_bits<{0}>(v{1});", each.kind.cpp, i)
                         : fmt::format(" {0} b{1}{{}};", each.kind.cpp, i);
    types.push_back(fmt::format("class T{}", i));
    values.push_back(fmt::format("{}T{}& v{}", each.is_written ? "" : "const ", i, i));
  }
  for (const bool is_written : {true, false})
    for (size_t i = 0; i < parameters.size(); ++i)
      if (is_written ? parameters[i].is_written : parameters[i].is_read)
        arguments.push_back(fmt::format("reinterpret_cast<char*>(&b{})", i));

  const std::string module =
      fmt::format("{}.version 9.0 .target sm_90a .address_size 64 .func {}{} ({}) {{ {}{}{} {}ret; }}\n",
                  std::string(static_cast<size_t>(std::max(line - 1, 0)), '\n'),
                  results.empty() ? "" : fmt::format("({}) ", fmt::join(results, ", ")), name, fmt::join(given, ", "),
                  registers, before, ASSAY_TRY(with_names(statement.text, names, number)), after);
  const ptx::Module read = ASSAY_TRY(ptx::read(module, file));
  std::string text =
      ASSAY_TRY(ptx::translate(read, {}, {.path = file, .suffix = "", .variables = {name}, .fuses = false}));
  text.erase(0, text.find('\n') + 1);                  // its #include, which the prelude has
  constexpr std::string_view kDirective = "\n#line ";  // in preprocessed text: a marker
  for (size_t at = text.find(kDirective); at != std::string::npos; at = text.find(kDirective, at))
    text.replace(at, kDirective.size(), "\n# ");
  for (const char* const built_in : {"threadIdx", "blockIdx", "blockDim", "gridDim"}) {
    const std::string to = fmt::format("::assay::cxx::built_in(::{})", built_in);
    for (size_t at = text.find(built_in); at != std::string::npos; at = text.find(built_in, at + to.size()))
      text.replace(at, std::string_view(built_in).size(), to);
  }
  return fmt::format(
      "\n{}# {} \"{}\"\nnamespace assay::cxx {{ {} inline __attribute__((always_inline)) void "
      "inline_ptx_{}({}) {{{} ptx::{}({});{} }} }}\n",
      text, line, file, types.empty() ? "" : fmt::format("template <{}>", fmt::join(types, ", ")), number,
      fmt::join(values, ", "), take, ptx::cpp_name(name), fmt::join(arguments, ", "), put);
}

// As the characters of a string literal.
std::string as_literal(std::string_view text) {
  std::string result;
  for (const char c : text) {
    if (c == '"' || c == '\\') result += '\\';
    result += c == '\n' ? ' ' : c;
  }
  return result;
}

}  // namespace

bool takes_value(const PtxOperand& input) { return input.constraint != "n" && input.constraint != "i"; }

std::string inline_ptx_function(const PtxStatement& statement, size_t number, const std::string& file, int line,
                                bool& is_understood) {
  auto text = function_of(statement, number, file, line);
  is_understood = text.has_value();
  if (text) return *text;
  return fmt::format("\nnamespace assay::cxx {{ __attribute__((error(\"inline PTX: {}\"))) void inline_ptx_{}(); }}\n",
                     as_literal(text.error().what), number);
}

std::string unquoted(std::string_view literal) {
  if (literal.size() < 2 || literal.front() != '"') return "";
  std::string text;
  literal = literal.substr(1, literal.size() - 2);
  for (size_t i = 0; i < literal.size(); ++i) {
    if (literal[i] != '\\' || i + 1 == literal.size()) {
      text += literal[i];
      continue;
    }
    const char c = literal[++i];
    text += c == 'n' ? '\n' : c == 't' || c == 'r' || c == 'v' || c == 'f' ? ' ' : c;
  }
  return text;
}

}  // namespace assay::cxx
