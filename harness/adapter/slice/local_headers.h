// One text of a CUDA file and its own headers, as a compiler would see it, except missing headers.
//
// Headers that lie beside the file, or in a folder that the user named, are put in their places: they hold kernels'
// helpers beside what needs cuBLAS or torch, so what a kernel does not reach is left out of them, too. Other headers
// are included where a compiler finds them.
#pragma once

#include <filesystem>
#include <string>
#include <vector>

#include "harness/base/error.h"

namespace assay {

struct WholeSource {
  std::string text;                   // with #line directives, so that every line keeps its file and number
  std::vector<std::string> left_out;  // headers that are not here, as spelled in the files
  std::vector<std::string> guessed =
      {};                       // paths of headers that were found near the file, where no -I names their folder
  bool includes_local = false;  // some local header is included, and not put in its place
};

// The folders of headers. A header in none of these may be in a folder of a usual name, as `include`, beside the file
// or beside a folder that it is in, as far up as the repository goes. `own`: below the folder of the file that includes
// them, and `system`, the compiler's.
struct HeaderFolders {
  std::vector<std::filesystem::path> own, system;
};

// Which headers are put in their places.
enum class Local {
  all,         // wherever they are included, but where their guards leave them out
  once,        // each in the first place alone: to be read, and by no compiler, which may be in another branch of #if
  incomplete,  // those that include something that is not here, at whatever depth. The others, as CUTLASS's, are a
               // library's that a compiler takes whole.
};

// `path` and `first_line`: where `text` is from.
WholeSource with_local_headers(const std::string& text, const std::string& path, int first_line,
                               const HeaderFolders& folders, Local which = Local::all);

}  // namespace assay
