// The first screen: a cell for each dtype of an op, or of a variant, on the colour of its worst error over budget, with a
// mark for each of its verdicts that is not PASS. A click shows the figures behind the cell.
'use strict';

const kVariantsFirst = 54;  // that a screen holds; with more, rows are ops until the reader asks
const kBlockRows = 18;      // of a table, before the next stands beside it where the window has room
const kNameWidth = {ops: 144, variants: 300}, kCellWidth = 66;  // least pixels, the latter's as in report.css

const kOrders = {
  failures: (row) => sumOf(row, failuresOf),
  'worst error': (row) => Math.max(...row.map(({worst}) => magnitude(worst)).filter((error) => !Number.isNaN(error))),
  cases: (row) => sumOf(row, (cell) => cell.cases),
  name: null,  // as in the data
};

function sumOf(items, number) {
  return items.reduce((sum, item) => sum + number(item), 0);
}

function failuresOf(cell) {
  return sumOf(cell.verdicts, ({failure, count: number}) => (failure ? number : 0));
}

function nameOf(cell) {
  return cell.variant ? `${cell.op}/${cell.variant}` : cell.op;
}

// Whether a case, or a bug, is one of the cell's op or variant.
function isOf(cell, {op, variant}) {
  return cell.op === op && (!cell.variant || cell.variant === variant);
}

function levelStyle(level) {
  return level === null ? null : `background: var(--level-${level}); color: var(--ink-${level}, var(--text))`;
}

function matrixCell(cell) {
  if (!cell) return el('td');
  const others = cell.verdicts.filter(({verdict}) => verdict !== 'PASS');
  const figures = [`${count(cell.cases)} ${cell.cases === 1 ? 'case' : 'cases'}`, `worst error / budget ${ratio(cell.worst)}`,
                   ...others.map(({verdict, count: number}) => `${count(number)} ${verdict}`)].join(', ');
  const rounded = cell.worst > 0 && cell.worst < 10 ? cell.worst.toFixed(2) : ratio(cell.worst);
  return el('td', {},
      el('button', {type: 'button', class: 'cell', style: levelStyle(cell.level), tabindex: -1, 'data-dtype': cell.dtype, title: figures,
                    'aria-label': `${nameOf(cell)} ${cell.dtype}: ${figures}`, click: () => showCell(cell)},
         rounded, el('span', {class: 'marks'}, ...others.map(({verdict}) => verdictMark(verdict)))));
}

// Opens what is known of a cell, and the ways to where the page has more.
function showCell(cell) {
  const bugs = page.failures.flatMap((bug, i) => (isOf(cell, bug) && bug.dtypes.includes(cell.dtype) ? [bugLink(bug, i)] : []));
  const facts = {
    Cases: el('span', {}, `${count(cell.cases)}, ${count(cell.compared)} of them compared · `,
              el('a', {href: '#cases', click: () => showCasesOf(cell)}, 'list')),
    Verdicts: el('span', {}, ...cell.verdicts.map(({verdict, count: number}) =>
        el('span', {class: 'counted'}, verdictBadge(verdict), ` ${count(number)} `))),
    'Error / budget': `median ${ratio(cell.median)}, 99 % ${ratio(cell.p99)}, worst ${ratio(cell.worst)}`,
    'Either way': cell.either_way > 0 && `${count(cell.either_way)} elements, for which two values were right`,
    Bugs: bugs.length > 0 && el('ul', {class: 'others'}, ...bugs),
  };
  const known = Object.entries(facts).filter(([, fact]) => fact);
  byId('cell').replaceChildren(el('div', {},
      el('form', {method: 'dialog'}, el('h3', {}, ...breakable(nameOf(cell)), ` ${cell.dtype}`), el('button', {}, 'Close')),
      el('dl', {}, ...known.flatMap(([name, fact]) => [el('dt', {}, name), el('dd', {}, fact)])),
      ...(cell.worst_case ? [el('h4', {}, 'Case with the worst error'), copyable(cell.worst_case, 'case line'),
                             el('h4', {}, 'Replay'), copyable(cell.worst_replay, 'replay command'),
                             el('p', {}, el('a', {href: '#chart-section', click: () => chartOp(cell.op)}, 'Error over size'))] : [])));
  byId('cell').showModal();
}

function bugLink(bug, index) {
  return el('li', {}, verdictBadge(bug.verdict), ` ${bug.variant} · `, el('a', {href: `#failure-${index + 1}`}, 'details'),
            el('div', {class: 'quiet clamp'}, bug.detail));
}

// Tab stops at one cell of the matrix; from there arrows move, by dtype up and down.
function moveInMatrix(event) {
  const cells = [...byId('matrix').querySelectorAll('.cell')];
  const at = cells.indexOf(event.target);
  const alike = (cell) => cell.dataset.dtype === event.target.dataset.dtype;
  const next = {ArrowLeft: () => cells[at - 1], ArrowRight: () => cells[at + 1],
                ArrowUp: () => cells.slice(0, at).reverse().find(alike), ArrowDown: () => cells.slice(at + 1).find(alike)}[event.key]?.();
  if (!next) return;
  event.preventDefault();
  event.target.tabIndex = -1;
  next.tabIndex = 0;
  next.focus();
}

function drawMatrix() {
  const dtypes = page.dtypes;
  const grouped = (cells) => [...new Set(cells.map(nameOf))].map((name) => cells.filter((cell) => nameOf(cell) === name));
  const rows = {ops: grouped(page.ops), variants: grouped(page.variants)};
  const matrix = byId('matrix'), dialog = byId('cell');
  byId('ops').hidden = rows.ops.length === 0;
  byId('matrix-rows').append(...Object.keys(rows).map((kind) => el('option', {value: kind}, `${count(rows[kind].length)} ${kind}`)));
  byId('matrix-rows').value = rows.variants.length > kVariantsFirst ? 'ops' : 'variants';
  byId('matrix-order').append(...Object.keys(kOrders).map((order) => el('option', {}, order)));
  byId('matrix-controls').hidden = rows.variants.length < 2;
  byId('matrix-legend').append(...levelNames().map((text, level) => el('li', {style: levelStyle(level)}, text)));
  for (const id of ['matrix-rows', 'matrix-text', 'matrix-failing', 'matrix-order']) byId(id).addEventListener('input', draw);
  matrix.addEventListener('keydown', moveInMatrix);
  dialog.addEventListener('click', ({target}) => { if (target === dialog || target.closest('a')) dialog.close(); });
  draw();

  function draw() {
    const kind = byId('matrix-rows').value;
    const all = rows[kind];
    const words = byId('matrix-text').value.toLowerCase().split(/\s+/);
    const shown = all.filter((row) => words.every((word) => nameOf(row[0]).toLowerCase().includes(word)) &&
        (!byId('matrix-failing').checked || kOrders.failures(row) > 0) &&
        (onlyVerdict === '' || row.some((cell) => cell.verdicts.some(({verdict}) => verdict === onlyVerdict))));
    const key = kOrders[byId('matrix-order').value];
    if (key) shown.sort(orderBy(key, -1));
    byId('matrix-count').textContent = shown.length < all.length ? `${count(shown.length)} of ${count(all.length)}` : '';
    const width = kNameWidth[kind] + kCellWidth * dtypes.length;
    matrix.style.setProperty('--block', `${width}px`);
    const blocks = Math.max(1, Math.min(Math.floor(matrix.clientWidth / width), Math.ceil(shown.length / kBlockRows)));
    const height = Math.ceil(shown.length / blocks);
    matrix.replaceChildren(...Array.from({length: blocks}, (_, i) => block(shown.slice(i * height, (i + 1) * height))));
    matrix.querySelector('.cell')?.setAttribute('tabindex', 0);
  }
  function block(part) {
    return el('table', {role: 'grid'},
        el('thead', {}, el('tr', {}, ...['error / budget', ...dtypes].map((title) => el('th', {scope: 'col'}, title)))),
        el('tbody', {}, ...part.map((row) => el('tr', {}, el('th', {scope: 'row'}, ...breakable(nameOf(row[0]))),
            ...dtypes.map((dtype) => matrixCell(row.find((cell) => cell.dtype === dtype)))))));
  }
}
