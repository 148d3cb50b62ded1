// Kernels that are there only where a macro is defined: Clang skips them, and a user may wonder where they are.
#pragma once

#include <clang/Lex/Lexer.h>
#include <clang/Lex/PPCallbacks.h>
#include <clang/Lex/Preprocessor.h>
#include <llvm/Support/JSON.h>

#include <string>
#include <vector>

namespace assay::reader {

// Notes {"text", "needs"} of the branches of the main file with kernels that it skips because one macro is not defined.
// The outermost of nested conditions says which. A header's branch that is there with CUDA alone, of USE_CUDA, has no
// text.
class Hidden : public clang::PPCallbacks {
  using MacroDefinition = clang::MacroDefinition;
  using SourceLocation = clang::SourceLocation;
  using SourceRange = clang::SourceRange;
  using Token = clang::Token;

 public:
  Hidden(clang::Preprocessor& preprocessor, llvm::json::Array& branches)
      : preprocessor_(preprocessor), sources_(preprocessor.getSourceManager()), branches_(branches) {}

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
    const llvm::StringRef text = condition_.empty() ? "" : text_of(range);
    if (text.contains("__global__"))
      branches_.push_back(llvm::json::Object{{"text", text.str()}, {"needs", condition_}});
    else if (llvm::StringRef(condition_).ends_with("CUDA") && !sources_.isInSystemHeader(range.getBegin()))
      branches_.push_back(llvm::json::Object{{"text", ""}, {"needs", condition_}});
    condition_.clear();
  }

 private:
  // The one name in "defined(NAME)" and "NAME"; "" for other conditions, and for names of compilers.
  std::string one_name(SourceRange condition) const {
    llvm::StringRef name = text_of(condition).split("//").first.split("/*").first.trim();
    if (name.consume_front("defined")) name = name.trim(" ()");
    const bool is_name = llvm::all_of(name, [](char c) { return llvm::isAlnum(c) || c == '_'; });
    return is_name && !preprocessor_.isMacroDefined(name) ? unless_of_compilers(name.str()) : "";
  }

  static std::string unless_of_compilers(const std::string& name) {
    return name.starts_with("__") || llvm::isDigit(name[0]) ? "" : name;
  }

  // "" for what is not of the main file.
  llvm::StringRef text_of(SourceRange range) const {
    const auto whole = sources_.getExpansionRange(range);
    return sources_.isInMainFile(whole.getBegin()) ? clang::Lexer::getSourceText(whole, sources_, {}) : "";
  }

  clang::Preprocessor& preprocessor_;
  const clang::SourceManager& sources_;
  llvm::json::Array& branches_;
  std::string condition_;  // the macro whose lack skips what follows, perhaps
};

}  // namespace assay::reader
