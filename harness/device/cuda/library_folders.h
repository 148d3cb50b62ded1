// Where NVIDIA's libraries may lie besides the places that the loader knows: in the packages of a Python, as `pip
// install nvidia-cublas nvidia-cudnn-cu13` puts them there, or in a Conda environment.
//
// Wheels for CUDA 12 have a folder for each library (nvidia/cublas/lib), those for CUDA 13 one for most
// (nvidia/cu13/lib).
#pragma once

#include <functional>
#include <string>
#include <vector>

namespace assay {

// The inputs of the search; tests have made-up ones.
struct LibrarySearchInputs {
  std::function<const char*(const char* variable)> environment;
  std::function<std::vector<std::string>()> python_path;  // the folders that the python3 on PATH imports from
  std::string root = "";                                  // of folders that are always the same, as /usr/local
};

LibrarySearchInputs real_search_inputs();

struct LibraryFolders {
  std::vector<std::string> folders;  // with libraries, the likeliest first, each once
  std::vector<std::string> without;  // packages' folders that were looked at, and have none of NVIDIA's
};

// Folders come in this order: the active environments (VIRTUAL_ENV, CONDA_PREFIX), the user's own packages
// (PYTHONUSERBASE or ~/.local), the python3 on PATH as it is called and as its links resolve, /usr/local and /usr, and
// last what python3 itself says: with a shim on PATH, as pyenv's, nothing else leads there.
LibraryFolders library_folders(const LibrarySearchInputs& inputs);

}  // namespace assay
