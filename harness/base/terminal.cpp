// Asking the terminal, and the escapes for colours.
#include "harness/base/terminal.h"

#include <fmt/color.h>
#include <sys/ioctl.h>
#include <unistd.h>

#include <algorithm>
#include <cstdlib>

namespace assay {
namespace {

std::string& color_choice() {
  static std::string choice = "auto";
  return choice;
}

bool wants_color(bool is_terminal) {
  if (color_choice() != "auto") return color_choice() == "always";
  const char* const refused = std::getenv("NO_COLOR");
  const char* const term = std::getenv("TERM");
  return is_terminal && !(refused && *refused) && term && std::string_view(term) != "dumb";
}

fmt::text_style style_of(Tone tone) {
  switch (tone) {
    case Tone::plain:
      return {};
    case Tone::good:
      return fmt::fg(fmt::terminal_color::green) | fmt::emphasis::bold;
    case Tone::bad:
      return fmt::fg(fmt::terminal_color::red) | fmt::emphasis::bold;
    case Tone::idle:
      return fmt::fg(fmt::terminal_color::yellow);
    case Tone::strong:
      return fmt::emphasis::bold;
  }
  return {};
}

}  // namespace

std::string Terminal::in(Tone tone, std::string_view text) const {
  if (!color || tone == Tone::plain || text.empty()) return std::string(text);
  return fmt::format(style_of(tone), "{}", text);
}

std::string Terminal::verdict(Kind kind) const {
  return in(kind == Kind::pass ? Tone::good : is_failure(kind) ? Tone::bad : Tone::idle, name(kind));
}

void choose_color(std::string_view when) { color_choice() = when; }

Terminal terminal_of(std::FILE* stream) {
  const int descriptor = fileno(stream);
  const bool is_terminal = isatty(descriptor) != 0;
  Terminal terminal{.color = wants_color(is_terminal)};
  winsize size{};
  if (is_terminal && ioctl(descriptor, TIOCGWINSZ, &size) == 0 && size.ws_col > 0)
    terminal.columns = std::clamp<size_t>(size.ws_col, Terminal::kColumnsMin, Terminal::kColumnsMax);
  return terminal;
}

}  // namespace assay
