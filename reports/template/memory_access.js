// Memory accesses: a table for each variant and dtype, a row for each kernel, its source lines on demand.
'use strict';

const memoryColumns = () => ['Bytes read', 'Bytes written', ...page.memory_columns];

function memoryRow(name, {read, written, figures}, title) {
  const cells = [count(read), count(written), ...figures.map((value) => (value === null ? '–' : ratio(value)))];
  return el('tr', {title}, el('th', {scope: 'row'}, ...breakable(name)), ...cells.map((text) => el('td', {class: 'number'}, text)));
}

function memoryTable(entry) {
  const body = el('tbody');
  for (const kernel of entry.kernels) {
    const lines = kernel.lines.map((line) => memoryRow(line.line || 'line unknown', line));
    for (const row of lines) {
      row.classList.add('source-line');
      row.hidden = true;
    }
    const row = memoryRow(kernel.kernel, kernel, `${count(kernel.launches)} launched, ${count(kernel.blocks)} blocks in all`);
    const button = el('button', {type: 'button', 'aria-expanded': 'false', click: toggle}, 'lines');
    function toggle() {
      const open = button.getAttribute('aria-expanded') === 'false';
      button.setAttribute('aria-expanded', String(open));
      for (const line of lines) line.hidden = !open;
    }
    row.firstChild.append(' ', button);
    body.append(row, ...lines);
  }
  const head = el('tr', {}, el('th', {scope: 'col'}, 'Kernel'), ...memoryColumns().map((text) => el('th', {scope: 'col', class: 'number'}, text)));
  return el('div', {class: 'scroll'}, el('table', {class: 'memory'}, el('thead', {}, head), body));
}

function drawMemory() {
  byId('memory').hidden = page.memory.length === 0;
  for (const entry of page.memory)
    byId('memory-list').append(el('div', {class: 'memory-entry'},
        el('h3', {}, `${entry.op}/${entry.variant} ${entry.dtype}`,
           el('span', {class: 'quiet'}, ` · ${count(entry.compulsory)} bytes are compulsory`)),
        el('p', {class: 'quiet clamp'}, entry.case),
        entry.incomplete ? el('p', {class: 'banner'}, `Not everything was counted: ${entry.incomplete}`) : null,
        memoryTable(entry)));
}
