const { pathToFileURL } = require('node:url');
const { default: JestRuntime } = require('jest-runtime');

/**
 * Loads test files with Node's own loader, which keeps every module that a worker process has loaded once. Jest's loader makes all
 * of them anew for each test file.
 */
module.exports = class SharedRuntime extends JestRuntime {
  unstable_shouldLoadAsEsm() {
    return true;
  }

  async unstable_importModule(path) {
    globalThis.jest = this.requireModuleOrMock(path, '@jest/globals').jest;
    await import(pathToFileURL(path).href);
  }

  /** Jest's own parts: the test framework anew for each file, since it holds the file's state; what it is made of, once. */
  requireInternalModule(path) {
    if (path.includes('jest-circus')) delete require.cache[path];
    return require(path);
  }
};
