// The places and names of declarations, as the answer has them.
#pragma once

#include <clang/AST/ASTContext.h>
#include <clang/AST/Decl.h>
#include <clang/AST/ExprCXX.h>
#include <llvm/Support/JSON.h>

#include <initializer_list>
#include <optional>
#include <string>
#include <vector>

namespace assay::reader {

template <class Texts = std::initializer_list<std::string>>
llvm::json::Array texts(const Texts& all) {
  llvm::json::Array array;
  for (const std::string& each : all) array.push_back(each);
  return array;
}

// The template that an instance is made from; the function itself for others.
inline const clang::FunctionDecl* pattern_of(const clang::FunctionDecl* function) {
  const clang::FunctionDecl* pattern = function->getTemplateInstantiationPattern();
  return pattern ? pattern : function;
}

// The function whose body an expression stands in, lambdas left behind.
inline const clang::FunctionDecl* around_lambdas(const clang::FunctionDecl* function) {
  while (function) {
    const auto* method = clang::dyn_cast<clang::CXXMethodDecl>(function);
    if (!method || !method->getParent()->isLambda()) return function;
    const clang::DeclContext* around = method->getParent()->getDeclContext();
    while (around && !around->isFunctionOrMethod()) around = around->getParent();
    function = clang::dyn_cast_or_null<clang::FunctionDecl>(around);
  }
  return nullptr;
}

// Without the namespaces that need no name.
inline std::string qualified(const clang::FunctionDecl* function) {
  std::string name;
  llvm::raw_string_ostream out(name);
  clang::PrintingPolicy policy(function->getASTContext().getLangOpts());
  policy.SuppressUnwrittenScope = true;
  function->printQualifiedName(out, policy);
  return name;
}

// The name of the function that is called, also where a template leaves open which of several it is; "" for none.
inline std::string name_called(const clang::CallExpr& call) {
  if (const clang::FunctionDecl* callee = call.getDirectCallee()) return callee->getNameAsString();
  const auto* unresolved = clang::dyn_cast<clang::UnresolvedLookupExpr>(call.getCallee()->IgnoreParenCasts());
  return unresolved ? unresolved->getName().getAsString() : "";
}

// The line of a place, from 1; 0 for none.
inline int64_t line_of(clang::SourceLocation at, const clang::SourceManager& sources) {
  const clang::PresumedLoc place = sources.getPresumedLoc(at);
  return place.isValid() ? place.getLine() : 0;
}

inline bool is_in_system(clang::SourceLocation at, const clang::SourceManager& sources) {
  return at.isValid() && sources.isInSystemHeader(sources.getExpansionLoc(at));
}

// The value of a whole number that a compiler can compute; nothing for other expressions.
inline std::optional<int64_t> whole_value(const clang::Expr& e, const clang::ASTContext& context) {
  clang::Expr::EvalResult value;
  if (e.isValueDependent() || !e.getType()->isIntegralOrEnumerationType() || !e.EvaluateAsInt(value, context) ||
      !value.Val.isInt() || !value.Val.getInt().isRepresentableByInt64())
    return std::nullopt;
  return value.Val.getInt().getExtValue();
}

// A text without the branches of conditions that begin before it, whose lines from #else on are another branch, and
// with an end for conditions that end behind it. Lines keep their numbers.
inline std::string without_outer_branches(llvm::StringRef text) {
  std::string out;
  int depth = 0;
  bool is_other = false;  // in another branch
  for (llvm::StringRef left = text; !left.empty();) {
    const auto [line, rest] = left.split('\n');
    llvm::StringRef directive = line.trim();
    directive = directive.consume_front("#") ? directive.ltrim() : "";
    const bool is_end = directive.starts_with("endif"), is_else = directive.starts_with("el");
    const bool is_outer = depth == 0 && (is_end || is_else);
    if (!is_outer && !is_other) out += line;
    if (line.size() < left.size()) out += '\n';
    if (is_outer)
      is_other = is_else;
    else
      depth += static_cast<int>(directive.starts_with("if")) - static_cast<int>(is_end);
    left = rest;
  }
  for (; depth > 0; --depth) out += "\n#endif";
  return out;
}

inline bool is_in_main_file(clang::SourceLocation at, const clang::SourceManager& sources) {
  return sources.isInMainFile(sources.getExpansionLoc(at));
}

}  // namespace assay::reader
