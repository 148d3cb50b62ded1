// From a user's file to registered variants: read, adapt, check the arguments, compile for both builds of the executor,
// load.
#pragma once

#include <cstdint>
#include <functional>
#include <limits>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "harness/adapter/adapter.h"
#include "harness/adapter/bind/infer.h"
#include "harness/base/error.h"

namespace assay {

struct UserKernel {
  std::string
      path;  // a CUDA, C, C++ or PTX file, a shared library, or a file in which CUDA text is a string (with `entry`)
  std::string op;                 // "": the adapter's, or the only likely one
  std::string kernel;             // "": the only one, or the one whose name fits the op
  std::string entry;              // which string of a file in another language: a part of its text
  CompileOptions compile = {};    // besides the adapter's
  std::string adapter = {};       // the TOML file that binds it; "": one beside it, or what is inferred
  std::vector<Fixed> fixed = {};  // besides the adapter's, and instead of what that says of the same names
};

// Whether a word of a selection names a file of kernels rather than an op: by its ending, or because the file is there.
bool names_kernel_file(const std::string& word);

// The loaded variants.
struct UserVariant {
  std::string id;                       // "op/name"; "" where it could not be decided how the kernel meets the op
  std::string path;                     // the file that it came from
  std::vector<std::string> remarks;     // what was assumed about it
  std::vector<std::string> guesses;     // what is still assumed without evidence: a failure may be the adapter's
  std::vector<std::string> scope = {};  // what of the op is not asked of it, one sentence each
  bool dtypes_unmade = false;           // it is a template that nobody makes in any of its dtypes
  std::string own_fault = {};           // the verdict, by its name, that is the kernel's whatever is assumed
  std::string guessed_grid = {};        // what is assumed about its grid, which may be too small for larger cases
  std::string seen = {};                // the kernel's finding when it was tried; "": it was right
};

// How one variant did in the few cases that it was tried in.
struct TriedCandidate {
  bool right = false;
  size_t cases = 0, passed = 0;  // planned; passed before the first that did not
  std::string why_not = {};      // the first finding; "" where there was none
  double share = 0;  // of elements within their budgets, the least of cases; 0 where another finding is there
  // By how much outputs differ from the right ones, as a share of what the op changes in them: the largest of cases;
  // infinite where another finding is there.
  double distance = std::numeric_limits<double>::infinity();

  // Whether a case shows that it is wrong; else too few suit it, or time was over before any was run.
  bool fails() const { return passed < cases && !why_not.empty(); }
  bool nearly_right() const { return fails() && share >= kNearlyRight; }
  bool is_near() const { return fails() && distance <= kNearDistance; }

  static constexpr double kNearlyRight = 0.9, kNearDistance = 0.125;
};
// Choices of attributes that every tried case has.
using AttrChoices = std::vector<std::pair<std::string, std::string>>;
// The sizes of tried cases: as small as shows an exchange, or such that one lost row, column or term is a small part.
enum class TrySizes : uint8_t { small, large };
// Tries variants, by their ids, in order: those behind a right one may not be run at all.
using TryAdapters = std::function<std::vector<TriedCandidate>(const std::vector<std::string>& ids,
                                                              const AttrChoices& with, TrySizes sizes)>;

// Errors: no such file, no kernel in it, an op that is unknown or ambiguous, arguments that do not fit the
// contract, whatever could not be inferred, and the compiler's words. Nothing runs before all of that is right.
// Where a kernel leaves open how it meets the op, `try_adapters` decides between the likeliest candidates.
Result<std::vector<UserVariant>> load_user_kernels(const std::vector<UserKernel>& kernels,
                                                   const TryAdapters& try_adapters);

// How one kernel of a file meets an op, tried where the text leaves it open; for `assay adapt`.
Result<Inferred> tried_adapter(const UserKernel& kernel, const CudaSource& source, const KernelSource& chosen,
                               const Contract& contract, const TryAdapters& try_adapters);

// The origin of a loaded variant, as options of a command that runs its cases again; paths are absolute.
struct UserOrigin {
  std::string source, adapter, kernel, entry;
  std::vector<std::string> compile;  // words of CompileOptions
};
const UserOrigin& origin_of_variant(const std::string& id);  // all empty for one of the built-in variants

}  // namespace assay
