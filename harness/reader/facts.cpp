// One visit of the whole AST, templates' instances included.
#include "harness/reader/facts.h"

#include <clang/AST/Attr.h>
#include <clang/AST/DeclTemplate.h>
#include <clang/AST/ExprCXX.h>
#include <clang/AST/RecursiveASTVisitor.h>
#include <clang/Lex/Lexer.h>

#include <algorithm>
#include <map>
#include <set>

#include "harness/reader/body_facts.h"
#include "harness/reader/expressions.h"
#include "harness/reader/launches.h"
#include "harness/reader/places.h"
#include "harness/reader/pointer_uses.h"
#include "harness/reader/reached.h"
#include "harness/reader/words.h"

namespace assay::reader {

using namespace clang;
using llvm::json::Array;
using llvm::json::Object;

namespace {

class Facts : public RecursiveASTVisitor<Facts> {
 public:
  Facts(ASTContext& context, Pieces& pieces)
      : context_(context), sources_(context.getSourceManager()), pieces_(pieces), launches_(context) {}

  bool shouldVisitTemplateInstantiations() const { return true; }
  bool shouldVisitLambdaBody() const { return true; }

  bool TraverseDecl(Decl* declared) {
    if (declared && !isa<TranslationUnitDecl>(declared) && is_in_system(declared->getLocation(), sources_)) return true;
    const auto* function = dyn_cast_or_null<FunctionDecl>(declared);
    const FunctionDecl* before = function_;
    if (function && function->doesThisDeclarationHaveABody()) function_ = function;
    const bool goes_on = RecursiveASTVisitor::TraverseDecl(declared);
    function_ = before;
    return goes_on;
  }

  bool TraverseLambdaExpr(LambdaExpr* lambda) {
    const FunctionDecl* before = function_;
    function_ = lambda->getCallOperator();
    const bool goes_on = RecursiveASTVisitor::TraverseLambdaExpr(lambda);
    function_ = before;
    return goes_on;
  }

  bool TraverseIfStmt(IfStmt* choice) {
    if (!choice->getCond()) return RecursiveASTVisitor::TraverseIfStmt(choice);
    const std::string condition = text_of(*choice->getCond(), around_lambdas(function_), context_);
    if (choice->getInit()) TraverseStmt(choice->getInit());
    TraverseStmt(choice->getCond());
    where(condition, choice->getThen());
    where("!(" + condition + ")", choice->getElse());
    return true;
  }

  // The statements behind `if (n % 4) return;` are reached where that does not hold.
  bool TraverseCompoundStmt(CompoundStmt* body) {
    const size_t before = conditions_.size();
    for (Stmt* part : body->body()) {
      TraverseStmt(part);
      const auto* choice = dyn_cast<IfStmt>(part);
      if (!choice || choice->getElse() || !choice->getCond() || !leaves_function(choice->getThen())) continue;
      const std::string condition = text_of(*choice->getCond(), around_lambdas(function_), context_);
      if (!condition.empty()) conditions_.push_back("!(" + condition + ")");
    }
    conditions_.resize(before);
    return true;
  }

  bool TraverseSwitchStmt(SwitchStmt* choice) {
    const auto* body = dyn_cast_or_null<CompoundStmt>(choice->getBody());
    if (!body) return RecursiveASTVisitor::TraverseSwitchStmt(choice);
    const std::string of = text_of(*choice->getCond(), around_lambdas(function_), context_);
    std::string condition;
    bool falls = false;  // into this case from the one before
    for (Stmt* part : body->body()) {
      if (const auto* value = dyn_cast<CaseStmt>(part)) {
        const bool is_one = !falls && !isa<SwitchCase>(value->getSubStmt());
        condition = is_one ? of + " == " + text_of(*value->getLHS(), around_lambdas(function_), context_) : "";
      }
      if (isa<DefaultStmt>(part)) condition.clear();
      where(condition, part);
      falls = !leaves(part);
    }
    return true;
  }

  // An assertion, as the shim has it.
  bool VisitCallExpr(CallExpr* call) {
    const FunctionDecl* callee = call->getDirectCallee();
    if (callee && callee->getIdentifier() && callee->getName() == "assay_read_requires" && function_ &&
        call->getNumArgs() == 1)
      required_[pattern_of(around_lambdas(function_))].insert(
          text_of(*call->getArg(0), around_lambdas(function_), context_));
    launches_.add_call(*call, around_lambdas(function_), conditions_);
    return true;
  }

  bool VisitBinaryOperator(BinaryOperator* assignment) {
    if (assignment->isAssignmentOp()) launches_.note_value(assignment->getRHS(), conditions_);
    return true;
  }

  bool VisitFunctionDecl(FunctionDecl* function) {
    if (!function->hasAttr<CUDAGlobalAttr>()) return true;
    if (function->doesThisDeclarationHaveABody() && !function->isTemplateInstantiation())
      kernels_.emplace_back(function, function_fact(function));
    if (function->isTemplateInstantiation()) note_instance(function);
    return true;
  }

  bool VisitCUDAKernelCallExpr(CUDAKernelCallExpr* call) {
    launches_.add_chevrons(*call, around_lambdas(function_), conditions_);
    return true;
  }

  // Numbers by names: constants outside functions, and enumerators.
  bool VisitVarDecl(VarDecl* variable) {
    const Expr* value =
        variable->isFileVarDecl() && variable->getType().isConstQualified() && variable->getType()->isArithmeticType()
            ? variable->getInit()
            : nullptr;
    if (value && !value->isValueDependent())
      constants_.push_back(texts({variable->getNameAsString(), text_of(*value, nullptr, context_)}));
    return true;
  }
  bool VisitEnumConstantDecl(EnumConstantDecl* each) {
    constants_.push_back(texts({each->getNameAsString(), llvm::toString(each->getInitVal(), 10)}));
    return true;
  }

  Object take() {
    Array kernels;
    for (auto& [pattern, fact] : kernels_) {
      Array instances;
      for (const FunctionDecl* instance : instances_[pattern]) instances.push_back(instance_fact(instance));
      fact["instances"] = std::move(instances);
      fact["facts"] = facts_of_body(pattern);
      fact["parameters"] = parameters(pattern);
      fact["requirements"] = required_of(pattern);
      kernels.push_back(std::move(fact));
    }
    Array launches;
    std::vector<const FunctionDecl*> launchers;
    for (auto& [around, fact] : launches_.take()) {
      const FunctionDecl* launcher = pattern_of(around);
      fact["requirements"] = required_of(launcher);
      launches.push_back(std::move(fact));
      if (std::find(launchers.begin(), launchers.end(), launcher) == launchers.end()) launchers.push_back(launcher);
    }
    Array all;
    for (const FunctionDecl* launcher : launchers) all.push_back(launcher_fact(launcher));
    return Object{{"kernels", std::move(kernels)},
                  {"launches", std::move(launches)},
                  {"launchers", std::move(all)},
                  {"constants", std::move(constants_)}};
  }

 private:
  // Whether a statement of a switch ends its case.
  static bool leaves(const Stmt* part) {
    while (const auto* of_case = dyn_cast_or_null<SwitchCase>(part)) part = of_case->getSubStmt();
    if (const auto* group = dyn_cast_or_null<CompoundStmt>(part))
      part = group->body_empty() ? nullptr : group->body_back();
    return part && (isa<BreakStmt>(part) || isa<ReturnStmt>(part) || isa<ContinueStmt>(part));
  }

  // Whether a statement ends with one after which the function does not go on.
  static bool leaves_function(const Stmt* part) {
    if (const auto* group = dyn_cast_or_null<CompoundStmt>(part))
      part = group->body_empty() ? nullptr : group->body_back();
    if (const auto* whole = dyn_cast_or_null<ExprWithCleanups>(part)) part = whole->getSubExpr();
    const auto* call = dyn_cast_or_null<CallExpr>(part);
    const FunctionDecl* callee = call ? call->getDirectCallee() : nullptr;
    return part && (isa<ReturnStmt>(part) || isa<CXXThrowExpr>(part) || (callee && callee->isNoReturn()));
  }

  void where(const std::string& condition, Stmt* part) {
    if (!condition.empty()) conditions_.push_back(condition);
    TraverseStmt(part);
    if (!condition.empty()) conditions_.pop_back();
  }

  Array required_of(const FunctionDecl* function) const {
    const auto found = required_.find(function);
    return found == required_.end() ? Array() : texts(found->second);
  }

  // Common to kernels and launchers.
  Object function_fact(const FunctionDecl* function) {
    Object fact{{"name", function->getNameAsString()},
                {"qualified_name", qualified(function)},
                {"line", line_of(function->getLocation(), sources_)},
                {"in_main_file", is_in_main_file(function->getLocation(), sources_)}};
    Array parameters;
    if (const FunctionTemplateDecl* made_from = function->getDescribedFunctionTemplate())
      for (const NamedDecl* parameter : *made_from->getTemplateParameters())
        parameters.push_back(template_parameter(parameter));
    fact["template_parameters"] = std::move(parameters);
    const auto* given = function->getTemplateSpecializationArgs();
    if (given && function->getTemplateSpecializationKind() == TSK_ExplicitSpecialization)
      fact["specialised_for"] = texts(argument_texts(given->asArray(), context_));
    fact["sums_in_any_order"] = sums_in_any_order(known_of(function));
    fact["piece"] = pieces_.keep(function);
    return fact;
  }

  Object launcher_fact(const FunctionDecl* function) {
    Object fact = function_fact(function);
    fact["parameters"] = parameters(function);
    fact["facts"] = facts_of_body(function);
    fact["requirements"] = required_of(function);
    fact["result"] = type_name(function->getReturnType(), context_);
    fact["is_member"] = isa<CXXMethodDecl>(function);
    fact["is_device"] = function->hasAttr<CUDADeviceAttr>() || function->hasAttr<CUDAGlobalAttr>();
    return fact;
  }

  // Whether it or what it calls adds floats atomically, to whatever memory. What a template leaves open counts as
  // floats.
  static bool sums_in_any_order(const FunctionDecl* function) {
    bool sums = false;
    const auto look_at = [&](const Stmt& statement) {
      const auto* call = dyn_cast<CallExpr>(&statement);
      if (!call || call->getNumArgs() < 2 || !StringRef(name_called(*call)).starts_with("atomicAdd")) return;
      sums |= !call->getArg(1)->getType().getNonReferenceType()->isIntegerType();
    };
    visit_reached(
        {function}, [](const FunctionDecl&) {}, look_at);
    return sums;
  }

  static bool is_function(QualType type) {
    return type->isFunctionPointerType() || type.getNonReferenceType()->isFunctionType();
  }

  Object template_parameter(const NamedDecl* parameter) {
    Object fact{{"name", parameter->getNameAsString()}};
    if (const auto* type = dyn_cast<TemplateTypeParmDecl>(parameter)) {
      fact["kind"] = "typename";
      if (type->hasDefaultArgument())
        fact["by_default"] = argument_texts({type->getDefaultArgument().getArgument()}, context_)[0];
    } else if (const auto* number = dyn_cast<NonTypeTemplateParmDecl>(parameter)) {
      fact["kind"] = is_function(number->getType()) ? "function" : type_name(number->getType(), context_);
      if (number->hasDefaultArgument())
        fact["by_default"] = argument_texts({number->getDefaultArgument().getArgument()}, context_)[0];
    } else {
      fact["kind"] = "template";
    }
    return fact;
  }

  // The name that begins there, qualifiers left behind.
  std::string word_at(SourceLocation at) const {
    for (Token token; at.isValid() && !Lexer::getRawToken(at, token, sources_, context_.getLangOpts(), true);) {
      const std::string word = Lexer::getSpelling(token, sources_, context_.getLangOpts());
      const bool says_how = llvm::is_contained({"const", "volatile", "typename", "struct", "class", "enum"}, word);
      if (token.is(tok::raw_identifier) && !says_how && !word.starts_with("__")) return word;
      if (!token.is(tok::raw_identifier)) break;
      at = token.getEndLoc();
    }
    return "";
  }

  // A parameter, or a field of one.
  Object parameter_fact(const ValueDecl* parameter, const PointerUse& use) {
    const QualType type = parameter->getType();
    // Where an error left Clang without the type, it says int: the text says more.
    const std::string unknown = parameter->isInvalidDecl() ? word_at(parameter->getBeginLoc()) : "";
    // A stream is a pointer and a texture a number to the compiler, and yet no data and no count of anything.
    const auto* named = type->getAs<TypedefType>();
    const bool is_handle = named && named->getDecl()->getName().starts_with("cuda");
    const bool is_pointer = type->isPointerType() && !is_handle;
    const QualType element = is_pointer ? type->getPointeeType() : type;
    return Object{{"name", parameter->getNameAsString()},
                  {"type", !unknown.empty() ? unknown
                           : is_handle      ? named->getDecl()->getName().str()
                                            : type_name(element, context_)},
                  {"is_pointer", is_pointer},
                  {"is_const", is_pointer && element.isConstQualified()},
                  {"line", line_of(parameter->getLocation(), sources_)},
                  {"indexed", use.indexed},
                  {"written", use.written},
                  {"added_to", use.added_to},
                  {"read", use.read},
                  {"passed", use.passed},
                  {"tested", use.tested},
                  {"many", use.many}};
  }

  // A template is read by an instance, where there is one: it alone knows what its calls do. A structure of pointers is
  // as many parameters as it has fields.
  const FunctionDecl* known_of(const FunctionDecl* pattern) {
    for (const FunctionDecl* instance : instances_[pattern])
      if (instance->hasBody()) pattern = instance;
    return pattern;
  }

  Object facts_of_body(const FunctionDecl* pattern) {
    Object fact = body_facts(pattern, context_);
    add_reached_words(known_of(pattern), context_, fact);
    const auto* body = dyn_cast<CompoundStmt>(pattern->getBody());
    fact["is_empty"] = body && body->body_empty();
    return fact;
  }

  Array parameters(const FunctionDecl* pattern) {
    const auto uses = pointer_uses(*known_of(pattern));
    Array all;
    for (unsigned i = 0; i < pattern->getNumParams(); ++i) {
      const ParmVarDecl* parameter = pattern->getParamDecl(i);
      const PointerUse use = i < uses.size() ? uses[i] : PointerUse();
      const RecordDecl* record = parameter->isInvalidDecl() ? nullptr : record_of_pointers(parameter->getType());
      if (!record) all.push_back(parameter_fact(parameter, use));
      size_t at = 0;
      if (record)
        for (const FieldDecl* field : record->fields()) {
          Object fact = parameter_fact(field, at < use.fields.size() ? use.fields[at] : PointerUse());
          fact["record"] = parameter->getNameAsString();
          fact["record_type"] = type_name(parameter->getType().getUnqualifiedType(), context_);
          ++at;
          all.push_back(std::move(fact));
        }
    }
    return all;
  }

  void note_instance(const FunctionDecl* instance) {
    if (instance->getTemplateSpecializationArgs()) instances_[pattern_of(instance)].insert(instance);
  }

  // The pieces of types and functions that arguments name.
  Array pieces_of(llvm::ArrayRef<TemplateArgument> arguments) {
    Array all;
    for (const TemplateArgument& argument : arguments) {
      const Decl* named = nullptr;
      if (argument.getKind() == TemplateArgument::Type) named = argument.getAsType()->getAsTagDecl();
      if (argument.getKind() == TemplateArgument::Declaration) named = argument.getAsDecl();
      if (argument.getKind() == TemplateArgument::Template) named = argument.getAsTemplate().getAsTemplateDecl();
      if (named)
        if (const int64_t piece = pieces_.keep(named); piece >= 0) all.push_back(piece);
      if (const auto* made = dyn_cast_or_null<ClassTemplateSpecializationDecl>(named))
        for (auto& inner : pieces_of(made->getTemplateArgs().asArray())) all.push_back(std::move(inner));
    }
    return all;
  }

  Object instance_fact(const FunctionDecl* instance) {
    Object fact{{"pieces", pieces_of(instance->getTemplateSpecializationArgs()->asArray())},
                {"arguments", texts(argument_texts(instance->getTemplateSpecializationArgs()->asArray(), context_))}};
    if (const auto* bounds = instance->getAttr<CUDALaunchBoundsAttr>(); bounds && bounds->getMaxThreads())
      fact["threads_max"] = whole_value(*bounds->getMaxThreads(), context_).value_or(0);
    return fact;
  }

  ASTContext& context_;
  const SourceManager& sources_;
  Pieces& pieces_;
  const FunctionDecl* function_ = nullptr;  // whose body is being visited
  std::vector<std::pair<const FunctionDecl*, Object>> kernels_;
  std::map<const FunctionDecl*, std::set<const FunctionDecl*>> instances_;
  Launches launches_;
  Array constants_;
  std::vector<std::string> conditions_;  // under which the statement that is being visited is reached
  std::map<const FunctionDecl*, std::set<std::string>> required_;  // by assertions of each function
};

}  // namespace

Object facts_of(ASTContext& context, Pieces& pieces) {
  Facts facts(context, pieces);
  facts.TraverseDecl(context.getTranslationUnitDecl());
  return facts.take();
}

}  // namespace assay::reader
