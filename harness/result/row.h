// One result row: what a run of a case came to. The unit of every sink, and what a worker process sends to its parent.
//
// A row holds all that a report needs, so that reporting asks nobody else: no registry, no clock, no file. Its fields
// are declared once, in fields.cpp and figures.h; README.md says how a field is added.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "harness/base/verdict.h"
#include "harness/case/case.h"
#include "harness/device/cuda/resources.h"
#include "harness/device/timing.h"
#include "harness/result/figures.h"
#include "harness/simt/checked/access_statistics.h"

namespace assay {

struct Contract;

// An element that is furthest outside (or nearest to the edge of) its budget.
struct WorstElement {
  std::string tensor;
  std::string index;  // "[3,17]"
  double got = 0;
  double want = 0;
  double error_over_budget = 0;  // infinity where the budget is zero or the class of non-finite differs
};

// The places of errors in a tensor: the tensor as a matrix (all dimensions except the last folded into rows), cut into
// a grid of at most 64 × 64 cells, each with the largest error/budget in it. Cells are row-major.
struct ErrorMap {
  std::string tensor;
  std::vector<int64_t> shape;  // of the tensor
  int rows = 0;                // of the grid
  int cols = 0;
  std::vector<double> cells;  // error/budget; infinity as in WorstElement
};

// Whether the judge noticed a mutant, a wrong output made from the reference (the sensitivity audit).
struct SensitivityProbe {
  std::string mutant;    // "zeros:y"
  bool noticed = false;  // false: this case is blind to it
};

// The origin of a variant and its op; all empty for those of the project. Paths are absolute, so that a row's case
// can be run again from any folder.
struct Origin {
  std::string source;                // the file that the user's kernel is written in
  std::string adapter;               // the TOML file that binds it to the op; empty: that was inferred
  std::string kernel;                // which of the file's, as --kernel names it; empty: not said
  std::string entry;                 // which text of the file, as --entry names it; empty: not said
  std::vector<std::string> compile;  // words of the command line that it was compiled by: -I, -D, --flags
  std::string ops;                   // the folder that --ops names
  std::string library;               // the vendor's that does the work; empty: a kernel
  std::string code;                  // what the kernel's machine code is known by; empty: not known
};

inline constexpr const char* kStrictBarriers = "--strict-barriers";

struct ResultRow {
  Case c;
  std::string device;
  Origin origin;
  Kind verdict = Kind::pass;
  std::string detail;              // why, for every verdict but PASS
  Findings findings;               // all that was observed, for failures; the verdict is the worst of them
  std::vector<std::string> hints;  // what fails nothing; when asked for
  std::string printed;      // what kernels printed in the first run: all when asked for, of a CRASH the last line
  std::string options;      // that the verdict may rest on, for a replay: kStrictBarriers
  std::string output_bits;  // a digest of all that the first run wrote, 16 digits; when asked for
  std::string shrunk_from;  // the original case line, for a row that shrinking made
  int64_t place = -1;       // in the plan, from 0; -1: not of a plan, or made from other rows
  FigureValues figures;

  std::vector<WorstElement> worst;             // at most 5, worst first; kept for failures only
  std::vector<ErrorMap> maps;                  // one per written tensor; kept for failures only
  std::vector<SensitivityProbe> sensitivity;   // one per mutant that differs here; passes only
  std::optional<AccessStatistics> statistics;  // what the variant did to memory; when asked for
  std::vector<KernelResources> resources;      // what ptxas reports of its kernels; when asked for, where known
  std::optional<Timing> timing;                // how its times were taken; from `assay bench` on a GPU

  std::string line() const { return print(c); }
  std::string id() const { return c.id(); }
  void decide(Kind kind, std::string why);  // the verdict, and a finding if it is a failure
};

// The row of a case that was not judged, or not yet: with its origin and what the contract says of its cost, as far as
// this process knows them.
ResultRow row_for(const Case& c, const std::string& device, Kind verdict = Kind::pass, std::string detail = "");

// Fills in where a user's kernel and op come from. Only the process that read the user's files knows, so it does this
// for rows of its workers too.
void add_origin(ResultRow& row);

// The product of a case's dims; 0 for an empty case.
double case_size(const Contract& contract, const Case& c);

// Sets the statistics and the figures that follow from them.
void set_statistics(ResultRow& row, AccessStatistics statistics);

// The resources of a kernel of the row by ptxas; null where they are not known.
const KernelResources* resources_of(const ResultRow& row, const std::string& kernel);

}  // namespace assay
