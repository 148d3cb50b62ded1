// Replacing #include lines.
#include "harness/adapter/slice/local_headers.h"

#include <fmt/format.h>

#include <algorithm>
#include <fstream>
#include <map>
#include <optional>
#include <set>
#include <sstream>

#include "harness/adapter/cuda_text.h"
#include "harness/adapter/generate.h"

namespace assay {
namespace {

namespace fs = std::filesystem;

// Deeper than any headers go: they include each other in a circle, then, and a compiler says so.
constexpr int kDepthMax = 32;
constexpr size_t kTextMax =
    size_t{64} << 20;          // no file's own headers have so much: a library's stay #include lines then
constexpr int kFoldersUp = 3;  // in which a header's folder is looked for

std::optional<std::string> content_of(const fs::path& path) {
  std::error_code no_file;
  if (!fs::is_regular_file(path, no_file)) return std::nullopt;  // opening a pipe would wait
  std::ifstream in(path, std::ios::binary);
  if (!in) return std::nullopt;
  std::ostringstream text;
  text << in.rdbuf();
  return without_byte_order_mark(text.str());
}

// The name in `#include <name>` or `#include "name"`, with its quotes; "" for one that a macro spells.
std::string_view included(std::string_view line) {
  const size_t open = line.find_first_of("<\"");
  const size_t close = open == std::string_view::npos ? open : line.find_first_of(">\"", open + 1);
  return close == std::string_view::npos ? "" : line.substr(open, close + 1 - open);
}

// A header of the CUDA toolkit is for nvcc alone: the executor has its own ones, and the others rest on what only nvcc
// knows. Distributions put links to them among a compiler's own headers.
enum class Place { here, toolkit, nowhere };

bool is_of_toolkit(fs::path path, const fs::path& name) {
  for (const fs::path& part : name.lexically_normal())
    if (!part.empty()) path = path.parent_path();
  if (path.filename() == "cccl") path = path.parent_path();  // where CUDA 13 has libcu++, Thrust and CUB
  std::error_code none;
  return fs::exists(path / "crt" / "host_defines.h", none);
}

// Whether a header begins with an #ifndef or #if !defined by which it is read once.
bool begins_with_guard(const std::string& text) {
  const auto code = without_comments(text);
  if (!code) return false;
  std::vector<std::string> lines;  // the first two that are not empty
  std::istringstream in(*code);
  for (std::string line; lines.size() < 2 && std::getline(in, line);)
    if (line.find_first_not_of(" \t\r") != std::string::npos) lines.push_back(std::move(line));
  if (lines.size() < 2 || directive_of(lines[1]) != "define") return false;
  const std::string_view first = directive_of(lines[0]);
  if (first != "ifndef" && (first != "if" || lines[0].find("!defined") == std::string::npos)) return false;
  const auto last_word = [](std::string_view line) {
    const size_t end = line.find_last_not_of(" \t\r)");
    const size_t begin = line.find_last_of(" \t(", end);
    return line.substr(begin + 1, end - begin);
  };
  return lines[1].find(last_word(lines[0])) != std::string::npos;
}

bool is_guarded(const std::string& text) {
  return text.find("pragma once") != std::string::npos || begins_with_guard(text);
}

class Assembly {
 public:
  Assembly(const HeaderFolders& folders, Local which) : folders_(folders), which_(which) {}

  void add(const std::string& text, const std::string& path, int line, int depth) {
    const auto code = without_comments(text);
    out_.text += line_directive(line, path);
    if (!code) {  // a compiler reports better what is wrong with it
      out_.text += text + '\n';
      return;
    }
    for (size_t begin = 0; begin < text.size();) {
      const size_t end = end_of_logical_line(*code, begin);
      const std::string_view original = std::string_view(text).substr(begin, end - begin);
      const int lines = 1 + static_cast<int>(std::count(original.begin(), original.end(), '\n'));
      line += lines;
      const std::string_view code_line = std::string_view(*code).substr(begin, end - begin);
      const std::string_view directive = directive_of(code_line);
      if (directive == "include" && !included(original).empty()) {
        include(included(original), path, depth);
        out_.text += line_directive(line, path);
      } else if (directive == "pragma" && depth > 0 && code_line.find("once") != std::string_view::npos) {
        out_.text += std::string(static_cast<size_t>(lines), '\n');  // once(): see below
      } else {
        follow(directive);
        out_.text += original;
        out_.text += '\n';
      }
      begin = end + 1;
    }
  }

  WholeSource result() && { return std::move(out_); }

 private:
  // The path at which `#include name` in `from` finds a header of the user's: in the folders given, else near by.
  struct Found {
    std::string path, text;
    bool guessed = false;
  };
  std::optional<Found> find(std::string_view name, const std::string& from) const {
    const std::string file(name.substr(1, name.size() - 2));
    std::vector<fs::path> folders = folders_.own;
    if (name.front() == '"') folders.insert(folders.begin(), fs::path(from).parent_path());
    for (const fs::path& folder : folders)
      if (auto text = content_of(folder / file); text && !is_of_toolkit(fs::canonical(folder / file), file))
        return Found{(folder / file).lexically_normal().string(), std::move(*text)};
    if (const auto near = place_of(file) == Place::nowhere ? near_by(file, from) : std::nullopt)
      if (auto text = content_of(*near)) return Found{near->string(), std::move(*text), true};
    return std::nullopt;
  }

  void include(std::string_view name, const std::string& from, int depth) {
    if (const auto found = depth < kDepthMax ? find(name, from) : std::nullopt) {
      const bool known = std::find(out_.guessed.begin(), out_.guessed.end(), found->path) != out_.guessed.end();
      if (found->guessed && !known) out_.guessed.push_back(found->path);
      const bool whole = which_ == Local::incomplete && is_complete(found->path, found->text);
      if (!whole && out_.text.size() < kTextMax) return once(found->path, found->text, depth);
      out_.includes_local = true;
      out_.text += fmt::format("#include \"{}\"\n", found->path);
      return;
    }
    const std::string file(name.substr(1, name.size() - 2));
    const Place place = place_of(file);
    out_.text += fmt::format("#if {0}__has_include({1})\n#include {1}\n#endif\n",
                             place == Place::toolkit ? "defined(__CUDACC__) && " : "", name);
    const bool known = std::find(out_.left_out.begin(), out_.left_out.end(), file) != out_.left_out.end();
    if (place != Place::here && !known) out_.left_out.push_back(file);
  }

  // Whether all that a header includes is here. Those that it includes on a condition are mostly for another compiler
  // or an older version of something, and a macro may spell anything.
  bool is_complete(const std::string& path, const std::string& text) {
    const auto [known, is_new] = complete_.emplace(path, true);  // so far, where headers include each other crosswise
    if (!is_new) return known->second;
    const auto code = without_comments(text);
    bool complete = code.has_value();
    int conditions = begins_with_guard(text) ? -1 : 0;  // its own guard is none
    for (size_t begin = 0; complete && begin < text.size();) {
      const size_t end = end_of_logical_line(*code, begin);
      const std::string_view directive = directive_of(std::string_view(*code).substr(begin, end - begin));
      const std::string_view name =
          directive == "include" ? included(std::string_view(text).substr(begin, end - begin)) : "";
      conditions += directive.starts_with("if") ? 1 : directive == "endif" ? -1 : 0;
      begin = end + 1;
      if (name.empty() || conditions > 0) continue;
      if (const auto found = find(name, path))
        complete = is_complete(found->path, found->text);
      else
        complete = place_of(std::string(name.substr(1, name.size() - 2))) != Place::nowhere;
    }
    return complete_[path] = complete;
  }

  // Looks in folders of a usual name beside `from` or above it, not above a repository, nor in the file system's own
  // folders.
  static std::optional<fs::path> near_by(const fs::path& file, const fs::path& from) {
    fs::path folder = fs::absolute(from).lexically_normal().parent_path();
    for (int up = 0; up <= kFoldersUp && folder.has_relative_path(); ++up, folder = folder.parent_path()) {
      std::error_code none;
      for (const char* usual : {"include", "inc", "common", "src", "utils", "."})
        if (const fs::path path = (folder / usual / file).lexically_normal(); fs::is_regular_file(path, none))
          return path;
      if (fs::exists(folder / ".git", none)) break;
    }
    return std::nullopt;
  }

  Place place_of(const std::string& file) const {
    const auto known = places_.find(file);
    return known != places_.end() ? known->second : places_[file] = looked_up(file);
  }
  Place looked_up(const std::string& file) const {
    for (const auto* folders : {&folders_.system, &folders_.own})
      for (const fs::path& folder : *folders) {
        std::error_code none;
        if (const fs::path path = fs::canonical(folder / file, none); !none)
          return is_of_toolkit(path, file) ? Place::toolkit : Place::here;
      }
    return Place::nowhere;
  }

  // Keeps what stands in the branches of #if that are open.
  void follow(std::string_view directive) {
    if (directive.starts_with("if")) standing_.emplace_back();
    if (standing_.size() == 1) return;  // an #else or #endif without #if, which a compiler reports
    if (directive.starts_with("el")) standing_.back().clear();
    if (directive == "endif") standing_.pop_back();
  }

  // #pragma once is of a file, and there is only one now. A guarded header that stands already, in this branch or
  // outside of all, is left out: headers that include each other crosswise, as CuTe's do, would be written millions of
  // times.
  void once(const std::string& path, const std::string& text, int depth) {
    const bool guarded = is_guarded(text);
    const auto [known, is_new] = numbers_.emplace(path, numbers_.size());
    const auto stands = [&](const std::set<size_t>& branch) { return branch.contains(known->second); };
    if (which_ == Local::once ? !is_new : guarded && std::any_of(standing_.begin(), standing_.end(), stands)) return;
    if (guarded) standing_.back().insert(known->second);
    if (guarded) out_.text += fmt::format("#ifndef ASSAY_HEADER_{0}\n#define ASSAY_HEADER_{0}\n", known->second);
    add(text, path, 1, depth + 1);
    if (guarded) out_.text += "#endif\n";
  }

  const HeaderFolders& folders_;
  const Local which_;
  mutable std::map<std::string, Place> places_;  // by the names that files include
  std::map<std::string, bool> complete_;         // by the headers' paths
  std::map<std::string, size_t> numbers_;        // of the headers
  // Headers that are read once: those that stand outside of all #if, then those of each branch that is open.
  std::vector<std::set<size_t>> standing_ = std::vector<std::set<size_t>>(1);
  WholeSource out_;
};

}  // namespace

WholeSource with_local_headers(const std::string& text, const std::string& path, int first_line,
                               const HeaderFolders& folders, Local which) {
  Assembly assembly(folders, which);
  assembly.add(text, path, first_line, 0);
  return std::move(assembly).result();
}

}  // namespace assay
