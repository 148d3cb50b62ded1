// The command for a file, split into words as a shell would, response files put in their places.
#include "harness/adapter/read/compile_commands.h"

#include <fmt/format.h>

#include <filesystem>
#include <fstream>
#include <nlohmann/json.hpp>
#include <optional>
#include <sstream>
#include <vector>

#include "harness/adapter/read/cmake_presets.h"

namespace assay {
namespace {

namespace fs = std::filesystem;
using Words = std::vector<std::string>;

constexpr int kResponseFilesMax = 16;  // one may name another

// Words between spaces; quotes and backslashes as in a shell.
Words words_in(const std::string& text) {
  Words words;
  std::string word;
  bool in_word = false;
  char quote = 0;
  for (size_t i = 0; i < text.size(); ++i) {
    const char c = text[i];
    if (c == '\\' && quote != '\'' && i + 1 < text.size()) {
      word += text[++i], in_word = true;
    } else if (quote != 0 ? c == quote : c == '"' || c == '\'') {
      quote = quote != 0 ? '\0' : c, in_word = true;
    } else if (quote == 0 && (c == ' ' || c == '\t' || c == '\n' || c == '\r')) {
      if (in_word) words.push_back(std::exchange(word, ""));
      in_word = false;
    } else {
      word += c, in_word = true;
    }
  }
  if (in_word) words.push_back(word);
  return words;
}

// The value of an option that is spelled "-I x", "-Ix" or "-I=x"; moves `i` past a value of its own word.
std::optional<std::string> value_of(const std::string& option, const Words& words, size_t& i) {
  const std::string& word = words[i];
  if (word == option) return i + 1 < words.size() ? std::optional(words[++i]) : std::nullopt;
  const bool is_short = option.size() == 2;
  if (word.starts_with(option + "=")) return word.substr(option.size() + 1);
  if (is_short && word.starts_with(option)) return word.substr(option.size());
  return std::nullopt;
}

std::optional<std::string> first_value_of(std::initializer_list<const char*> options, const Words& words, size_t& i) {
  for (const char* option : options)
    if (auto value = value_of(option, words, i)) return value;
  return std::nullopt;
}

// "sm_80" of "sm_80", "compute_80", "arch=compute_80,code=[sm_80,compute_80]" and "80-real".
std::string architecture(const std::string& value) {
  size_t digits = value.find_first_of("0123456789");
  if (digits == std::string::npos) return "";
  size_t end = digits;
  while (end < value.size() && std::isalnum(static_cast<unsigned char>(value[end])) != 0) ++end;
  return "sm_" + value.substr(digits, end - digits);
}

bool changes_kernels(const std::string& word) {
  for (const char* flag : {"-use_fast_math", "--use_fast_math", "-ftz", "--ftz", "-prec-div", "--prec-div",
                           "-prec-sqrt", "--prec-sqrt", "-fmad", "--fmad", "-std=", "--std="})
    if (word.starts_with(flag)) return true;
  return false;
}

// The options for a kernel's file in the words of a command, given in `folder`.
class Command {
 public:
  explicit Command(fs::path folder) : folder_(std::move(folder)) {}

  void read(const Words& words) {
    for (size_t i = 0; i < words.size(); ++i) {
      if (auto folder = first_value_of({"-I", "-isystem", "--include-path"}, words, i)) {
        options_.include.push_back((folder_ / *folder).lexically_normal().string());
      } else if (auto macro = first_value_of({"-D", "--define-macro"}, words, i)) {
        options_.define.push_back(*macro);
      } else if (auto file = first_value_of({"--options-file", "-optf"}, words, i)) {
        response_file(*file);
      } else if (words[i].starts_with("@")) {
        response_file(words[i].substr(1));
      } else if (auto arch = first_value_of({"-arch", "--gpu-architecture", "-gencode", "--generate-code",
                                             "--cuda-gpu-arch", "--offload-arch"},
                                            words, i)) {
        if (options_.arch.empty() && *arch != "native") options_.arch = architecture(*arch);
      } else if (changes_kernels(words[i])) {
        options_.nvcc_flags += (options_.nvcc_flags.empty() ? "" : " ") + words[i];
      }
    }
  }

  CompileOptions options() && { return std::move(options_); }

 private:
  void response_file(const std::string& name) {
    std::error_code none;
    if (++response_files_ > kResponseFilesMax || !fs::is_regular_file(folder_ / name, none)) return;
    std::ifstream in(folder_ / name);
    std::ostringstream text;
    text << in.rdbuf();
    read(words_in(text.str()));
  }

  fs::path folder_;
  int response_files_ = 0;
  CompileOptions options_;
};

fs::path resolved(const fs::path& path) {
  std::error_code none;
  const fs::path found = fs::weakly_canonical(path, none);
  return none ? path : found;
}

// nvcc's among the commands for a file, which may be compiled for the host as well; else the first.
bool is_of_nvcc(const Words& words) { return !words.empty() && fs::path(words[0]).filename().string() == "nvcc"; }

Result<CompileOptions> options_in(const nlohmann::json& commands, const fs::path& database, const std::string& path) {
  const fs::path wanted = resolved(fs::absolute(path));
  std::optional<std::pair<fs::path, Words>> chosen;
  for (const auto& each : commands) {
    const fs::path folder = database.parent_path() / each.value("directory", ".");
    if (resolved(folder / each.at("file").get<std::string>()) != wanted) continue;
    Words words = each.contains("arguments") ? each.at("arguments").get<Words>()
                                             : words_in(each.at("command").get<std::string>());
    if (!chosen || (is_of_nvcc(words) && !is_of_nvcc(chosen->second))) chosen.emplace(folder, std::move(words));
  }
  if (!chosen)
    return fail(fmt::format("{} has no command for {}", database.string(), path),
                fmt::format("it has those of {} files; for a header name the .cu that includes it, or give -I and -D",
                            commands.size()));
  Command command(chosen->first);
  command.read(chosen->second);
  return std::move(command).options();
}

}  // namespace

Result<CompileOptions> with_build(CompileOptions options, const std::string& path) {
  if (options.build.empty()) return options;
  fs::path database = fs::absolute(options.build);
  std::error_code none;
  if (!fs::exists(database, none) && options.build.find('/') == std::string::npos) {
    database = ASSAY_TRY(build_folder_of_preset(options.build, path));
  }
  if (!fs::is_regular_file(database, none)) database /= "compile_commands.json";
  std::ifstream in;
  if (fs::is_regular_file(database, none)) in.open(database);
  if (!in.is_open())
    return fail("there is no " + database.string(),
                "cmake -DCMAKE_EXPORT_COMPILE_COMMANDS=ON writes it into the build folder; -p takes that folder");
  try {
    const auto found = ASSAY_TRY(options_in(nlohmann::json::parse(in), database, path));
    options.build.clear();
    return merged(std::move(options), found);
  } catch (const nlohmann::json::exception& error) {
    return fail(database.string() + " is no list of compile commands: " + error.what(),
                "let the project's build write it again");
  }
}

}  // namespace assay
