// That saving the probabilities changes nothing else.
#pragma once

#include "kernels/heads/properties.h"
#include "kernels/properties/agreement.h"

namespace assay::ops::attention_causal_head_major {

inline bool saves(const Case& c) { return c.text("probs") == "saved"; }

// A fresh tensor for the probabilities of a case: none where it saves none.
inline Tensor room_for_probs(const Case& c) {
  const int64_t width = c.dim("aw");
  Tensor probs("probs", c.dtype, Role::output,
               saves(c) ? std::vector<int64_t>{c.dim("H"), width, width} : std::vector<int64_t>{0});
  if (!saves(c)) probs.set_absent();
  return probs;
}

// With the probabilities saved and without: the flash variant and the plain one meet one contract.
inline std::optional<std::string> saving_changes_output(const PropertyRun& run) {
  Case other = run.c;
  other.set("probs", saves(run.c) ? "none" : "saved");
  Tensors given = run.given;
  given.get("probs") = room_for_probs(other);
  const Result<Tensors> got = run.run(other, std::move(given));
  if (!got) return got.error().what;
  return properties::first_disagreement(run, *got, {"out"});
}

}  // namespace assay::ops::attention_causal_head_major
