// The steps, in order, for each file.
#include "harness/adapter/user_kernels.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <array>
#include <filesystem>
#include <fstream>
#include <map>
#include <set>
#include <sstream>

#include "harness/adapter/build.h"
#include "harness/adapter/cuda_text.h"
#include "harness/adapter/generate.h"
#include "harness/adapter/infer_launcher.h"
#include "harness/adapter/kernel_source.h"
#include "harness/adapter/parallel.h"
#include "harness/adapter/scratch.h"
#include "harness/adapter/slice/inline_assembly.h"
#include "harness/adapter/slice/local_headers.h"
#include "harness/adapter/slice/reached.h"
#include "harness/adapter/text_source.h"
#include "harness/adapter/vector_access.h"
#include "harness/base/check.h"
#include "harness/base/write_file.h"
#include "harness/device/cuda/gpu_runtime.h"
#include "harness/op/registry.h"

namespace assay {
namespace {

namespace fs = std::filesystem;

std::map<std::string, UserOrigin>& origins() {
  static std::map<std::string, UserOrigin> by_id;
  return by_id;
}

std::string absolute(const std::string& path) {
  return path.empty() ? "" : fs::absolute(path).lexically_normal().string();
}

UserOrigin origin_of(const UserKernel& kernel, const Adapter& adapter) {
  CompileOptions compile = kernel.compile;  // what an adapter adds is in its file
  for (std::string& folder : compile.include) folder = absolute(folder);
  return {absolute(adapter.source), absolute(adapter.path), kernel.kernel, kernel.entry, words_of(compile)};
}

Result<std::string> text_of(const std::string& path) {
  std::error_code no_file;
  std::ifstream in;
  if (fs::is_regular_file(path, no_file)) in.open(path, std::ios::binary);  // opening a pipe would wait
  if (!in.is_open()) return fail("cannot read " + path, "give the path of a file with CUDA kernels");
  std::ostringstream text;
  text << in.rdbuf();
  return text.str();
}

// A kernel with how it is launched, before it is compiled.
struct Prepared {
  Adapter adapter;
  std::string source_text;  // "": a library
  int first_line = 1;       // of the text in its file
  std::vector<std::string> remarks;
  bool registers_itself = false;          // a file like those below kernels/: there is nothing to adapt
  std::vector<Inferred> candidates = {};  // where it is not clear which is right; `adapter` is the first
};

// The one that was named, or beside my_kernels.cu: my_kernels.OP.toml, my_kernels.toml
std::optional<std::string> adapter_for(const UserKernel& kernel) {
  if (!kernel.adapter.empty()) return kernel.adapter;
  fs::path base = kernel.path;
  base.replace_extension();
  for (const std::string& name : {base.string() + "." + kernel.op + ".toml", base.string() + ".toml"})
    if (std::error_code none; fs::exists(name, none)) return name;
  return std::nullopt;
}

std::string names_of(const std::vector<KernelSource>& kernels) {
  std::vector<std::string> names;
  for (const KernelSource& kernel : kernels) names.push_back(kernel.name);
  return fmt::format("{}", fmt::join(names, ", "));
}

// The kernel that is meant: by name, the only one, or the only one that the op is likely for.
Result<const KernelSource*> chosen_kernel(const CudaSource& source, const UserKernel& wanted) {
  if (source.kernels.empty()) return fail(wanted.path + " has no __global__ function", "is it the right file?");
  std::vector<const KernelSource*> fitting;
  for (const KernelSource& kernel : source.kernels) {
    const auto ops = likely_ops(kernel);
    if (wanted.kernel.empty() ? source.kernels.size() == 1 || (!ops.empty() && ops[0] == wanted.op)
                              : kernel.name == wanted.kernel)
      fitting.push_back(&kernel);
  }
  if (fitting.size() == 1) return fitting[0];
  if (!wanted.kernel.empty())
    return fail(wanted.path + " has no kernel '" + wanted.kernel + "'", "it has " + names_of(source.kernels));
  return fail(fmt::format("{} has {} kernels, and it is not clear which is meant: {}", wanted.path,
                          source.kernels.size(), names_of(source.kernels)),
              "name one with --kernel, or write the adapter with 'assay adapt'");
}

Result<std::string> chosen_op(const KernelSource& kernel, const UserKernel& wanted) {
  if (!wanted.op.empty()) return wanted.op;
  const auto ops = likely_ops(kernel);
  if (ops.size() == 1 || (!ops.empty() && names_op(kernel, ops[0]))) return ops[0];
  std::vector<std::string> known;
  for (const Contract& op : all_ops()) known.push_back(op.name);
  return fail(fmt::format("{}: which op is {}?", wanted.path, kernel.name),
              fmt::format("say --op; {} {}", ops.empty() ? "known are" : "likely are",
                          fmt::join(ops.empty() ? known : ops, ", ")));
}

Result<Prepared> complete(Inferred found, const std::string& entry, const std::string& path) {
  const std::string& op = found.adapter.op;
  if (!found.unknown.empty())
    return fail(fmt::format("{}: how {} meets {} is not clear: {}", path, entry, op, fmt::join(found.unknown, "; ")),
                fmt::format("'assay adapt {} --op {}' writes what is known into a file to be completed", path, op));
  return Prepared{std::move(found.adapter), "", 1, std::move(found.remarks)};
}

Result<Prepared> inferred(const UserKernel& wanted, const std::string& path, const CudaSource& source) {
  if (const FunctionSource* launcher = find_launcher(source, wanted.kernel)) {
    const auto op = chosen_op(*launcher, wanted);
    if (!op) return tl::unexpected(op.error());
    return complete(infer_launcher(source, *launcher, *find_op(*op), path), launcher->name, path);
  }
  if (const Contract* op = find_op(wanted.op); op && wanted.kernel.empty())
    if (auto launcher = infer_launcher_of_op(source, *op, path)) return complete(std::move(*launcher), "", path);
  const auto kernel = chosen_kernel(source, wanted);
  if (!kernel) return tl::unexpected(kernel.error());
  const auto op = chosen_op(**kernel, wanted);
  if (!op) return tl::unexpected(op.error());
  const Contract* contract = find_op(*op);
  ASSAY_CHECK(contract, "no op '" + *op + "'");
  std::vector<Inferred> ways = ways_to_call(source, **kernel, *contract, path);
  if (ways.empty()) return complete(infer_entry(source, **kernel, *contract, path), (*kernel)->name, path);
  Prepared first{ways[0].adapter, "", 1, ways[0].remarks};
  if (is_to_be_tried(ways)) first.candidates = std::move(ways);
  return first;
}

std::optional<Error> unknown_op(const std::string& op, const std::string& path) {
  if (op.empty() || find_op(op)) return std::nullopt;
  std::vector<std::string> known;
  for (const Contract& each : all_ops()) known.push_back(each.name);
  return Error{path + ": there is no op '" + op + "'", suggestion(op, known)};
}

// `assay adapt` writes a question mark where it could not infer something.
std::optional<Error> open_place(const Adapter& adapter) {
  const auto open = [&](const std::string& place, const AdapterLaunch& launch) {
    return Error{fmt::format("{}: {} of {} is still open", adapter.path, place, launch.entry),
                 "write an expression instead of the question mark; the comments above it say what is known"};
  };
  for (const AdapterLaunch& launch : adapter.launches) {
    if (launch.entry.find('?') != std::string::npos) return open("a template argument", launch);
    for (size_t i = 0; i < launch.args.size(); ++i)
      if (launch.args[i] == "?") return open(fmt::format("argument {}", i + 1), launch);
    for (const auto& [name, extents] : {std::pair{"the grid", &launch.grid}, std::pair{"the block", &launch.block}})
      if (std::find(extents->begin(), extents->end(), "?") != extents->end()) return open(name, launch);
    if (launch.shared == "?") return open("the dynamic shared memory", launch);
  }
  return std::nullopt;
}

tl::unexpected<Error> wrong_op(const std::string& adapter, const std::string& op, const std::string& wanted) {
  return fail(fmt::format("{} is for {}, not for {}", adapter, op, wanted), "leave out --op");
}

Result<Prepared> prepare(UserKernel wanted) {
  std::optional<Adapter> given;
  if (wanted.path.ends_with(".toml")) {
    auto adapter = read_adapter(wanted.path);
    if (!adapter) return tl::unexpected(adapter.error());
    if (!wanted.op.empty() && adapter->op != wanted.op) return wrong_op(wanted.path, adapter->op, wanted.op);
    wanted.path = adapter->source;
    given = std::move(*adapter);
  } else if (const auto path = adapter_for(wanted)) {
    auto adapter = read_adapter(*path);
    if (!adapter) return tl::unexpected(adapter.error());
    const bool named = !wanted.adapter.empty();
    if (named || adapter->source.empty()) adapter->source = wanted.path;
    const bool fits = wanted.op.empty() || adapter->op == wanted.op;
    if (named && !fits) return wrong_op(*path, adapter->op, wanted.op);
    if (fits) given = std::move(*adapter);
  }
  if (auto error = unknown_op(given ? given->op : wanted.op, given ? given->path : wanted.path))
    return tl::unexpected(*error);
  if (given)
    if (auto error = open_place(*given)) return tl::unexpected(*error);
  if (given && !given->declaration.empty()) return Prepared{*given, "", 1, {}};

  const auto file = text_of(wanted.path);
  if (!file) return tl::unexpected(file.error());
  const auto text = cuda_text(wanted.path, *file, wanted.entry);
  if (!text) return tl::unexpected(text.error());
  if (!given && text->text.find("RegisterVariant") != std::string::npos) {
    Prepared whole;
    whole.adapter.source = wanted.path;
    whole.adapter.compile = wanted.compile;
    whole.registers_itself = true;
    return whole;
  }
  const auto source = read_cuda(text->text);
  if (!source) return tl::unexpected(Error{wanted.path + ": " + source.error().what, source.error().hint});
  auto prepared = given ? Result<Prepared>(Prepared{*given, "", 1, {}}) : inferred(wanted, wanted.path, *source);
  if (!prepared) return prepared;
  const Contract& contract = *find_op(prepared->adapter.op);
  if (const auto wrong = wrong_arguments(*source, prepared->adapter, contract); !wrong.empty())
    return fail(fmt::format("{}: {}", prepared->adapter.path.empty() ? wanted.path : prepared->adapter.path,
                            fmt::join(wrong, "; ")),
                "nothing was run");
  prepared->adapter.compile = merged(wanted.compile, prepared->adapter.compile);
  if (given && !given->omits.empty())
    prepared->remarks.push_back(
        fmt::format("{} is not judged: the kernel does not make it.", fmt::join(given->omits, ", ")));
  if (!prepared->adapter.aligned) prepared->adapter.aligned = needed_alignment(text->text);
  prepared->source_text = text->text;
  prepared->first_line = text->first_line;
  return prepared;
}

// What the launches of an adapter name.
std::set<std::string> words_of_launches(const Adapter& adapter) {
  std::set<std::string> words;
  const auto add = [&](const std::string& text) {
    for (const Token& token : tokens_of(text))
      if (token.is_word()) words.emplace(token.text);
  };
  for (const AdapterLaunch& launch : adapter.launches) {
    for (const std::string* text : {&launch.entry, &launch.shared}) add(*text);
    for (const auto* texts : {&launch.args, &launch.grid, &launch.block})
      std::for_each(texts->begin(), texts->end(), add);
  }
  return words;
}

// The text that is compiled: all that the launches need, and nothing else of the file and its headers.
Result<WholeSource> text_to_compile(const Prepared& prepared) {
  const Adapter& adapter = prepared.adapter;
  if (adapter.language != KernelLanguage::cuda)
    return WholeSource{line_directive(prepared.first_line, adapter.source) + prepared.source_text, {}};
  HeaderFolders folders{{}, header_folders()};
  for (const std::string& folder : adapter.compile.include) folders.own.emplace_back(fs::absolute(folder));
  WholeSource whole = with_local_headers(prepared.source_text, adapter.source, prepared.first_line, folders);
  std::set<std::string> words = words_of_launches(adapter);
  for (const Inferred& each : prepared.candidates) words.merge(words_of_launches(each.adapter));
  whole.text = only_reached(whole.text, words);
  if (const auto place = inline_assembly(whole.text))
    return fail(*place + ": inline PTX, which the executor does not run",
                "for mma, ldmatrix and cp.async use the functions of kernels/device; a GPU runs it as it is");
  return whole;
}

KernelFile kernel_file(const Adapter& adapter, const std::string& path) {
  KernelFile file{path, {fs::absolute(adapter.source).parent_path().string()}, {}, adapter.compile.define};
  for (const std::string& folder : adapter.compile.include) file.include.push_back(fs::absolute(folder).string());
  if (adapter.source.ends_with(".c")) file.flags.push_back("-fpermissive");  // C converts void* without a cast
  std::istringstream flags(adapter.compile.flags);
  for (std::string flag; flags >> flag;) {
    const bool fast = flag == "-use_fast_math" || flag == "--use_fast_math";  // nvcc's, which g++ takes for its own -u
    fast ? file.define.push_back("__USE_FAST_MATH__") : file.flags.push_back(flag);
  }
  return file;
}

constexpr const char* kCandidate = "_candidate";  // and its number: the name of a variant that is only tried

// The adapters that are tried, each under a name of its own.
std::vector<Adapter> candidates_of(const Prepared& prepared) {
  std::vector<Adapter> adapters;
  for (const Inferred& each : prepared.candidates) {
    adapters.push_back(each.adapter);
    adapters.back().name += fmt::format("{}{}", kCandidate, adapters.size());
  }
  return adapters;
}

Result<std::vector<std::string>> module_of(const KernelFile& file, KernelBuild build, const std::string& stem) {
  auto module = build_module(file, build, stem + ".candidates.so");
  if (!module) return tl::unexpected(module.error());
  return std::vector<std::string>{*module};
}

// Compiles one kernel, the file `number` of `count`, for the builds that it is for; the modules' paths.
Result<std::vector<std::string>> compiled(Prepared& prepared, size_t number, size_t count) {
  Adapter& adapter = prepared.adapter;
  const std::string named = adapter.source;
  adapter.source = absolute(named);  // a module is the same, whichever folder its file was named from
  const std::string stem = (scratch_folder() / fmt::format("kernel{}", number)).string();
  KernelFile file = kernel_file(adapter, stem + ".cu");
  std::string left_out;
  std::string include;
  if (prepared.registers_itself) {
    file.path = adapter.source;
  } else if (adapter.declaration.empty()) {
    include = stem + ".source.cu";
    const auto whole = text_to_compile(prepared);
    if (!whole) return tl::unexpected(whole.error());
    left_out = fmt::format("{}", fmt::join(whole->left_out, ", "));
    // Two files of one text: a host compiler has no <<<>>>.
    for (const auto& [path, text] : {std::pair{include + ".gpu", whole->text},
                                     std::pair{include, without_launch_syntax(with_alignas_first(whole->text))}})
      if (auto written = write_file(path, text); !written) return tl::unexpected(written.error());
    file.generated = whole->text;
  } else {
    file.objects.push_back(adapter.source);
  }
  if (!prepared.registers_itself) {
    const Contract& contract = *find_op(adapter.op);
    const std::string wrapper = prepared.candidates.empty() ? wrapper_of(adapter, contract, include)
                                                            : wrapper_of(candidates_of(prepared), contract, include);
    if (auto written = write_file(file.path, wrapper); !written) return tl::unexpected(written.error());
    file.generated += wrapper;
  }
  std::vector<KernelBuild> builds = {KernelBuild::fast};
#if defined(__x86_64__)
  if (adapter.language == KernelLanguage::cuda) builds.push_back(KernelBuild::checked);
  if (!prepared.candidates.empty()) return module_of(file, KernelBuild::checked, stem);  // the one that sees most
#endif
  if (!prepared.candidates.empty()) return module_of(file, KernelBuild::fast, stem);
  if (adapter.language == KernelLanguage::cuda && gpu_is_here()) builds.push_back(KernelBuild::gpu);
  std::vector<std::string> modules(builds.size());
  const auto build = [&](size_t i) -> Result<void> {
    auto module = build_module(file, builds[i], fmt::format("{}.{}.so", stem, static_cast<int>(builds[i])));
    if (!module) return tl::unexpected(module.error());
    modules[i] = *module;
    return {};
  };
  const std::string doing = fmt::format("compiling {} ({} of {})", named, number + 1, count);
  if (const auto built = in_parallel(builds.size(), build, doing); !built)
    return fail(named + ": " + built.error().what,
                left_out.empty() ? built.error().hint
                                 : "left out, because they are not here: " + left_out + "; -I says where headers are");
  if (!left_out.empty()) prepared.remarks.push_back("Left out, because they are not here: " + left_out + ".");
  return modules;
}

std::set<std::string> registered_ids() {
  std::set<std::string> ids;
  for (const Variant* variant : variants()) ids.insert(variant->op + "/" + variant->name);
  return ids;
}

// Takes the first candidate that a few cases say nothing against; false where there is none.
Result<bool> decide(Prepared& prepared, size_t number, size_t count, const TryAdapters& try_adapters) {
  const auto modules = compiled(prepared, number, count);
  if (!modules) return tl::unexpected(modules.error());
  if (auto done = load_modules(*modules); !done) return tl::unexpected(done.error());
  std::vector<std::string> ids;
  for (const Adapter& adapter : candidates_of(prepared)) ids.push_back(adapter.op + "/" + adapter.name);
  const Tried tried = try_adapters(ids);
  const Inferred& taken = prepared.candidates[tried.taken.value_or(0)];
  std::vector<std::string> guesses = taken.guesses;
  guesses.insert(guesses.end(), taken.launch_guesses.begin(), taken.launch_guesses.end());
  const std::string said = fmt::format("{}", fmt::join(guesses, ", "));
  CompileOptions compile = std::move(prepared.adapter.compile);
  prepared.adapter = taken.adapter;
  prepared.adapter.compile = std::move(compile);
  prepared.remarks = taken.remarks;
  prepared.adapter.guesses = tried.taken ? taken.launch_guesses : guesses;
  if (tried.taken && said.empty())
    prepared.remarks.push_back("The way that a few cases say nothing against.");
  else if (tried.taken)
    prepared.remarks.push_back(fmt::format("Guessed, and right in the cases that were tried: {}.", said));
  else
    prepared.remarks.push_back(fmt::format("{}None of {} ways to call it is right in the cases that were tried ({}).",
                                           said.empty() ? "" : fmt::format("Guessed: {}. ", said), ids.size(),
                                           tried.why_not));
  prepared.candidates.clear();
  return tried.taken.has_value();
}

}  // namespace

bool names_kernel_file(const std::string& word) {
  static constexpr std::array kEndings{".cu", ".cuh", ".c", ".cc", ".cpp", ".so", ".toml"};
  std::error_code ignored;
  return fs::is_regular_file(word, ignored) ||
         std::any_of(kEndings.begin(), kEndings.end(), [&](const char* ending) { return word.ends_with(ending); });
}

Result<Inferred> tried_adapter(const UserKernel& kernel, const CudaSource& source, const KernelSource& chosen,
                               const Contract& contract, const TryAdapters& try_adapters) {
  auto text = text_of(kernel.path);
  if (!text) return tl::unexpected(text.error());
  Inferred plain = infer_entry(source, chosen, contract, kernel.path);
  Prepared prepared{plain.adapter, *text, 1, {}};
  prepared.candidates = ways_to_call(source, chosen, contract, kernel.path);
  if (!is_to_be_tried(prepared.candidates)) return plain;
  const auto decided = decide(prepared, 0, 1, try_adapters);
  if (!decided)
    prepared.remarks.push_back("Not tried: " + decided.error().what.substr(0, decided.error().what.find('\n')));
  plain.adapter = prepared.adapter;
  plain.remarks = prepared.remarks;
  if (!decided || !*decided) plain.unknown.push_back("whether the guesses are right");
  if (decided && *decided) plain.unknown.clear();
  return plain;
}

Result<std::vector<UserVariant>> load_user_kernels(const std::vector<UserKernel>& kernels,
                                                   const TryAdapters& try_adapters) {
  std::vector<Prepared> prepared;
  for (const UserKernel& kernel : kernels) {
    auto each = prepare(kernel);
    if (!each) return tl::unexpected(each.error());
    prepared.push_back(std::move(*each));
  }
  if (auto made = make_scratch_folder(); !made) return tl::unexpected(made.error());
  std::vector<UserVariant> loaded;
  for (size_t i = 0; i < prepared.size(); ++i) {
    if (!prepared[i].candidates.empty()) {
      const auto decided = decide(prepared[i], i, prepared.size(), try_adapters);
      if (!decided) return tl::unexpected(decided.error());
      if (!*decided) {
        loaded.push_back({"", kernels[i].path, prepared[i].remarks, prepared[i].adapter.guesses});
        continue;
      }
    }
    const Adapter& adapter = prepared[i].adapter;
    const auto before = registered_ids();
    if (before.count(adapter.op + "/" + adapter.name))
      return fail(fmt::format("{}: {} has a variant '{}' already", kernels[i].path, adapter.op, adapter.name),
                  "give it another name in the adapter: name = \"…\"");
    const auto modules = compiled(prepared[i], i, prepared.size());
    if (!modules) return tl::unexpected(modules.error());
    if (auto done = load_modules(*modules); !done) return tl::unexpected(done.error());
    for (const std::string& id : registered_ids()) {
      if (before.count(id)) continue;
      origins()[id] = origin_of(kernels[i], adapter);
      loaded.push_back({id, kernels[i].path, prepared[i].remarks, prepared[i].adapter.guesses});
    }
  }
  return loaded;
}

const UserOrigin& origin_of_variant(const std::string& id) {
  static const UserOrigin kNone;
  const auto found = origins().find(id);
  return found == origins().end() ? kNone : found->second;
}

}  // namespace assay
