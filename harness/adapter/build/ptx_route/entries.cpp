// Names, by demangling: nothing is guessed from their spelling.
#include "harness/adapter/build/ptx_route/entries.h"

#include <cxxabi.h>
#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <cstdlib>
#include <memory>
#include <utility>

#include "harness/adapter/adapter.h"
#include "harness/adapter/read/cuda_text.h"

namespace assay {
namespace {

std::string without_spaces(std::string text) {
  std::erase(text, ' ');
  return text;
}

// The position at which the parameters begin, past template arguments and "operator()"; the size where there are none.
size_t parameters_at(const std::string& text) {
  int depth = 0;
  for (size_t i = 0; i < text.size(); ++i) {
    if (text[i] == '<') ++depth;
    if (text[i] == '>') --depth;
    if (text[i] == '(' && depth == 0 && !text.substr(i).starts_with("(anonymous")) return i;
  }
  return text.size();
}

// The position of the last word outside template arguments, which is past the result's type.
size_t name_at(const std::string& text) {
  int depth = 0;
  size_t begin = 0;
  for (size_t i = 0; i < text.size(); ++i) {
    if (text[i] == '<' || text[i] == '(') ++depth;
    if (text[i] == '>' || text[i] == ')') --depth;
    if (text[i] == ' ' && depth == 0) begin = i + 1;
  }
  return begin;
}

}  // namespace

std::string demangled(const std::string& name) {
  int status = 0;
  const std::unique_ptr<char, decltype(&std::free)> text(abi::__cxa_demangle(name.c_str(), nullptr, nullptr, &status),
                                                         &std::free);
  return status == 0 && name.starts_with("_Z") ? std::string(text.get()) : name;
}

std::string without_parameters(const std::string& demangled) {
  const std::string text = demangled.substr(0, parameters_at(demangled));
  return text.substr(name_at(text));
}

std::string spelled_in_its_file(const std::string& name) {
  std::string text = without_parameters(demangled(name));
  for (const auto& [begin, end] : {std::pair{"(anonymous namespace)", "::"}, std::pair{"_INTERNAL_", "::"}})
    for (size_t at = text.find(begin); at != std::string::npos; at = text.find(begin)) {
      const size_t past = text.find(end, at);
      if (past == std::string::npos) break;
      text.erase(at, past + 2 - at);
    }
  return text;
}

std::string short_name(const std::string& name) {
  const std::string plain = name.substr(0, name.find_first_of("<["));
  const size_t scope = plain.rfind("::");
  return scope == std::string::npos ? plain : plain.substr(scope + 2);
}

std::vector<std::string> parameter_types(const std::string& demangled) {
  const size_t begin = parameters_at(demangled), end = demangled.rfind(')');
  std::vector<std::string> types;
  if (begin >= demangled.size() || end == std::string::npos || end <= begin + 1) return types;
  int depth = 0;
  std::string type;
  for (const char c : demangled.substr(begin + 1, end - begin - 1)) {
    depth += c == '<' || c == '(' ? 1 : c == '>' || c == ')' ? -1 : 0;
    if (c == ',' && depth == 0) {
      types.push_back(std::exchange(type, ""));
    } else if (c != ' ' || !type.empty()) {
      type += c;
    }
  }
  types.push_back(type);
  return types;
}

Result<std::string> entry_named(const ptx::Module& module, const std::string& entry, const std::string& path) {
  std::vector<std::string> same, of_name, all;
  for (const ptx::Function& function : module.functions) {
    if (!function.is_entry || !function.has_body) continue;
    const std::string whole = demangled(function.name), name = without_parameters(whole);
    all.push_back(name);
    if (function.name == entry || without_spaces(name) == without_spaces(entry)) same.push_back(function.name);
    if (name.substr(0, name.find('<')) == entry || short_name(name) == entry) of_name.push_back(function.name);
  }
  if (same.size() == 1) return same[0];
  if (same.empty() && of_name.size() == 1) return of_name[0];
  return fail(
      fmt::format("{} has {} kernel '{}'", path, same.size() + of_name.size() == 0 ? "no" : "more than one", entry),
      fmt::format("it has {}", fmt::join(all, ", ")));
}

std::string entry_spelled(const ptx::Module& module, const std::string& spelled) {
  std::vector<std::string> same;
  for (const ptx::Function& function : module.functions)
    if (function.is_entry && function.has_body &&
        without_spaces(spelled_in_its_file(function.name)) == without_spaces(spelled))
      same.push_back(function.name);
  return same.size() == 1 ? same[0] : "";
}

const char* const kMarkerBegin =
    "\ntemplate <auto assay_kernel, int assay_number>\n__global__ void assay_kernels() {}\n";

std::string marker(const std::string& entry, int number) {
  return fmt::format("template __global__ void assay_kernels<{}{}, {}>();\n", entry.ends_with(')') ? "" : "&",
                     function_of(entry), number);
}

Result<std::string> entry_marked(const ptx::Module& module, int number, const std::string& entry) {
  const std::string begin = "assay_kernels<&", end = fmt::format(", {}>", number);
  for (const ptx::Function& function : module.functions) {
    const std::string whole = demangled(function.name);
    const size_t from = whole.find(begin), to = whole.rfind(end);
    if (from == std::string::npos || to == std::string::npos || to < from) continue;
    std::string wanted = whole.substr(from + begin.size(), to - from - begin.size());
    if (wanted.starts_with('(') && wanted.ends_with(')')) wanted = wanted.substr(1, wanted.size() - 2);
    for (const ptx::Function& each : module.functions)
      if (each.is_entry && demangled(each.name) == wanted) return each.name;
    // A kernel that is no template is spelled without its parameters.
    if (auto named = entry_named(module, wanted, "nvcc's PTX")) return named;
  }
  return fail(fmt::format("nvcc's PTX has no kernel for '{}'", entry), "is it a __global__ function?");
}

}  // namespace assay
