// The table of functions. Names of the executor's headers are mangled as they stand in include/simt/.
#include "harness/simt/regions/callees.h"

#include <map>
#include <set>
#include <string_view>

#include "harness/simt/regions/markers.h"
#include "llvm/IR/InlineAsm.h"

namespace assay::regions {
namespace {

using namespace llvm;

const std::map<std::string_view, Meaning> kMeanings = {
    {"_ZN5assay4simt7barrierEj", Meaning::barrier},
    {"_ZN5assay4simt10collectiveEjNS0_6WarpOpEmj", Meaning::collective},
    {"_ZN5assay4simt7currentEv", Meaning::current},
    {"_ZN5assay4simt7lane_idEv", Meaning::lane},
    // Counts atomics without effect, for fibers that spin. Kernels with loops that wait are refused (spinning.cpp).
    {"_ZN5assay4simt11note_atomicEb", Meaning::nothing},
};

// Functions by which a thread waits for others, or looks at what they do.
const std::map<std::string_view, const char*> kRefused = {
    {"_ZN5assay4simt9switch_toEPNS0_5FiberE", "gives way to other threads"},
    {"_ZN5assay4simt20prepare_to_give_wayEv", "gives way to other threads (__nanosleep)"},
    {"_ZN5assay4simt15converged_lanesEv", "coalesced threads"},
    {"_ZN5assay4simt15warp_live_lanesEPKNS0_5FiberE", "__activemask"},
};

const std::set<std::string_view> kKept = {
    "_ZN5assay4simt16assertion_failedEPKcS2_j",
    "_ZN5assay4simt7trappedEj",
    "_ZN5assay4simt12approximatedENS0_11ApproximateEff",
    "_ZN5assay4simt10async_copyEPKNS0_5FiberEPvPKvmm",
    "_ZN5assay4simt12async_commitEPKNS0_5FiberE",
    "_ZN5assay4simt10async_waitEPKNS0_5FiberEm",
    "_ZN5assay4simt14async_wait_allEPKNS0_5FiberE",
    "_ZN5assay4simt12ldmatrix_rowEPKNS0_5FiberEPKv",
    "printf",
    "puts",
    "putchar",
    "vprintf",
    "memcpy",
    "memmove",
    "memset",
    "memcmp",
    "strlen",
    "_ZSt9terminatev",
    "__cxa_begin_catch",
    "abort",
    // An assertion in the C++ library's own code.
    "_ZSt21__glibcxx_assert_failPKciS0_S0_",
};

bool is_empty_assembly(const CallBase& call) {
  const auto* const assembly = dyn_cast<InlineAsm>(call.getCalledOperand());
  return assembly != nullptr && StringRef(assembly->getAsmString()).trim().empty() && call.getType()->isVoidTy();
}

// Operands in registers, and nothing else that it touches.
bool keeps_to_registers(const CallBase& call) {
  const InlineAsm::ConstraintInfoVector constraints = cast<InlineAsm>(call.getCalledOperand())->ParseConstraints();
  return none_of(constraints, [](const InlineAsm::ConstraintInfo& each) {
    return each.isIndirect || is_contained(each.Codes, "{memory}") || each.Type == InlineAsm::isLabel;
  });
}

}  // namespace

bool is_mathematics(StringRef name) {
  static const std::set<std::string, std::less<>> kNames = {
      "exp",   "log",       "pow",   "sin",    "cos",    "tan",     "tanh",     "sqrt",   "erf",    "erfc",
      "exp2",  "log2",      "log10", "log1p",  "expm1",  "fmod",    "floor",    "ceil",   "round",  "trunc",
      "rint",  "nearbyint", "fma",   "fmin",   "fmax",   "fabs",    "copysign", "atan",   "atan2",  "asin",
      "acos",  "sinh",      "cosh",  "cbrt",   "hypot",  "ldexp",   "tgamma",   "lgamma", "sincos", "frexp",
      "modf",  "remainder", "logb",  "ilogb",  "scalbn", "scalbln", "asinh",    "acosh",  "atanh",  "fdim",
      "exp10", "nextafter", "lrint", "llrint", "lround", "llround", "remquo",   "j0",     "j1",     "y0",
      "y1",    "abs",       "labs",  "llabs"};
  if (kNames.contains(name)) return true;
  return !name.empty() && name.back() == 'f' && kNames.contains(name.drop_back());
}

bool names_thread(StringRef name) { return name.starts_with("_ZN5assay4simt"); }

Treatment treatment_of(const CallBase& call) {
  if (call.isInlineAsm()) {
    if (is_empty_assembly(call)) return {Treatment::replace};
    if (keeps_to_registers(call)) return {Treatment::keep};
    return {Treatment::refuse, {}, "inline assembly"};
  }
  const Function* const function = call.getCalledFunction();
  if (function == nullptr) return {Treatment::refuse, {}, "indirect call"};
  const StringRef name = function->getName();
  const std::string_view key(name.data(), name.size());
  if (name.starts_with("assay.")) return {Treatment::keep};
  if (const auto meaning = kMeanings.find(key); meaning != kMeanings.end())
    return {Treatment::replace, meaning->second};
  if (const auto refused = kRefused.find(key); refused != kRefused.end())
    return {Treatment::refuse, {}, refused->second};
  // Would initialise a thread-local of another file. Shared memory is never initialised.
  if (name.starts_with("_ZTH") && function->hasExternalWeakLinkage()) return {Treatment::replace};
  if (!function->isDeclaration() && !function->hasAvailableExternallyLinkage()) return {Treatment::inlined};
  if (kKept.contains(key) || is_mathematics(name)) return {Treatment::keep};
  return {Treatment::refuse, {}, ("calls " + name + ", which the pass does not know").str()};
}

}  // namespace assay::regions
