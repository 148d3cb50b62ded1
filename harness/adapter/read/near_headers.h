// Headers of a user's file that no -I names, and that are in its repository.
#pragma once

#include <filesystem>
#include <optional>
#include <string>

namespace assay {

// The folder in which `header` lies that `from` includes: one of a usual name beside the file or beside a folder that
// it is in, as far up as the repository goes; else the only one of the repository.
std::optional<std::string> folder_near(const std::string& header, const std::filesystem::path& from);

}  // namespace assay
