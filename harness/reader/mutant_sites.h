// The places where bugs may be planted, in the main file and perhaps in headers, as kinds of mutants find them.
#pragma once

#include <clang/AST/ASTContext.h>
#include <clang/AST/Stmt.h>
#include <clang/Lex/Lexer.h>
#include <llvm/ADT/ArrayRef.h>

#include <map>
#include <set>
#include <string>
#include <tuple>
#include <utility>

namespace assay::reader {

class MutantSites {
 public:
  // `folder`: the headers below it count like the main file; "": no header does.
  MutantSites(clang::ASTContext& context, std::string folder)
      : context_(context), sources_(context.getSourceManager()), folder_(std::move(folder)) {}

  // The kind and function of what is planted from here on.
  void enter(std::string function) { function_ = std::move(function); }
  void take_kind(const char* kind) { kind_ = kind; }

  // Statements of which nobody takes the value, and those that begin a loop.
  void note_unused(const clang::Stmt* statement) {
    if (const auto* whole = clang::dyn_cast_or_null<clang::ExprWithCleanups>(statement))
      statement = whole->getSubExpr();
    unused_.insert(statement);
  }
  void note_loop_begin(const clang::Stmt* statement) { loop_begins_.insert(statement); }
  bool is_unused(const clang::Stmt* statement) const { return unused_.count(statement) != 0; }
  bool begins_loop(const clang::Stmt* statement) const { return loop_begins_.count(statement) != 0; }

  // Whether a place is in a file that counts, also where a macro writes what is there.
  bool counts(clang::SourceLocation at) const {
    const clang::FileID file = sources_.getFileID(sources_.getExpansionLoc(at));
    return file == sources_.getMainFileID() || (!folder_.empty() && path_of(file).starts_with(folder_));
  }

  // The text of whole tokens; "" where a macro writes them or they are in no file that counts.
  std::string text(clang::SourceRange range) const {
    const clang::SourceLocation begin = range.getBegin(), end = range.getEnd();
    if (!begin.isFileID() || !end.isFileID() || !counts(begin) || !sources_.isWrittenInSameFile(begin, end)) return "";
    return clang::Lexer::getSourceText(clang::CharSourceRange::getTokenRange(range), sources_, context_.getLangOpts())
        .str();
  }

  // Plants a replacement of whole tokens.
  void replace(clang::SourceRange range, std::string replacement) {
    const std::string before = text(range);
    if (before.empty() || before == replacement) return;
    plant(sources_.getFileOffset(range.getBegin()), before.size(), std::move(replacement), range.getBegin());
  }
  // Plants the lack of an initial value: of " = 0.f" or "{}" before `range` ends.
  void remove_initialiser(clang::SourceRange range) {
    const std::string value = text(range);
    if (value.empty()) return;
    unsigned from = sources_.getFileOffset(range.getBegin());
    const unsigned end = from + static_cast<unsigned>(value.size());
    const llvm::StringRef file = sources_.getBufferData(sources_.getFileID(range.getBegin()));
    while (from > 0 && (file[from - 1] == ' ' || file[from - 1] == '=')) --from;
    plant(from, end - from, "", range.getBegin());
  }

  clang::ASTContext& context() const { return context_; }

  struct Planted {
    std::string kind, function;
    unsigned line = 0;
  };
  using Edit = std::tuple<std::string, unsigned, size_t, std::string>;  // header or "", offset, length, replacement
  const std::map<Edit, Planted>& planted() const { return planted_; }

 private:
  llvm::StringRef path_of(clang::FileID file) const {
    const auto entry = sources_.getFileEntryRefForID(file);
    return entry ? entry->getName() : llvm::StringRef();
  }

  void plant(unsigned offset, size_t length, std::string replacement, clang::SourceLocation at) {
    const std::string header = sources_.isInMainFile(at) ? "" : path_of(sources_.getFileID(at)).str();
    planted_.try_emplace({header, offset, length, std::move(replacement)},
                         Planted{kind_, function_, sources_.getSpellingLineNumber(at)});
  }

  clang::ASTContext& context_;
  const clang::SourceManager& sources_;
  const std::string folder_;
  std::string function_, kind_;
  std::set<const clang::Stmt*> unused_, loop_begins_;
  std::map<Edit, Planted> planted_;
};

// A kind is one function, which sees every statement and expression of the functions that count, the outer ones first.
// An edit that an earlier kind has planted is that kind's.
struct MutantKind {
  const char* name;
  void (*plant)(const clang::Stmt& node, MutantSites& sites);
};
llvm::ArrayRef<MutantKind> mutant_kinds();

}  // namespace assay::reader
