// Compiling a kernel file at run time, for the executor's two builds and for a GPU, or an op, by the compilers and
// flags of this program's own build (kernel_build.json, written by harness/simt/build/kernel_module.cmake).
#pragma once

#include <filesystem>
#include <functional>
#include <optional>
#include <string>
#include <vector>

#include "harness/base/error.h"

namespace assay {

// `split` is the fast one with kernels as loops over threads (harness/simt/regions), and `sieve` proves cases right
// before the checked one looks (harness/simt/sieve).
enum class KernelBuild { fast, checked, gpu, split, sieve };

struct KernelFile {
  std::string path;                      // of the file to compile
  std::vector<std::string> include;      // folders where its includes are looked for, behind the executor's own
  std::vector<std::string> objects;      // further objects and libraries to link
  std::vector<std::string> define = {};  // macros: "NAME" or "NAME=VALUE"
  std::vector<std::string> flags = {};   // of the host compiler, besides those of every kernel
  // Text that the caller generated for this module and that lies in the scratch folder: part of what identifies it.
  std::string generated = {};
  std::string hint = {};  // where the file does not compile
  bool warns = false;     // what the compiler warns of is kept in the module (harness/op/compiler_warnings.h)
  std::vector<std::string> more_paths = {};  // of further files of the module, compiled as `path` is
  bool counts_lines = false;                 // counters of lines and branches for --coverage (coverage/coverage.h)
  bool is_preprocessed = false;              // over the executor's headers: nothing is put in front of it
  // Changes the compiler's assembly, a file for each that was compiled, before it is finished. May be empty.
  std::function<Result<void>(const std::vector<std::string>& assemblies)> change_assembly = {};
};

// Makes a module (a shared library that registers its variants when it is loaded): `output`, or one that was kept when
// the same was made before (module_cache.h). Returns its path. Errors carry the compiler's words, which name the user's
// file and line.
Result<std::string> build_module(const KernelFile& file, KernelBuild build, const std::string& output);

// The words of a call of assay_read (harness/reader), of which the file, its text's and the answer's place are left
// out behind the first two; none where there is none, as where a build found no Clang.
std::vector<std::string> reader_words(const std::vector<std::string>& include, const std::vector<std::string>& define);
bool has_reader();

// Why kernels cannot be compiled here at all; nothing where they can.
std::optional<Error> why_nothing_compiles();

// Why KernelBuild::split and ::sieve cannot be made here; "" where they can.
std::string why_nothing_splits();

// The host compiler with the flags of every kernel file and the executor's folders, as a module of this build,
// fast or checked, is compiled; the caller adds what is put in front of the file.
Result<std::vector<std::string>> kernel_compiler(KernelBuild build);

// The host compiler of this program's own build.
Result<std::string> host_compiler();

// The folder of this project, from which kernels that register themselves include what they need; none where assay is
// not whole.
std::vector<std::filesystem::path> project_folders();

// Whether a path in the compiler's words is of a file that the user wrote, or of kernels/: those of the compiler, of
// the executor and of what was generated are not.
bool is_of_the_user(const std::string& path);

// The nvcc of this program's own build; "" where it had none.
std::string nvcc_of_build();

// Makes the module `output` of the C++ file `source`, which registers an op; `output`.d lists the files that it was
// made from. Errors as above.
Result<void> build_op(const std::string& source, const std::string& output);

// Identifies the compiler, its flags and this program. A module that was built under another stamp must not be loaded.
Result<std::string> build_stamp();

// In front of the path of a module that is a sieve.
inline constexpr const char* kSieve = "sieve:";

// Loads modules, so that what they register is registered; and makes the workers that this process starts load them
// too.
Result<void> load_modules(const std::vector<std::string>& modules);

// The variable by which a worker is given modules of its own, one a line.
inline constexpr const char* kReplacingModules = "ASSAY_REPLACING_MODULES";

// Loads, in a worker, the modules that its parent loaded, then those that kReplacingModules names: their variants take
// the places of those with the same names.
Result<void> load_modules_of_parent();

}  // namespace assay
