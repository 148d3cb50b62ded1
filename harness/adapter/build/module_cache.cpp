// Two files for each recipe: the list of what was read, and a module for each content of those.
#include "harness/adapter/build/module_cache.h"

#include <fmt/format.h>
#include <unistd.h>

#include <algorithm>
#include <chrono>
#include <cstdlib>
#include <fstream>
#include <sstream>
#include <string_view>

namespace assay {
namespace {

namespace fs = std::filesystem;

// Beyond this a file is known by its size and time: precompiled headers, which only the build writes.
constexpr uintmax_t kReadMax = uintmax_t{4} << 20;

// No process writes a file under a temporary name for longer than this.
constexpr auto kTemporaryMax = std::chrono::hours(1);

std::string hash_of(std::string_view text) { return fmt::format("{:016x}", std::hash<std::string_view>()(text)); }

std::string content_of(const fs::path& path) {
  std::error_code error;
  const uintmax_t bytes = fs::file_size(path, error);
  if (error) return "gone";
  if (bytes > kReadMax) return fmt::format("{} {}", bytes, fs::last_write_time(path, error).time_since_epoch().count());
  std::ifstream in(path, std::ios::binary);
  std::ostringstream text;
  text << in.rdbuf();
  return text.str();
}

std::string hash_of_files(const std::vector<fs::path>& files) {
  std::string all;
  for (const fs::path& file : files) all += file.string() + " " + hash_of(content_of(file)) + "\n";
  return hash_of(all);
}

// Writes a file that is whole whenever it is there.
bool write_whole(const fs::path& path, const std::string& text) {
  const fs::path temporary = path.string() + "." + std::to_string(getpid());
  std::ofstream(temporary, std::ios::binary) << text;
  std::error_code error;
  if (fs::file_size(temporary, error) != text.size() || error) return fs::remove(temporary, error), false;
  fs::rename(temporary, path, error);
  return !error;
}

}  // namespace

ModuleCache::ModuleCache(fs::path folder, uintmax_t bytes_max) : folder_(std::move(folder)), bytes_max_(bytes_max) {}

std::optional<fs::path> user_cache_folder() {
  const auto set = [](const char* variable) {
    const char* value = std::getenv(variable);
    return fs::path(value == nullptr ? "" : value);
  };
  const fs::path home = set("HOME"), cache = set("XDG_CACHE_HOME");
  const fs::path base = !cache.empty() ? cache : home.empty() ? fs::path() : home / ".cache";
  if (!base.is_absolute()) return std::nullopt;
  return base / "assay";
}

std::optional<ModuleCache> ModuleCache::of_user() {
  const auto folder = user_cache_folder();
  return folder ? std::optional(ModuleCache(*folder)) : std::nullopt;
}

std::optional<fs::path> ModuleCache::find(const std::string& recipe) const {
  const std::string name = hash_of(recipe);
  std::ifstream in(folder_ / (name + ".files"));
  if (!in) return std::nullopt;
  std::vector<fs::path> files;
  for (std::string line; std::getline(in, line);) files.emplace_back(line);
  fs::path module = folder_ / fmt::format("{}-{}.so", name, hash_of_files(files));
  std::error_code error;
  fs::last_write_time(module, fs::file_time_type::clock::now(), error);  // used now
  if (error) return std::nullopt;
  return module;
}

fs::path ModuleCache::keep(const std::string& recipe, const fs::path& module,
                           const std::vector<fs::path>& files) const {
  std::error_code error;
  fs::create_directories(folder_, error);
  if (error) return module;
  const std::string name = hash_of(recipe);
  std::string list;
  for (const fs::path& file : files) list += file.string() + "\n";
  const fs::path kept = folder_ / fmt::format("{}-{}.so", name, hash_of_files(files));
  const fs::path temporary = kept.string() + "." + std::to_string(getpid());
  if (!fs::copy_file(module, temporary, fs::copy_options::overwrite_existing, error) || error) {
    fs::remove(temporary, error);
    return module;
  }
  // Another process may have made the same meanwhile, and have loaded it: it finds its lines by the file's name.
  if (fs::exists(kept, error))
    fs::remove(temporary, error);
  else
    fs::rename(temporary, kept, error);
  if (error || !write_whole(folder_ / (name + ".files"), list)) return module;
  make_room();
  return kept;
}

void ModuleCache::make_room() const {
  struct Kept {
    fs::file_time_type used;
    fs::path path;
    uintmax_t bytes;
  };
  std::vector<Kept> modules;
  uintmax_t bytes = 0;
  std::error_code error;
  for (const auto& entry : fs::directory_iterator(folder_, error)) {
    const bool temporary = entry.path().extension() != ".so" && entry.path().extension() != ".files";
    if (temporary && entry.last_write_time(error) < fs::file_time_type::clock::now() - kTemporaryMax)
      fs::remove(entry.path(), error);  // of a process that was killed
    if (entry.path().extension() != ".so") continue;
    modules.push_back({entry.last_write_time(error), entry.path(), entry.file_size(error)});
    bytes += error ? 0 : modules.back().bytes;
  }
  std::sort(modules.begin(), modules.end(), [](const Kept& a, const Kept& b) { return a.used < b.used; });
  for (const Kept& oldest : modules) {
    if (bytes <= bytes_max_) return;
    if (fs::remove(oldest.path, error)) bytes -= oldest.bytes;
  }
}

// Words end at a space that no backslash precedes: "module.o: /a /with\\ space".
std::vector<fs::path> files_read(const fs::path& dependency_file, const fs::path& temporary) {
  std::ifstream in(dependency_file);
  std::ostringstream whole;
  whole << in.rdbuf();
  const std::string text = whole.str();
  std::vector<fs::path> files;
  std::string word;
  const auto end_word = [&] {
    const bool is_temporary = !temporary.empty() && word.starts_with(temporary.string() + "/");
    if (!word.empty() && !is_temporary) files.push_back(fs::absolute(word).lexically_normal());
    word.clear();
  };
  for (size_t i = std::min(text.find(':'), text.size() - 1) + 1; i < text.size(); ++i) {
    const char next = i + 1 < text.size() ? text[i + 1] : '\n';
    if (text[i] == '\\' && next == '\n') {
      end_word();
      ++i;
    } else if ((text[i] == '\\' && (next == ' ' || next == '#')) || (text[i] == '$' && next == '$')) {
      word += next;
      ++i;
    } else if (text[i] == ' ' || text[i] == '\n') {
      end_word();
    } else {
      word += text[i];
    }
  }
  end_word();
  std::sort(files.begin(), files.end());
  return files;
}

}  // namespace assay
