// What has changed since the last released version, and whether the changelog names it. docs/versions.md says how an item is named.
import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';

/** The reports in a folder, by the names of their files. */
export function readReports(folder) {
  const names = readdirSync(folder).filter((name) => name.endsWith('.txt'));
  return Object.fromEntries(
    names.map((name) => [name.slice(0, -'.txt'.length), itemsIn(readFileSync(join(folder, name), 'utf8'))]),
  );
}

/** A line of a report: in quotation marks a name may have a colon. */
const ITEM = /^((?:"[^"]*"|[^":]|:(?! ))*): (.*)$/;

const itemsIn = (text) =>
  new Map(
    text
      .split('\n')
      .filter((line) => line !== '' && !line.startsWith('# '))
      .map((line) => {
        const [, item, text] = ITEM.exec(line) ?? [];
        return [item, text];
      }),
  );

/**
 * Each change with the item's name and the reports that have it: a type that several doors export is one item.
 * @returns `was` is undefined for what is added, `is` for what is removed
 */
export function changesSince(released, reports) {
  const changes = new Map();
  for (const report of new Set([...Object.keys(released), ...Object.keys(reports)])) {
    const [before, now] = [released[report] ?? new Map(), reports[report] ?? new Map()];
    for (const item of new Set([...before.keys(), ...now.keys()])) {
      const [was, is] = [before.get(item), now.get(item)];
      if (was === is) continue;
      const known = changes.get(item);
      if (known) known.reports.push(report);
      else changes.set(item, { item, was, is, reports: [report] });
    }
  }
  return [...changes.values()].sort((one, other) => (one.item < other.item ? -1 : 1));
}

/** The bullets of the section of what is not released yet. */
export function unreleased(changelog) {
  const [, section = ''] = /^## Unreleased\n([\s\S]*?)(?=^## |$(?![\s\S]))/m.exec(changelog) ?? [];
  return section
    .split(/^(?=- )/m)
    .map((bullet) => bullet.trim())
    .filter((bullet) => bullet.startsWith('- '));
}

/** A sentence for each change that no bullet names. */
export function unnamed(changes, bullets, released, reports) {
  const names = namesFor(changes, released, reports);
  return changes
    .filter((change) => !isCovered(change, changes) && !bulletFor(change, bullets, names))
    .map(({ item, was, is, reports: [report] }) => {
      const what =
        was === undefined
          ? `has been added to reports/${report}.txt`
          : is === undefined
            ? `has been removed from reports/${report}.txt`
            : `has changed in reports/${report}.txt, from "${short(was)}" to "${short(is)}"`;
      return `${item} ${what}, and "## Unreleased" of CHANGELOG.md does not name it: write \`${item}\` there`;
    });
}

const short = (text) => (text.length > 120 ? `${text.slice(0, 120)}…` : text);

/** The first bullet that names a change. */
export function bulletFor({ item }, bullets, names) {
  const accepted = names.get(item) ?? [item];
  return bullets.find((bullet) =>
    [...bullet.matchAll(/`([^`]+)`/g)].some(([, span]) =>
      accepted.some((name) => holds(span.replaceAll(/\s+/g, ' '), name)),
    ),
  );
}

/** Whether a name stands in a piece of code by itself, and is not a part of a longer one. */
function holds(span, name) {
  for (let at = span.indexOf(name); at >= 0; at = span.indexOf(name, at + 1)) {
    const [before, after] = [span[at - 1] ?? ' ', span[at + name.length] ?? ' '];
    const goesOn = after === '.' && /\w/.test(span[at + name.length + 1] ?? ' ');
    if (!/[\w.-]/.test(before) && !/[\w-]/.test(after) && !goesOn) return true;
  }
  return false;
}

/** What is new or gone with the whole that it belongs to need not be named: the name of the whole says it. */
export function isCovered({ item, was, is }, changes) {
  const isSame = (other) =>
    (was === undefined && other.was === undefined) || (is === undefined && other.is === undefined);
  return changes.some(
    (other) =>
      other.item !== item &&
      isSame(other) &&
      /^[. [(]/.test(item.slice(other.item.length)) &&
      item.startsWith(other.item),
  );
}

/**
 * The names by which each change may be called: its whole name, that of a member with a small first letter (`call.consult`), and an ending of
 * it when all items with this ending have changed.
 */
export function namesFor(changes, released, reports) {
  const changed = new Set(changes.map(({ item }) => item));
  const ambiguous = new Set();
  for (const items of [...Object.values(released), ...Object.values(reports)])
    for (const item of items.keys()) if (!changed.has(item)) for (const name of formsOf(item)) ambiguous.add(name);
  return new Map(changes.map(({ item }) => [item, [item, ...formsOf(item).filter((name) => !ambiguous.has(name))]]));
}

function formsOf(item) {
  const endings = [...item.matchAll(/[. ](?=[\w<-])/g)].map(({ index }) => item.slice(index + 1));
  const isMember = /^[A-Z]\w*\./.test(item);
  return isMember ? [item[0].toLowerCase() + item.slice(1), ...endings] : endings;
}
