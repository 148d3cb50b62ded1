// Says in JSON what Clang finds in a CUDA file: its kernels, their parameters and instances, and where they are
// launched.
//
//   assay_read ROOT FILE TEXT-FILE ANSWER-FILE [-I FOLDER | -D MACRO | --keep=NAME | --mutants | --conditions |
//   --of=NAME | --headers-in=FOLDER]…
//   assay_read --precompile ROOT PCH-FILE
//
// ROOT is the project's folder, whose headers go before every file. They are most of the time that a small file takes,
// so the build compiles them by the second line, to assay_read.pch beside this program.
//
// The text stands in for the file, of which it may be a part. The answer is one object:
//   kernels, launches, launchers   as facts.h says
//   constants           names and values: of the user's macros without arguments, constants and enumerators
//   pieces              the declarations that these reach, as pieces.h says
//   names               the pieces of the declarations with the names that --keep gives
//   errors              the first of Clang's, "file.cu:3: there is no …"; what they are about is left out
//   hidden              texts with kernels that are there only where a macro is defined: {"text", "needs"}
//   missing             headers that are not there; reading goes on without them
//   files               that were read, FILE left out
// With --mutants it has kinds and mutants, as mutants.h says, errors, missing and files alone; with --conditions the
// conditions, as conditions.h says, likewise. Of either --of gives the roots, and --headers-in headers that count.
// A process of its own, because files that nobody has compiled yet can bring any compiler down.
#include <clang/AST/ASTConsumer.h>
#include <clang/Frontend/CompilerInstance.h>
#include <clang/Frontend/FrontendActions.h>
#include <clang/Frontend/TextDiagnosticPrinter.h>
#include <clang/Lex/Lexer.h>
#include <clang/Lex/Preprocessor.h>
#include <clang/Lex/PreprocessorOptions.h>
#include <clang/Sema/SemaConsumer.h>
#include <clang/Tooling/Tooling.h>
#include <llvm/Support/Program.h>
#include <llvm/Support/VirtualFileSystem.h>

#include <map>

#include "harness/reader/conditions.h"
#include "harness/reader/facts.h"
#include "harness/reader/hidden.h"
#include "harness/reader/mutants.h"
#include "harness/reader/undeclared.h"

namespace assay::reader {
namespace {

using namespace clang;

using Words = std::vector<std::string>;

constexpr unsigned kErrorsMax = 20;

constexpr const char* kMutants = "--mutants";                   // which are asked for instead of facts
constexpr const char* kConditions = "--conditions";             // likewise
constexpr const char* kWithPrecompiled = "--with-precompiled";  // PCH-FILE, before the other words

// The file that is nothing but what is included before every file.
constexpr const char* kBeforeEveryFile = "/assay_read/before_every_file.cu";

// Headers of NVIDIA's libraries, whose types host code around kernels names: a toolkit that is here would bring its own
// vector types besides the executor's, and mostly none is.
constexpr const char* kFolderOfLibraries = "/assay_read/libraries";
constexpr const char* kLibraries[] = {"cublas_v2.h",
                                      "cublas.h",
                                      "cublas_api.h",
                                      "cublasLt.h",
                                      "cudnn.h",
                                      "cudnn_frontend.h",
                                      "curand.h",
                                      "curand_kernel.h",
                                      "cuda_fp8.h",
                                      "cuda_fp6.h",
                                      "cuda_fp4.h",
                                      "mma.h",
                                      "cusparse.h",
                                      "cusolverDn.h",
                                      "cusolver_common.h",
                                      "cufft.h",
                                      "nccl.h",
                                      "nvml.h",
                                      "driver_types.h",
                                      "library_types.h",
                                      "builtin_types.h",
                                      "cuda_profiler_api.h",
                                      "nvToolsExt.h",
                                      "nvtx3/nvToolsExt.h"};

// The words beside the file that say what is asked of it.
struct Asked {
  std::set<std::string> names;  // --keep
  bool mutants = false;         // and nothing else
  bool conditions = false;      // likewise
  CodeAsked code;               // of these two: --of, --headers-in
};

struct Answer {
  llvm::json::Object facts;
  llvm::json::Array errors, hidden, missing, files;
  std::vector<SourceLocation> places;  // of all errors
};

// Keeps the names of headers that are missing.
class Watch : public PPCallbacks {
 public:
  explicit Watch(Answer& answer) : answer_(answer) {}

  bool FileNotFound(StringRef name) override {
    if (missing_.insert(name.str()).second) answer_.missing.push_back(name.str());  // a StringRef is not copied
    return true;                                                                    // no error: reading goes on
  }

 private:
  Answer& answer_;
  std::set<std::string> missing_;
};

class Consumer : public SemaConsumer {
 public:
  Consumer(CompilerInstance& compiler, const Asked& asked, Answer& answer)
      : compiler_(compiler), asked_(asked), answer_(answer) {
    compiler.getPreprocessor().addPPCallbacks(std::make_unique<Watch>(answer));
    compiler.getPreprocessor().addPPCallbacks(std::make_unique<Hidden>(compiler.getPreprocessor(), answer.hidden));
  }

  void InitializeSema(Sema& sema) override {
    undeclared_ = llvm::makeIntrusiveRefCnt<Undeclared>(sema.getASTContext());
    sema.addExternalSource(undeclared_.get());
    if (compiler_.getPreprocessorOpts().ImplicitPCHInclude.empty())  // else it is the reader of that
      sema.getASTContext().setExternalSource(undeclared_.get());
  }

  void HandleTranslationUnit(ASTContext& context) override {
    const auto own = context.getTranslationUnitDecl()->noload_decls();  // not those that are precompiled
    context.setTraversalScope({own.begin(), own.end()});
    if (asked_.mutants)
      answer_.facts = mutants_of(context, asked_.code);
    else if (asked_.conditions)
      answer_.facts = conditions_of(context, asked_.code);
    else
      take_facts(context);
    const SourceManager& sources = context.getSourceManager();
    for (auto file = sources.fileinfo_begin(); file != sources.fileinfo_end(); ++file)
      answer_.files.push_back(file->first.getName().str());
  }

 private:
  void take_facts(ASTContext& context) {
    const std::unique_ptr<Pieces> pieces = Pieces::of(context, compiler_.getPreprocessor());
    answer_.facts = facts_of(context, *pieces);
    answer_.facts["names"] = pieces->keep_named(asked_.names);
    answer_.facts["pieces"] = pieces->take(answer_.places);
    llvm::json::Array macros = macros_of_user(context);
    for (llvm::json::Value& each : *answer_.facts.getArray("constants")) macros.push_back(std::move(each));
    answer_.facts["constants"] = std::move(macros);
  }

  // The user's macros that take no arguments, with their texts, in the order of their definitions.
  llvm::json::Array macros_of_user(const ASTContext& context) const {
    const SourceManager& sources = context.getSourceManager();
    std::map<SourceLocation, llvm::json::Array> sorted;
    for (const auto& [name, state] : compiler_.getPreprocessor().macros(false)) {
      const MacroInfo* macro = compiler_.getPreprocessor().getMacroInfo(name);
      if (!macro || macro->isFunctionLike() || macro->tokens_empty() || macro->isBuiltinMacro()) continue;
      // Clang's own and this program's, given as a user's -D is.
      if (name->getName() == "__GCC_HAVE_DWARF2_CFI_ASM" || name->getName().starts_with("ASSAY_READ_")) continue;
      const SourceLocation at = macro->getDefinitionLoc();
      if (at.isInvalid() || sources.isInSystemHeader(at) || sources.isWrittenInBuiltinFile(at)) continue;
      const CharSourceRange text =
          CharSourceRange::getTokenRange(macro->tokens().front().getLocation(), macro->tokens().back().getLocation());
      sorted[at] =
          llvm::json::Array{name->getName().str(), Lexer::getSourceText(text, sources, context.getLangOpts()).str()};
    }
    llvm::json::Array all;
    for (auto& [at, macro] : sorted) all.push_back(std::move(macro));
    return all;
  }

  CompilerInstance& compiler_;
  const Asked& asked_;
  Answer& answer_;
  llvm::IntrusiveRefCntPtr<Undeclared> undeclared_;
};

class Action : public ASTFrontendAction {
 public:
  Action(const Asked& asked, Answer& answer) : asked_(asked), answer_(answer) {}
  std::unique_ptr<ASTConsumer> CreateASTConsumer(CompilerInstance& compiler, StringRef) override {
    compiler.getDiagnostics().setFatalsAsError(true);  // templates are made into instances behind errors, too
    const SourceManager& sources = compiler.getSourceManager();
    const auto file = sources.getFileEntryRefForID(sources.getMainFileID());
    // A header of kernels that its own headers include again; Clang takes #pragma once for included files only.
    if (file && sources.getBufferOrFake(sources.getMainFileID()).getBuffer().contains("#pragma once"))
      compiler.getPreprocessor().getHeaderSearchInfo().MarkFileIncludeOnce(*file);
    return std::make_unique<Consumer>(compiler, asked_, answer_);
  }

 private:
  const Asked& asked_;
  Answer& answer_;
};

class Errors : public DiagnosticConsumer {
 public:
  explicit Errors(Answer& answer) : answer_(answer) {}
  void HandleDiagnostic(DiagnosticsEngine::Level level, const Diagnostic& what) override {
    DiagnosticConsumer::HandleDiagnostic(level, what);
    if (level < DiagnosticsEngine::Error) return;
    if (what.getLocation().isValid()) answer_.places.push_back(what.getLocation());
    if (answer_.errors.size() >= kErrorsMax) return;
    SmallString<200> text;
    what.FormatDiagnostic(text);
    std::string place;
    if (what.hasSourceManager() && what.getLocation().isValid()) {
      const PresumedLoc at = what.getSourceManager().getPresumedLoc(what.getLocation());
      if (at.isValid()) place = std::string(at.getFilename()) + ":" + std::to_string(at.getLine()) + ": ";
    }
    answer_.errors.push_back(place + text.str().str());
  }

 private:
  Answer& answer_;
};

// Compiles the text, as `path`. Whether the action ran to its end.
bool compile(const std::string& path, llvm::StringRef text, const Words& options,
             std::unique_ptr<FrontendAction> action, DiagnosticConsumer& errors) {
  Words line = {"assay_read"};
  line.insert(line.end(), options.begin(), options.end());
  if (text.contains("std::")) line.emplace_back("-DASSAY_READ_STANDARD_LIBRARY");
  line.insert(line.end(), {"-ferror-limit=0", "-fno-spell-checking", "-isystem", kFolderOfLibraries, path});
  using namespace llvm::vfs;
  const llvm::IntrusiveRefCntPtr<OverlayFileSystem> disk(new OverlayFileSystem(getRealFileSystem()));
  const llvm::IntrusiveRefCntPtr<InMemoryFileSystem> given(new InMemoryFileSystem);
  given->addFile(kBeforeEveryFile, 0, llvm::MemoryBuffer::getMemBuffer(""));
  given->addFile(path, 0, llvm::MemoryBuffer::getMemBuffer(text));
  for (const char* header : kLibraries)
    given->addFile(std::string(kFolderOfLibraries) + "/" + header, 0,
                   llvm::MemoryBuffer::getMemBuffer("#include \"harness/reader/library_stubs.h\"\n"));
  disk->pushOverlay(given);
  const llvm::IntrusiveRefCntPtr<FileManager> files(new FileManager(FileSystemOptions(), disk));
  tooling::ToolInvocation run(line, std::move(action), files.get());
  run.setDiagnosticConsumer(&errors);
  return run.run();
}

class Precompile : public GeneratePCHAction {
 public:
  explicit Precompile(std::string output) : output_(std::move(output)) {}
  bool BeginInvocation(CompilerInstance& compiler) override {
    compiler.getFrontendOpts().OutputFile = output_;
    return GeneratePCHAction::BeginInvocation(compiler);
  }

 private:
  std::string output_;
};

Words options_for(const std::string& root) {
  return {"-x",         "cuda",       "--cuda-host-only",
          "-nocudainc", "-nocudalib", "-std=c++20",
          "-w",         "-isystem",   root + "/harness/simt/include",
          "-isystem",   root};
}

Words include_shim(const std::string& root) { return {"-include", root + "/harness/reader/shim.h"}; }

bool precompile(const std::string& root, const std::string& output) {
  Words all = options_for(root);
  for (const std::string& each : include_shim(root)) all.push_back(each);
  all.insert(all.end(), {"-DASSAY_READ_STANDARD_LIBRARY", "-fpch-instantiate-templates"});
  TextDiagnosticPrinter errors(llvm::errs(), new DiagnosticOptions);
  return compile(kBeforeEveryFile, "", all, std::make_unique<Precompile>(output), errors);
}

// Takes what is no option of Clang's out of the options.
Asked taken_from(Words& options) {
  constexpr llvm::StringRef kKeep = "--keep=", kOf = "--of=", kHeadersIn = "--headers-in=";
  Asked asked;
  std::erase_if(options, [&](const std::string& each) {
    if (each.starts_with(kKeep)) return asked.names.insert(each.substr(kKeep.size())), true;
    if (each.starts_with(kOf)) return asked.code.roots.insert(each.substr(kOf.size())), true;
    if (each.starts_with(kHeadersIn)) return asked.code.folder = each.substr(kHeadersIn.size()), true;
    asked.mutants |= each == kMutants;
    asked.conditions |= each == kConditions;
    return each == kMutants || each == kConditions;
  });
  return asked;
}

// The answer; an empty one where the compiler did not get as far.
llvm::json::Object read(const std::string& path, llvm::StringRef text, Words options) {
  const Asked asked = taken_from(options);
  Answer answer;
  Errors errors(answer);
  compile(path, text, options, std::make_unique<Action>(asked, answer), errors);
  llvm::json::Object whole = std::move(answer.facts);
  if (whole.empty()) return whole;
  whole["errors"] = std::move(answer.errors);
  whole["hidden"] = std::move(answer.hidden);
  whole["missing"] = std::move(answer.missing);
  whole["files"] = std::move(answer.files);
  return whole;
}

std::error_code write(llvm::json::Object answer, const std::string& path) {
  std::error_code error;
  llvm::raw_fd_ostream out(path, error);
  if (!error) out << llvm::json::Value(std::move(answer)) << "\n";
  if (!error) out.close(), error = out.error();
  return error;
}

// Whether an answer without an error was written with the headers that are compiled. By a process of its own: Clang 19
// loses the global operator new of such headers, and crashes where a file's host code uses it.
bool answered_with_precompiled(const std::string& self, const Words& words) {
  const std::string precompiled = self + ".pch";
  if (!llvm::sys::fs::exists(precompiled)) return false;
  Words line = {self, kWithPrecompiled, precompiled};
  line.insert(line.end(), words.begin(), words.end());
  const std::vector<llvm::StringRef> all(line.begin(), line.end());
  return llvm::sys::ExecuteAndWait(self, all) == 0;
}

// `words`: FILE, TEXT-FILE, ANSWER-FILE and options; `headers`: the words that include what goes before the file.
int answer_file(const Words& words, Words headers, bool takes_errors) {
  const auto text = llvm::MemoryBuffer::getFile(words[1]);
  std::error_code error = text.getError();
  if (!error) {
    headers.insert(headers.end(), words.begin() + 3, words.end());
    llvm::json::Object answer = read(words[0], (*text)->getBuffer(), headers);
    // Mutants and conditions are of what was understood, and another reading understands no more.
    const bool may_have_errors =
        takes_errors || llvm::is_contained(headers, kMutants) || llvm::is_contained(headers, kConditions);
    if (answer.empty() || !(may_have_errors || answer.getArray("errors")->empty())) return 1;
    error = write(std::move(answer), words[2]);
  }
  if (!error || !takes_errors) return error ? 1 : 0;
  llvm::errs() << "assay_read: " << words[1] << " or " << words[2] << ": " << error.message() << "\n";
  return 2;
}

int run(const std::string& self, Words words) {
  const std::string first = words.empty() ? "" : words[0];
  if (first == "--precompile" && words.size() == 3) return precompile(words[1], words[2]) ? 0 : 1;
  std::string precompiled;
  if (first == kWithPrecompiled && words.size() > 2)
    precompiled = words[1], words.erase(words.begin(), words.begin() + 2);
  if (words.size() < 4) {
    llvm::errs()
        << "usage: assay_read ROOT FILE TEXT-FILE ANSWER-FILE [-I FOLDER | -D MACRO | --keep=NAME | --mutants | "
           "--conditions | --of=NAME | --headers-in=FOLDER]...\n";
    return 2;
  }
  if (precompiled.empty() && answered_with_precompiled(self, words)) return 0;
  Words headers = options_for(words[0]);
  const Words before = precompiled.empty() ? include_shim(words[0]) : Words{"-include-pch", precompiled};
  headers.insert(headers.end(), before.begin(), before.end());
  words.erase(words.begin());
  return answer_file(words, headers, precompiled.empty());
}

}  // namespace
}  // namespace assay::reader

int main(int count, char** words) {
  const std::string self = llvm::sys::fs::getMainExecutable(words[0], reinterpret_cast<void*>(&main));
  return assay::reader::run(self, {words + 1, words + count});
}
