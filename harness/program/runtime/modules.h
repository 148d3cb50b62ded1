// The kernels and variables of a program: what it has registered, and what of that is compiled.
#pragma once

#include <cstddef>
#include <map>
#include <optional>
#include <string>
#include <vector>

#include "harness/base/error.h"
#include "harness/program/runtime/abi.h"
#include "harness/simt/include/simt/program_table.h"

namespace assay::program {

class Modules;

// The fat binaries that the program has registered as one: what was compiled apart is linked by the compiler. Or, of
// files that `assay c++` has compiled, their device code as text.
struct ProgramImage {
  std::vector<const void*> fat_binaries = {};
  std::vector<std::string_view> sources = {};
  std::string file = {};                                           // a copy for the compiler; "" before it is asked for
  std::map<std::string, const simt::ProgramKernel*> kernels = {};  // by PTX's name, of what is compiled
  std::map<std::string, const simt::ProgramVariable*> variables = {};
  std::map<std::string, Error> refused = {};
  std::map<std::string, const simt::ProgramKernel*> fast_kernels = {};  // where `kernels` are checked
  std::vector<const simt::ProgramModule*> modules = {};                 // that have `kernels` and `variables`

  // Whether its kernels may tell the host, by atomic or volatile accesses, that they have come so far.
  bool tells_host() const;
  mutable std::optional<bool> tells = {};  // where that is known already
};

struct RegisteredKernel {
  ProgramImage* image = nullptr;
  std::string name;                       // as PTX has it
  size_t dynamic_shared_max = 48 * 1024;  // that cudaFuncSetAttribute has allowed
};

struct RegisteredVariable {
  ProgramImage* image = nullptr;
  std::string name;
  size_t bytes = 0;
};

class Modules {
 public:
  static Modules& get();

  ProgramImage* add(std::vector<const void*> fat_binaries);
  void add_kernel(ProgramImage* image, const void* host_function, const char* name);
  void add_variable(ProgramImage* image, const void* host_variable, const char* name, size_t bytes);
  // `host_pointer` is given the variable's address when the module is initialised.
  void add_managed(ProgramImage* image, void** host_pointer, const char* name, size_t bytes);
  void initialise(ProgramImage* image);

  // The kernel that a host function stands for; null: none is registered.
  RegisteredKernel* kernel_of(const void* host_function);
  // Compiled, at its first use. Errors: no PTX, no compiler, an instruction that the executor does not have.
  Result<const simt::ProgramKernel*> compiled(const RegisteredKernel& kernel);
  // The kernel as the fast build has it; null where its group has variables, of which there must be one, or an error.
  const simt::ProgramKernel* fast(const RegisteredKernel& kernel);
  Result<const simt::ProgramVariable*> variable_of(const void* host_variable);
  // The PTX that a kernel is compiled from, by the program's files. Errors: it is damaged.
  static Result<std::vector<std::string>> ptx_of_image(const ProgramImage& image);
  // The variables of an image that the program's host code knows.
  std::vector<std::string> registered_variables(const ProgramImage& image) const;
  // Whether a variable of the kernel's image is in the kernel's module, which is compiled.
  static bool is_with(const RegisteredKernel& kernel, const simt::ProgramVariable& variable);
  // Whether an address is within a variable of what is compiled.
  bool is_variable(const void* address) const;
  template <class Body>
  void for_each_variable(Body body) const {
    for (const ProgramImage* image : images_)
      for (const auto& [name, variable] : image->variables) body(*variable);
  }

 private:
  Result<void> compile(ProgramImage& image, const std::string& name);
  Result<const simt::ProgramModule*> module_of(ProgramImage& image, const std::string& name, const char* build);

  std::vector<ProgramImage*> images_;
  std::map<const void*, RegisteredKernel> kernels_;
  std::map<const void*, RegisteredVariable> variables_;
  std::vector<std::pair<void**, RegisteredVariable>> managed_;
};

// "scale(float*, int)" of a mangled name.
std::string readable(const std::string& name);

}  // namespace assay::program
