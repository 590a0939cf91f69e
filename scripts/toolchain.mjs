/** How esbuild compiles `src` to `dist`. */
export const COMPILED = { format: 'esm', platform: 'node', target: 'node20', sourcemap: true, sourcesContent: false };

/** Sources in a folder `page` run in a browser: each of these becomes one file, with all it imports. */
export const PAGES = [
  'providers/daily/client/page/room-page.ts',
  'providers/daily/client/page/worklets.ts',
  'sandbox/rooms/page/call-object.ts',
];

export const PAGE = { ...COMPILED, platform: 'browser', target: 'chrome120', bundle: true };

/** The page that the runner serves: one file with all that it needs. */
export const RUNNER_PAGE = {
  ...PAGE,
  format: 'iife',
  target: ['chrome120', 'firefox121', 'safari17'],
  jsx: 'automatic',
  jsxImportSource: 'preact',
  minify: true,
  sourcemap: false,
};

/** In `src/page`: what becomes the pages, and what one of them loads in another thread. */
export const RUNNER_PAGES = ['main.tsx', 'report/call-page.tsx', 'phone/phone-worklets.ts'];

/** What Node is given to run jest in the project's root; options of jest may follow. */
export const JEST = [
  '--disable-warning=ExperimentalWarning',
  '--enable-source-maps',
  '--import',
  './test/jest/loader.mjs',
  'node_modules/jest/bin/jest.js',
];
