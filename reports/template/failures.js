// Every failure with what is needed to understand and replay it. A page of them at a time.
'use strict';

const kFailuresPerPage = 20;

function worstTable(worst) {
  const cells = (tag, texts) => texts.map((text, i) => el(tag, {class: i > 0 ? 'number' : null}, text));
  return el('div', {class: 'scroll'}, el('table', {class: 'worst'},
      el('thead', {}, el('tr', {}, ...cells('th', ['Worst elements', 'Got', 'Want', 'Error / budget']))),
      el('tbody', {}, ...worst.map((w) => el('tr', {}, ...cells('td', [w.at, String(w.got), String(w.want), ratio(w.error)]))))));
}

function failureCard(failure, index) {
  return el('article', {class: 'failure', id: `failure-${index + 1}`, 'data-verdict': failure.verdict},
      el('h3', {}, verdictBadge(failure.verdict), ` ${failure.op}/${failure.variant} ${failure.dtype}`,
         el('span', {class: 'quiet'}, ` on ${failure.device}`,
            failure.error === 'nan' ? '' : ` · error / budget ${ratio(failure.error)}`)),
      el('p', {class: 'detail'}, failure.detail),
      el('h4', {}, 'Case'), copyable(failure.case, 'case line'),
      el('h4', {}, 'Replay'), copyable(failure.replay, 'replay command'),
      failure.shrunk_from ? el('h4', {}, 'Shrunk from') : null,
      failure.shrunk_from ? copyable(failure.shrunk_from, 'original case line') : null,
      failure.worst.length ? worstTable(failure.worst) : null,
      failure.maps.length ? el('div', {class: 'maps'}, ...failure.maps.map(errorMap)) : null,
      failure.maps.length ? levelLegend() : null);
}

let failuresShown = 0;

// Also for links, whose card may not be on the page yet.
function showFailuresUpTo(end) {
  const stop = Math.min(end, page.failures.length);
  for (; failuresShown < stop; ++failuresShown)
    byId('failure-list').append(failureCard(page.failures[failuresShown], failuresShown));
  const left = page.failures.length - failuresShown;
  byId('failures-more').hidden = left === 0;
  byId('failures-more').textContent = `Show ${count(Math.min(left, kFailuresPerPage))} more of ${count(left)}`;
}

function drawFailures() {
  const total = page.failures.length;
  byId('failures').hidden = total === 0;
  const without = total - page.pictures_max;
  byId('failures-note').textContent = `${count(total)} ${total === 1 ? 'failure' : 'failures'}, shrunk ones included, the first of every kind in front.` +
      (without > 0 ? ` Worst elements and pictures are kept for the first ${count(page.pictures_max)}; results.jsonl has them all.` : '');
  byId('failures-more').addEventListener('click', () => showFailuresUpTo(failuresShown + kFailuresPerPage));
  showFailuresUpTo(kFailuresPerPage);
  window.addEventListener('beforeprint', () => showFailuresUpTo(page.pictures_max));
}
