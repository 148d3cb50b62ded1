// Reads and writes nightly.json.
#include "harness/cli/nightly_state.h"

#include <filesystem>
#include <fstream>
#include <nlohmann/json.hpp>
#include <sstream>

#include "harness/base/write_file.h"

namespace assay {

NLOHMANN_DEFINE_TYPE_NON_INTRUSIVE(NightlyStep, name, state, exit_code, came_to, spent_s, begun_at)
NLOHMANN_DEFINE_TYPE_NON_INTRUSIVE(NightlyState, identity, steps, ended)

NightlyStep& NightlyState::step(const std::string& name) {
  for (NightlyStep& each : steps)
    if (each.name == name) return each;
  NightlyStep& added = steps.emplace_back();
  added.name = name;
  return added;
}

Result<NightlyState> read_nightly(const std::string& folder) {
  const std::string path = folder + "/" + kNightlyFile;
  std::error_code none;
  if (!std::filesystem::exists(path, none)) return NightlyState{};
  std::ifstream file(path, std::ios::binary);
  std::stringstream text;
  text << file.rdbuf();
  try {
    return nlohmann::json::parse(text.str()).get<NightlyState>();
  } catch (const nlohmann::json::exception& error) {
    return fail(path + ": " + error.what(), "begin anew with --fresh");
  }
}

Result<void> write_nightly(const NightlyState& state, const std::string& folder) {
  const nlohmann::json json = state;
  return write_file(folder + "/" + kNightlyFile,
                    json.dump(2, ' ', false, nlohmann::json::error_handler_t::replace) + "\n");
}

}  // namespace assay
