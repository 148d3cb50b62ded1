// Outcome and verdicts on top of the page, what fails, the sensitivity audit and the run.
'use strict';

const kGroupsFirst = 12;  // of what fails, before a button shows the rest

function drawHeader() {
  const {info} = page;
  byId('brand').textContent = ['Assay', info.suite && `suite ${info.suite}`, info.device, info.git_commit.slice(0, 12), info.started]
      .filter(Boolean).join(' · ');
  for (const {verdict, count: number} of page.verdicts)
    byId('verdicts').append(el('li', {'data-verdict': verdict},
        el('button', {type: 'button', class: 'chip', 'aria-pressed': 'false', title: `Only ${verdict}`, click: () => filterByVerdict(verdict)},
           verdict === 'PASS' ? null : verdictMark(verdict), ' ', verdictBadge(verdict), ' ', count(number))));
}

// The matrix, the summary, the failures and the list of cases show one verdict only; a second click shows all again.
let onlyVerdict = '';
function filterByVerdict(verdict) {
  onlyVerdict = onlyVerdict === verdict ? '' : verdict;
  for (const chip of byId('verdicts').children)
    chip.firstChild.setAttribute('aria-pressed', String(chip.dataset.verdict === onlyVerdict));
  for (const id of ['failing-list', 'failure-list']) [...byId(id).children].forEach(hideOthers);
  byId('cases-verdict').value = onlyVerdict;
  byId('cases-verdict').dispatchEvent(new Event('change'));
  byId('matrix-text').dispatchEvent(new Event('input'));
}

function hideOthers(card) {
  card.hidden = onlyVerdict !== '' && !card.dataset.verdicts.split(' ').includes(onlyVerdict);
}

// A bug is found by each verdict that it was seen with.
function verdictsOf(failure) {
  return [failure.verdict, ...failure.also.map((also) => also.verdict)];
}

function drawFailing() {
  const groups = page.failures.map(failingGroup);
  byId('failing').hidden = groups.length === 0;
  const left = groups.slice(kGroupsFirst);
  const more = byId('failing-more');
  byId('failing-list').append(...groups.slice(0, kGroupsFirst));
  more.hidden = left.length === 0;
  more.textContent = `Show ${count(left.length)} more`;
  const showAll = () => {
    left.forEach(hideOthers);
    byId('failing-list').append(...left.splice(0));
    more.hidden = true;
  };
  more.addEventListener('click', showAll);
  window.addEventListener('beforeprint', showAll);
}

function failingGroup(row, index) {
  return el('div', {class: 'failing-group', 'data-verdicts': verdictsOf(row).join(' ')},
      el('p', {},
         verdictBadge(row.verdict), ' ', el('strong', {}, ...breakable(`${row.op}/${row.variant}`)), ` ${row.dtype} on ${row.device}`,
         el('span', {class: 'quiet'}, ` · ${count(row.count)} ${row.count === 1 ? 'case' : 'cases'}`, row.shrunk_from ? ' · shrunk' : ''),
         ' · ', el('a', {href: `#failure-${index + 1}`}, 'details')),
      el('p', {class: 'quiet clamp'}, row.detail),
      copyable(row.replay, 'replay command'));
}

// A row per op × mutant, a column per dtype; rows without a blind case only on demand.
function drawAudit() {
  const dtypes = [...new Set(page.audit.map((entry) => entry.dtype))];
  const rows = new Map();
  for (const entry of page.audit) {
    const key = JSON.stringify([entry.op, entry.mutant]);
    if (!rows.has(key)) rows.set(key, {op: entry.op, mutant: entry.mutant, cells: {}, blind: 0});
    rows.get(key).cells[entry.dtype] = entry;
    rows.get(key).blind += entry.blind;
  }
  const all = [...rows.values()];
  const noticed = all.filter((row) => row.blind === 0).length;
  byId('audit-all-label').hidden = noticed === 0;
  byId('audit-all').addEventListener('change', draw);
  draw();

  function cell(entry) {
    if (!entry) return el('td', {class: 'number quiet'}, '–');
    const share = entry.blind === 0 ? 'all noticed' : `${percent(entry.blind, entry.cases)} blind`;
    return el('td', {class: entry.mistrusted ? 'share over' : 'share', title: entry.first_blind && `first blind: ${entry.first_blind}`},
              entry.mistrusted ? el('strong', {}, share) : share, el('span', {class: 'quiet'}, ` ${count(entry.blind)}/${count(entry.cases)}`));
  }
  function draw() {
    const shown = byId('audit-all').checked ? all : all.filter((row) => row.blind > 0);
    byId('audit-table').replaceChildren(
        el('thead', {}, el('tr', {}, el('th', {scope: 'col'}, 'Op'), el('th', {scope: 'col'}, 'Mutant'),
                           ...dtypes.map((dtype) => el('th', {scope: 'col', class: 'number'}, dtype)))),
        el('tbody', {}, ...shown.map((row) => el('tr', {},
            el('th', {scope: 'row'}, ...breakable(row.op)), el('td', {}, ...breakable(row.mutant)), ...dtypes.map((dtype) => cell(row.cells[dtype]))))));
    byId('audit-table').hidden = shown.length === 0;
    byId('audit-note').textContent = all.length === 0 ? 'Nothing was audited: no case passed.' :
        `${count(noticed)} of ${count(all.length)} mutants were noticed in every case where they differ from the right output.`;
  }
}

function drawRun() {
  const {info} = page;
  const entries = {
    Status: info.status, Command: info.command, Seed: info.seed, Suite: info.suite, Device: info.device,
    Started: info.started, Took: info.seconds && `${info.seconds.toFixed(1)} s with ${info.jobs} ${info.jobs === 1 ? 'job' : 'jobs'}`,
    Cases: count(page.case_count) + (info.cases_planned ? ` of ${count(info.cases_planned)} planned` : ''), Commit: info.git_commit, Assay: info.version,
    Host: info.host_cpu && `${info.host_cpu}, ${info.host_cores} cores, ${info.host_os}`, Compiler: info.compiler,
  };
  if (info.scope) entries.Scope = el('ul', {}, ...info.scope.map((sentence) => el('li', {}, sentence)));
  for (const [name, value] of Object.entries(entries))
    byId('run-info').append(el('dt', {}, name), el('dd', {}, name === 'Command' ? copyable(value, 'command') : value || '–'));
}
