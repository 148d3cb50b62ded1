// The steps: find headers, look into the cache, compile what is not there, try it in a process of its own, load.
#include "harness/adapter/user_ops.h"

#include <fmt/format.h>
#include <unistd.h>

#include <algorithm>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <map>
#include <optional>
#include <set>
#include <sstream>

#include "harness/adapter/build.h"
#include "harness/adapter/generate.h"
#include "harness/adapter/parallel.h"
#include "harness/adapter/scratch.h"
#include "harness/adapter/try_op.h"
#include "harness/base/scanner.h"
#include "harness/op/contract_check.h"
#include "harness/op/registry.h"

namespace assay {
namespace {

namespace fs = std::filesystem;

std::map<std::string, std::string>& folders_by_op() {
  static std::map<std::string, std::string> folders;
  return folders;
}

struct UserOp {
  std::string name;
  std::string folder;  // as the user has it
  fs::path header;     // absolute
  fs::path module;
};

std::string text_of(const fs::path& path) {
  std::ifstream in(path, std::ios::binary);
  std::ostringstream text;
  text << in.rdbuf();
  return text.str();
}

// The header and all that it includes in quotes from its own folder, and from theirs: the text that the module depends
// on besides the project's.
void append_with_includes(const fs::path& path, std::set<fs::path>& seen, std::string& all) {
  if (!seen.insert(path).second) return;
  const std::string text = text_of(path);
  all += path.string() + "\n" + text;
  for (const std::string_view name : quoted_includes(text)) {
    const fs::path included = (path.parent_path() / name).lexically_normal();
    if (fs::is_regular_file(included)) append_with_includes(included, seen, all);
  }
}

// Where modules are kept between runs; nothing when no such folder can be made.
std::optional<fs::path> cache_folder() {
  const char* cache = std::getenv("XDG_CACHE_HOME");
  const char* home = std::getenv("HOME");
  if ((!cache || !*cache) && (!home || !*home)) return std::nullopt;
  const fs::path folder = (cache && *cache ? fs::path(cache) : fs::path(home) / ".cache") / "assay";
  std::error_code error;
  fs::create_directories(folder, error);
  if (error || !folder.is_absolute()) return std::nullopt;
  return folder;
}

Result<UserOp> user_op(const fs::path& header) {
  const std::string name = header.stem().string();
  if (!is_identifier(name))
    return fail(header.string() + ": an op is named as its file, and this is no identifier",
                "use letters, digits and underscores, with a letter first");
  if (find_op(name)) return fail(header.string() + ": there is an op '" + name + "' already", "rename the file");
  return UserOp{.name = name,
                .folder = header.parent_path().string(),
                .header = fs::absolute(header).lexically_normal(),
                .module = {}};
}

Result<std::vector<UserOp>> ops_in(const std::vector<std::string>& folders) {
  std::map<std::string, UserOp> ops;
  for (const std::string& folder : folders) {
    std::error_code error;
    std::set<fs::path> headers;
    for (const auto& entry : fs::directory_iterator(folder, error))
      if (entry.path().extension() == ".h") headers.insert(entry.path());
    if (error) return fail("cannot read the folder of ops " + folder + ": " + error.message(), "see --ops");
    if (headers.empty())
      return fail(folder + " has no *.h: no op is in it", "`assay new-op NAME --dir DIR` writes one");
    for (const fs::path& header : headers) {
      const auto op = user_op(header);
      if (!op) return tl::unexpected(op.error());
      const auto [first, added] = ops.emplace(op->name, *op);
      if (!added && first->second.header != op->header)
        return fail(fmt::format("two headers for op '{}': {} and {}", op->name, first->second.header.string(),
                                op->header.string()),
                    "rename one");
    }
  }
  std::vector<UserOp> found;
  for (auto& [name, op] : ops) found.push_back(std::move(op));
  return found;
}

Result<void> compile(const UserOp& op, const fs::path& module) {
  const std::string source = module.string() + ".cpp";
  std::ofstream(source) << fmt::format(
      "#include {}\n#include \"harness/op/registry.h\"\n"
      "namespace {{ const assay::RegisterOp kOp(assay::ops::{}::contract()); }}\n",
      literal(op.header.string()), op.name);
  if (auto built = build_op(source, module.string()); !built)
    return fail(op.header.string() + ": " + built.error().what, built.error().hint);
  return {};
}

// Moves a module that is sound into the cache: under another name first, so that nobody ever loads half a file.
void keep(const fs::path& made, UserOp& op) {
  const fs::path passing = op.module.string() + "." + std::to_string(getpid());
  std::error_code error;
  fs::copy_file(made, passing, fs::copy_options::overwrite_existing, error);
  if (!error) fs::rename(passing, op.module, error);
  if (error) op.module = made;
}

}  // namespace

Result<void> load_user_ops(const std::vector<std::string>& folders) {
  if (folders.empty()) return {};
  auto ops = ops_in(folders);
  if (!ops) return tl::unexpected(ops.error());
  const auto stamp = build_stamp();
  if (!stamp) return tl::unexpected(stamp.error());

  const auto cache = cache_folder();
  std::vector<UserOp*> missing;
  for (UserOp& op : *ops) {
    std::set<fs::path> seen;
    std::string text = *stamp;
    append_with_includes(op.header, seen, text);
    const std::string file = fmt::format("{}-{:016x}.so", op.name, std::hash<std::string>()(text));
    op.module = cache.value_or(scratch_folder()) / file;
    if (!fs::exists(op.module)) missing.push_back(&op);
  }
  const auto made = [](const UserOp& op) { return scratch_folder() / op.module.filename(); };
  const auto build = [&](size_t i) { return compile(*missing[i], made(*missing[i])); };
  if (auto built = in_parallel(missing.size(), build); !built) return built;
  for (UserOp* op : missing) {
    if (auto sound = try_op(made(*op), op->name); !sound)
      return fail(op->header.string() + ": " + sound.error().what, sound.error().hint);
    if (cache) keep(made(*op), *op);
  }
  std::vector<std::string> modules;
  for (const UserOp& op : *ops) {
    modules.push_back(op.module);
    folders_by_op()[op.name] = op.folder;
  }
  if (const auto loaded = load_modules(modules); !loaded)
    return fail(loaded.error().what, "remove what is in " + ops->front().module.parent_path().string());
  return {};
}

std::vector<std::string_view> quoted_includes(std::string_view text) {
  std::vector<std::string_view> names;
  Scanner scan(text);
  while (scan.skip_past("#")) {
    scan.blanks();
    if (!scan.skip("include")) continue;
    scan.blanks();
    if (!scan.skip("\"")) continue;
    const std::string_view name = scan.take([](char c) { return c != '"' && c != '\n'; });
    if (!name.empty() && scan.skip("\"")) names.push_back(name);
  }
  return names;
}

std::string folder_of_op(const std::string& op) {
  const auto found = folders_by_op().find(op);
  return found == folders_by_op().end() ? "" : found->second;
}

}  // namespace assay
