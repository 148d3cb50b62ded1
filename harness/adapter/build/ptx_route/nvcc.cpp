// Calling nvcc: the whole file first, then what its kernels reach.
#include "harness/adapter/build/ptx_route/nvcc.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <filesystem>
#include <map>
#include <mutex>
#include <optional>
#include <sstream>

#include "harness/adapter/build/build.h"
#include "harness/adapter/build/compile_time.h"
#include "harness/adapter/build/compiled.h"
#include "harness/adapter/read/header_packages.h"
#include "harness/base/command.h"
#include "harness/base/interrupt.h"
#include "harness/base/printable.h"
#include "harness/base/write_file.h"

namespace assay {
namespace {

namespace fs = std::filesystem;
using Words = std::vector<std::string>;

// Without kernel_build.json nothing could be made of PTX either.
const Result<std::string>& found_nvcc() {
  static const Result<std::string> kFound = []() -> Result<std::string> {
    if (project_folders().empty()) return fail("without its build assay takes no nvcc", "build or install assay");
    const auto ran = run_process(
        {.words = {project_folders()[0] / "scripts/find_nvcc", nvcc_of_build()}, .errors = Redirect::merged()},
        {.stop = &interrupted_flag()});
    const std::string output = ran ? ran->output : ran.error().what;
    const std::string line = output.substr(0, output.find('\n'));
    if (ran && ran->end.ok()) return line;
    return fail(line, "`scripts/setup --cuda` fetches one, or put it on PATH; no GPU is needed");
  }();
  return kFound;
}

}  // namespace

std::string nvcc_here() { return found_nvcc().value_or(""); }

Error no_nvcc() { return found_nvcc() ? Error{} : found_nvcc().error(); }

namespace {

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
  // Pieces include harness/reader/torch_stubs.h for the annotations of kernels that PyTorch's headers define.
  for (const fs::path& folder : project_folders()) words.insert(words.end(), {"-I", folder.string()});
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
  const CommandResult first = run_compiler(words, environment);
  if (first.exit_code == 0 || first.stopped || missing_header(first.output) ||
      names_option(adapter.compile.nvcc_flags, "-std"))
    return first;
  words.push_back("-std=c++20");
  const CommandResult second = run_compiler(words, environment);
  return second.exit_code == 0 || second.stopped ? second : first;
}

// The result of nvcc for a text.
struct Answer {
  CommandResult ran;
  std::string ptx;
};

// The answers of this run, by nvcc's flags and the text: binding candidates are tried in batches, most of one text.
std::map<std::string, Answer>& answers() {
  static std::map<std::string, Answer> all;
  return all;
}
std::map<std::string, NvccPtx>& first_answers() {  // by flags and the text without markers
  static std::map<std::string, NvccPtx> all;
  return all;
}
std::mutex answers_mutex;

std::string key_of(const Adapter& adapter, const std::string& text) {
  return fmt::format("{}\n{}", fmt::join(command_of(adapter), " "), text);
}

Result<Answer> run_nvcc_on(const Prepared& prepared, const std::string& text, const std::string& stem) {
  const std::string key = key_of(prepared.adapter, text);
  {
    const std::scoped_lock lock(answers_mutex);
    if (const auto known = answers().find(key); known != answers().end()) {
      ASSAY_TRY(write_file(stem + ".ptx", known->second.ptx));
      return known->second;
    }
  }
  ASSAY_TRY(write_file(stem + ".nvcc.cu", text));
  Answer answer{run_nvcc(prepared.adapter, stem + ".nvcc.cu", stem), ""};
  if (answer.ran.stopped) return answer;
  answer.ptx = ASSAY_TRY(answer.ran.exit_code == 0 ? text_of(stem + ".ptx") : Result<std::string>(std::string()));
  const std::scoped_lock lock(answers_mutex);
  return answers()[key] = std::move(answer);
}

// nvcc's own headers, which the host compiler's folders do not show.
std::vector<fs::path> toolkit_folders() {
  std::error_code none;
  const fs::path toolkit = fs::canonical(nvcc_here(), none).parent_path().parent_path();
  std::vector<fs::path> folders;
  for (const char* headers : {"include", "targets/x86_64-linux/include", "targets/sbsa-linux/include"})
    for (const fs::path& folder : {toolkit / headers, toolkit / headers / "cccl"})
      if (fs::is_directory(folder, none)) folders.push_back(folder);
  return folders;
}
bool nvcc_has(const std::string& header) {
  static const std::vector<fs::path> kFolders = toolkit_folders();
  std::error_code none;
  return std::any_of(kFolders.begin(), kFolders.end(),
                     [&](const fs::path& folder) { return fs::exists(folder / header, none); });
}

// A template's errors are pages of notes, and the later ones follow from the first.
std::string first_lines(const std::string& output) {
  constexpr size_t kLines = 40;
  size_t end = 0;
  for (size_t lines = 0; lines < kLines && end < output.size(); ++lines)
    end = std::min(output.find('\n', end), output.size() - 1) + 1;
  const auto left = std::count(output.begin() + static_cast<std::ptrdiff_t>(end), output.end(), '\n');
  return left == 0 ? output : output.substr(0, end) + fmt::format("… and {} lines more\n", left);
}

Error refused(const CommandResult& ran, const Words& left_out) {
  if (ran.stopped) return preparation_ended().value_or(Error{"interrupted", ""});
  std::string hint = "-I says where headers are, --nvcc-flags gives nvcc what else it needs";
  if (!left_out.empty())
    hint = fmt::format("left out, because they are not here: {}; {}", fmt::join(with_packages(left_out), ", "), hint);
  else if (const auto header = missing_header(ran.output))
    hint = fmt::format("{} is not here; {}", with_packages({*header})[0], hint);
  return {"the file does not compile by nvcc:\n" + first_lines(ran.output), hint};
}

}  // namespace

Result<std::string> ptx_of_file(const Adapter& adapter, const std::string& path, const std::string& stem) {
  if (nvcc_here().empty()) return tl::unexpected(no_nvcc());
  const CommandResult ran = run_nvcc(adapter, path, stem);
  return ran.exit_code == 0 ? text_of(stem + ".ptx") : tl::unexpected(refused(ran, {}));
}

namespace {

// Whether nvcc was given the text before and did not take it.
bool is_refused(const Adapter& adapter, const std::string& text) {
  const std::scoped_lock lock(answers_mutex);
  const auto known = answers().find(key_of(adapter, text));
  return known != answers().end() && known->second.ran.exit_code != 0;
}

// The whole file, and where that does not compile its part, with the headers that nvcc alone has.
Result<NvccPtx> whole_or_part(const Prepared& prepared, const std::string& part, const std::string& markers,
                              const std::string& stem) {
  const Adapter& adapter = prepared.adapter;
  const std::string text = line_directive(prepared.first_line, adapter.source) + prepared.source_text;
  const Answer whole = ASSAY_TRY(run_nvcc_on(prepared, is_refused(adapter, text) ? text : text + markers, stem));
  if (whole.ran.exit_code == 0) return NvccPtx{whole.ptx};
  if (whole.ran.stopped || part.empty()) return tl::unexpected(refused(whole.ran, {}));

  std::string includes;
  Words left_out;
  for (const std::string& header : prepared.pieces->missing)
    nvcc_has(header) ? void(includes += fmt::format("#include <{}>\n", header)) : left_out.push_back(header);
  const Answer made = ASSAY_TRY(run_nvcc_on(prepared, includes + part + markers, stem));
  if (made.ran.exit_code == 0) return NvccPtx{made.ptx, left_out};
  // Without its headers the part misses more than the whole; otherwise the whole is what its author knows.
  const bool lacks_header = missing_header(whole.ran.output).has_value();
  return tl::unexpected(made.ran.stopped || lacks_header ? refused(made.ran, left_out) : refused(whole.ran, {}));
}

}  // namespace

Result<NvccPtx> ptx_by_nvcc(const Prepared& prepared, const std::string& part, const std::string& markers,
                            const std::string& stem) {
  if (nvcc_here().empty()) return tl::unexpected(no_nvcc());
  NvccPtx made = ASSAY_TRY(whole_or_part(prepared, part, markers, stem));
  const std::scoped_lock lock(answers_mutex);
  first_answers().try_emplace(key_of(prepared.adapter, prepared.source_text), made);
  return made;
}

const NvccPtx* first_ptx_by_nvcc(const Prepared& prepared) {
  const std::scoped_lock lock(answers_mutex);
  const auto found = first_answers().find(key_of(prepared.adapter, prepared.source_text));
  return found == first_answers().end() ? nullptr : &found->second;
}

}  // namespace assay
