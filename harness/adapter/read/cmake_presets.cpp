// Follows cmake-presets(7) as far as it says where a build lies.
#include "harness/adapter/read/cmake_presets.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <map>
#include <nlohmann/json.hpp>
#include <set>
#include <vector>

namespace assay {
namespace {

namespace fs = std::filesystem;

struct Preset {
  nlohmann::json text;
  fs::path file;
};

// All configure presets of a project, by name.
class Presets {
 public:
  explicit Presets(fs::path source) : source_(std::move(source)) {
    for (const char* name : {"CMakePresets.json", "CMakeUserPresets.json"})
      if (fs::is_regular_file(source_ / name)) read(source_ / name);
  }

  Result<std::string> build_folder(const std::string& name) const {
    const auto preset = presets_.find(name);
    if (preset == presets_.end()) {
      std::vector<std::string> names;
      for (const auto& [each, text] : presets_) names.push_back(each);
      return fail(fmt::format("{} is no folder, and no configure preset of {}", name, source_.string()),
                  fmt::format("it has {}", fmt::join(names, ", ")));
    }
    std::set<std::string> above;
    const auto folder = inherited(preset->second, above);
    if (folder.empty())
      return fail(fmt::format("the preset {} of {} has no binaryDir", name, source_.string()),
                  "-p takes a build folder");
    const auto expanded = expand(folder, name, preset->second.file);
    if (!expanded) return expanded;
    return (source_ / *expanded).lexically_normal().string();
  }

 private:
  void read(const fs::path& file) {
    if (!read_.insert(file.lexically_normal()).second) return;  // files may include each other
    std::ifstream in(file);
    const auto json = nlohmann::json::parse(in);
    for (const auto& other : json.value("include", nlohmann::json::array()))
      if (const fs::path included = file.parent_path() / other.get<std::string>(); fs::is_regular_file(included))
        read(included);
    for (const auto& preset : json.value("configurePresets", nlohmann::json::array()))
      presets_[preset.at("name").get<std::string>()] = {preset, file};
  }

  // The preset's own binaryDir, else that of the first one that it inherits from and that has one.
  std::string inherited(const Preset& preset, std::set<std::string>& above) const {
    if (preset.text.contains("binaryDir")) return preset.text.at("binaryDir").get<std::string>();
    const auto& parents = preset.text.value("inherits", nlohmann::json::array());
    for (const auto& parent : parents.is_array() ? parents : nlohmann::json::array({parents})) {
      const auto found = presets_.find(parent.get<std::string>());
      if (found == presets_.end() || !above.insert(found->first).second) continue;
      if (std::string folder = inherited(found->second, above); !folder.empty()) return folder;
    }
    return "";
  }

  Result<std::string> expand(const std::string& text, const std::string& name, const fs::path& file) const {
    const std::map<std::string, std::string> macros{{"sourceDir", source_.string()},
                                                    {"sourceParentDir", source_.parent_path().string()},
                                                    {"sourceDirName", source_.filename().string()},
                                                    {"presetName", name},
                                                    {"fileDir", file.parent_path().string()},
                                                    {"hostSystemName", "Linux"},
                                                    {"pathListSep", ":"},
                                                    {"dollar", "$"}};
    std::string expanded;
    for (size_t at = 0; at < text.size();) {
      const size_t open = text[at] == '$' ? text.find('{', at) : std::string::npos;
      const size_t close = open == std::string::npos ? open : text.find('}', open);
      if (close == std::string::npos) {
        expanded += text[at++];
        continue;
      }
      const std::string kind = text.substr(at + 1, open - at - 1), macro = text.substr(open + 1, close - open - 1);
      const auto known = macros.find(macro);
      if (kind == "env" || kind == "penv") {
        const char* value = std::getenv(macro.c_str());
        expanded += value != nullptr ? value : "";
      } else if (kind.empty() && known != macros.end()) {
        expanded += known->second;
      } else {
        return fail(fmt::format("the preset {} has the build folder {}, whose {} only CMake knows", name, text,
                                text.substr(at, close + 1 - at)),
                    "-p takes the folder, too");
      }
      at = close + 1;
    }
    return expanded;
  }

  fs::path source_;
  std::set<fs::path> read_;
  std::map<std::string, Preset> presets_;
};

bool has_presets(const fs::path& folder) {
  return fs::is_regular_file(folder / "CMakePresets.json") || fs::is_regular_file(folder / "CMakeUserPresets.json");
}

}  // namespace

Result<std::string> build_folder_of_preset(const std::string& name, const std::string& path) {
  fs::path folder = fs::absolute(path).lexically_normal().parent_path();
  while (!has_presets(folder) && folder != folder.root_path()) folder = folder.parent_path();
  if (!has_presets(folder))
    return fail(fmt::format("{} is no folder, and no folder above {} has a CMakePresets.json", name, path),
                "-p takes a build folder with a compile_commands.json, or a configure preset");
  try {
    return Presets(folder).build_folder(name);
  } catch (const nlohmann::json::exception& error) {
    return fail(fmt::format("the presets of {} cannot be read: {}", folder.string(), error.what()),
                "cmake --list-presets says more");
  }
}

}  // namespace assay
