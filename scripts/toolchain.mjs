/** How esbuild compiles `src` to `dist`. */
export const COMPILED = { format: 'esm', platform: 'node', target: 'node20', sourcemap: true, sourcesContent: false };

/** What Node is given to run jest in the project's root; options of jest may follow. */
export const JEST = [
  '--disable-warning=ExperimentalWarning',
  '--enable-source-maps',
  '--import',
  './test/jest/loader.mjs',
  'node_modules/jest/bin/jest.js',
];
