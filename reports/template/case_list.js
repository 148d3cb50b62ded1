// Every row, to be filtered by words, verdict and cell of the matrix, sorted, a page at a time.
'use strict';

let onlyCell = null;  // of the matrix, whose cases are listed
function showCasesOf(cell) {
  onlyCell = cell;
  byId('cases-cell').hidden = !cell;
  if (cell) byId('cases-cell').textContent = `${nameOf(cell)} ${cell.dtype} ✕`;
  byId('cases-verdict').dispatchEvent(new Event('change'));
}

// A figure that the data asks to be shown, whatever it is; they follow the six parts that every row has.
function figureColumn({title, unit, better}, index) {
  const value = (row) => row[6 + index];
  return {name: unit ? `${title}, ${unit}` : title, hint: better === 'neither' ? null : `${better} is better`, number: true,
          key: (row) => magnitude(value(row)), cell: (row) => el('td', {class: 'number'}, ratio(value(row)))};
}

function caseColumns() {
  return [
    {name: 'Verdict', key: ([, , verdict]) => verdict, cell: ([, , verdict]) => el('td', {}, verdictBadge(verdict))},
    {name: 'Error / budget', number: true, key: ([, , , error]) => magnitude(error),
     cell: ([, , , error]) => el('td', {class: 'number'}, ratio(error))},
    ...page.columns.map(figureColumn),
    {name: 'Device', key: ([, series]) => page.series[series].device, cell: ([, series]) => el('td', {}, page.series[series].device)},
    {name: 'Case', key: ([line]) => line,
     cell: ([line, , , , , detail]) => el('td', {class: 'line'}, el('code', {}, line), detail ? el('div', {class: 'quiet clamp'}, detail) : null)},
  ];
}

function drawCaseList() {
  const verdicts = [...new Set(page.cases.map((row) => row[2]))].sort();
  const select = byId('cases-verdict');
  select.append(el('option', {value: ''}, 'any'), ...verdicts.map((verdict) => el('option', {value: verdict}, verdict)));
  const table = pagedTable({
    id: 'cases', rows: page.cases, perPage: 50, columns: caseColumns(),
    words: ([line, series, , , , detail]) => `${line} ${page.series[series].device} ${detail}`,
    keep: ([, series, verdict]) => (!select.value || verdict === select.value) &&
        (!onlyCell || (isOf(onlyCell, page.series[series]) && page.series[series].dtype === onlyCell.dtype)),
  });
  byId('cases-cell').addEventListener('click', () => showCasesOf(null));
  select.addEventListener('change', table.filter);
}
