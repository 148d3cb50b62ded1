// PTX text as tokens.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "harness/base/error.h"
#include "harness/ptx/module.h"

namespace assay::ptx {

struct Token {
  enum Kind {
    word,       // an identifier: ld, %r1, $L__BB0_1
    directive,  // a dot and what follows: ".global", ".L2::128B"
    number,     // 12, 0x1f, 0f3F800000, 1.5
    string,     // between quotes, without them
    symbol,     // one other character
    end,        // of the text
  };
  Kind kind = end;
  std::string_view text;
  Place place;
  bool follows_space = true;  // nothing stands between it and the token before: false
};

// The last one is Token::end. Errors: a comment or string that does not end, a character that PTX does not have.
Result<std::vector<Token>> tokens_of(std::string_view text, const std::string& path);

// "path:3:14: what"
tl::unexpected<Error> wrong(const std::string& path, Place place, const std::string& what, const std::string& hint);

}  // namespace assay::ptx
