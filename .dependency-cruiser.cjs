// Which wing of src/ may import which: each only those above it in this list, and itself.
const WINGS = [
  ['base'],
  ['call'],
  ['providers'],
  ['bot'],
  ['runner', 'sandbox', 'page'],
  ['cluster'],
  ['config'],
  ['terminal'],
  ['runners'],
  ['assembly'],
  ['lab'],
  ['cli'],
];

/** The same for the rooms of `bot`. */
const BOT_ROOMS = [['bot/pipeline'], ['bot/conversation'], ['bot/services'], ['bot/transports'], ['bot/api']];

/** Matches the files of these parts: a folder, or a single file of that name. */
const filesOf = (parts) => `^src/(${parts.join('|')})(/|\\.ts$)`;

const rule = (name, from, to, more = {}) => ({
  name,
  severity: 'error',
  from: { path: filesOf(from), ...more },
  to: { path: filesOf(to) },
});

/** Nothing imports what is below it. */
const inOrder = (kind, order) =>
  order
    .slice(0, -1)
    .flatMap((parts, i) => parts.map((part) => rule(`${kind}-${part}`, [part], order.slice(i + 1).flat())));

module.exports = {
  forbidden: [
    ...inOrder('wing', WINGS),
    ...inOrder('room', BOT_ROOMS),
    rule('runner-knows-no-sandbox', ['runner'], ['sandbox']),
    rule('sandbox-is-the-far-end', ['sandbox'], ['runner', 'bot/pipeline', 'bot/transports', 'bot/api']),
    rule('page-runs-in-a-browser', ['page'], ['providers', 'bot', 'runner', 'sandbox']),
    rule('page-is-served', WINGS.flat(), ['page'], { pathNot: '^src/page/' }),
    rule('public-face', ['index', 'doors'], WINGS.slice(4).flat()),
    rule('public-face-is-for-users', WINGS.flat(), ['index', 'doors', 'lab/kit'], { pathNot: '^src/lab/kit/' }),
    rule('kit-is-for-users', ['lab/kit'], ['runner/tunnel', ...WINGS.slice(5, 10).flat(), 'index']),
    {
      name: 'no-cycles',
      severity: 'error',
      from: { path: '^src/' },
      to: { circular: true },
    },
    {
      name: 'no-undeclared-packages',
      comment:
        'Whoever installs the package has its dependencies, and may have its peers. Pages are bundled; tsx brings esbuild.',
      severity: 'error',
      from: { path: '^src/', pathNot: '/page/' },
      to: {
        dependencyTypes: ['npm-dev', 'npm-no-pkg', 'npm-unknown'],
        dependencyTypesNot: ['npm-peer'],
        pathNot: '^node_modules/esbuild/',
      },
    },
    {
      name: 'no-unresolved-imports',
      comment: 'Otherwise a misspelt path would hide from the rules above.',
      severity: 'error',
      from: { path: '^src/' },
      to: { couldNotResolve: true },
    },
  ],
  options: {
    // swc sees `import type` too, and needs no TypeScript API.
    parser: 'swc',
    enhancedResolveOptions: { exportsFields: ['exports'], conditionNames: ['import', 'node', 'default', 'types'] },
    doNotFollow: { path: 'node_modules' },
    // swc is asked to parse them as if they held no tags; test/project/structure.test.ts reads what they import.
    exclude: { path: '\\.tsx$' },
  },
};
