// A suite: a TOML file that names ranges and counts, and lines that are always run.
//
//   about = "what the default run checks"       # shown by `assay list suites`
//   select = ["*"]                              # globs of op or op/variant
//   cases = 60                                  # random cases per variant and dtype
//   checked = 10                                # of these, so many run in the checked build too
//   elements_max = 20000                        # of all tensors of a case together
//   flops_max = 5000000                         # arithmetic operations of a case
//   threads_max = 524288                        # rows × block: what a block for every row launches
//   huge = true                                 # a case of more than 2^32 elements for each op that has some
//   case_limit_s = 10                           # a case that runs longer is a TIMEOUT
//   pinned = ["transpose_2d/elementwise …"]     # case lines that run before the random ones
//   [op.transpose_2d]                           # the same counts for one op
//   elements_max = 50000
//   case_limit_s = 600                          # and a limit of its own
//   [[bench]]                                   # what `assay bench` times; any number of these tables
//   line = "transpose_2d/* f32 …"               # a case line; the variant may be *: all variants of the op
//   from = "a model, and the layer of it"       # where the shape comes from
#pragma once

#include <map>
#include <string>
#include <vector>

#include "harness/base/error.h"
#include "harness/case/case.h"
#include "harness/search/generate.h"

namespace assay {

// The maximum for one variant and dtype.
inline constexpr int64_t kCasesMax = 1'000'000'000;

struct SuiteCounts {
  int64_t cases = 60;
  int64_t checked = 0;
  int64_t elements_max = 20000;
  int64_t flops_max = 5'000'000;
  int64_t threads_max = kThreadsMax;
};

inline const std::string kEveryVariant = "*";

struct BenchLine {
  Case c;            // admitted by its op's contract; its variant may be kEveryVariant
  std::string from;  // the model and layer that has this shape
};

struct Suite {
  std::string name;  // of the file, without its ending
  std::string path;
  std::string about;
  std::vector<std::string> select = {"*"};
  SuiteCounts counts;
  bool huge = false;  // a case of more than 2^32 elements for each op that has some
  double case_limit_s = 10;
  std::vector<std::string> pinned;
  std::vector<BenchLine> bench;
  std::map<std::string, SuiteCounts> per_op;
  std::map<std::string, double> case_limit_s_of;  // of ops whose cases have another limit

  const SuiteCounts& counts_of(const std::string& op) const;
  bool has_checked() const;  // some case runs in the checked build
};

// Reads a suite file. Errors name the file and line: an unknown key, a wrong type, a value out of range, a line of
// `bench` that its op's contract does not admit.
Result<Suite> read_suite(const std::string& path);

// The file that `--suite NAME` means: NAME itself when it ends in .toml, else cases/NAME.toml below the current folder,
// beside the build folder of the running program, or installed with it.
Result<std::string> find_suite(const std::string& name);

// All suite files that find_suite could find by name, as paths.
std::vector<std::string> suite_paths();

}  // namespace assay
