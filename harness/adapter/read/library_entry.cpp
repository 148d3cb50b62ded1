// Symbols, fat binaries and debug information, before anything is loaded.
#include "harness/adapter/read/library_entry.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <map>
#include <vector>

#include "harness/adapter/build/ptx_route/entries.h"
#include "harness/adapter/read/cuda_text.h"
#include "harness/op/registry.h"
#include "harness/program/elf_file.h"
#include "harness/program/fat_binary.h"
#include "harness/simt/checked/declarations.h"

namespace assay {
namespace {

constexpr const char* kFatBinaries[] = {".nv_fatbin", "__nv_relfatbin"};  // the second: of nvcc -rdc=true

// Errors: all fat binaries hold machine code alone.
Result<void> check_ptx(const ElfFile& file, const std::string& library) {
  Error error;
  for (const char* section : kFatBinaries)
    if (const std::string bytes = file.section(section); !bytes.empty()) {
      const auto ptx = ptx_of(bytes);
      if (ptx) return {};
      if (error.what.empty()) error = ptx.error();
    }
  return fail(library + ": " + error.what, error.hint);
}

// The functions that a library exports, by their names without parameters: "softmax(float*, int)" or "softmax" of each.
std::map<std::string, std::vector<std::string>> exported(const ElfFile& file) {
  std::map<std::string, std::vector<std::string>> all;
  for (const ElfFunction& each : file.functions(SHT_DYNSYM)) {
    const std::string text = demangled(each.name);
    all[text.substr(0, text.find('('))].push_back(text);
  }
  return all;
}

std::vector<std::vector<Token>> parameters_of(const std::vector<Token>& tokens) {
  for (size_t i = 0; i < tokens.size(); ++i)
    if (tokens[i].text == "(") return split_at_commas(tokens, i + 1, closing(tokens, i));
  return {};
}

// "float const*" and "const float* out" as "float*": what C++ names and declarations spell alike, apart from const.
// "" where a declaration may have another name for the type.
std::string plain_type(const std::vector<Token>& tokens) {
  std::string type;
  for (const Token& token : tokens) {
    if (is_one_of(token.text, {"const", "__restrict__", "restrict"})) continue;
    if (is_one_of(token.text, {"float", "double", "int", "long", "bool", "char", "short", "unsigned", "*"}))
      type += token.text;
    else if (type.empty())
      return "";
  }
  return type;
}

// C++ has the parameters' types in the function's name.
Result<void> check_parameters(const std::string& declaration, const std::string& symbol, const std::string& library) {
  if (symbol.find('(') == std::string::npos) return {};
  const std::vector<Token> declared_tokens = tokens_of(declaration), tokens = tokens_of(symbol);
  const auto declared = parameters_of(declared_tokens), known = parameters_of(tokens);
  bool fits = declared.size() == known.size();
  for (size_t i = 0; fits && i < known.size(); ++i) {
    const std::string one = plain_type(declared[i]), other = plain_type(known[i]);
    fits = one.empty() || other.empty() || one == other;
  }
  if (fits) return {};
  return fail(fmt::format("{} has {}, which '{}' does not declare", library, symbol, declaration),
              "declare the parameters as the library has them");
}

Result<std::string> declaration_of(const std::string& library, const std::string& entry,
                                   const std::vector<std::string>& functions) {
  if (entry.empty()) {
    const size_t count = std::min<size_t>(functions.size(), 12);
    return fail(fmt::format("which function of {}? It exports {}{}", library,
                            fmt::join(functions.begin(), functions.begin() + static_cast<std::ptrdiff_t>(count), ", "),
                            count < functions.size() ? ", …" : ""),
                "--entry 'void scale(float* out, const float* in, int n)', or its name where it was built with -g");
  }
  if (entry.find('(') != std::string::npos) return entry.substr(0, entry.find_last_not_of("; \n") + 1);
  std::string declaration = simt::checked::declaration_in(library, entry);
  if (!declaration.empty()) return declaration;
  return fail(
      fmt::format("{} has no debug information of one function {}", library, entry),
      fmt::format("build it with -g, or declare it: --entry 'void {}(float* out, const float* in, int n)'", entry));
}

}  // namespace

bool has_kernels(const std::string& library) {
  const ElfFile file(library);
  return file.is_shared_library() &&
         std::ranges::any_of(kFatBinaries, [&](const char* name) { return !file.section(name).empty(); });
}

Result<LibraryEntry> library_entry(const std::string& library, const std::string& entry) {
  const ElfFile file(library);
  ASSAY_TRY(check_ptx(file, library));
  const auto functions = exported(file);
  std::vector<std::string> names;
  for (const auto& [name, symbols] : functions)
    if (!name.starts_with("_") && name.find_first_of(":<> ~") == std::string::npos) names.push_back(name);
  LibraryEntry found;
  const std::vector<Token> tokens = tokens_of(entry);
  const auto open = std::ranges::find(tokens, "(", &Token::text);
  if (open == tokens.begin() && !tokens.empty())
    return fail(fmt::format("'{}' declares no function", entry), "as in 'void scale(float* out, int n)'");
  if (!tokens.empty()) found.name = std::string((open - 1)->text);
  const auto symbols = functions.find(found.name);
  if (!found.name.empty() && symbols == functions.end())
    return fail(fmt::format("{} exports no function {}", library, found.name), suggestion(found.name, names));
  found.declaration = ASSAY_TRY(declaration_of(library, entry, names));
  if (symbols->second.size() > 1)
    return fail(fmt::format("{} has several functions {}: {}", library, found.name, fmt::join(symbols->second, ", ")),
                "export the one that is meant under a name of its own");
  ASSAY_TRY(check_parameters(found.declaration, symbols->second[0], library));
  // Handles that can be made have types of this text alone (handle_argument() of match.h).
  found.text =
      "#include <cstdint>\n#include <cuda_bf16.h>\n#include <cuda_fp16.h>\n#include <cuda_runtime.h>\n"
      "struct assay_cublas;\nstruct assay_cublas_lt;\n"
      "typedef assay_cublas* cublasHandle_t;\ntypedef assay_cublas_lt* cublasLtHandle_t;\n"
      "__global__ void assay_launched() {}\n" +
      found.declaration + " {\n  assay_launched<<<1, 1>>>();\n}\n";
  return found;
}

}  // namespace assay
