// Cuts a body out of what a macro makes, and puts another in under the caller's names.
#include "harness/reader/bodies.h"

#include <clang/AST/Expr.h>
#include <clang/AST/Stmt.h>
#include <llvm/ADT/StringExtras.h>

#include <map>
#include <vector>

#include "harness/reader/expressions.h"
#include "harness/reader/places.h"

namespace assay::reader {

using namespace clang;

Worker handed_to(const FunctionDecl* function) {
  const auto* body = dyn_cast<CompoundStmt>(function->getBody());
  const auto* last = body && !body->body_empty() ? dyn_cast<Expr>(body->body_back()) : nullptr;
  const auto* call = last ? dyn_cast<CallExpr>(last->IgnoreImplicit()) : nullptr;
  const auto all = call ? functions_named(*call->getCallee(), function) : std::vector<NamedFunction>();
  const FunctionDecl* defined = nullptr;
  if (all.size() != 1 || !pattern_of(all[0].function)->hasBody(defined) ||
      defined->getNumParams() != call->getNumArgs())
    return {};
  Worker worker{defined};
  for (unsigned i = 0; i < call->getNumArgs(); ++i) {
    const auto* name = dyn_cast<DeclRefExpr>(call->getArg(i)->IgnoreParenImpCasts());
    if (!name) return {};
    const std::string argument = name->getDecl()->getNameAsString(), own = defined->getParamDecl(i)->getNameAsString();
    if (argument != own) worker.names[own] = argument;
  }
  return worker;
}

namespace {

// The part of what a macro makes, several functions perhaps, that is the body of one; all of it where that has no such.
std::string body_in(const std::string& text, const std::string& name) {
  const auto is_of_word = [&](size_t at) { return at < text.size() && (llvm::isAlnum(text[at]) || text[at] == '_'); };
  for (size_t at = text.find(name); at != std::string::npos; at = text.find(name, at + 1)) {
    const size_t next = text.find_first_not_of(' ', at + name.size());
    if ((at > 0 && is_of_word(at - 1)) || next == std::string::npos || text[next] != '(') continue;
    const size_t open = text.find_first_of("{;", next);
    if (open == std::string::npos || text[open] == ';') continue;
    size_t end = open;
    for (int depth = 0; end < text.size(); ++end) {
      depth += text[end] == '{' ? 1 : text[end] == '}' ? -1 : 0;
      if (depth == 0) return text.substr(open, end + 1 - open);
    }
  }
  return text;
}

// The text with other names for variables; members keep theirs.
std::string with_names(llvm::StringRef text, const std::map<std::string, std::string>& names) {
  const auto is_of_word = [](char c) { return llvm::isAlnum(c) || c == '_'; };
  std::string renamed;
  while (!text.empty()) {
    const llvm::StringRef word = text.take_while(is_of_word);
    const bool is_member = llvm::StringRef(renamed).ends_with(".") || llvm::StringRef(renamed).ends_with("->");
    const auto known = is_member ? names.end() : names.find(word.str());
    renamed += known == names.end() ? word.str() : known->second;
    text = text.drop_front(word.size());
    renamed += text.take_until(is_of_word).str();
    text = text.drop_until(is_of_word);
  }
  return renamed;
}

}  // namespace

std::string body_of(const FunctionDecl* function, const ExpandedText& expanded) {
  std::string body = expanded(function->getBody()->getSourceRange());
  if (function->getBody()->getBeginLoc().isMacroID()) body = body_in(body, function->getNameAsString());
  if (const Worker worker = handed_to(function); worker.function && body.ends_with('}'))
    body.insert(body.size() - 1, with_names(expanded(worker.function->getBody()->getSourceRange()), worker.names));
  return body;
}

}  // namespace assay::reader
