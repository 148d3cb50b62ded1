// The steps from a kernel that is named to one that can be compiled: its adapter, its text, its arguments.
#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <filesystem>
#include <fstream>
#include <map>
#include <set>
#include <sstream>

#include "harness/adapter/build/build.h"
#include "harness/adapter/build/compiled.h"
#include "harness/adapter/build/ptx_route/entries.h"
#include "harness/adapter/inferred.h"
#include "harness/adapter/prepared.h"
#include "harness/adapter/read/compile_commands.h"
#include "harness/adapter/read/cuda_text.h"
#include "harness/adapter/read/instances.h"
#include "harness/adapter/read/library_entry.h"
#include "harness/adapter/read/text_source.h"
#include "harness/adapter/steering.h"
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
  if (wanted.compile.via == "ptx" || wanted.compile.coverage || !find_variant(op, name, "cpu")) return std::nullopt;
  return Error{
      fmt::format("{}: {}/{} is built in", wanted.path, op, name),
      fmt::format("'assay check {0}/{1}' runs it as it was built; --via ptx compiles the file, as {1}_by_ptx, and "
                  "so does another .name in it",
                  op, name)};
}

// Tensors begin at multiples of this: 16 bytes where the kernel accesses memory by vectors and never looks at an
// address as a number, and where nobody has read it. Else 1: elements one by one, or a path for what is not aligned.
int needed_alignment(const Prepared& prepared, const Adapter& adapter) {
  constexpr int kVectorBytes = 16;  // the widest access of one thread
  if (adapter.language != KernelLanguage::cuda) return 1;
  const ReachedPieces reached = pieces_for(prepared, {adapter});
  const bool by_elements = reached.traits.contains("addresses") || !reached.traits.contains("vectors");
  return !reached.text.empty() && by_elements ? 1 : kVectorBytes;
}

// One kernel, of which each step finds out more.
class Preparing {
 public:
  explicit Preparing(UserKernel wanted) : wanted_(std::move(wanted)) {}

  Result<Prepared> run() {
    for (const auto step :
         {&Preparing::find_adapter, &Preparing::check_adapter, &Preparing::take_library, &Preparing::read_library,
          &Preparing::read_text, &Preparing::take_registered, &Preparing::read_source, &Preparing::bind,
          &Preparing::check_arguments, &Preparing::add_text}) {
      if (is_done_) break;
      ASSAY_TRY((this->*step)());
    }
    return std::move(prepared_);
  }

 private:
  Result<void> find_adapter() {
    const bool is_toml = wanted_.path.ends_with(".toml");
    const auto path = is_toml ? wanted_.path : adapter_for(wanted_);
    if (!path) return {};
    auto adapter = ASSAY_TRY(read_adapter(*path));
    const bool named = is_toml || !wanted_.adapter.empty();
    if (is_toml)
      wanted_.path = adapter.source;
    else if (named || adapter.source.empty())
      adapter.source = wanted_.path;
    const bool fits = wanted_.op.empty() || adapter.op == wanted_.op;
    if (named && !fits)
      return fail(fmt::format("{} is for {}, not for {}", *path, adapter.op, wanted_.op), "leave out --op");
    if (fits) given_ = std::move(adapter);
    return {};
  }

  Result<void> check_adapter() {
    if (auto error = unknown_op(given_ ? given_->op : wanted_.op, given_ ? given_->path : wanted_.path))
      return tl::unexpected(*error);
    if (!given_) return {};
    if (auto error = open_place(*given_)) return tl::unexpected(*error);
    if (auto error = fix(*given_, wanted_.fixed)) return tl::unexpected(*error);
    for (AdapterLaunch& launch : given_->launches)  // as PTX has it
      if (launch.entry.starts_with("_Z")) launch.entry = without_parameters(demangled(launch.entry));
    return {};
  }

  Result<void> take_library() {
    if (!given_ || given_->declaration.empty()) return {};
    prepared_.adapter = *given_;
    is_done_ = true;
    return {};
  }

  // A shared library's function is read as one of a file that launches.
  Result<void> read_library() {
    if (given_ || !has_kernels(wanted_.path)) return {};
    const LibraryEntry entry = ASSAY_TRY(library_entry(wanted_.path, wanted_.entry));
    declaration_ = entry.declaration;
    text_ = {entry.text, 1};
    wanted_.kernel = entry.name;
    return {};
  }

  Result<void> read_text() {
    if (!declaration_.empty()) return {};
    wanted_.compile = ASSAY_TRY(with_build(std::move(wanted_.compile), wanted_.path));
    const auto file = source_of(wanted_.path);
    if (!file) return fail((given_ ? given_->path + ": " : "") + file.error().what, file.error().hint);
    if (is_ptx() && (given_ ? merged(wanted_.compile, given_->compile) : wanted_.compile).via == "source")
      return fail(wanted_.path + " is PTX, and not a source", "leave out --via, or give the CUDA file");
    text_ = ASSAY_TRY(is_ptx() ? Result<CudaText>(CudaText{*file, 1}) : cuda_text(wanted_.path, *file, wanted_.entry));
    return {};
  }

  // A file like those below kernels/ needs nothing else.
  Result<void> take_registered() {
    if (given_ || !registers_a_variant(text_.text)) return {};
    if (auto error = registered_already(text_.text, wanted_)) return tl::unexpected(*error);
    if (!wanted_.fixed.empty())
      return fail(wanted_.path + " registers its variant itself, and --fix has nothing to fix",
                  "say in it what it takes: .domains = {{.name = \"…\", .values = {\"…\"}}}");
    prepared_.via_ptx = wanted_.compile.via == "ptx";
    prepared_.adapter.source = wanted_.path;
    prepared_.adapter.compile = wanted_.compile;
    prepared_.registers_itself = is_done_ = true;
    return {};
  }

  Result<void> read_source() {
    const std::string entry = given_ && !given_->launches.empty() ? kernel_of(given_->launches[0].entry) : "";
    source_ =
        ASSAY_TRY(given_ ? read_kernels(text_, wanted_.path, merged(wanted_.compile, given_->compile), &*given_, entry)
                         : read_kernels(text_, wanted_.path, wanted_.compile, nullptr, wanted_.kernel));
    if (!declaration_.empty())
      for (FunctionSource& each : source_.functions) each.line = 0;  // of a text that nobody wrote
    return {};
  }

  Result<void> bind() {
    if (given_) {
      prepared_.adapter = *given_;
      for (AdapterLaunch& launch : prepared_.adapter.launches) qualify(launch);
      return {};
    }
    prepared_ = ASSAY_TRY(inferred(wanted_, source_));
    fix(prepared_.adapter, wanted_.fixed);
    prepared_.adapter.declaration = declaration_;
    for (Inferred& candidate : prepared_.candidates) {
      fix(candidate.adapter, wanted_.fixed);
      candidate.adapter.declaration = declaration_;
    }
    return {};
  }

  // The entry's namespaces, which its name alone tells where one of the file's functions has it.
  void qualify(AdapterLaunch& launch) {
    const std::string name = kernel_of(launch.entry);
    if (!launch.entry.starts_with(name)) return;
    std::set<std::string> qualified;
    for (const KernelSource& each : source_.kernels)
      if (each.name == name) qualified.insert(each.qualified_name);
    for (const FunctionSource& each : source_.functions)
      if (each.name == name) qualified.insert(each.qualified_name);
    if (qualified.size() != 1 || *qualified.begin() == name) return;
    std::string entry = *qualified.begin() + launch.entry.substr(name.size());
    if (const auto line = prepared_.adapter.lines.find(launch.entry); line != prepared_.adapter.lines.end())
      prepared_.adapter.lines.emplace(entry, line->second);
    launch.entry = std::move(entry);
  }

  // Candidates are checked as they are made, each against its kernel's own parameters.
  Result<void> check_arguments() {
    Adapter& adapter = prepared_.adapter;
    const Contract& contract = *find_op(adapter.op);
    if (given_ && given_->blocks.empty()) adapter.blocks = sizes_within_bounds(source_, adapter);
    if (given_ && given_->all_dtypes) adapter.dtypes = fitting_dtypes(source_, adapter, contract);
    if (!prepared_.candidates.empty()) return {};
    const std::vector<std::string> wrong = wrong_arguments(source_, adapter, contract);
    if (wrong.empty()) return {};
    return fail(fmt::format("{}: {}", adapter.path.empty() ? wanted_.path : adapter.path, fmt::join(wrong, "; ")),
                "nothing was run");
  }

  Result<void> add_text() {
    Adapter& adapter = prepared_.adapter;
    adapter.compile = merged(wanted_.compile, adapter.compile);
    if (given_ && !given_->omits.empty())
      prepared_.remarks.push_back(
          fmt::format("{} is not judged: the kernel does not make it.", fmt::join(given_->omits, ", ")));
    prepared_.take(source_);
    if (given_ && !source_.defined.empty()) prepared_.remarks.push_back(defined_sentence(source_));
    prepared_.via_ptx = is_ptx() || adapter.compile.via == "ptx";
    if (!adapter.aligned && !is_ptx()) align();
    prepared_.source_text = text_.text;
    prepared_.first_line = text_.first_line;
    return {};
  }

  // A function that launches a kernel may look at addresses where the kernel does not.
  void align() {
    prepared_.adapter.aligned = needed_alignment(prepared_, prepared_.adapter);
    std::map<std::string, int> by_entry;
    for (Inferred& each : prepared_.candidates) {
      const auto [known, is_new] = by_entry.try_emplace(each.adapter.launches.at(0).entry, 0);
      if (is_new) known->second = needed_alignment(prepared_, each.adapter);
      each.adapter.aligned = known->second;
    }
  }

  bool is_ptx() const { return wanted_.path.ends_with(".ptx"); }

  UserKernel wanted_;
  std::optional<Adapter> given_;  // by the user
  std::string declaration_;       // of the entry of a library with kernels
  CudaText text_;
  CudaSource source_;
  Prepared prepared_;
  bool is_done_ = false;  // and the steps that follow have nothing to do
};

}  // namespace

Result<Prepared> prepare(UserKernel wanted) { return Preparing(std::move(wanted)).run(); }

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
