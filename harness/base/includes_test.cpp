// The layers of the harness: includes go leftwards only, the executor stands beside them, nothing goes in a circle, and
// the documents draw it so.
#include <gmock/gmock.h>

#include <algorithm>
#include <filesystem>
#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "harness/base/test_tree.h"

namespace assay::style {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;
using testing::IsEmpty;
using testing::SizeIs;

// The header that a line includes: "harness/op/contract.h", "cuda_bf16.h"; empty for other lines.
std::string_view included(std::string_view line) {
  if (!line.starts_with("#include ") || line.size() < 11) return {};
  const size_t end = line.find(line[9] == '<' ? '>' : '"', 10);
  return end == std::string_view::npos ? std::string_view() : line.substr(10, end - 10);
}

// The folder of "harness/<folder>/…"; empty for other paths.
std::string_view folder_of(std::string_view path) {
  if (!path.starts_with("harness/") || path.find('/', 8) == std::string_view::npos) return {};
  return path.substr(8, path.find('/', 8) - 8);
}

std::optional<size_t> layer_of(std::string_view path) {
  const auto found = std::find(kLayers.begin(), kLayers.end(), folder_of(path));
  return found == kLayers.end() ? std::nullopt : std::optional(static_cast<size_t>(found - kLayers.begin()));
}

bool is_excused(const File& file, std::string_view include) {
  return std::any_of(kRightwardIncludes.begin(), kRightwardIncludes.end(),
                     [&](const RightwardInclude& r) { return r.file == file.path && r.include == include; });
}

void rightward_includes(const File& file, Complaints& complaints) {
  const auto own = layer_of(file.path);
  if (!own || is_test(file.path)) return;  // tests may use whatever they need
  for (size_t i = 0; i < file.lines.size(); ++i) {
    const std::string_view include = included(file.lines[i]);
    const auto layer = layer_of(include);
    if (!layer || *layer <= *own || is_excused(file, include)) continue;
    complaints.push_back(at(file, i) + "including " + std::string(include) + " is banned, use an interface of " +
                         std::string(kLayers[*own]) + ": " + std::string(kLayers[*layer]) + " comes later");
  }
}

// The executor is a library of its own: it includes nothing of this project but itself, and neither do its tests and
// benchmarks.
void includes_of_the_executor(const File& file, Complaints& complaints) {
  if (folder_of(file.path) != kExecutor) return;
  for (size_t i = 0; i < file.lines.size(); ++i) {
    const std::string_view include = included(file.lines[i]);
    const std::string_view top = include.substr(0, include.find('/'));
    const bool is_ours = std::find(kFolders.begin(), kFolders.end(), top) != kFolders.end();
    if (!is_ours || folder_of(include) == kExecutor || is_excused(file, include)) continue;
    complaints.push_back(at(file, i) + "including " + std::string(include) +
                         " is banned, use an option or a callback: the executor knows nothing of the harness");
  }
}

// Folders that no document places.
void unknown_folders(const File& file, Complaints& complaints) {
  const std::string_view folder = folder_of(file.path);
  const auto is_beside = std::find(kBeside.begin(), kBeside.end(), folder) != kBeside.end();
  if (folder.empty() || layer_of(file.path) || folder == kExecutor || is_beside) return;
  complaints.push_back(file.path + ":1: a folder that is no layer is banned, use one of kLayers or name it there");
}

using Includes = std::map<std::string, std::vector<std::string>>;

Includes includes_between(const std::vector<File>& files) {
  Includes all;
  for (const File& file : files)
    if (is_cpp(file)) all[file.path];
  for (const File& file : files) {
    if (!is_cpp(file)) continue;
    const std::filesystem::path folder = std::filesystem::path(file.path).parent_path();
    for (const std::string& line : file.lines) {
      const std::string include(included(line));
      for (const std::filesystem::path& from : {std::filesystem::path(), folder, {"harness/simt/include"}}) {
        const std::string path = (from / include).lexically_normal().generic_string();
        const bool beside = from == folder && line[9] == '<';  // where <math.h> is not looked for
        if (include.empty() || beside || !all.contains(path)) continue;
        all[file.path].push_back(path);
        break;
      }
    }
  }
  return all;
}

// Follows the includes of `path`; `open` holds the files on the way here, `done` those whose includes end.
void find_cycles(const std::string& path, const Includes& includes, std::vector<std::string>& open,
                 std::map<std::string, bool>& done, Complaints& complaints) {
  const auto again = std::find(open.begin(), open.end(), path);
  if (again != open.end()) {
    std::string circle;
    for (auto one = again; one != open.end(); ++one) circle += *one + " > ";
    complaints.push_back(path + ":1: includes in a circle are banned, use a third header: " + circle + path);
  }
  if (again != open.end() || done[path]) return;
  open.push_back(path);
  for (const std::string& next : includes.at(path)) find_cycles(next, includes, open, done, complaints);
  open.pop_back();
  done[path] = true;
}

Complaints cycles(const std::vector<File>& files) {
  Complaints complaints;
  const Includes includes = includes_between(files);
  std::map<std::string, bool> done;
  std::vector<std::string> open;
  for (const auto& [path, next] : includes) find_cycles(path, includes, open, done, complaints);
  return complaints;
}

// A header that only tests include has test_ before its name, and no other does. The executor's headers are there for
// kernels that others write.
Complaints misnamed_headers(const std::vector<File>& files) {
  std::map<std::string, std::vector<std::string>> includers;
  for (const auto& [path, all] : includes_between(files))
    for (const std::string& header : all) includers[header].push_back(path);
  Complaints complaints;
  for (const auto& [header, all] : includers) {
    const auto product = std::find_if_not(all.begin(), all.end(), is_test);
    if (is_test(header) && product != all.end())
      complaints.push_back(*product + ":1: including " + header + " is banned, use it in tests");
    if (!is_test(header) && product == all.end() && folder_of(header) != kExecutor)
      complaints.push_back(header + ":1: this name is banned, use test_…: only tests include it");
  }
  return complaints;
}

// The layers as a document draws them: its line "base < tensor < …", with the executor in the same block.
void picture(const File& file, Complaints& complaints) {
  std::string drawn;
  for (const std::string_view layer : kLayers) drawn += (drawn.empty() ? "" : " < ") + std::string(layer);
  const auto has = [](std::string_view text) {
    return [text](const std::string& line) { return line.find(text) != std::string::npos; };
  };
  const auto line = std::find_if(file.lines.begin(), file.lines.end(), has(drawn));
  const auto end = std::find(line, file.lines.end(), "```");
  if (end == file.lines.end() || std::none_of(line, end, has(kExecutor)))
    complaints.push_back(file.path + ":1: other layers than the harness has are banned, use a block with " + drawn +
                         " and " + std::string(kExecutor));
}

TEST(Includes, GoLeftwards) {
  EXPECT_THAT(over_project(rightward_includes), AreNone());
  EXPECT_THAT(of_canary("harness/op/x.h", {"", "#include \"harness/judge/judge.h\""}, rightward_includes),
              ElementsAre(HasSubstr("harness/op/x.h:2: including harness/judge/judge.h is banned, use")));
  EXPECT_THAT(of_canary("harness/judge/x.h", {"#include \"harness/op/contract.h\""}, rightward_includes), IsEmpty());
}

TEST(Includes, TheExecutorHasNoneOfTheHarness) {
  EXPECT_THAT(over_project(includes_of_the_executor), AreNone());
  const auto of = [](const std::string& path, const std::string& include) {
    return of_canary(path, {"#include \"" + include + "\""}, includes_of_the_executor);
  };
  EXPECT_THAT(of("harness/simt/runtime/x.h", "harness/base/rng.h"),
              ElementsAre(HasSubstr("harness/simt/runtime/x.h:1: including harness/base/rng.h is banned, use")));
  EXPECT_THAT(of("harness/simt/checked/x.cpp", "kernels/device/mma.cuh"), SizeIs(1));
  EXPECT_THAT(of("harness/simt/runtime/x.h", "harness/simt/runtime/ring.h"), IsEmpty());
  EXPECT_THAT(of("harness/simt/runtime/x.h", "simt/fiber.h"), IsEmpty());
  EXPECT_THAT(of("harness/simt/tests/x.cu", "kernels/device/mma.cuh"), SizeIs(1));
}

TEST(Includes, EveryExcuseIsNeeded) {
  for (const RightwardInclude& excuse : kRightwardIncludes) {
    const auto file =
        std::find_if(project().begin(), project().end(), [&](const File& f) { return f.path == excuse.file; });
    ASSERT_NE(file, project().end()) << excuse.file;
    EXPECT_TRUE(std::any_of(file->lines.begin(), file->lines.end(),
                            [&](const std::string& line) { return included(line) == excuse.include; }))
        << excuse.file << " no longer includes " << excuse.include;
  }
}

TEST(Includes, EveryFolderHasItsPlace) {
  EXPECT_THAT(over_project(unknown_folders), AreNone());
  EXPECT_THAT(of_canary("harness/utils/x.h", {}, unknown_folders), SizeIs(1));
  EXPECT_THAT(of_canary("harness/README.md", {}, unknown_folders), IsEmpty());
}

TEST(Includes, NeverGoInACircle) {
  EXPECT_THAT(cycles(project()), AreNone());
  const File a{"harness/op/a.h", {"#include \"harness/op/b.h\""}}, b{"harness/op/b.h", {"#include \"c.h\""}};
  EXPECT_THAT(cycles({a, b, {"harness/op/c.h", {"#include \"harness/op/a.h\""}}}),
              ElementsAre(HasSubstr("harness/op/a.h > harness/op/b.h > harness/op/c.h > harness/op/a.h")));
  EXPECT_THAT(cycles({a, b, {"harness/op/c.h", {"#include <vector>"}}}), IsEmpty());
}

TEST(Includes, HeadersForTestsAreKnownByTheirNames) {
  EXPECT_THAT(misnamed_headers(project()), AreNone());
  const File test{"harness/op/x_test.cpp", {"#include \"harness/op/a.h\"", "#include \"harness/op/test_a.h\""}};
  const File product{"harness/op/x.cpp", test.lines}, a{"harness/op/a.h", {}}, test_a{"harness/op/test_a.h", {}};
  EXPECT_THAT(misnamed_headers({test, a, test_a}),
              ElementsAre(HasSubstr("harness/op/a.h:1: this name is banned, use")));
  EXPECT_THAT(misnamed_headers({test, product, a, test_a}),
              ElementsAre(HasSubstr("harness/op/x.cpp:1: including harness/op/test_a.h is banned, use")));
}

TEST(Includes, DocumentsDrawTheLayersAsTheyAre) {
  Complaints complaints;
  for (const File& file : project())
    if (file.path == "harness/README.md") picture(file, complaints);
  EXPECT_THAT(complaints, AreNone());
  EXPECT_THAT(of_canary("README.md", {"base < tensor", "simt", "```"}, picture), SizeIs(1));
}

}  // namespace
}  // namespace assay::style
