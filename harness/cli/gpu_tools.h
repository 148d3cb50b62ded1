// The tools that look at a kernel on a GPU while a case is replayed: how each is started, and how its output is read.
//
// Their output is read strictly: output without a summary is an error, not a pass.
#pragma once

#include <string>
#include <vector>

#include "harness/base/error.h"

namespace assay {

// The report of a tool on a run.
struct ToolSummary {
  long errors = 0;
  std::string text;  // one sentence
};

struct GpuTool {
  std::string name;                    // as --under has it
  std::string program;                 // looked for on PATH
  std::vector<std::string> arguments;  // before the program that it watches
  bool is_sanitizer = false;           // needs bare allocations (GpuDeviceOptions::for_sanitizer)
  Result<ToolSummary> (*read)(const std::string& output);
};

const std::vector<GpuTool>& gpu_tools();
const GpuTool* find_gpu_tool(const std::string& name);  // nullptr: there is none

// The tools' outputs. Each is an error when its closing summary is missing, is not in the known form, or when the tool
// reports that it could not watch the program.
Result<ToolSummary> read_sanitizer(const std::string& output);  // memcheck, initcheck, synccheck
Result<ToolSummary> read_racecheck(const std::string& output);
Result<ToolSummary> read_ncu(const std::string& output);
Result<ToolSummary> read_nsys(const std::string& output);

}  // namespace assay
