// Adding what came later, and putting it where today's lines have it.
#include "harness/op/earlier_lines.h"

#include "harness/op/registry.h"

namespace assay {

Case with_later_names(const Contract& contract, Case c) {
  for (const DimSpec& dim : contract.dims)
    if (dim.before && !c.find(dim.name)) c.set(dim.name, std::to_string(*dim.before));
  for (const AttrSpec& attr : contract.attrs)
    if (attr.optional && !c.find(attr.name)) c.set(attr.name, attr.choices.front());
  return c;
}

Case as_written_today(Case c) {
  const Contract* contract = find_op(c.op);
  if (!contract || c.params.size() >= contract->dims.size() + contract->attrs.size()) return c;
  const Case whole = with_later_names(*contract, c);
  std::vector<Param> params;
  const auto take = [&](const std::string& name) {
    if (const std::string* value = whole.find(name)) params.emplace_back(name, *value);
  };
  for (const DimSpec& dim : contract->dims) take(dim.name);
  for (const AttrSpec& attr : contract->attrs) take(attr.name);
  if (params.size() == contract->dims.size() + contract->attrs.size() && params.size() == whole.params.size())
    c.params = std::move(params);
  return c;
}

std::string as_written_today(const std::string& line) {
  const auto parsed = parse_case(line);
  if (!parsed) return line;
  const Case today = as_written_today(*parsed);
  return today == *parsed ? line : print(today);
}

}  // namespace assay
