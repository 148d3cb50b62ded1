// Modules that a program loads: PTX as text or in a fat binary, and what it names there.
#pragma once

#include <map>
#include <memory>
#include <set>
#include <string>
#include <string_view>
#include <vector>

#include "harness/base/error.h"
#include "harness/program/driver/result.h"
#include "harness/program/runtime/modules.h"

struct CUfunc_st {
  CUmodule module = nullptr;
  std::string name;
};

struct CUmod_st {
  std::vector<std::string> fat_binaries = {};  // copies: the program may free what it gave
  assay::program::ProgramImage* image = nullptr;
  std::set<std::string> kernels = {};
  std::set<std::string> variables = {};  // that keep their names outside of the module
  std::map<std::string, CUfunc_st*> functions = {};
};

namespace assay::program {

// A PTX text as a fat binary that holds nothing else.
std::string fat_binary_of(std::string_view ptx);

// The fat binaries that an image is or leads to: the text of a PTX file is made one. Errors: the image is neither, such
// as a cubin.
tl::expected<std::vector<std::string>, CUresult> fat_binaries_at(const void* image);

}  // namespace assay::program
