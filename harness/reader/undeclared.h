// Names that nothing declares, as those of headers that are missing: what is around them is still understood.
#pragma once

#include <clang/AST/ASTContext.h>
#include <clang/Sema/ExternalSemaSource.h>
#include <clang/Sema/Lookup.h>
#include <clang/Sema/Scope.h>

#include <map>
#include <set>

namespace assay::reader {

// Declares each such name in a function's body as a variable of a type that is left open, so that a launch with it as
// an argument remains a launch, and its text stays as it is. A name like scalar_t, which macros of a missing header
// define, is a type: float, so that templates have an instance. A template with one instance is judged in every element
// type for which it compiles, so nothing hangs on that choice. Before :: it is a namespace, in which names like coord_t
// are whole numbers: what such names of other libraries count with. All are implicit declarations.
class Undeclared : public clang::ExternalSemaSource {
 public:
  explicit Undeclared(clang::ASTContext& context) : context_(context) {}

  bool LookupUnqualified(clang::LookupResult& found, clang::Scope* scope) override {
    const clang::SourceLocation at = found.getNameLoc();
    clang::IdentifierInfo* name = found.getLookupName().getAsIdentifierInfo();
    if (found.isForRedeclaration() || !name || !scope || at.isInvalid() ||
        context_.getSourceManager().isInSystemHeader(at))
      return false;
    if (found.getLookupKind() == clang::Sema::LookupNestedNameSpecifierName) {
      found.addDecl(scope_named(name, at));
      return true;
    }
    if (found.getLookupKind() != clang::Sema::LookupOrdinaryName || !scope->getFnParent()) return false;
    clang::NamedDecl*& declared = declared_[name];
    clang::DeclContext* outside = context_.getTranslationUnitDecl();
    if (!declared && name->getName().ends_with("_t")) declared = type_named(name, outside, at, context_.FloatTy);
    if (!declared)
      declared =
          clang::VarDecl::Create(context_, outside, at, at, name, context_.DependentTy, nullptr, clang::SC_Extern);
    declared->setImplicit();
    found.addDecl(declared);
    return true;
  }

  bool FindExternalVisibleDeclsByName(const clang::DeclContext* scope, clang::DeclarationName named) override {
    const clang::IdentifierInfo* name = named.getAsIdentifierInfo();
    if (!own_.contains(scope) || !name || !name->getName().ends_with("_t")) return false;
    auto* around = const_cast<clang::DeclContext*>(scope);
    clang::NamedDecl* type =
        type_named(name, around, clang::cast<clang::Decl>(around)->getLocation(), context_.LongLongTy);
    SetExternalVisibleDeclsForName(scope, named, {type});
    return true;
  }

 private:
  clang::NamedDecl* type_named(const clang::IdentifierInfo* name, clang::DeclContext* around, clang::SourceLocation at,
                               clang::QualType type) {
    clang::NamedDecl* declared =
        clang::TypedefDecl::Create(context_, around, at, at, name, context_.getTrivialTypeSourceInfo(type, at));
    declared->setImplicit();
    return declared;
  }

  clang::NamespaceDecl* scope_named(clang::IdentifierInfo* name, clang::SourceLocation at) {
    clang::NamespaceDecl*& scope = scopes_[name];
    if (scope) return scope;
    scope =
        clang::NamespaceDecl::Create(context_, context_.getTranslationUnitDecl(), false, at, at, name, nullptr, false);
    scope->setImplicit();
    scope->setHasExternalVisibleStorage();
    own_.insert(scope);
    return scope;
  }

  clang::ASTContext& context_;
  std::map<const clang::IdentifierInfo*, clang::NamedDecl*> declared_;
  std::map<const clang::IdentifierInfo*, clang::NamespaceDecl*> scopes_;
  std::set<const clang::DeclContext*> own_;  // all of scopes_
};

}  // namespace assay::reader
