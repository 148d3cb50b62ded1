// A kernel that mutants are made of: its file, and how texts of that file are compiled.
#pragma once

#include <string>
#include <vector>

#include "harness/adapter/build/build.h"
#include "harness/adapter/prepared.h"
#include "harness/mutate/kernel_mutant.h"

namespace assay {

struct Subject {
  std::string id;     // "op/variant"
  std::string path;   // of the file, for people
  std::string text;   // all of it
  Prepared prepared;  // how the sound kernel meets its op; mutants keep that
  std::string root;   // of the project, whose headers below kernels/ are mutated too; "": the file alone
};

// The subject that a variant is: of a file that the user gave, or one of the built-in variants, by its file in
// kernels/. Errors: a variant without a source in CUDA, as a composite, a library or PTX, and a source that is not
// here.
Result<Subject> subject_of(const std::string& id);

// The text of a mutant's file: the subject's, or a header. Errors: it cannot be read.
Result<std::string> text_of_file(const Subject& subject, const KernelMutant& mutant);

// The mutants of a subject's file, by their places: of device code that its kernels reach, and of the host functions
// that launch these; of a file that an adapter launches, only of what that names. `kinds`: those alone; empty: all.
// Errors: no assay_read here, a file that it cannot read, a kind that there is not.
Result<std::vector<KernelMutant>> find_mutants(const Subject& subject, const std::vector<std::string>& kinds);

// A branch or loop of a subject's code: where its condition stands, where what it decides ends, and the whole constants
// and the names, of parameters and of CUDA's variables, that it depends on.
struct Condition {
  std::string file;  // absolute
  int64_t line = 0, last = 0;
  std::vector<int64_t> numbers;
  std::vector<std::string> names;
};

// Those of the code that a subject's kernels reach, and of the host functions that launch these. Errors: as of mutants.
Result<std::vector<Condition>> find_conditions(const Subject& subject);

// The module `stem`.so of the sound kernel, or of one of its mutants, whose file is in `text`; both are compiled alike.
// Errors: the compiler's words.
Result<std::string> compile_sound(const Subject& subject, const std::string& device, const std::string& stem);
Result<std::string> compile_mutant(const Subject& subject, const KernelMutant& mutant, const std::string& text,
                                   const std::string& device, const std::string& stem);

}  // namespace assay
