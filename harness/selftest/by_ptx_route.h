// Runs cases that were run from source by nvcc's PTX too.
#pragma once

#include <map>

#include "harness/selftest/planted.h"

namespace assay::selftest {

// Rows by device and case line; both front ends use the line of the source's variant.
using Rows = std::map<std::string, ResultRow>;

inline Rows rows_by_case(const std::string& folder) {
  Rows rows;
  for (const ResultRow& row : rows_of(folder)) {
    std::string line = row.line();
    if (const size_t mark = line.find("_by_ptx"); mark != std::string::npos) line.erase(mark, 7);
    rows[row.device + " " + line] = row;
  }
  return rows;
}

// Runs the cases of `rows` on their devices by PTX. `program` has the variant `id` of `file` from source, beside which
// that by PTX is `id`_by_ptx. Leaves results in folders of the scratch that are called as the devices are.
inline Rows by_ptx_route(const std::string& program, const std::string& file, const std::string& id, const Rows& rows,
                         const std::string& options, const Scratch& scratch) {
  Rows all;
  for (const std::string device : {"cpu", "cpu-checked"}) {
    const std::string suite = scratch.path + "/" + device + ".toml", out = scratch.path + "/" + device;
    std::string pinned;
    for (const auto& [key, row] : rows)
      if (row.device == device) pinned += fmt::format("\"{}_by_ptx{}\",\n", id, row.line().substr(id.size()));
    if (pinned.empty()) continue;
    std::ofstream(suite) << "about = \"the same cases\"\ncases = 0\npinned = [\n" << pinned << "]\n";
    const Ran ptx = run(program, "check " + file + " --via ptx --device " + device + " --suite " + suite +
                                     " --no-save --shrink 0 " + options + " --out " + out);
    EXPECT_NE(ptx.exit_code, 2) << ptx.out << ptx.err;
    all.merge(rows_by_case(out));
  }
  return all;
}

}  // namespace assay::selftest
