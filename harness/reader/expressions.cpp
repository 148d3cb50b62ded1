// A printer of expressions that replaces what has a known value.
#include "harness/reader/expressions.h"

#include <clang/AST/ASTContext.h>
#include <clang/AST/ASTLambda.h>
#include <clang/AST/DeclTemplate.h>
#include <clang/AST/ExprCXX.h>
#include <clang/AST/PrettyPrinter.h>
#include <clang/AST/RecursiveASTVisitor.h>
#include <clang/Lex/Lexer.h>

#include <algorithm>
#include <cctype>
#include <charconv>
#include <cmath>
#include <map>
#include <set>

#include "harness/reader/assignments.h"
#include "harness/reader/places.h"
#include "harness/reader/values.h"

namespace assay::reader {

using namespace clang;

namespace {

PrintingPolicy policy_of(const ASTContext& context) {
  PrintingPolicy policy(context.getLangOpts());
  policy.SuppressTagKeyword = policy.Bool = policy.SuppressDefaultTemplateArgs = policy.SuppressImplicitBase = true;
  policy.AnonymousTagLocations = false;
  policy.SuppressUnwrittenScope = true;  // no C++ can name an anonymous namespace
  return policy;
}

// A literal of f32 is meant as its shortest decimal, and 1.0f / n is no quotient of whole numbers.
std::string shortest(double value) {
  char text[32];
  const float single = static_cast<float>(value);
  const auto end = single == value || std::isinf(single) ? std::to_chars(text, text + sizeof text, single)
                                                         : std::to_chars(text, text + sizeof text, value);
  const bool is_whole =
      std::all_of(text, end.ptr, [](char c) { return std::isdigit(static_cast<unsigned char>(c)) != 0; });
  return std::string(text, end.ptr) + (is_whole ? ".0" : "");
}

// The value that a function returns which does nothing else.
const Expr* returned_by(const FunctionDecl* callee) {
  const FunctionDecl* defined = nullptr;
  if (!callee || !callee->hasBody(defined)) return nullptr;
  const auto* body = dyn_cast<CompoundStmt>(defined->getBody());
  if (!body || body->size() != 1) return nullptr;
  const auto* result = dyn_cast<ReturnStmt>(body->body_front());
  return result ? result->getRetValue() : nullptr;
}

// A whole number in the place of a floating one: n of (float)n and of n * 1.0; null for what is none.
const Expr* whole_number(const Expr* e) {
  e = e->IgnoreParenCasts();
  const auto is_one = [](const Expr* factor) {
    const auto* literal = dyn_cast<FloatingLiteral>(factor->IgnoreParenCasts());
    return literal && literal->getValueAsApproximateDouble() == 1;
  };
  if (const auto* product = dyn_cast<BinaryOperator>(e); product && product->getOpcode() == BO_Mul) {
    if (is_one(product->getLHS())) return whole_number(product->getRHS());
    if (is_one(product->getRHS())) return whole_number(product->getLHS());
  }
  const auto* literal = dyn_cast<FloatingLiteral>(e);
  const bool is_whole =
      literal && std::floor(literal->getValueAsApproximateDouble()) == literal->getValueAsApproximateDouble();
  return is_whole || !e->getType()->isFloatingType() ? e : nullptr;
}

class Printer : public PrinterHelper {
 public:
  Printer(const FunctionDecl* function, ASTContext& context, const Variables& kept)
      : function_(function), context_(context), kept_(kept) {}

  std::string print(const Expr* e) {
    if (from_.isInvalid()) from_ = e->getBeginLoc();
    std::string text;
    llvm::raw_string_ostream out(text);
    e->printPretty(out, this, policy_of(context_));
    return text;
  }

  // Prints something else in the place of a part of an expression; false: it is printed as it is.
  bool handledStmt(Stmt* part, raw_ostream& out) override {
    auto* e = dyn_cast<Expr>(part);
    if (!e) return false;
    if (isa<RecoveryExpr>(e)) return as_written(e, out);
    if (auto number = number_of(e)) return out << *number, true;
    if (auto* real = dyn_cast<FloatingLiteral>(e)) return out << shortest(real->getValueAsApproximateDouble()), true;
    if (auto* cast = dyn_cast<ExplicitCastExpr>(e); cast && cast->getCastKind() == CK_IntegralToFloating) {
      out << "(float)";  // a quotient of it is not rounded
      return bracketed(cast->getSubExpr(), out);
    }
    if (auto* cast = dyn_cast<CastExpr>(e)) return replaced(cast->getSubExpr(), out);
    if (auto* whole = dyn_cast<FullExpr>(e)) return replaced(whole->getSubExpr(), out);
    if (auto* made = dyn_cast<MaterializeTemporaryExpr>(e)) return replaced(made->getSubExpr(), out);
    if (auto* given = dyn_cast<SubstNonTypeTemplateParmExpr>(e)) return replaced(given->getReplacement(), out);
    if (auto* made = dyn_cast<CXXConstructExpr>(e); made && made->getNumArgs() == 1)
      return replaced(made->getArg(0), out);
    if (auto* name = dyn_cast<DeclRefExpr>(e)) return variable(name, out);
    if (auto* member = dyn_cast<MemberExpr>(e)) return extent(member, out);
    if (auto* call = dyn_cast<CallExpr>(e); call && call->getNumArgs() == 1 && rounded_up(call, out)) return true;
    if (auto* call = dyn_cast<CallExpr>(e); call && !isa<CXXMemberCallExpr>(call)) return inlined(call, out);
    return false;
  }

 private:
  // Clang prints what it does not understand, as a member of a class whose base is missing, as no expression.
  bool as_written(const Expr* e, raw_ostream& out) const {
    const SourceManager& sources = context_.getSourceManager();
    const auto range = CharSourceRange::getTokenRange(sources.getSpellingLoc(e->getBeginLoc()),
                                                      sources.getSpellingLoc(e->getEndLoc()));
    const StringRef text = Lexer::getSourceText(range, sources, context_.getLangOpts());
    out << text;
    return !text.empty();
  }

  // Numbers of signs and sizes are what the executor's expressions have, too.
  std::optional<std::string> number_of(const Expr* e) const {
    if (e->getType().isNull() || e->isValueDependent() || e->isTypeDependent() || e->containsErrors())
      return std::nullopt;
    if (!e->getType()->isIntegralOrEnumerationType()) return std::nullopt;
    Expr::EvalResult result;
    if (!e->EvaluateAsInt(result, context_) || result.HasSideEffects) return std::nullopt;
    if (hangs_on(e, kept_, function_)) return std::nullopt;
    if (e->getType()->isBooleanType()) return result.Val.getInt().getBoolValue() ? "true" : "false";
    return llvm::toString(result.Val.getInt(), 10);
  }

  bool replaced(const Expr* by, raw_ostream& out) {
    by->printPretty(out, this, policy_of(context_));
    return true;
  }

  bool bracketed(const Expr* by, raw_ostream& out) {
    if (++depth_ > kDefinitionsDeepMax) return --depth_, false;
    const std::string text = print(by);
    --depth_;
    const bool is_one_word = text.find_first_of(" ?:") == std::string::npos;
    out << (is_one_word ? text : "(" + text + ")");
    return true;
  }

  bool variable(const DeclRefExpr* name, raw_ostream& out) {
    if (const auto given = arguments_.find(name->getDecl()); given != arguments_.end()) {
      out << given->second;
      return true;
    }
    if (kept_.contains(name->getDecl())) return false;
    if (stepped(name, out)) return true;
    if (depth_ > 0 && changes_behind(name)) {
      out << name->getDecl()->getName() << "_of_line_" << line_of(name->getLocation(), context_.getSourceManager());
      return true;
    }
    const Expr* value = value_of(*name, function_);
    if (!value || isa<LambdaExpr>(value->IgnoreImplicit()) || name->getDecl()->getType()->isRecordType()) return false;
    return bracketed(value, out);
  }

  // A size that a launch's shared memory was computed from may not be that of the launch.
  bool changes_behind(const DeclRefExpr* name) const {
    const auto* variable = dyn_cast<VarDecl>(name->getDecl());
    const bool is_one_value = !variable || isa<ParmVarDecl>(variable) || value_of(*name, function_);
    const auto* assigned = is_one_value ? nullptr : assignments_in(function_).of(variable);
    const SourceManager& sources = context_.getSourceManager();
    return assigned && llvm::any_of(*assigned, [&](const Expr* value) {
             return value && sources.isBeforeInTranslationUnit(name->getLocation(), value->getBeginLoc()) &&
                    sources.isBeforeInTranslationUnit(value->getBeginLoc(), from_);
           });
  }

  // n / 4 of n behind n >>= 2, and n < 256 ? n : 256 of t behind int t = 256; if (n < 256) t = n;
  bool stepped(const DeclRefExpr* name, raw_ostream& out) {
    const Assignments::Step* known = assignments_in(function_).only_step(name->getDecl());
    if (!known || depth_ > kDefinitionsDeepMax ||
        !context_.getSourceManager().isBeforeInTranslationUnit(known->assignment->getEndLoc(), name->getLocation()))
      return false;
    const BinaryOperator* step = known->assignment;
    const auto* variable = dyn_cast<VarDecl>(name->getDecl());
    const bool is_local = variable && !isa<ParmVarDecl>(variable) && variable->getInit();
    const auto before = [&] {
      if (is_local)
        bracketed(variable->getInit(), out);
      else
        out << name->getDecl()->getName();
    };
    if (known->condition) {
      if (variable && !isa<ParmVarDecl>(variable) && !is_local) return false;
      ++depth_;
      const std::string condition = print(known->condition), value = print(step->getRHS());
      --depth_;
      out << "((" << condition << ") ? (" << value << ") : ";
      before();
      out << ")";
      return true;
    }
    const BinaryOperatorKind kind = BinaryOperator::getOpForCompoundAssignment(step->getOpcode());
    std::optional<std::string> by = number_of(step->getRHS());
    const bool shifts = kind == BO_Shl || kind == BO_Shr;
    if (!by || (shifts && by->size() > 1)) return false;
    if (shifts) by = std::to_string(1 << std::stoi(*by));
    const char* const sign = kind == BO_Shr ? "/" : kind == BO_Shl ? "*" : BinaryOperator::getOpcodeStr(kind).data();
    out << "(";
    before();
    out << " " << sign << " " << *by << ")";
    return true;
  }

  // grid.y of dim3 grid(a, b)
  bool extent(const MemberExpr* member, raw_ostream& out) {
    const CXXConstructExpr* made = made_dim3(member->getBase(), function_);
    const size_t axis = std::string("xyz").find(member->getMemberDecl()->getNameAsString());
    return made && axis < made->getNumArgs() && bracketed(made->getArg(static_cast<unsigned>(axis)), out);
  }

  // ceil(a / (float)b) is ceil_div(a, b).
  bool rounded_up(const CallExpr* call, raw_ostream& out) {
    const std::string name = name_called(*call);
    const auto* quotient = dyn_cast<BinaryOperator>(call->getArg(0)->IgnoreParenImpCasts());
    if ((name != "ceil" && name != "ceilf") || !quotient || quotient->getOpcode() != BO_Div ||
        !(quotient->getLHS()->getType()->isFloatingType() || quotient->getRHS()->getType()->isFloatingType()))
      return false;
    const Expr *dividend = whole_number(quotient->getLHS()), *divisor = whole_number(quotient->getRHS());
    const auto whole = [&](const Expr* e) {  // 256 of 256.0f
      const std::string text = print(e);
      return isa<FloatingLiteral>(e) ? text.substr(0, text.find('.')) : text;
    };
    if (dividend && divisor) out << "ceil_div(" << whole(dividend) << ", " << whole(divisor) << ")";
    return dividend && divisor;
  }

  bool inlined(CallExpr* call, raw_ostream& out) {
    const FunctionDecl* callee = call->getDirectCallee();
    const Expr* result = returned_by(callee);
    const FunctionDecl* defined = nullptr;
    const bool is_operator = isa<CXXOperatorCallExpr>(call),
               is_lambda = is_operator && result && isLambdaCallOperator(callee);
    const unsigned first = is_lambda ? 1 : 0;  // behind the lambda itself
    if (!result || is_operator != is_lambda || !call->getType()->isIntegralOrEnumerationType() ||
        !callee->hasBody(defined) || call->getNumArgs() != defined->getNumParams() + first ||
        depth_ > kDefinitionsDeepMax)
      return false;
    std::map<const ValueDecl*, std::string> given;
    for (unsigned i = 0; i < defined->getNumParams(); ++i) {
      const std::string text = print(call->getArg(i + first));
      given[defined->getParamDecl(i)] = text.find(' ') == std::string::npos ? text : "(" + text + ")";
    }
    std::swap(arguments_, given);
    const bool done = bracketed(result, out);
    std::swap(arguments_, given);
    return done;
  }

  const FunctionDecl* function_;
  ASTContext& context_;
  const Variables& kept_;
  SourceLocation from_;                                // where the first expression is
  std::map<const ValueDecl*, std::string> arguments_;  // of the call that is being printed
  int depth_ = 0;
};

// The values of a dim3 variable that names leave open which nothing declares: dim3 grid(n / size, 2); null for others.
const ParenListExpr* open_dim3(const Expr* e) {
  e = e->IgnoreImplicit()->IgnoreParenCasts();
  if (const auto* copy = dyn_cast<CXXConstructExpr>(e); copy && copy->getNumArgs() == 1 && is_dim3(copy->getType()))
    return open_dim3(copy->getArg(0));
  const auto* name = dyn_cast<DeclRefExpr>(e);
  const auto* variable = name ? dyn_cast<VarDecl>(name->getDecl()) : nullptr;
  return variable && is_dim3(variable->getType()) ? dyn_cast_or_null<ParenListExpr>(variable->getInit()) : nullptr;
}

}  // namespace

std::string text_of(const Expr& expression, const FunctionDecl* function, ASTContext& context, const Variables& kept) {
  return Printer(function, context, kept).print(&expression);
}

std::vector<std::string> extents_of(const Expr& expression, const FunctionDecl* function, ASTContext& context,
                                    const Variables& kept) {
  const CXXConstructExpr* made = made_dim3(&expression, function);
  const ParenListExpr* open = open_dim3(&expression);
  if (!open && (!made || made->getNumArgs() == 0)) return {text_of(expression, function, context, kept)};
  std::vector<std::string> extents;
  for (unsigned i = 0; open && i < open->getNumExprs(); ++i)
    extents.push_back(text_of(*open->getExpr(i), function, context, kept));
  if (open) return extents;
  for (const Expr* argument : made->arguments())
    if (!isa<CXXDefaultArgExpr>(argument)) extents.push_back(text_of(*argument, function, context, kept));
  return extents;
}

std::string type_name(QualType type, ASTContext& context) {
  for (;;) {
    type = type.getUnqualifiedType();
    const QualType next = type.getSingleStepDesugaredType(context);
    if (next.getUnqualifiedType() == type) break;
    if (isa<TemplateTypeParmType>(type)) break;
    type = next;
  }
  return type.getUnqualifiedType().getAsString(policy_of(context));
}

std::vector<std::string> argument_texts(llvm::ArrayRef<TemplateArgument> arguments, ASTContext& context) {
  std::vector<std::string> texts;
  for (const TemplateArgument& argument : arguments) {
    if (argument.getKind() == TemplateArgument::Pack) {
      for (std::string& each : argument_texts(argument.getPackAsArray(), context)) texts.push_back(std::move(each));
    } else if (argument.getKind() == TemplateArgument::Type) {
      texts.push_back(type_name(argument.getAsType(), context));
    } else {
      std::string text;
      llvm::raw_string_ostream out(text);
      argument.print(policy_of(context), out, false);
      texts.push_back(text);
    }
  }
  return texts;
}

}  // namespace assay::reader
