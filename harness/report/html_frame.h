// Pages that are a frame with places to be filled.
#pragma once

#include <functional>
#include <string>
#include <string_view>

namespace assay {

// Text as a page shows it: nothing in it is a tag, or does anything to a terminal or browser.
std::string html_text(std::string_view text);

// The frame with what `filled` gives in place of each {{name}}. One pass: a place in somebody's data stays text.
std::string filled_frame(const std::string& frame, const std::function<std::string(const std::string& name)>& filled);

}  // namespace assay
