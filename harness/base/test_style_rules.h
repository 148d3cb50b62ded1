// The rules of the house that a program can check, as data. style_test.cpp reads them; a new rule is one line here.
#pragma once

#include <array>
#include <string_view>

namespace assay::style {

// A word (or `word(`, `word<`, …) that may not occur in code, comments or scripts, and what to use instead.
struct Ban {
  std::string_view text;
  std::string_view use;
  std::string_view where = "";   // only in files whose path contains this
  std::string_view except = "";  // and not in those whose path contains one of these words
};

inline constexpr std::string_view kTests = "_test.cpp";

inline constexpr std::array kBans{
    Ban{"uniform_int_distribution", "Rng::between, the same numbers on every standard library"},
    Ban{"uniform_real_distribution", "a fill, or Rng::next() >> 40"},
    Ban{"normal_distribution", "assay::normal"},
    Ban{"bernoulli_distribution", "Rng::below"},
    Ban{"discrete_distribution", "Rng::below"},
    Ban{"random_device", "a seed that is passed in"},
    Ban{"mt19937", "assay::Rng"},
    Ban{"mt19937_64", "assay::Rng"},
    Ban{"default_random_engine", "assay::Rng"},
    Ban{"rand()", "assay::Rng, passed in"},
    Ban{"srand(", "a seed that is passed in"},
    Ban{"random_shuffle", "a shuffle over assay::Rng"},
    Ban{"sprintf(", "fmt::format"},
    Ban{"strcpy(", "std::string"},
    Ban{"strcat(", "std::string"},
    Ban{"gets(", "std::getline"},
    Ban{"atoi(", "std::from_chars, which reports errors"},
    Ban{"atof(", "std::from_chars, which reports errors"},
    Ban{"std::endl", "'\\n'"},
    Ban{"using namespace std", "std:: where it is used"},
    Ban{"assert(", "ASSAY_CHECK, which is always on and prints the case", ".cpp", "read_by_clang_test.cpp"},
    Ban{"#ifndef ASSAY_", "#pragma once for guards; -D switches belong to harness/device", ".h"},
    Ban{"<regex>", "Scanner: a regular expression ends the process on a long line", "harness/", kTests},
    Ban{"fmt::print(", "say, which shows what others wrote and does nothing of it", "harness/cli/"},
    Ban{"popen(", "run_process", "harness/", kTests},
    Ban{"std::system(", "run_process", "harness/"},
    Ban{"posix_spawn", "run_process", "harness/", "harness/base/process"},
    Ban{"posix_spawnp", "run_process", "harness/", "harness/base/process"},
    Ban{"fork()", "Process::start, with a body", "harness/",
        "harness/base/process_start.cpp harness/search/last_words harness/selftest/hostile/ harness/simt/tests/"},
    Ban{"TODO", "an issue, or the work itself"},
    Ban{"FIXME", "an issue, or the work itself"},
    Ban{"XXX", "an issue, or the work itself"},
    Ban{"HACK", "the reason, as a sentence"},
    Ban{"find_op(", "what the row holds: reports ask no registry", "harness/report/"},
    Ban{"find_variant(", "what the row holds: reports ask no registry", "harness/report/"},
    Ban{"read_case(", "the row's case: reports ask no registry", "harness/report/"},
    Ban{"origin_of_variant(", "the row's origin", "harness/report/"},
    Ban{"folder_of_op(", "the row's origin", "harness/report/"},
    Ban{"chrono", "RunInfo: reports know no clock", "harness/report/", "test_browser.h"},
    Ban{"#ifdef ASSAY_", "a definition that is \"\" without the program, and depends_on", "_test.cpp",
        "harness/simt/tests/"},
    Ban{"CUDA_HOME", "scripts/find_nvcc, which everybody asks", "", "/find_nvcc"},
    Ban{"command -v nvcc", "scripts/find_nvcc, which everybody asks"},
    Ban{"// What", "a sentence that names its subject"},
    Ban{"// Of", "a sentence that names its subject"},
    Ban{"# What", "a sentence that names its subject", ".cmake"},
    Ban{"# Of", "a sentence that names its subject", ".cmake"},
    Ban{"The same, but", "how it differs"},
    Ban{"but for", "except"},
    Ban{"is told", "is found, reported or printed"},
    Ban{"are told", "are found, reported or printed"},
    Ban{"blacklist", "deny list"},
    Ban{"whitelist", "allow list"},
    Ban{"contender", "candidate"},
    Ban{"contenders", "candidates"},
    Ban{"stand-in", "fake"},
    Ban{"stand-ins", "fakes"},
    Ban{"stand_in", "fake"},
    Ban{"mend", "fix, or hint for what to do"},
    Ban{"mends", "fixes"},
    Ban{"mended", "corrected"},
    Ban{"power audit", "sensitivity audit"},
    Ban{"surroundings", "scope"},
    Ban{"Surroundings", "Scope"},
    Ban{"spoiler", "mutant"},
    Ban{"door", "front end or route"},
    Ban{"doors", "front ends or routes"},
    Ban{"Way", "BindingCandidate, or what there are several of", "harness/"},
    Ban{"way to call", "binding candidate"},
    Ban{"ways to call", "binding candidates"},
    Ban{"guessed way", "guessed candidate"},
    Ban{"in_form", "by_formula"},
    Ban{".forms", ".formulas: the formulas of an op"},
    Ban{"offer", "candidate for what is tried, relaxed for atomics"},
    Ban{"offers", "has, or admits"},
    Ban{"offered", "candidate, or relaxed"},
    Ban{"third_party", "as_found, for files of our own in other people's style"},
};

// Folders of harness/, in the order in which they may include each other: only leftwards.
inline constexpr std::array<std::string_view, 18> kLayers{
    "base",   "tensor", "case",   "op",     "device", "ptx",    "program", "adapter", "cxx",
    "result", "judge",  "search", "mutate", "bench",  "report", "compare", "history", "cli"};

// The folders beside them: the executor, which includes no layer, and what no layer includes.
inline constexpr std::string_view kExecutor = "simt";
inline constexpr std::array<std::string_view, 3> kBeside{"selftest", "package", "reader"};

// Includes that go rightwards all the same, each with its reason.
struct RightwardInclude {
  std::string_view file;
  std::string_view include;
  std::string_view reason;
};

inline constexpr std::array kRightwardIncludes{
    RightwardInclude{"harness/op/variant.h", "harness/device/cuda/stream.h",
                     "kernel files include one header, and only their build for the GPU follows this line"},
};

// The places that name ops all the same, each with its reason; besides tests.
struct NamesOps {
  std::string_view path;  // how it begins
  std::string_view reason;
};

inline constexpr std::array kNamesOps{
    NamesOps{"harness/simt/bench/", "times the executor on frozen copies of kernels"},
    NamesOps{"harness/adapter/build/ptx_route/routes_bench.cpp", "times those copies by both routes"},
    NamesOps{"harness/device/cuda/simulated/", "planted faults are variants of a real op"},
    NamesOps{"harness/program/libraries/", "calls of cuBLAS have such names, and are no ops"},
};

// Files longer than the first are listed when the test runs, longer than the second fail.
inline constexpr int kLinesLong = 300;
inline constexpr int kLinesMax = 450;

// The places of the project's own text; the folders need a README.md.
inline constexpr std::array<std::string_view, 7> kFolders{"harness", "kernels", "reference", "cases",
                                                          "scripts", "reports", "docs"};
inline constexpr std::array<std::string_view, 7> kTopFiles{"README.md",
                                                           "CONTRIBUTING.md",
                                                           "CHANGELOG.md",
                                                           "CMakeLists.txt",
                                                           ".ci/run",
                                                           ".github/workflows/ci.yml",
                                                           ".github/workflows/nightly.yml"};

// File names that comments and documents may show although no file has them; besides my_…, and names with capitals as
// FILE.cu.
inline constexpr std::array kExampleFiles{
    "add_bias.cu",
    "double_up.cu",
    "block.cu",
    "block.toml",
    "file.cu",
    "mine.toml",
    "rms.cu",
    "softmax.cu",            // users' own
    "cub.cuh",               // NVIDIA's
    "compare.py",            // Google Benchmark's
    "kernel_resources.txt",  // written by the build
};

}  // namespace assay::style
