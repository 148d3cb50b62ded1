// Inline PTX in a CUDA text: what a GPU's assembler reads, and no host compiler.
#pragma once

#include <optional>
#include <string>
#include <string_view>

namespace assay {

// The place of the first asm statement, "file.cu:12", as the text's #line directives say; nothing when there is none.
std::optional<std::string> inline_assembly(std::string_view text);

}  // namespace assay
