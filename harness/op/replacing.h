// Variants that take the places of others with their names, in a process that runs mutants of a kernel.
#pragma once

namespace assay {

// While it lives, a variant that registers replaces the one with its op, name and device, where there is one: two of
// one name are a mistake of the build otherwise.
class ReplacingVariants {
 public:
  ReplacingVariants();
  ~ReplacingVariants();
  ReplacingVariants(const ReplacingVariants&) = delete;
  ReplacingVariants& operator=(const ReplacingVariants&) = delete;
};

// While it lives, variants that register are kept apart from all others: sieves, kernels that prove that nothing is
// wrong with a case (harness/simt/sieve). Who replaces a variant of the checked build takes its sieve away.
class RegisteringSieves {
 public:
  RegisteringSieves();
  ~RegisteringSieves();
  RegisteringSieves(const RegisteringSieves&) = delete;
  RegisteringSieves& operator=(const RegisteringSieves&) = delete;
};

struct Variant;
// The sieve of the variant's op and name; nullptr: there is none.
const Variant* sieve_of(const Variant& variant);

}  // namespace assay
