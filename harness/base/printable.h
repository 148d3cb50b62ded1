// Text that others wrote (paths, names, what a kernel printed) as a terminal, a shell, a page or a compiler may be
// given it.
#pragma once

#include <fmt/format.h>

#include <cstdio>
#include <string>
#include <string_view>
#include <utility>

namespace assay {

// Valid UTF-8 that shows itself as it is: control characters other than tab and newline, invisible ones, those that
// turn the direction of a line, and whatever is no UTF-8 are written as \xNN. Terminals, XML parsers and CSV readers
// must survive whatever a crashing kernel printed.
std::string printable(std::string_view text);

// One word for a shell: as it is where nothing in it is special, else in single quotes ('\'' for a quote in it), or in
// $'…' (bash, zsh, POSIX 2024) where it holds what printable() would write otherwise.
std::string shell_quoted(std::string_view text);

// `text` as a C++ string literal; what does not print becomes a space.
std::string cpp_literal(std::string_view text);

// "#line 7 "my_kernels.cu"" and a line end. nvcc passes the name on to an assembler that knows no escapes, so a quote
// or backslash in it becomes an apostrophe.
std::string line_directive(int line, std::string path);

// Prints what may hold such text. Whether it could be written is asked once, when the program ends.
template <class... Values>
void say_to(std::FILE* file, fmt::format_string<Values...> format, Values&&... values) {
  std::fputs(printable(fmt::format(format, std::forward<Values>(values)...)).c_str(), file);
}
template <class... Values>
void say(fmt::format_string<Values...> format, Values&&... values) {
  say_to(stdout, format, std::forward<Values>(values)...);
}

}  // namespace assay
