// A search by text: what it finds is read by a compiler.
#include "harness/adapter/read/files_that_launch.h"

#include <algorithm>
#include <array>
#include <cctype>
#include <filesystem>
#include <set>

#include "harness/adapter/prepared.h"
#include "harness/adapter/read/launch_syntax.h"
#include "harness/adapter/read/text_source.h"
#include "harness/base/scanner.h"

namespace assay {
namespace {

namespace fs = std::filesystem;
constexpr size_t kFilesMax = 3, kEntriesMax = 20'000;
constexpr size_t kNearby = 400;  // characters between a name and its <<<, which are template arguments

bool launches(const std::string& text, const std::string& kernel) {
  for (size_t at = text.find(kernel); at != std::string::npos; at = text.find(kernel, at + 1)) {
    const bool is_word = at == 0 || !is_word_char(text[at - 1]);
    const size_t behind = at + kernel.size();
    const size_t open = text.find("<<<", behind);
    if (!is_word || open == std::string::npos || open - behind > kNearby) continue;
    const std::string between = text.substr(behind, open - behind);
    if (between.find_first_of(";{}") == std::string::npos && (between.empty() || !is_word_char(between[0])))
      return true;
  }
  return false;
}

// A text's own definition of the kernel, without spaces; "" where it has none.
std::string definition_in(const std::string& text, const std::string& kernel) {
  constexpr std::string_view kGlobal = "__global__";
  for (size_t at = text.find(kGlobal); at != std::string::npos; at = text.find(kGlobal, at + 1)) {
    size_t end = text.find_first_of(";{", at);
    if (end == std::string::npos || text[end] == ';') continue;
    const std::string head = text.substr(at, end - at);
    const size_t name = head.rfind(kernel);
    if (name == std::string::npos || is_word_char(head[name - 1])) continue;
    if (const size_t behind = head.find_first_not_of(" \n", name + kernel.size());
        behind == std::string::npos || head[behind] != '(')
      continue;
    int depth = 0;
    do {
      depth += text[end] == '{' ? 1 : text[end] == '}' ? -1 : 0;
    } while (++end < text.size() && depth > 0);
    std::string definition = text.substr(at, end - at);
    std::erase_if(definition, [](unsigned char c) { return std::isspace(c) != 0; });
    return definition;
  }
  return "";
}

// Whether a text includes a header by its name, in whichever folder.
bool includes(const std::string& text, const std::string& header) {
  for (size_t at = text.find("#include"); at != std::string::npos; at = text.find("#include", at + 1)) {
    const std::string line = text.substr(at, text.find('\n', at) - at);
    const size_t name = line.rfind(header);
    if (name != std::string::npos && name > 0 &&
        (line[name - 1] == '/' || line[name - 1] == '"' || line[name - 1] == '<'))
      return true;
  }
  return false;
}

}  // namespace

bool is_in_repository(fs::path folder) {
  std::error_code none;
  for (; folder.has_relative_path(); folder = folder.parent_path())
    if (fs::exists(folder / ".git", none)) return true;
  return false;
}

std::vector<std::string> files_that_launch(const std::string& kernel, const std::string& path) {
  std::error_code none;
  const fs::path own = fs::path(path).parent_path();
  const std::string name = fs::path(path).filename();
  const bool is_header = !name.ends_with(".cu") && !name.ends_with(".cpp") && !name.ends_with(".cc");
  const bool goes_deeper = is_in_repository(own);
  const auto own_text = text_of(path);
  const std::string own_definition = own_text ? definition_in(*own_text, kernel) : "";
  std::vector<fs::path> folders = {own};
  if (goes_deeper && !fs::exists(own / ".git", none)) folders.push_back(own.parent_path());
  std::vector<std::string> found;
  std::set<fs::path> seen = {path};
  size_t entries = 0;
  for (const fs::path& folder : folders)
    for (fs::recursive_directory_iterator at(folder, fs::directory_options::skip_permission_denied, none), end;
         at != end && ++entries < kEntriesMax && found.size() < kFilesMax; at.increment(none)) {
      if (!goes_deeper) at.disable_recursion_pending();
      const fs::path& file = at->path();
      if (!is_cuda_file(file) || !at->is_regular_file(none) || !seen.insert(file).second) continue;
      auto text = text_of(file);
      if (!text) continue;
      *text = with_joined_brackets(std::move(*text));
      const bool takes_it = includes(*text, name);
      // A kernel of that name there is another one, unless it is a copy.
      const auto is_ours = [&] {
        const std::string there = definition_in(*text, kernel);
        return takes_it || there.empty() || there == own_definition;
      };
      if ((launches(*text, kernel) && is_ours()) || (is_header && takes_it)) found.push_back(file);
    }
  return found;
}

}  // namespace assay
