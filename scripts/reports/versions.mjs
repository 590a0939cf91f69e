// Which version may follow which, by what has changed in between.
import { bulletFor, isCovered, namesFor } from './changes.mjs';

const FORM = /^(\d+)\.(\d+)\.(\d+)(?:-([a-z]+)\.(\d+))?$/;

/** `1.0.0-rc.2`: numbers without leading zeros, and a word with a number for one before the release. */
export function parseVersion(text) {
  const [, major, minor, patch, word, number] = FORM.exec(text) ?? [];
  if (major === undefined || /(?:^|\.)0\d/.test(text)) return undefined;
  const pre = word === undefined ? undefined : { word, number: Number(number) };
  return { major: Number(major), minor: Number(minor), patch: Number(patch), pre };
}

/**
 * Why a version may not be released; nothing when it may.
 * @param change.before the version of package.json
 */
export function refusalsOf({ before, version, changes, bullets, released, reports }) {
  const [was, is] = [parseVersion(before), parseVersion(version)];
  if (!is)
    return [
      `${version} is no version: three numbers with dots, and for one before a release a word and a number, as in 1.0.0-rc.2`,
    ];
  const next = nextOf(was);
  const kind = Object.keys(next).find((one) => next[one].includes(version));
  if (!kind)
    return [
      `${version} does not follow ${before}: the next is ${[...new Set(Object.values(next).flat())].join(' or ')}`,
    ];
  if (bullets.length === 0) return ['Nothing stands under "## Unreleased" in CHANGELOG.md'];
  if (kind === 'pre' || kind === 'major') return [];
  const names = namesFor(changes, released, reports);
  return changes
    .filter((change) => !isCovered(change, changes))
    .flatMap((change) => breaks(change, kind, bulletFor(change, bullets, names)) ?? []);
}

/** What a version before a release leads to is `pre`: nothing is promised yet. */
function nextOf({ major, minor, patch, pre }) {
  const of = (...numbers) => numbers.join('.');
  const own = of(major, minor, patch);
  if (pre) return { pre: [`${own}-${pre.word}.${pre.number + 1}`, own] };
  const next = { patch: [of(major, minor, patch + 1)], minor: [of(major, minor + 1, 0)], major: [of(major + 1, 0, 0)] };
  return { ...next, pre: [...next.minor, ...next.major].map((one) => `${one}-rc.1`) };
}

function breaks({ item, was, is, reports: [report] }, kind, bullet = '') {
  const where = `${item} of reports/${report}.txt`;
  if (was === undefined) return kind === 'patch' ? `${where} is new: that is a minor version, not a patch` : undefined;
  if (is === undefined) {
    if (was.startsWith('(deprecated) ') && kind === 'minor') return undefined;
    return `${where} is gone: that takes a major version, or a minor one after a version in which it was deprecated`;
  }
  if (is === `(deprecated) ${was}` && kind === 'minor') return undefined;
  if (/\(compatible\)/.test(bullet) && kind === 'minor') return undefined;
  return `${where} is not what it was: that takes a major version, or in a minor one "(compatible)" in its line of CHANGELOG.md`;
}

/** What is not released yet gets a version and a day, as YYYY-MM-DD; above it room for what comes next. */
export const datedChangelog = (changelog, version, day) =>
  changelog.replace(/^## Unreleased\n/m, `## Unreleased\n\n## ${version} – ${day}\n`);
