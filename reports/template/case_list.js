// Every row, to be filtered by words and verdict, a page at a time.
'use strict';

const kCasesPerPage = 50;

function drawCaseList() {
  const verdicts = [...new Set(page.cases.map((row) => row[2]))].sort();
  byId('cases-verdict').append(el('option', {value: ''}, 'any'), ...verdicts.map((verdict) => el('option', {value: verdict}, verdict)));
  let first = 0;
  let found = page.cases;

  function filter() {
    const words = byId('cases-text').value.toLowerCase().split(/\s+/).filter(Boolean);
    const wanted = byId('cases-verdict').value;
    found = page.cases.filter(([line, series, verdict, , , detail]) => {
      const text = `${line} ${page.series[series].device} ${detail}`.toLowerCase();
      return (!wanted || verdict === wanted) && words.every((word) => text.includes(word));
    });
    first = 0;
    draw();
  }
  function row([line, series, verdict, error, , detail]) {
    return el('tr', {}, el('td', {}, verdictBadge(verdict)), el('td', {class: 'number'}, ratio(error)),
              el('td', {}, page.series[series].device), el('td', {class: 'line'}, el('code', {}, line),
              detail ? el('div', {class: 'quiet clamp'}, detail) : null));
  }
  function draw() {
    const last = Math.min(first + kCasesPerPage, found.length);
    byId('cases-table').replaceChildren(
        el('thead', {}, el('tr', {}, el('th', {scope: 'col'}, 'Verdict'), el('th', {scope: 'col', class: 'number'}, 'Error / budget'),
                           el('th', {scope: 'col'}, 'Device'), el('th', {scope: 'col'}, 'Case'))),
        el('tbody', {}, ...found.slice(first, last).map(row)));
    byId('cases-count').textContent = found.length === 0 ? 'no row' : `${count(first + 1)}–${count(last)} of ${count(found.length)} rows`;
    byId('cases-previous').disabled = first === 0;
    byId('cases-next').disabled = last === found.length;
  }
  function turn(by) {
    first = Math.max(0, first + by);
    draw();
    byId('cases').scrollIntoView();
  }
  byId('cases-text').addEventListener('input', filter);
  byId('cases-verdict').addEventListener('change', filter);
  byId('cases-previous').addEventListener('click', () => turn(-kCasesPerPage));
  byId('cases-next').addEventListener('click', () => turn(kCasesPerPage));
  draw();
}
