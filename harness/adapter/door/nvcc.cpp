// Calling nvcc: the whole file first, then what its kernels reach.
#include "harness/adapter/door/nvcc.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <cstdlib>
#include <filesystem>
#include <map>
#include <mutex>
#include <optional>
#include <sstream>

#include "harness/adapter/build.h"
#include "harness/adapter/compiled.h"
#include "harness/adapter/generate.h"
#include "harness/adapter/header_packages.h"
#include "harness/adapter/slice/local_headers.h"
#include "harness/adapter/slice/reached.h"
#include "harness/base/command.h"
#include "harness/base/write_file.h"

namespace assay {
namespace {

namespace fs = std::filesystem;
using Words = std::vector<std::string>;

// The name in "…: fatal error: NAME: No such file or directory".
std::optional<std::string> missing_header(const std::string& output) {
  static const std::string kBefore = "fatal error: ", kAfter = ": No such file or directory";
  const size_t end = output.find(kAfter);
  const size_t begin = end == std::string::npos ? end : output.rfind(kBefore, end);
  if (begin == std::string::npos) return std::nullopt;
  return output.substr(begin + kBefore.size(), end - begin - kBefore.size());
}

bool names_option(const std::string& flags, const std::string& option) {
  std::istringstream words(flags);
  for (std::string word; words >> word;)
    if (word.starts_with(option) || word.starts_with("-" + option)) return true;
  return false;
}

Words command_of(const Adapter& adapter) {
  Words words = {nvcc_here(), "-ptx", "-lineinfo", "-w", "--expt-relaxed-constexpr", "--extended-lambda"};
  words.insert(words.end(), {"-I", fs::path(adapter.source).parent_path().string()});
  for (const std::string& folder : adapter.compile.include)
    words.insert(words.end(), {"-I", fs::absolute(folder).string()});
  for (const std::string& macro : adapter.compile.define) words.push_back("-D" + macro);
  std::istringstream flags(adapter.compile.nvcc_flags);
  for (std::string flag; flags >> flag;) words.push_back(flag);
  const bool has_arch =
      names_option(adapter.compile.nvcc_flags, "-arch") || names_option(adapter.compile.nvcc_flags, "-gencode");
  if (!adapter.compile.arch.empty())
    words.push_back("-arch=" + adapter.compile.arch);
  else if (!has_arch)
    words.push_back("-arch=sm_90a");
  return words;
}

// Compiles the file `path` to stem.ptx. A file that is right in one C++ standard only is right in the one that its
// author used, which is mostly nvcc's own.
CommandResult run_nvcc(const Adapter& adapter, const std::string& path, const std::string& stem) {
  Words words = command_of(adapter);
  words.insert(words.end(), {"-o", stem + ".ptx", path});
  // nvcc removes what it wrote in TMPDIR only if it is not killed: what it leaves goes with the folder.
  const std::vector<std::pair<std::string, std::string>> environment = {
      {"TMPDIR", fs::path(stem).parent_path().string()}};
  const CommandResult first = run_command(words, environment);
  if (first.exit_code == 0 || first.stopped || missing_header(first.output) ||
      names_option(adapter.compile.nvcc_flags, "-std"))
    return first;
  words.push_back("-std=c++20");
  const CommandResult second = run_command(words, environment);
  return second.exit_code == 0 || second.stopped ? second : first;
}

// nvcc's answers of this run, by its flags and the text: ways to call a kernel are tried in batches, and most of them
// are of one text.
std::map<std::string, std::pair<CommandResult, std::string>>& answers() {
  static std::map<std::string, std::pair<CommandResult, std::string>> all;
  return all;
}
std::mutex answers_mutex;

Result<CommandResult> run_nvcc_on(const Adapter& adapter, const std::string& text, const std::string& stem) {
  const std::string key = fmt::format("{}\n{}", fmt::join(command_of(adapter), " "), text);
  {
    const std::scoped_lock lock(answers_mutex);
    if (const auto known = answers().find(key); known != answers().end()) {
      const auto& [ran, ptx] = known->second;
      if (auto written = write_file(stem + ".ptx", ptx); !written) return tl::unexpected(written.error());
      return ran;
    }
  }
  if (auto written = write_file(stem + ".door.cu", text); !written) return tl::unexpected(written.error());
  const CommandResult ran = run_nvcc(adapter, stem + ".door.cu", stem);
  if (ran.stopped) return ran;
  const auto ptx = ran.exit_code == 0 ? text_of(stem + ".ptx") : Result<std::string>(std::string());
  if (!ptx) return tl::unexpected(ptx.error());
  const std::scoped_lock lock(answers_mutex);
  answers()[key] = {ran, *ptx};
  return ran;
}

// Whether it is among nvcc's own headers, which the host compiler's folders do not show.
bool nvcc_has(const std::string& header) {
  std::error_code none;
  const fs::path toolkit = fs::canonical(nvcc_here(), none).parent_path().parent_path();
  const auto has = [&](const char* folder) { return fs::exists(toolkit / folder / header, none); };
  return has("include") || has("targets/x86_64-linux/include") || has("targets/sbsa-linux/include");
}

Error no_nvcc() {
  return {"no nvcc was found", "`scripts/setup --cuda` fetches one, or put it on PATH; no GPU is needed"};
}

Error refused(const CommandResult& ran, const Words& left_out) {
  if (ran.stopped) return {"interrupted", ""};
  std::string hint = "-I says where headers are, --nvcc-flags gives nvcc what else it needs";
  if (!left_out.empty())
    hint = fmt::format("left out, because they are not here: {}; {}", fmt::join(with_packages(left_out), ", "), hint);
  else if (const auto header = missing_header(ran.output))
    hint = fmt::format("{} is not here; {}", with_packages({*header})[0], hint);
  return {"the file does not compile by nvcc:\n" + ran.output, hint};
}

}  // namespace

std::string nvcc_here() {
  static const std::string kFound = [] {
    std::vector<fs::path> places = {nvcc_of_build()};
    std::istringstream path(std::getenv("PATH") ? std::getenv("PATH") : "");
    for (std::string folder; std::getline(path, folder, ':');) places.push_back(fs::path(folder) / "nvcc");
    for (const char* name : {"CUDA_HOME", "CUDA_PATH"})
      if (const char* home = std::getenv(name)) places.push_back(fs::path(home) / "bin/nvcc");
    places.emplace_back("/usr/local/cuda/bin/nvcc");
    for (const fs::path& folder : header_folders()) places.push_back(folder / ".cuda/nvidia/cu13/bin/nvcc");
    std::error_code none;
    const auto found = std::find_if(places.begin(), places.end(), [&](const fs::path& place) {
      return !place.empty() && fs::is_regular_file(place, none);
    });
    return found == places.end() ? std::string() : found->string();
  }();
  return kFound;
}

Result<std::string> ptx_of_file(const Adapter& adapter, const std::string& path, const std::string& stem) {
  if (nvcc_here().empty()) return tl::unexpected(no_nvcc());
  const CommandResult ran = run_nvcc(adapter, path, stem);
  return ran.exit_code == 0 ? text_of(stem + ".ptx") : tl::unexpected(refused(ran, {}));
}

Result<NvccPtx> ptx_by_nvcc(const Prepared& prepared, const std::vector<Adapter>& adapters, const std::string& markers,
                            const std::string& stem) {
  const Adapter& adapter = prepared.adapter;
  if (nvcc_here().empty()) return tl::unexpected(no_nvcc());
  const auto with_text = [&](const Words& left_out) -> Result<NvccPtx> {
    auto text = text_of(stem + ".ptx");
    if (!text) return tl::unexpected(text.error());
    return NvccPtx{std::move(*text), left_out};
  };
  const auto whole =
      run_nvcc_on(adapter, line_directive(prepared.first_line, adapter.source) + prepared.source_text + markers, stem);
  if (!whole) return tl::unexpected(whole.error());
  if (whole->exit_code == 0) return with_text({});
  if (whole->stopped) return tl::unexpected(refused(*whole, {}));

  WholeSource reached =
      with_local_headers(prepared.source_text, adapter.source, prepared.first_line, header_folders(adapter.compile));
  std::erase_if(reached.left_out, nvcc_has);
  const auto part = run_nvcc_on(adapter, only_reached(reached.text, words_of_launches(adapters)) + markers, stem);
  if (!part) return tl::unexpected(part.error());
  if (part->exit_code == 0) return with_text(reached.left_out);
  // Without its headers the part misses more than the whole; otherwise the whole is what its author knows.
  const bool lacks_header = missing_header(whole->output).has_value();
  return tl::unexpected(part->stopped || lacks_header ? refused(*part, reached.left_out) : refused(*whole, {}));
}

}  // namespace assay
