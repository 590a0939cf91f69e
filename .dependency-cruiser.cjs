// Which folder of src/ may import which: each layer only those before it, and its own folder.
const LAYERS = [
  [
    'errors',
    'provider-error',
    'clean-text',
    'optional-package',
    'logger',
    'secret',
    'closest-name',
    'names',
    'async',
    'audio',
    'http',
    'process',
  ],
  ['call', 'call-view'],
  ['call-folder'],
  ['pipeline'],
  ['providers', 'rooms', 'services', 'conversation', 'transports'],
  ['bot', 'phone', 'scenario'],
  ['config', 'tunnel', 'tracing', 'page', 'cluster', 'campaign'],
  ['runner', 'sandbox', 'scaffold'],
  ['cli'],
];

/** Matches the files of these parts: a folder, or a single file of that name. */
const filesOf = (parts) => `^src/(${parts.join('|')})(/|\\.ts$)`;

const layerRules = LAYERS.slice(0, -1).map((layer, index) => ({
  name: `layer-${layer[0]}`,
  comment: `${layer.join(', ')} may not import what is built on top of them.`,
  severity: 'error',
  from: { path: filesOf(layer) },
  to: { path: filesOf(LAYERS.slice(index + 1).flat()) },
}));

const rule = (name, from, to) => ({
  name,
  severity: 'error',
  from: { path: filesOf(from) },
  to: { path: filesOf(to) },
});

module.exports = {
  forbidden: [
    ...layerRules,
    rule('conversation-knows-no-provider', ['conversation'], ['services']),
    rule('sandbox-is-the-far-end', ['sandbox'], ['runner', 'pipeline', 'transports']),
    rule('runner-knows-no-sandbox', ['runner'], ['sandbox']),
    rule(
      'page-runs-in-a-browser',
      ['page'],
      LAYERS.slice(LAYERS.findIndex((layer) => layer.includes('call')) + 1)
        .flat()
        .filter((part) => part !== 'page' && part !== 'phone'),
    ),
    rule('public-face', ['index', 'doors'], ['cli', 'runner', 'sandbox', 'testing']),
    rule('nobody-imports-the-public-face', LAYERS.flat(), ['index', 'doors', 'testing']),
    rule('testing-is-for-users', ['testing'], ['cli', 'scaffold', 'tunnel', 'config', 'index']),
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
