// Choosing the kernel, its op and its adapter.
#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <filesystem>
#include <fstream>
#include <sstream>

#include "harness/adapter/build.h"
#include "harness/adapter/candidates/candidate.h"
#include "harness/adapter/compile_commands.h"
#include "harness/adapter/infer_launcher.h"
#include "harness/adapter/instances.h"
#include "harness/adapter/kernel_source.h"
#include "harness/adapter/prepared.h"
#include "harness/adapter/ptx_route/entries.h"
#include "harness/adapter/steering.h"
#include "harness/adapter/text_source.h"
#include "harness/adapter/vector_access.h"
#include "harness/base/check.h"
#include "harness/op/registry.h"

namespace assay {
namespace {

namespace fs = std::filesystem;

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

bool have_one_name(const std::vector<const KernelSource*>& kernels) {
  return std::all_of(kernels.begin(), kernels.end(),
                     [&](const KernelSource* kernel) { return kernel->name == kernels[0]->name; });
}

// The kernel that is meant: by name, the only one, or the only one that the op is likely for. It may be overloaded, or
// a template with specialisations: then it is all of that name, in the order of the text.
Result<std::vector<const KernelSource*>> chosen_kernels(const CudaSource& source, const UserKernel& wanted) {
  if (source.kernels.empty()) return fail(wanted.path + " has no __global__ function", "is it the right file?");
  std::vector<const KernelSource*> fitting;
  for (const KernelSource& kernel : source.kernels) {
    const auto ops = likely_ops(kernel);
    if (wanted.kernel.empty() ? source.kernels.size() == 1 || (!ops.empty() && ops[0] == wanted.op)
                              : kernel.name == wanted.kernel || kernel.qualified_name == wanted.kernel)
      fitting.push_back(&kernel);
  }
  if (!fitting.empty() && have_one_name(fitting)) return fitting;
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

// The first of the candidates, and all of them where cases must decide.
Prepared tried(std::vector<Inferred> candidates) {
  Prepared first{candidates[0].adapter, "", 1, candidates[0].remarks};
  first.first_unless_shown = candidates[0].guesses.empty() && candidates[0].launch_guesses.empty();
  if (is_to_be_tried(candidates)) first.candidates = std::move(candidates);
  return first;
}

template <class Named>
void erase_named(std::vector<Named>& all, const std::string& name) {
  std::erase_if(all, [&](const Named& each) { return each.name == name; });
}

// Puts what the command line fixes in the place of what the adapter says of it.
std::optional<Error> fix(Adapter& adapter, const std::vector<Fixed>& fixed) {
  for (const Fixed& each : fixed) {
    erase_named(adapter.fixed, each.name);
    erase_named(adapter.ranges, each.name);
    adapter.fixed.push_back(each);
  }
  const auto mistake = fixed.empty() ? std::nullopt : steering_mistake(adapter, *find_op(adapter.op));
  return mistake ? std::optional(Error{"--fix: " + mistake->what, mistake->hint}) : std::nullopt;
}

// The op as inference sees it: an attribute that is fixed has no other choice.
Contract with_fixed(Contract contract, const std::vector<Fixed>& fixed) {
  for (AttrSpec& attr : contract.attrs)
    for (const Fixed& each : fixed)
      if (each.name == attr.name) attr.choices = {each.value};
  return contract;
}

// The source with one kernel of its name.
CudaSource without_namesakes(CudaSource source, const KernelSource& kernel) {
  std::erase_if(source.kernels, [&](const KernelSource& each) {
    return each.name == kernel.name && (each.line != kernel.line || each.qualified_name != kernel.qualified_name);
  });
  return source;
}

// The candidates for a launcher or kernel of the file; what is fixed is checked for the op before.
Result<Prepared> inferred(const UserKernel& wanted, const std::string& path, const CudaSource& source) {
  const auto contract_of = [&](const std::string& op) -> Result<Contract> {
    const Contract* contract = find_op(op);
    ASSAY_CHECK(contract, "no op '" + op + "'");
    Adapter adapter;
    adapter.op = op;
    if (auto error = fix(adapter, wanted.fixed)) return tl::unexpected(*error);
    return with_fixed(*contract, wanted.fixed);
  };
  if (const FunctionSource* launcher = find_launcher(source, wanted.kernel)) {
    const auto op = chosen_op(*launcher, wanted);
    if (!op) return tl::unexpected(op.error());
    const auto contract = contract_of(*op);
    if (!contract) return tl::unexpected(contract.error());
    if (auto candidates = candidates_for_launcher(source, *launcher, *contract, path); !candidates.empty())
      return tried(std::move(candidates));
    return complete(infer_launcher(source, *launcher, *contract, path), launcher->name, path);
  }
  if (find_op(wanted.op) && wanted.kernel.empty()) {
    const auto contract = contract_of(wanted.op);
    if (!contract) return tl::unexpected(contract.error());
    if (auto candidates = candidates_for_launcher_of_op(source, *contract, path); !candidates.empty())
      return tried(std::move(candidates));
  }
  const auto kernels = chosen_kernels(source, wanted);
  if (!kernels) return tl::unexpected(kernels.error());
  const auto op = chosen_op(*kernels->front(), wanted);
  if (!op) return tl::unexpected(op.error());
  const auto contract = contract_of(*op);
  if (!contract) return tl::unexpected(contract.error());
  std::vector<Inferred> candidates;
  for (const KernelSource* kernel : *kernels) {
    const CudaSource own = kernels->size() == 1 ? source : without_namesakes(source, *kernel);
    std::vector<Inferred> more = candidates_for_kernel(own, *kernel, *contract, path);
    std::move(more.begin(), more.end(), std::back_inserter(candidates));
  }
  std::stable_sort(candidates.begin(), candidates.end(), [](const auto& a, const auto& b) { return a.cost < b.cost; });
  if (candidates.empty())
    return complete(infer_entry(source, *kernels->front(), *contract, path), kernels->front()->name, path);
  return tried(std::move(candidates));
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

// The text behind `.key = "`.
std::string designated(const std::string& text, const std::string& key) {
  const std::string before = "." + key + " = \"";
  const size_t at = text.find(before);
  if (at == std::string::npos) return "";
  const size_t begin = at + before.size();
  return text.substr(begin, text.find('"', begin) - begin);
}

// Whether its code names RegisterVariant; a comment or a message may say the word too.
bool registers_a_variant(std::string_view text) {
  if (text.find("RegisterVariant") == std::string_view::npos) return false;
  const auto code = without_comments(text);
  if (!code) return false;  // reported where the kernels are read
  const std::vector<Token> tokens = tokens_of(*code);
  return std::any_of(tokens.begin(), tokens.end(), [](const Token& token) { return token.text == "RegisterVariant"; });
}

// Whether this program has the variant that a file registers already, as those of kernels/ are built in.
std::optional<Error> registered_already(const std::string& text, const UserKernel& wanted) {
  const std::string op = designated(text, "op"), name = designated(text, "name");
  if (wanted.compile.via == "ptx" || !find_variant(op, name, "cpu")) return std::nullopt;
  return Error{
      fmt::format("{}: {}/{} is built in", wanted.path, op, name),
      fmt::format("'assay check {0}/{1}' runs it as it was built; --via ptx compiles the file, as {1}_by_ptx, and "
                  "so does another .name in it",
                  op, name)};
}

tl::unexpected<Error> wrong_op(const std::string& adapter, const std::string& op, const std::string& wanted) {
  return fail(fmt::format("{} is for {}, not for {}", adapter, op, wanted), "leave out --op");
}

}  // namespace

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
  if (given) {
    if (auto error = open_place(*given)) return tl::unexpected(*error);
    if (auto error = fix(*given, wanted.fixed)) return tl::unexpected(*error);
  }
  if (given)  // as PTX has it
    for (AdapterLaunch& launch : given->launches)
      if (launch.entry.starts_with("_Z")) launch.entry = without_parameters(demangled(launch.entry));
  if (given && !given->declaration.empty()) return Prepared{*given, "", 1, {}};

  auto with_flags = with_build(std::move(wanted.compile), wanted.path);
  if (!with_flags) return tl::unexpected(with_flags.error());
  wanted.compile = std::move(*with_flags);
  const auto file = source_of(wanted.path);
  if (!file) return fail((given ? given->path + ": " : "") + file.error().what, file.error().hint);
  const bool is_ptx = wanted.path.ends_with(".ptx");
  if (is_ptx && (given ? merged(wanted.compile, given->compile) : wanted.compile).via == "source")
    return fail(wanted.path + " is PTX, and not a source", "leave out --via, or give the CUDA file");
  const auto text = is_ptx ? Result<CudaText>(CudaText{*file, 1}) : cuda_text(wanted.path, *file, wanted.entry);
  if (!text) return tl::unexpected(text.error());
  if (!given && registers_a_variant(text->text)) {
    if (auto error = registered_already(text->text, wanted)) return tl::unexpected(*error);
    if (!wanted.fixed.empty())
      return fail(wanted.path + " registers its variant itself, and --fix has nothing to fix",
                  "say in it what it takes: .domains = {{.name = \"…\", .values = {\"…\"}}}");
    Prepared whole;
    whole.via_ptx = wanted.compile.via == "ptx";
    whole.adapter.source = wanted.path;
    whole.adapter.compile = wanted.compile;
    whole.registers_itself = true;
    return whole;
  }
  const auto source = given ? read_kernels(*text, wanted.path, merged(wanted.compile, given->compile), &*given,
                                           given->launches.empty() ? "" : kernel_of(given->launches[0].entry))
                            : read_kernels(*text, wanted.path, wanted.compile, nullptr, wanted.kernel);
  if (!source) return tl::unexpected(source.error());
  auto prepared = given ? Result<Prepared>(Prepared{*given, "", 1, {}}) : inferred(wanted, wanted.path, *source);
  if (!prepared) return prepared;
  if (!given) {
    fix(prepared->adapter, wanted.fixed);
    for (Inferred& candidate : prepared->candidates) fix(candidate.adapter, wanted.fixed);
  }
  const Contract& contract = *find_op(prepared->adapter.op);
  if (given && given->blocks.empty()) prepared->adapter.blocks = sizes_within_bounds(*source, prepared->adapter);
  if (given && given->all_dtypes) prepared->adapter.dtypes = fitting_dtypes(*source, prepared->adapter, contract);
  // Candidates are checked as they are made, each against its kernel's own parameters.
  const auto wrong =
      prepared->candidates.empty() ? wrong_arguments(*source, prepared->adapter, contract) : std::vector<std::string>();
  if (!wrong.empty())
    return fail(fmt::format("{}: {}", prepared->adapter.path.empty() ? wanted.path : prepared->adapter.path,
                            fmt::join(wrong, "; ")),
                "nothing was run");
  prepared->adapter.compile = merged(wanted.compile, prepared->adapter.compile);
  if (given && !given->omits.empty())
    prepared->remarks.push_back(
        fmt::format("{} is not judged: the kernel does not make it.", fmt::join(given->omits, ", ")));
  prepared->take(*source);
  if (given && !source->defined.empty()) prepared->remarks.push_back(defined_sentence(*source));
  prepared->via_ptx = is_ptx || prepared->adapter.compile.via == "ptx";
  if (!prepared->adapter.aligned && !is_ptx) prepared->adapter.aligned = needed_alignment(text->text);
  prepared->source_text = text->text;
  prepared->first_line = text->first_line;
  return prepared;
}

Result<std::string> text_of(const std::string& path) {
  std::error_code no_file;
  std::ifstream in;
  if (fs::is_regular_file(path, no_file)) in.open(path, std::ios::binary);  // opening a pipe would wait
  if (!in.is_open()) return fail("cannot read " + path, "give the path of a file with CUDA kernels");
  std::ostringstream text;
  text << in.rdbuf();
  return without_byte_order_mark(text.str());
}

Result<std::string> source_of(const std::string& path) {
  constexpr uintmax_t kBytesMax = 4 << 20, kPtxBytesMax = 64 << 20;
  const uintmax_t most = path.ends_with(".ptx") ? kPtxBytesMax : kBytesMax;
  std::error_code no_file;
  if (const uintmax_t size = fs::file_size(path, no_file); !no_file && size > most)
    return fail(fmt::format("{} has {} bytes, and of such a file {} are read at most", path, size, most),
                "give a file with the kernel and what it needs alone");
  return text_of(path);
}

}  // namespace assay
