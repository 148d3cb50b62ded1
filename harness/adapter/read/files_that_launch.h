// Finds the files around a kernel's that launch it: a header of kernels says nothing of how they are called.
#pragma once

#include <filesystem>
#include <string>
#include <vector>

namespace assay {

// Whether a folder lies in a repository of git: what lies around it there belongs together.
bool is_in_repository(std::filesystem::path folder);

// Paths of at most a few CUDA and C++ files, nearest first, in whose text `kernel` is followed by <<<, or which include
// `path` where that is a header: they may instantiate a template that launches it. They are looked for beside `path`,
// and in a repository as deep as its folder and the one above it go.
std::vector<std::string> files_that_launch(const std::string& kernel, const std::string& path);

}  // namespace assay
