// Which cases a variant of given domains takes, and one near a case that it does.
#pragma once

#include <functional>
#include <optional>
#include <string>
#include <vector>

#include "harness/op/variant.h"

namespace assay {

struct Contract;

// Moves a case to one near it that the contract admits and the variant supports, as far as their own functions can. A
// dim that the variant's function moves out of its domain goes back to the nearest value there, because constraints
// rely on domains, as where they divide.
void suit_both(const Contract& contract, const Variant& variant, Case& c);

// Why a variant that takes these domains only does not take the case.
std::optional<std::string> outside(const std::vector<Domain>& domains, const Case& c);

// At most so many searches by move_to_supported() that find nothing, in this thread and for as long as the object
// lives; after them cases are not moved. What a variant asks for may be impossible, and each search is hundreds of
// trials.
class MovesInVain {
 public:
  explicit MovesInVain(int most);
  ~MovesInVain();
  MovesInVain(const MovesInVain&) = delete;
  MovesInVain& operator=(const MovesInVain&) = delete;

 private:
  int outer_;
};

// Moves a case to where the dims that follow from others are right: `fix`, applied `fixes` times, makes them so. Other
// requirements are mostly divisibilities: moves dims up to the multiples that `requirements` state, as "M % 192 == 0"
// does, and all dims to multiples of 2, 4, … until the case is supported; leaves it alone when none helps.
void move_to_supported(Case& c, const std::vector<std::string>& dims, const std::vector<std::string>& requirements,
                       int fixes, void (*fix)(Case&),
                       const std::function<std::optional<std::string>(const Case&)>& unsupported);

}  // namespace assay
