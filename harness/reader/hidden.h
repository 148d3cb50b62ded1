// Kernels that are there only where a macro is defined: Clang skips them, and a user may wonder where they are.
#pragma once

#include <clang/Lex/Lexer.h>
#include <clang/Lex/PPCallbacks.h>
#include <clang/Lex/Preprocessor.h>
#include <llvm/Support/JSON.h>

#include <string>
#include <vector>

namespace assay::reader {

// Notes {"name", "line", "needs"} of the kernels in the branches of the main file that it skips because one macro is
// not defined. Of nested conditions, the outermost one says which.
class Hidden : public clang::PPCallbacks {
  using LangOptions = clang::LangOptions;
  using Lexer = clang::Lexer;
  using MacroDefinition = clang::MacroDefinition;
  using SourceLocation = clang::SourceLocation;
  using SourceRange = clang::SourceRange;
  using Token = clang::Token;

 public:
  Hidden(clang::Preprocessor& preprocessor, llvm::json::Array& kernels)
      : preprocessor_(preprocessor), sources_(preprocessor.getSourceManager()), kernels_(kernels) {}

  void Ifdef(SourceLocation, const Token& name, const MacroDefinition& macro) override {
    condition_ = macro ? "" : unless_of_compilers(name.getIdentifierInfo()->getName().str());
  }
  void If(SourceLocation, SourceRange condition, ConditionValueKind) override { condition_ = one_name(condition); }
  void Elif(SourceLocation, SourceRange condition, ConditionValueKind, SourceLocation) override {
    condition_ = one_name(condition);
  }
  void Ifndef(SourceLocation, const Token&, const MacroDefinition&) override { condition_.clear(); }
  void Else(SourceLocation, SourceLocation) override { condition_.clear(); }

  // Clang calls this behind Ifdef() and the like.
  void SourceRangeSkipped(SourceRange range, SourceLocation) override {
    if (!condition_.empty() && sources_.isInMainFile(range.getBegin())) note_kernels(range);
    condition_.clear();
  }

 private:
  // The one name in "defined(NAME)" and "NAME"; "" for other conditions, and for names of compilers.
  std::string one_name(SourceRange condition) const {
    if (!sources_.isInMainFile(condition.getBegin())) return "";
    std::string name;
    for (const Token& token : tokens_in(condition)) {
      const llvm::StringRef word = token.is(clang::tok::raw_identifier) ? token.getRawIdentifier() : "";
      if (token.isOneOf(clang::tok::l_paren, clang::tok::r_paren) || word == "defined") continue;
      if (word.empty() || !name.empty()) return "";
      name = word.str();
    }
    return preprocessor_.isMacroDefined(name) ? "" : unless_of_compilers(name);
  }

  static std::string unless_of_compilers(const std::string& name) { return name.starts_with("__") ? "" : name; }

  // The range is one of the main file.
  std::vector<Token> tokens_in(SourceRange range) const {
    range = sources_.getExpansionRange(range).getAsRange();
    const char* const begin = sources_.getCharacterData(range.getBegin());
    const LangOptions plain;
    Lexer lexer(range.getBegin(), plain, begin, begin, sources_.getBufferData(sources_.getMainFileID()).end());
    std::vector<Token> tokens;
    for (Token token;
         !lexer.LexFromRawLexer(token) && !sources_.isBeforeInTranslationUnit(range.getEnd(), token.getLocation());)
      tokens.push_back(token);
    return tokens;
  }

  // The name that an ( follows, behind __global__.
  void note_kernels(SourceRange skipped) {
    const std::vector<Token> tokens = tokens_in(skipped);
    bool is_kernel = false;
    for (size_t i = 0; i + 1 < tokens.size(); ++i) {
      if (tokens[i].isNot(clang::tok::raw_identifier)) continue;
      const llvm::StringRef word = tokens[i].getRawIdentifier();
      is_kernel = is_kernel || word == "__global__";
      if (!is_kernel || tokens[i + 1].isNot(clang::tok::l_paren) || word.starts_with("__")) continue;
      is_kernel = false;
      kernels_.push_back(llvm::json::Object{{"name", word.str()},
                                            {"line", sources_.getSpellingLineNumber(tokens[i].getLocation())},
                                            {"needs", condition_}});
    }
  }

  clang::Preprocessor& preprocessor_;
  const clang::SourceManager& sources_;
  llvm::json::Array& kernels_;
  std::string condition_;  // the macro whose lack skips what follows, perhaps
};

}  // namespace assay::reader
