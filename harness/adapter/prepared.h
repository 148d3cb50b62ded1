// A user's kernel between its file and the compiler: which text, which adapter, and what is still open.
#pragma once

#include <map>
#include <set>
#include <string>
#include <vector>

#include "harness/adapter/bind/infer.h"
#include "harness/adapter/read/text_source.h"
#include "harness/adapter/user_kernels.h"

namespace assay {

// A kernel with how it is launched, before it is compiled.
struct Prepared {
  Adapter adapter;
  std::string source_text;  // "": a library
  int first_line = 1;       // of the text in its file
  std::vector<std::string> remarks;
  std::shared_ptr<const FilePieces> pieces = {};  // in the text's place, where a compiler has read it
  bool registers_itself = false;                  // a file like those below kernels/: there is nothing to adapt
  std::vector<Inferred> candidates = {};          // where it is not clear which is right; `adapter` is the first
  bool via_ptx = false;                           // compiled by nvcc to PTX, and that for the executor
  bool first_unless_shown = false;                // the first of them is taken where no case shows which is right
  bool is_nearly_right = false;                   // `adapter` was taken because its outputs are near the right ones
  std::string own_fault = {}, guessed_grid = {}, seen = {};  // of UserVariant
  std::vector<std::string> guessed_choices = {};             // of attributes: "causal is 0"
  std::set<std::string> templates = {};                      // kernels of the file that are such
  // The parameters that kernels and launchers of the file declare, by name: "(float*, const float*, int)".
  std::map<std::string, std::string> signatures = {};

  // Keeps the parts of the file that compiling needs, as it was read.
  void take(const CudaSource& source) {
    pieces = source.pieces;
    templates = templates_of(source);
    signatures = signatures_of(source);
    via_ptx = source.kernels_only;
    adapter.compile.define.insert(adapter.compile.define.end(), source.defined.begin(), source.defined.end());
  }
};

// Reads the file, finds or infers the adapter and checks it. Errors: what a user can fix, with the place.
Result<Prepared> prepare(UserKernel wanted);

// The kernels of a file's text, CUDA or PTX, with nvcc's instances where they go by PTX and it is here. `given`: the
// adapter, where there is one; null: none. `kernel`: the one that is wanted, which may be of a header; "": those of the
// file. Errors name the file; with an adapter, a file that cannot be read has no kernels, and `is_read` says so.
Result<CudaSource> read_kernels(const CudaText& text, const std::string& path, const CompileOptions& options,
                                const Adapter* given = nullptr, const std::string& kernel = "");

// The kernel that a loaded variant was compiled from, with what was decided about it; null for one of the built-in
// variants.
const Prepared* prepared_of_variant(const std::string& id);

// The text of a regular file.
Result<std::string> text_of(const std::string& path);
// That of a file with kernels. Errors: it is too large to be read.
Result<std::string> source_of(const std::string& path);

}  // namespace assay
