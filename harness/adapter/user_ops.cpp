// The steps: find headers, look into the cache, compile what is not there, try it in a process of its own, load.
#include "harness/adapter/user_ops.h"

#include <fmt/format.h>

#include <filesystem>
#include <map>
#include <optional>
#include <set>

#include "harness/adapter/build/build.h"
#include "harness/adapter/build/compile_time.h"
#include "harness/adapter/build/generate.h"
#include "harness/adapter/build/module_cache.h"
#include "harness/adapter/build/parallel.h"
#include "harness/adapter/build/scratch.h"
#include "harness/adapter/try/try_op.h"
#include "harness/base/printable.h"
#include "harness/base/write_file.h"
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
  std::string folder;  // absolute
  fs::path header;     // absolute
  fs::path module;
};

Result<UserOp> user_op(const fs::path& header) {
  const std::string name = header.stem().string();
  if (!is_identifier(name))
    return fail(header.string() + ": an op is named as its file, and this is no identifier",
                "use letters, digits and underscores, with a letter first");
  if (find_op(name)) return fail(header.string() + ": there is an op '" + name + "' already", "rename the file");
  return UserOp{.name = name,
                .folder = fs::absolute(header).lexically_normal().parent_path().string(),
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
      const auto op = ASSAY_TRY(user_op(header));
      const auto [first, added] = ops.emplace(op.name, op);
      if (!added && first->second.header != op.header)
        return fail(fmt::format("two headers for op '{}': {} and {}", op.name, first->second.header.string(),
                                op.header.string()),
                    "rename one");
    }
  }
  std::vector<UserOp> found;
  for (auto& [name, op] : ops) found.push_back(std::move(op));
  return found;
}

std::string wrapper_of(const UserOp& op) {
  return fmt::format(
      "#include {}\n#include \"harness/op/registry.h\"\n"
      "namespace {{ const assay::RegisterOp kOp(assay::ops::{}::contract()); }}\n",
      cpp_literal(op.header.string()), op.name);
}

Result<void> compile(const UserOp& op) {
  const std::string source = op.module.string() + ".cpp";
  ASSAY_TRY(write_file(source, wrapper_of(op)));
  if (auto built = build_op(source, op.module.string()); !built)
    return fail(op.header.string() + ": " + built.error().what, built.error().hint);
  return {};
}

}  // namespace

Result<void> load_user_ops(const std::vector<std::string>& folders) {
  if (folders.empty()) return {};
  auto ops = ASSAY_TRY(ops_in(folders));
  const auto stamp = ASSAY_TRY(build_stamp());

  ASSAY_TRY(make_scratch_folder());
  const auto cache = ModuleCache::of_user();
  const auto recipe = [&](const UserOp& op) { return stamp + "\n" + wrapper_of(op); };
  std::vector<UserOp*> missing;
  for (UserOp& op : ops) {
    const auto kept = cache ? cache->find(recipe(op)) : std::nullopt;
    op.module = kept.value_or(scratch_folder() / (op.name + ".so"));
    if (!kept) missing.push_back(&op);
  }
  if (!missing.empty()) now_preparing(missing.front()->header.string());
  const auto build = [&](size_t i) { return compile(*missing[i]); };
  const std::string doing = fmt::format("compiling {} of {} ops", missing.size(), ops.size());
  if (auto built = in_parallel(missing.size(), build, doing); !built) {
    const auto ended = preparation_ended();
    return ended ? tl::unexpected(*ended) : built;
  }
  for (UserOp* op : missing) {  // one after the other: trying forks, which only a process of one thread may
    if (auto sound = try_op(op->module, op->name); !sound)
      return fail(op->header.string() + ": " + sound.error().what, sound.error().hint);
    const auto read = files_read(op->module.string() + ".d", scratch_folder());
    if (cache) op->module = cache->keep(recipe(*op), op->module, read);
  }
  std::vector<std::string> modules;
  for (const UserOp& op : ops) {
    modules.push_back(op.module);
    folders_by_op()[op.name] = op.folder;
  }
  if (const auto loaded = load_modules(modules); !loaded)
    return fail(loaded.error().what, "remove what is in " + ops.front().module.parent_path().string());
  return {};
}

std::string folder_of_op(const std::string& op) {
  const auto found = folders_by_op().find(op);
  return found == folders_by_op().end() ? "" : found->second;
}

}  // namespace assay
