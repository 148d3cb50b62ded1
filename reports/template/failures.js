// Every bug with what is needed to understand and replay it. A page of them at a time.
'use strict';

const kFailuresPerPage = 20;

function worstTable(worst) {
  const cells = (tag, texts) => texts.map((text, i) => el(tag, {class: i > 0 ? 'number' : null}, text));
  return el('div', {class: 'scroll'}, el('table', {class: 'worst'},
      el('thead', {}, el('tr', {}, ...cells('th', ['Worst elements', 'Got', 'Want', 'Error / budget']))),
      el('tbody', {}, ...worst.map((w) => el('tr', {}, ...cells('td', [w.at, String(w.got), String(w.want), ratio(w.error)]))))));
}

// Lines of the kernel's file around those that the failure is about.
function sourceExcerpt({path, first, lines, marked}) {
  const row = (text, i) => el('tr', {class: marked.includes(first + i) ? 'marked' : null},
                              el('th', {scope: 'row'}, String(first + i)), el('td', {}, text));
  return el('figure', {class: 'source'}, el('figcaption', {}, path),
            el('div', {class: 'scroll'}, el('table', {}, el('tbody', {}, ...lines.map(row)))));
}

function otherCases(failure) {
  if (failure.others.length === 0) return null;
  const left = failure.count - failure.others.length;
  return el('details', {}, el('summary', {}, `${count(failure.count)} cases fail so`),
            el('ul', {class: 'others'}, ...failure.others.map((line) => el('li', {}, el('code', {}, line)))),
            left > 1 ? el('p', {class: 'quiet'}, 'The list of cases has the others.') : null);
}

function failureCard(failure, index) {
  return el('article', {class: 'failure', id: `failure-${index + 1}`, 'data-verdict': failure.verdict, 'data-verdicts': verdictsOf(failure).join(' ')},
      el('h3', {}, verdictBadge(failure.verdict), ' ', ...breakable(`${failure.op}/${failure.variant}`), ` ${failure.dtype}`,
         el('span', {class: 'quiet'}, ` on ${failure.device}`,
            failure.error === 'nan' ? '' : ` · error / budget ${ratio(failure.error)}`)),
      el('p', {class: 'detail'}, failure.detail),
      failure.shared ? el('p', {class: 'shared'}, failure.shared) : null,
      ...failure.also.map(({verdict, device, detail}) => el('p', {class: 'also'}, `Seen on ${device} as `, verdictBadge(verdict), ' ',
                                                            el('span', {class: 'quiet'}, detail))),
      ...failure.source.map(sourceExcerpt),
      el('h4', {}, 'Case'), copyable(failure.case, 'case line'),
      el('h4', {}, 'Replay'), copyable(failure.replay, 'replay command'),
      failure.shrunk_from && failure.shrunk_from !== failure.case ? el('h4', {}, 'Shrunk from') : null,
      failure.shrunk_from && failure.shrunk_from !== failure.case ? copyable(failure.shrunk_from, 'original case line') : null,
      otherCases(failure),
      failure.worst.length ? worstTable(failure.worst) : null,
      failure.maps.length ? el('div', {class: 'maps'}, ...failure.maps.map(errorMap)) : null,
      failure.maps.length ? levelLegend() : null);
}

let failuresShown = 0;

function showFailuresUpTo(end) {
  const stop = Math.min(end, page.failures.length);
  for (; failuresShown < stop; ++failuresShown) {
    const card = failureCard(page.failures[failuresShown], failuresShown);
    hideOthers(card);
    byId('failure-list').append(card);
  }
  const left = page.failures.length - failuresShown;
  byId('failures-more').hidden = left === 0;
  byId('failures-more').textContent = `Show ${count(Math.min(left, kFailuresPerPage))} more of ${count(left)}`;
}

// A link may lead to a card that is not on the page yet, also one from outside.
function showLinkedFailure() {
  const linked = /^#failure-(\d+)$/.exec(location.hash);
  if (!linked) return;
  showFailuresUpTo(Number(linked[1]));
  byId(location.hash.slice(1))?.scrollIntoView();
}

function drawFailures() {
  const total = page.failures.length;
  byId('failures').hidden = total === 0;
  const without = total - page.pictures_max;
  byId('failures-note').textContent = `Each of ${count(total)} ${total === 1 ? 'bug' : 'bugs'} by the case to look at first.` +
      (without > 0 ? ` Source lines, worst elements and pictures are kept for the first ${count(page.pictures_max)}; results.jsonl has them all.` : '');
  byId('failures-more').addEventListener('click', () => showFailuresUpTo(failuresShown + kFailuresPerPage));
  showFailuresUpTo(kFailuresPerPage);
  window.addEventListener('beforeprint', () => showFailuresUpTo(page.pictures_max));
  window.addEventListener('hashchange', showLinkedFailure);
}
