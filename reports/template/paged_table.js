// A table of many rows: filtered by words, sorted by a click on a column's name, a page at a time. Its controls are the
// frame's elements #ID-text, #ID-table, #ID-count, #ID-previous and #ID-next inside the section #ID.
'use strict';

// Compares what `key` gives, missing figures last in either order.
function orderBy(key, sign) {
  const missing = (value) => value === null || Number.isNaN(value);
  return (a, b) => {
    const [x, y] = [key(a), key(b)];
    if (missing(x) || missing(y)) return missing(x) - missing(y);
    return sign * (x < y ? -1 : x > y ? 1 : 0);
  };
}

// `columns`: [{name, hint: its tooltip, number: whether it holds figures, key: row → what to sort by, cell: row → td or
// th}]; `words`: row → the text that the filter searches; `keep`: row → whether it is shown at all. Returns {filter}, for other controls.
function pagedTable({id, rows, perPage, columns, words, keep = () => true, attributes = () => ({}), printAll = false}) {
  let first = 0;
  let found = rows;
  let sorted = null;  // {column, sign}
  let printing = false;

  function filter() {
    const wanted = byId(`${id}-text`).value.toLowerCase().split(/\s+/).filter(Boolean);
    found = rows.filter((row) => {
      if (!keep(row)) return false;
      const text = words(row).toLowerCase();
      return wanted.every((word) => text.includes(word));
    });
    if (sorted) found.sort(orderBy(sorted.column.key, sorted.sign));
    first = 0;
    draw();
  }
  // The most of a figure first, words from A; a second click turns it round.
  function sort(column) {
    sorted = {column, sign: sorted && sorted.column === column ? -sorted.sign : column.number ? -1 : 1};
    filter();
  }
  function heading(column) {
    const order = sorted && sorted.column === column ? (sorted.sign > 0 ? 'ascending' : 'descending') : null;
    return el('th', {scope: 'col', class: column.number ? 'number' : null, title: column.hint, 'aria-sort': order},
              el('button', {type: 'button', class: 'sort', click: () => sort(column)}, column.name));
  }
  function draw() {
    const from = printing ? 0 : first;
    const last = printing ? found.length : Math.min(first + perPage, found.length);
    const shown = found.slice(from, last);
    byId(`${id}-table`).replaceChildren(
        el('thead', {}, el('tr', {}, ...columns.map(heading))),
        el('tbody', {}, ...shown.map((row) => el('tr', attributes(row), ...columns.map((column) => column.cell(row))))));
    byId(`${id}-count`).textContent = found.length === 0 ? 'no row' : `${count(from + 1)}–${count(last)} of ${count(found.length)} rows`;
    byId(`${id}-previous`).disabled = first === 0;
    byId(`${id}-next`).disabled = last === found.length;
  }
  function turn(by) {
    first = Math.max(0, first + by);
    draw();
    byId(id).scrollIntoView();
  }
  function print(on) {
    printing = on;
    draw();
  }
  byId(`${id}-text`).addEventListener('input', filter);
  byId(`${id}-previous`).addEventListener('click', () => turn(-perPage));
  byId(`${id}-next`).addEventListener('click', () => turn(perPage));
  if (printAll) {
    window.addEventListener('beforeprint', () => print(true));
    window.addEventListener('afterprint', () => print(false));
  }
  draw();
  return {filter};
}
