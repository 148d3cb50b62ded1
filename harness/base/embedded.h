// Files that the build puts into the program: help pages, the report's template, Chart.js.
#pragma once

#include <string>
#include <string_view>
#include <vector>

namespace assay {

std::string embedded_file(std::string_view name);  // by file name; aborts for one that the build does not embed
std::vector<std::string> embedded_files();         // the names of all, in the order of the build

}  // namespace assay
