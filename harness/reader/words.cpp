// One visit of a body, in which nothing is followed.
#include "harness/reader/words.h"

#include <clang/AST/ASTContext.h>
#include <clang/AST/ExprCXX.h>
#include <clang/AST/RecursiveASTVisitor.h>

#include <set>
#include <string>

#include "harness/reader/bodies.h"
#include "harness/reader/expressions.h"
#include "harness/reader/places.h"
#include "harness/reader/sums.h"

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

}  // namespace assay::reader
