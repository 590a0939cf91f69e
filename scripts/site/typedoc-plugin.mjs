// For TypeDoc: the pages of `docs` are called as their headings are, have the addresses of their files, and stand in the groups and the
// order of the list in docs/README.md; the first page leads to the call to play with.
import { readFileSync } from 'node:fs';
import { basename, posix } from 'node:path';
import { fileURLToPath } from 'node:url';

const { Converter, JSX, KindRouter } = await import(
  new URL('../api-docs/node_modules/typedoc/dist/index.js', import.meta.url).href
);
const DOCS = fileURLToPath(new URL('../../docs/', import.meta.url)).replaceAll('\\', '/');

/** Where a clone is from: the manifest alone says it. */
const { repository } = JSON.parse(readFileSync(new URL('../../package.json', import.meta.url), 'utf8'));
const REPOSITORY = repository.url.replace(/^git\+/, '');

/** @param app TypeDoc's application */
export function load(app) {
  const groups = groupsOf(readFileSync(`${DOCS}README.md`, 'utf8'));
  const order = [...groups.keys()];
  const paths = new Map();
  const placeOf = (document) => order.indexOf(paths.get(document));
  app.converter.on(Converter.EVENT_CREATE_DOCUMENT, (_context, document) => {
    const path = document.project.files.getReflectionPath(document) ?? '';
    const [heading] = document.content;
    const [line, title] = /^# (.+)\n/.exec(heading?.text.trimStart() ?? '') ?? [];
    if (title === undefined) throw new Error(`${path} does not begin with a heading`);
    heading.text = heading.text.trimStart().slice(line.length);
    document.name = title.replaceAll('`', '');
    document.frontmatter.group = groups.get(path) ?? 'All pages';
    paths.set(document, path);
  });
  // Before TypeDoc makes the groups of them, each of which keeps the order.
  app.converter.on(Converter.EVENT_RESOLVE_BEGIN, ({ project }) => {
    project.childrenIncludingDocuments?.sort((a, b) => placeOf(a) - placeOf(b));
  });
  const addressed = class extends KindRouter {
    getIdealBaseName(reflection) {
      const path = paths.get(reflection);
      if (path === undefined) return super.getIdealBaseName(reflection);
      const name = path.startsWith(DOCS) ? `docs/${path.slice(DOCS.length)}` : basename(path);
      return name.replace(/\.md$/, '');
    }
  };
  app.renderer.defineRouter('addressed', addressed);
  app.renderer.hooks.on('content.begin', ({ page }) =>
    page.url === 'index.html'
      ? JSX.createElement(
          'p',
          { class: 'lead' },
          JSX.createElement('a', { href: 'demo/calls/1-1.html' }, 'Play with a real call'),
          ' – its sound, its transcript, and how long the caller waited each time. Then: ',
          JSX.createElement('a', { href: 'docs/tutorial.html' }, 'the tutorial'),
          '. A clone of the repository: ',
          JSX.createElement('code', null, `git clone ${REPOSITORY}`),
        )
      : JSX.createElement(JSX.Fragment, null),
  );
}

/** What docs/README.md has each page under, by its absolute path and in its order. */
function groupsOf(list) {
  const groups = new Map();
  let group = '';
  for (const line of list.split('\n')) {
    group = /^(\S.*):$/.exec(line)?.[1] ?? group;
    const [, link] = /^- \[[^\]]+\]\(([^)#]+)\)/.exec(line) ?? [];
    if (link) groups.set(posix.join(DOCS, link), group);
  }
  return groups.set(`${DOCS}README.md`, 'All pages');
}
