// The assembly of a file's device code without the host's: a text has both, and what no kernel reaches goes. What is
// left needs nothing of the host's libraries, and no constructor of it runs.
#pragma once

#include <functional>
#include <map>
#include <set>
#include <string>
#include <string_view>
#include <vector>

#include "harness/simt/build/finish/assembly.h"

namespace assay::cxx {

class DevicePart {
 public:
  // Kernels are known by the marks that rewritten() has put there, variables by their symbols. The text must outlive
  // it.
  DevicePart(std::string_view assembly, const std::set<std::string>& variables);

  bool defines(std::string_view symbol) const { return unit_of_.contains(symbol); }
  // Keeps what a kernel of another file uses, and what that needs. False: it is not defined here, or kept already.
  bool need(std::string_view symbol);
  // Variables that are kept and that a constructor of the host's makes, which would not run.
  std::set<std::string> made_at_load() const;
  // The symbols that what is kept names and this file does not define.
  std::set<std::string_view> undefined() const;
  // All that is kept, and its part of the module's table (harness/simt/include/simt/program_table.h).
  std::string print();

 private:
  // A function, or what stands behind one label of data.
  struct Unit {
    std::vector<size_t> lines;
    std::set<std::string_view> names;  // the symbols that it mentions
    bool is_kept = false;
  };
  struct Kernel {
    std::string_view function, start, sizes, parameters;
  };
  void read_units();
  void keep(size_t unit);
  bool is_observed(std::string_view function) const;
  std::set<std::string_view> variables() const;
  std::string table() const;

  simt::finish::Assembly assembly_;
  std::vector<Unit> units_;
  std::map<std::string_view, size_t> unit_of_;  // by each label in it
  std::vector<Kernel> kernels_;
  std::map<std::string_view, std::string_view> sizes_;  // of symbols, in bytes
};

// The end of a module's tables, and where the runtime finds them: assembly, linked behind all files.
std::string end_of_tables();

}  // namespace assay::cxx
