// Coverage of the kernels in files: the totals, and the lines that never ran or took some of their ways only.
'use strict';

function drawCoverage() {
  const {coverage} = page;
  byId('coverage').hidden = !coverage;
  if (!coverage) return;
  byId('coverage-note').textContent =
      `${count(coverage.lines_run)} of ${count(coverage.lines)} lines ran, ${count(coverage.ways_taken)} of ` +
      `${count(coverage.ways)} ways of branches were taken.` + (coverage.aimed_line ? ` ${coverage.aimed_line}.` : '');
  const row = ({where, words, text, aimed}) =>
      el('tr', {}, el('th', {scope: 'row'}, ...breakable(where)), el('td', {}, words),
         el('td', {}, el('code', {}, text), ...(aimed ? [el('div', {class: 'note'}, ...breakable(aimed))] : [])));
  const head = ['Line', 'How', 'Text'].map((text) => el('th', {scope: 'col'}, text));
  if (coverage.uncovered.length)
    byId('coverage-list').append(
        el('div', {class: 'scroll'}, el('table', {}, el('thead', {}, el('tr', {}, ...head)), el('tbody', {}, ...coverage.uncovered.map(row)))),
        ...coverage.source.map(sourceExcerpt));
}
