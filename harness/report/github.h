// A run's failures as annotations of GitHub Actions: workflow commands, which its runner finds in a step's output and
// shows beside the lines of a pull request.
// https://docs.github.com/en/actions/reference/workflows-and-actions/workflow-commands
#pragma once

#include <string>

#include "harness/report/report.h"
#include "harness/report/source_place.h"

namespace assay {

// One line for each cause (causes.h), because GitHub shows ten annotations of a step and a broken kernel fails in most
// of its cases:
//
//   ::error file=my_kernels.cu,line=31,title=RACE softmax_forward/my_kernel f32::CASE LINE%0ADETAIL%0A…
//
// The place is the first line of the variant's own file that the detail names, else the first line of any source file
// that it names, else the first line of the kernel, else the file, else none. Files are named from the root of the
// repository. A run that is not complete is an error of its own, without a place. Nothing in a report can end the line
// or begin another command.
std::string github_annotations(const Report& report);

// "file=my_kernels.cu,line=31,", the first of these places, as properties that others may follow; "" where there is
// none.
std::string place_for_github(const std::vector<SourcePlace>& places, const std::string& run_folder);

// The text as a message of a workflow command may hold it, or one of its properties: a command ends with its line, and
// % begins an escape.
std::string escaped_for_github(const std::string& text, bool property);

}  // namespace assay
