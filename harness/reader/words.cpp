// One visit of a body, in which nothing is followed.
#include "harness/reader/words.h"

#include <clang/AST/ASTContext.h>
#include <clang/AST/Attr.h>
#include <clang/AST/ExprCXX.h>
#include <clang/AST/RecursiveASTVisitor.h>
#include <clang/Lex/Lexer.h>

#include <map>
#include <set>
#include <string>

#include "harness/reader/expressions.h"
#include "harness/reader/places.h"
#include "harness/reader/reached.h"
#include "harness/reader/sums.h"
#include "harness/reader/worker.h"

namespace assay::reader {

using namespace clang;
using llvm::json::Array;
using llvm::json::Object;

namespace {

class WordsIn : public RecursiveASTVisitor<WordsIn> {
 public:
  explicit WordsIn(ASTContext& context) : context_(context) {}

  bool VisitVarDecl(VarDecl* variable) { return note_type(variable->getType()); }
  bool VisitExplicitCastExpr(ExplicitCastExpr* cast) { return note_type(cast->getTypeAsWritten()); }
  bool VisitIntegerLiteral(IntegerLiteral* number) {
    return numbers_.insert(static_cast<int64_t>(number->getValue().getLimitedValue(INT64_MAX))), true;
  }
  bool VisitDeclRefExpr(DeclRefExpr* name) {
    if (name->getDecl()->getNameAsString() == "warpSize") builtins_.insert("warpSize");
    return true;
  }
  bool VisitMemberExpr(MemberExpr* member) {
    const auto* base = dyn_cast<DeclRefExpr>(inside_of(member->getBase()));
    if (base && is_builtin(*base))
      builtins_.insert(base->getDecl()->getNameAsString() + "." + member->getMemberDecl()->getNameAsString());
    return true;
  }
  bool VisitCallExpr(CallExpr* call) {
    if (isa<CXXOperatorCallExpr>(call)) return true;
    const auto* member = dyn_cast<MemberExpr>(call->getCallee()->IgnoreParenCasts());
    calls_.insert(member ? member->getMemberDecl()->getNameAsString() : name_called(*call));
    return note_type(call->getType());
  }
  bool VisitCastExpr(CastExpr* cast) {
    const auto* element = dyn_cast<ArraySubscriptExpr>(inside_of(cast->getSubExpr()));
    const auto* name = element ? dyn_cast<DeclRefExpr>(inside_of(element->getBase())) : nullptr;
    if (name && cast->getCastKind() == CK_FloatingToIntegral) made_whole_.insert(name->getDecl()->getNameAsString());
    return true;
  }

  void add_to(Object& fact) const {
    fact["builtins"] = texts(builtins_);
    fact["calls"] = texts(calls_);
    fact["types"] = texts(types_);
    fact["numbers"] = Array(numbers_);
    fact["made_whole"] = texts(made_whole_);
  }

 private:
  bool note_type(QualType type) {
    type = type.getNonReferenceType();
    for (;;) {
      if (const auto* array = type->getAsArrayTypeUnsafe())
        type = array->getElementType();
      else if (type->isPointerType())
        type = type->getPointeeType();
      else
        break;
    }
    if (!type->isUndeducedType()) types_.insert(type_name(type, context_));
    return true;
  }

  ASTContext& context_;
  std::set<std::string> builtins_, calls_, types_, made_whole_;
  std::set<int64_t> numbers_;
};

}  // namespace

bool is_builtin(const DeclRefExpr& name) {
  const std::string text = name.getDecl()->getNameAsString();
  return llvm::is_contained({"threadIdx", "blockIdx", "blockDim", "gridDim"}, text);
}

void add_words(const FunctionDecl* function, ASTContext& context, Object& fact) {
  WordsIn words(context);
  words.TraverseStmt(function->getBody());
  if (const Worker worker = handed_to(function); worker.function) words.TraverseStmt(worker.function->getBody());
  words.add_to(fact);
}

void add_reached_words(const FunctionDecl* function, ASTContext& context, Object& fact) {
  const SourceManager& sources = context.getSourceManager();
  std::map<std::string, bool> written;  // as they are spelled: whether they are added to something
  std::string dynamic;
  // A number itself, or the variable or constant that it begins.
  const auto note = [&](const Expr* e, bool is_added) {
    if (const auto* name = dyn_cast<DeclRefExpr>(e)) {
      const auto* variable = dyn_cast<VarDecl>(name->getDecl());
      if (variable && variable->hasInit()) e = inside_of(variable->getInit());
    }
    if (!isa<FloatingLiteral>(e) && !isa<IntegerLiteral>(e)) return;
    const auto at = CharSourceRange::getTokenRange(sources.getSpellingLoc(e->getBeginLoc()));
    written[Lexer::getSourceText(at, sources, context.getLangOpts()).str()] |= is_added;
  };
  const auto note_dynamic = [&](const Decl* declared) {
    const auto* variable = dyn_cast<VarDecl>(declared);
    if (!variable || !variable->hasAttr<CUDASharedAttr>() || !variable->hasExternalStorage() || !dynamic.empty())
      return;
    const ArrayType* array = variable->getType()->getAsArrayTypeUnsafe();
    const QualType element = array ? array->getElementType() : variable->getType();
    dynamic = "extern __shared__ " + type_name(element, context) + " " + variable->getNameAsString() + "[]";
  };
  const auto look_at = [&](const Stmt& node) {
    const auto* e = dyn_cast<Expr>(&node);
    const auto* name = dyn_cast<DeclRefExpr>(&node);
    if (name) note_dynamic(name->getDecl());
    if (const auto* declared = dyn_cast<DeclStmt>(&node))
      for (const Decl* each : declared->decls()) note_dynamic(each);
    if (e && (name || isa<FloatingLiteral>(e) || isa<IntegerLiteral>(e))) note(e, false);
    const auto* call = dyn_cast<CXXOperatorCallExpr>(&node);
    if (call && call->getOperator() == OO_Plus && call->getNumArgs() == 2)
      for (const Expr* side : call->arguments()) note(inside_of(side), true);
    const auto* op = dyn_cast<BinaryOperator>(&node);
    if (op && op->getOpcode() == BO_Add) note(inside_of(op->getLHS()), true), note(inside_of(op->getRHS()), true);
  };
  visit_reached(
      {function}, [](const FunctionDecl&) {}, look_at);
  Array all;
  for (const auto& [text, is_added] : written) all.push_back(Object{{"text", text}, {"is_added", is_added}});
  fact["written"] = std::move(all);
  fact["dynamic_shared"] = dynamic;
}

}  // namespace assay::reader
