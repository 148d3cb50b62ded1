// A visitor that notes every name.
#include "harness/reader/references.h"

#include <clang/AST/DeclTemplate.h>
#include <clang/AST/ExprCXX.h>
#include <clang/AST/RecursiveASTVisitor.h>

namespace assay::reader {

using namespace clang;

namespace {

class References : public RecursiveASTVisitor<References> {
 public:
  explicit References(const Decl& declared) { TraverseDecl(const_cast<Decl*>(&declared)); }

  bool shouldVisitTemplateInstantiations() const { return true; }
  bool shouldVisitImplicitCode() const { return true; }

  bool VisitDeclRefExpr(DeclRefExpr* e) { return note(e->getDecl()), note(e->getFoundDecl()); }
  bool VisitMemberExpr(MemberExpr* e) { return note(e->getMemberDecl()); }
  bool VisitCXXConstructExpr(CXXConstructExpr* e) { return note(e->getConstructor()); }
  bool VisitOverloadExpr(OverloadExpr* e) {
    for (const NamedDecl* each : e->decls())
      (e->getNumDecls() == 1 ? found.all : found.overloads).push_back(each->getUnderlyingDecl());
    return true;
  }
  bool VisitTypeLoc(TypeLoc at) {
    const Type* type = at.getTypePtr();
    if (const auto* tag = dyn_cast<TagType>(type)) note(tag->getDecl());
    if (const auto* alias = dyn_cast<TypedefType>(type)) note(alias->getDecl());
    if (const auto* used = dyn_cast<UsingType>(type))
      note(used->getFoundDecl()), note(used->getFoundDecl()->getTargetDecl());
    if (const auto* made = dyn_cast<TemplateSpecializationType>(type)) {
      note(made->getTemplateName().getAsTemplateDecl());
      if (const auto* record = made->getAsRecordDecl()) note(record);
    }
    if (const auto* self = dyn_cast<InjectedClassNameType>(type)) note(self->getDecl());
    return true;
  }
  bool VisitExpr(Expr* e) {
    if (const auto* record = e->getType().isNull() ? nullptr : e->getType()->getAsCXXRecordDecl()) note(record);
    return true;
  }
  bool VisitFriendDecl(FriendDecl* e) {
    if (const NamedDecl* declared = e->getFriendDecl())
      for (const Decl* again : declared->redecls()) note(again);
    return true;
  }
  bool TraverseNestedNameSpecifierLoc(NestedNameSpecifierLoc at) {
    for (NestedNameSpecifierLoc part = at; part; part = part.getPrefix())
      note(part.getNestedNameSpecifier()->getAsNamespaceAlias()), note(part.getNestedNameSpecifier()->getAsNamespace());
    return RecursiveASTVisitor::TraverseNestedNameSpecifierLoc(at);
  }
  bool VisitTemplateName(const TemplateDecl* named) { return note(named); }
  bool TraverseTemplateName(TemplateName name) {
    note(name.getAsTemplateDecl());
    return RecursiveASTVisitor::TraverseTemplateName(name);
  }

  Named found;

 private:
  bool note(const Decl* declared) {
    if (declared) found.all.push_back(declared);
    return true;
  }
};

}  // namespace

Named declarations_named_in(const Decl& declared) { return References(declared).found; }

}  // namespace assay::reader
