// A case's tensors: the same bits for the same seed, independent of each other, and nested when `nonzero` shrinks.
#include <gtest/gtest.h>

#include <cmath>
#include <set>

#include "harness/op/test_contract.h"
#include "harness/tensor/fill.h"

namespace assay {
namespace {

Case a_case(const std::string& rest = "fill=normal seed=1") {
  return *conforming("made_up/v f32 S=9 H=4 HK=2 causal=1 init=random " + rest);
}

std::vector<uint64_t> bits_of(const Tensor& t) {
  std::vector<uint64_t> bits;
  for (int64_t i = 0; i < t.count(); ++i) bits.push_back(t.bits(i));
  return bits;
}

std::set<int64_t> nonzero_of(const Tensor& t) {
  std::set<int64_t> indices;
  for (int64_t i = 0; i < t.count(); ++i)
    if (t.at(i) != 0) indices.insert(i);  // NaN is not zero
  return indices;
}

TEST(MakeTensors, AConstantInputHoldsItsValueInEveryElement) {
  const Contract contract = test_contract();
  const std::string name = contract.tensors[0].name;
  ASSERT_EQ(contract.tensors[0].role, Role::input);
  const Tensors plain = make_tensors(contract, a_case()), held = make_tensors(contract, a_case(), {{name, 1.5}});
  EXPECT_NE(bits_of(plain.get(name)), bits_of(held.get(name)));
  for (int64_t i = 0; i < held.get(name).count(); ++i) EXPECT_EQ(held.get(name).at(i), 1.5);
  for (size_t t = 1; t < plain.size(); ++t)
    EXPECT_TRUE(contract.tensors[t].derive || bits_of(plain[t]) == bits_of(held[t])) << plain[t].name();
}

TEST(MakeTensors, SameCaseSameBitsOtherSeedOtherBits) {
  const Contract contract = test_contract();
  const Tensors a = make_tensors(contract, a_case()), b = make_tensors(contract, a_case());
  const Tensors other = make_tensors(contract, a_case("seed=2"));
  ASSERT_EQ(a.size(), contract.tensors.size());
  for (size_t t = 0; t < a.size(); ++t) {
    EXPECT_EQ(bits_of(a[t]), bits_of(b[t])) << a[t].name();
    EXPECT_EQ(bits_of(a[t]) == bits_of(other[t]), a[t].role() == Role::output) << a[t].name();
    EXPECT_EQ(a[t].guard_broken_at(), 0);
  }
}

TEST(MakeTensors, OutputsArePoisonedAndTheRestIsNot) {
  const Tensors tensors = make_tensors(test_contract(), a_case());
  for (const Tensor& t : tensors)
    for (int64_t i = 0; i < t.count(); ++i)
      ASSERT_EQ(t.is_poison(i, Poison::first), t.role() == Role::output) << t.name() << i;
}

TEST(MakeTensors, AnAttributeDecidesWhetherAnOutputIsOverwritten) {
  Contract contract = test_contract();
  const size_t out = 3;
  contract.tensors[out].role_by = [](const Case& c) {
    return c.text("causal") == "1" ? Role::accumulate : Role::output;
  };
  contract.tensors[out].make = [](const Case&, Rng&, Tensor& t) {
    for (int64_t i = 0; i < t.count(); ++i) t.set(i, 3);
  };
  Case c = a_case();
  const int64_t added_to = compulsory_bytes(contract, c);
  EXPECT_EQ(make_tensors(contract, c)[out].role(), Role::accumulate);
  EXPECT_EQ(make_tensors(contract, c)[out].at(0), 3);
  c.set("causal", "0");
  const Tensor overwritten = make_tensors(contract, c)[out];
  EXPECT_EQ(overwritten.role(), Role::output);
  EXPECT_TRUE(overwritten.is_poison(0, Poison::first)) << "make is for what is added to";
  const int64_t bytes = overwritten.count() * static_cast<int64_t>(size_of(overwritten.dtype()));
  EXPECT_EQ(added_to - compulsory_bytes(contract, c), bytes) << "what is added to is read as well";
}

TEST(MakeTensors, ATensorDoesNotDependOnTheOthers) {
  const Contract contract = test_contract();
  const Tensors all = make_tensors(contract, a_case());
  for (size_t t = 0; t < contract.tensors.size(); ++t) {
    Contract alone = contract;
    alone.tensors = {contract.tensors[t]};
    EXPECT_EQ(bits_of(make_tensors(alone, a_case())[0]), bits_of(all[t])) << all[t].name();
  }
  EXPECT_NE(all.get("q").bits(0), all.get("k").bits(0)) << "tensors have streams of their own";
}

TEST(MakeTensors, AShorterTensorIsAPrefixOfALongerOne) {
  const Contract contract = test_contract();
  Case shorter = a_case();
  shorter.set("S", "4");
  const auto longer_bits = bits_of(make_tensors(contract, a_case()).get("q"));
  const auto bits = bits_of(make_tensors(contract, shorter).get("q"));
  EXPECT_TRUE(std::equal(bits.begin(), bits.end(), longer_bits.begin()));
}

// A tensor of many parts, which several threads make: the bits of one generator that makes it in order.
TEST(MakeTensors, ALargeTensorIsAsIfMadeInOrder) {
  Case c = a_case();
  Tensor tensor("x", DType::bf16, Role::input, {3, 100'003});
  Rng rng(9), in_order(9);
  apply_fill(c, rng, 0, tensor);
  for (int64_t i = 0; i < tensor.count(); ++i)
    ASSERT_EQ(tensor.bits(i), from_double(DType::bf16, normal(in_order))) << i;
  EXPECT_EQ(rng.next(), in_order.next()) << "and the generator is as far";
}

TEST(MakeTensors, NonzeroKeepsSoManyAndIsNested) {
  const Contract contract = test_contract();
  std::set<int64_t> kept = nonzero_of(make_tensors(contract, a_case()).get("q"));
  const auto full = bits_of(make_tensors(contract, a_case()).get("q"));
  for (int64_t n : {200, 100, 17, 3, 1, 0}) {
    const Tensors tensors = make_tensors(contract, a_case("seed=1 nonzero=" + std::to_string(n)));
    const std::set<int64_t> now = nonzero_of(tensors.get("q"));
    EXPECT_EQ(static_cast<int64_t>(now.size()), std::min<int64_t>(n, tensors.get("q").count()));
    EXPECT_TRUE(std::includes(kept.begin(), kept.end(), now.begin(), now.end())) << "nonzero=" << n;
    for (const int64_t i : now) EXPECT_EQ(tensors.get("q").bits(i), full[static_cast<size_t>(i)]) << "values stay";
    kept = now;
  }
}

TEST(MakeTensors, NonzeroKeepsWhatIsNotFiniteLongest) {
  Contract contract = test_contract();
  contract.admits_nan = true;
  const std::string line = "made_up/v f32 S=9 H=4 HK=2 causal=1 init=zero fill=nan seed=1 nonzero=1";
  const Tensors tensors = make_tensors(contract, *conform(contract, *parse_case(line), line));
  const auto kept = nonzero_of(tensors.get("q"));
  ASSERT_EQ(kept.size(), 1u);
  EXPECT_TRUE(std::isnan(tensors.get("q").at(*kept.begin())));
}

TEST(MakeTensors, ADerivedTensorFollowsFromThoseBeforeIt) {
  Contract contract = test_contract();
  contract.tensors.push_back(
      {.name = "copy", .shape = {"S", "H*8"}, .derive = [](const Case&, const Tensors& earlier, Tensor& copy) {
         for (int64_t i = 0; i < copy.count(); ++i) copy.set_bits(i, earlier.get("q").bits(i));
       }});
  const Tensors tensors = make_tensors(contract, a_case());
  EXPECT_EQ(bits_of(tensors.get("copy")), bits_of(tensors.get("q")));
}

TEST(MakeTensors, MagnitudeAndInitAreHonoured) {
  const Contract contract = test_contract();
  const Tensors huge = make_tensors(contract, a_case("fill=one_huge seed=1"));
  double largest_k = 0, largest_q = 0;
  for (int64_t i = 0; i < huge.get("k").count(); ++i) largest_k = std::max(largest_k, std::fabs(huge.get("k").at(i)));
  for (int64_t i = 0; i < huge.get("q").count(); ++i) largest_q = std::max(largest_q, std::fabs(huge.get("q").at(i)));
  EXPECT_EQ(largest_k, 10);
  EXPECT_EQ(largest_q, max_finite(DType::f32));
  Case zero = a_case();
  zero.set("init", "zero");
  EXPECT_EQ(make_tensors(contract, zero).get("sum").at(0), 0);
  const double exact = make_tensors(contract, a_case("fill=integers seed=1")).get("sum").at(0);
  EXPECT_EQ(exact, std::nearbyint(exact));
}

// The contract with what test_contract() does not have: the last of 8 lanes of q is padding, every other row of out is
// not the op's, and k is there in causal cases only.
Contract with_regions() {
  Contract contract = test_contract();
  contract.tensors[0].regions = [](const Case& c) {
    Regions regions;
    regions.mark_columns(c.dim("S") * c.dim("H"), 8, 7, 8, Region::dead);
    return regions;
  };
  contract.tensors[1].absent = [](const Case& c) { return c.text("causal") == "0"; };
  contract.tensors[3].regions = [](const Case& c) {
    Regions regions;
    regions.mark_columns(c.dim("S") * c.dim("H"), 6, 3, 6, Region::kept);
    return regions;
  };
  contract.tensors[5].regions = [](const Case& c) {
    Regions regions;
    regions.mark(0, c.dim("HK"), Region::kept);
    return regions;
  };
  return contract;
}

TEST(MakeTensors, DeadElementsAreNanAndTheOthersAreWhatTheyWere) {
  const auto padded = bits_of(make_tensors(with_regions(), a_case()).get("q"));
  const auto plain = bits_of(make_tensors(test_contract(), a_case()).get("q"));
  for (size_t i = 0; i < padded.size(); ++i) EXPECT_EQ(padded[i], i % 8 == 7 ? 0xFFFFFFFF : plain[i]) << i;
  EXPECT_TRUE(std::isnan(to_double(DType::f32, 0xFFFFFFFF)) && std::isnan(to_double(DType::bf16, 0xFFFF)));
}

TEST(MakeTensors, KeptElementsHaveBitsThatNoKernelWritesByChance) {
  for (const char* init : {"zero", "random"}) {
    Case c = a_case();
    c.set("init", init);
    const Tensors tensors = make_tensors(with_regions(), c), again = make_tensors(with_regions(), c);
    c.seed = 2;
    const Tensors other = make_tensors(with_regions(), c);
    const Tensor& out = tensors.get("out");
    std::set<uint64_t> seen;
    for (int64_t i = 0; i < out.count(); ++i) {
      const bool kept = i % 6 >= 3;
      EXPECT_EQ(out.is_poison(i, Poison::first), !kept) << i;
      EXPECT_EQ(out.bits(i), again.get("out").bits(i)) << i;
      if (!kept) continue;
      EXPECT_TRUE(seen.insert(out.bits(i)).second) << i;
      EXPECT_NE(out.bits(i), other.get("out").bits(i)) << i;
    }
    EXPECT_NE(tensors.get("state").at(0), 0) << "also of what is transformed in place, whatever the fill";
  }
}

TEST(MakeTensors, AnAbsentTensorHasNoElements) {
  Case c = a_case();
  EXPECT_FALSE(make_tensors(with_regions(), c).get("k").absent());
  c.set("causal", "0");
  const Tensors tensors = make_tensors(with_regions(), c);
  EXPECT_TRUE(tensors.get("k").absent());
  EXPECT_EQ(tensors.get("k").count(), 0);
  EXPECT_EQ(bits_of(tensors.get("q")), bits_of(make_tensors(with_regions(), a_case()).get("q")));
}

TEST(MakeTensors, WhatIsKeptOfASharedBufferAreTheInputsBits) {
  Contract contract = test_contract();
  contract.attrs.push_back({.name = "alias", .meaning = "one buffer", .choices = {"none", "new_q:q"}});
  contract.tensors.push_back({.name = "new_q", .role = Role::output, .shape = {"S", "H*8"}, .regions = [](const Case&) {
                                Regions regions;
                                regions.mark(5, 9, Region::kept);
                                return regions;
                              }});
  for (const std::string alias : {"none", "new_q:q"}) {
    Case c = a_case();
    c.set("alias", alias);
    const Tensors tensors = make_tensors(contract, c);
    for (int64_t i = 5; i < 9; ++i)
      EXPECT_EQ(tensors.get("new_q").bits(i) == tensors.get("q").bits(i), alias != "none") << alias << i;
  }
  Case apart = a_case(), shared = a_case();
  apart.set("alias", "none");
  shared.set("alias", "new_q:q");
  EXPECT_EQ(compulsory_bytes(contract, apart) - compulsory_bytes(contract, shared), 4 * 4) << "kept and not read";
}

TEST(Contract, CountsWhatIsNotTheOpsOwnAsNoTraffic) {
  const Case c = a_case();  // S=9 H=4 HK=2
  const int64_t q = 9 * 4 * 8, out = 2 * 9 * 4 * 3;
  EXPECT_EQ(compulsory_bytes(test_contract(), c) - compulsory_bytes(with_regions(), c),
            4 * (q / 8 + out / 2 + 2 * 2));  // state would be read and written
}

TEST(Contract, AnAliasIsReadFromTheCase) {
  Case c = a_case();
  EXPECT_TRUE(aliases_of(c).empty());
  c.set("alias", "none");
  EXPECT_TRUE(aliases_of(c).empty());
  c.set("alias", "dx:dy");
  ASSERT_EQ(aliases_of(c).size(), 1U);
  EXPECT_EQ(aliases_of(c)[0].written, "dx");
  EXPECT_EQ(aliases_of(c)[0].input, "dy");
  c.set("alias", "dq:q,dk:k");
  ASSERT_EQ(aliases_of(c).size(), 2U);
  EXPECT_EQ(aliases_of(c)[0].input, "q");
  EXPECT_EQ(aliases_of(c)[1].written, "dk");
  EXPECT_EQ(aliases_of(c)[1].input, "k");
}

TEST(Contract, AListLeavesOutWhatItDoesNotName) {
  Case c = a_case();
  c.set("biases", "q,kv");
  EXPECT_FALSE(absent_unless_listed("biases", "q")(c));
  EXPECT_FALSE(absent_unless_listed("biases", "kv")(c));
  EXPECT_TRUE(absent_unless_listed("biases", "k")(c));
  c.set("biases", "none");
  EXPECT_TRUE(absent_unless_listed("biases", "q")(c));
}

}  // namespace
}  // namespace assay
