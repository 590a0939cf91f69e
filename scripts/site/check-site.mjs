import { readdirSync, readFileSync, statSync } from 'node:fs';
import { dirname, join, relative, resolve } from 'node:path';

/** Elements that have the browser load what they name. A plain link (`a`) loads nothing. */
const LOADS =
  /<(?:script|link|img|audio|video|source|iframe|embed|object|use|track)\b[^>]*?\s(?:src|href|data|srcset)="([^"]*)"/g;
const STYLE_LOADS = /url\(\s*['"]?([^'")]+)|@import\s+['"]([^'"]+)/g;
const LINKS = /<(?:a|area)\b[^>]*?\shref="([^"]*)"/g;
const PLACES = /\s(?:id|name)="([^"]*)"/g;
const FOREIGN = /^(?:[a-z][a-z0-9+.-]*:|\/\/)/i;
/** A page that has a policy of its own loads nothing: what its scripts draw is theirs. */
const NO_TAGS = /<(script|style)\b[^>]*>[\s\S]*?<\/\1>/g;

/**
 * Looks at every page of a folder: each link and anchor must lead somewhere in it, and nothing may be loaded from elsewhere.
 * @returns what is wrong, a line for each
 */
export function checkSite(folder) {
  const names = readdirSync(folder, { recursive: true, withFileTypes: true }).filter((entry) => entry.isFile());
  const files = names.map(({ parentPath, name }) => join(parentPath, name));
  const pages = new Map(files.filter((file) => file.endsWith('.html')).map((file) => [file, pageOf(file)]));
  const problems = [];
  let links = 0;
  for (const [file, { html, loaded }] of pages) {
    const say = (what) => problems.push(`${relative(folder, file)}: ${what}`);
    for (const address of loaded) if (isForeign(address)) say(`loads ${address}`);
    const own = loaded.filter((address) => !FOREIGN.test(address));
    for (const address of [...own, ...all(html, LINKS).filter((each) => !FOREIGN.test(each))]) {
      links += 1;
      const problem = problemOf(file, address);
      if (problem) say(problem);
    }
  }
  for (const file of files.filter((each) => each.endsWith('.css'))) {
    for (const address of all(readFileSync(file, 'utf8'), STYLE_LOADS)) {
      if (isForeign(address)) problems.push(`${relative(folder, file)}: loads ${address}`);
    }
  }
  return { problems, pages: pages.size, links };

  function problemOf(file, address) {
    const [path, anchor] = address.split('#', 2).map((part) => decodeURIComponent(part));
    const bare = path.split('?')[0];
    let target = bare === '' ? file : resolve(dirname(file), bare);
    if (bare !== '' && statSync(target, { throwIfNoEntry: false })?.isDirectory()) target = join(target, 'index.html');
    if (!statSync(target, { throwIfNoEntry: false })) return `leads to ${address}, which is not there`;
    if (!target.startsWith(folder)) return `leads to ${address}, which is not of the site`;
    const page = pages.get(target);
    return anchor && page && !page.places.has(anchor) ? `leads to ${address}, where nothing has that name` : undefined;
  }
}

function pageOf(file) {
  const text = readFileSync(file, 'utf8');
  const html = text.replace(NO_TAGS, (element) => element.slice(0, element.indexOf('>') + 1));
  const styles = [...text.matchAll(/<style\b[^>]*>([\s\S]*?)<\/style>/g)].flatMap(([, style]) =>
    all(style, STYLE_LOADS),
  );
  const places = new Set(all(html, PLACES));
  return { html, places, loaded: [...all(html, LOADS), ...styles] };
}

const isForeign = (address) => FOREIGN.test(address) && !address.startsWith('data:');

/** What the groups of a pattern have found, with the characters that HTML writes otherwise. */
function all(text, pattern) {
  return [...text.matchAll(pattern)].map(([, ...found]) =>
    (found.find((each) => each !== undefined) ?? '')
      .replaceAll('&amp;', '&')
      .replaceAll('&quot;', '"')
      .replaceAll('&#39;', "'"),
  );
}
