// Names that nothing declares, as those of headers that are missing: what is around them is still understood.
#pragma once

#include <clang/AST/ASTContext.h>
#include <clang/Sema/ExternalSemaSource.h>
#include <clang/Sema/Lookup.h>
#include <clang/Sema/Scope.h>

#include <map>

namespace assay::reader {

// Declares each such name in a function's body as a variable of a type that is left open, so that a launch with it as
// an argument remains a launch, and its text stays as it is. A name like scalar_t, which macros of a missing header
// define, is a type: float, so that templates have an instance. A template with one instance is judged in every element
// type for which it compiles, so nothing hangs on that choice. Before :: it is an empty namespace. All are implicit
// declarations.
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
    if (!declared && name->getName().ends_with("_t"))
      declared = clang::TypedefDecl::Create(context_, outside, at, at, name,
                                            context_.getTrivialTypeSourceInfo(context_.FloatTy, at));
    if (!declared)
      declared =
          clang::VarDecl::Create(context_, outside, at, at, name, context_.DependentTy, nullptr, clang::SC_Extern);
    declared->setImplicit();
    found.addDecl(declared);
    return true;
  }

 private:
  clang::NamespaceDecl* scope_named(clang::IdentifierInfo* name, clang::SourceLocation at) {
    clang::NamespaceDecl*& scope = scopes_[name];
    if (scope) return scope;
    scope =
        clang::NamespaceDecl::Create(context_, context_.getTranslationUnitDecl(), false, at, at, name, nullptr, false);
    scope->setImplicit();
    return scope;
  }

  clang::ASTContext& context_;
  std::map<const clang::IdentifierInfo*, clang::NamedDecl*> declared_;
  std::map<const clang::IdentifierInfo*, clang::NamespaceDecl*> scopes_;
};

}  // namespace assay::reader
