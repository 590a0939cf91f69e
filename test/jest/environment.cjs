const { ModernFakeTimers } = require('@jest/fake-timers');
const { ModuleMocker } = require('jest-mock');

/**
 * Runs test files in the context of their worker process, where a module that one file has loaded is loaded for the next one too.
 * What a file changes of the process itself is put back after it: the environment variables, timers, and `process.exit`.
 */
module.exports = class SharedEnvironment {
  global = globalThis;
  moduleMocker = new ModuleMocker(globalThis);
  #before = { env: { ...process.env }, exit: process.exit, console, cwd: process.cwd() };

  constructor({ projectConfig }) {
    this.fakeTimersModern = new ModernFakeTimers({ config: projectConfig, global: globalThis });
  }

  async setup() {
    Error.prepareStackTrace = undefined; // Jest's reads its own source maps; Node reads those of the loader
    delete globalThis[Symbol.for('EVENT_HANDLERS')]; // of jest-circus, which would add this file's to those of the file before
  }

  async teardown() {
    this.fakeTimersModern.dispose();
    process.exit = this.#before.exit;
    globalThis.console = this.#before.console;
    for (const name of Object.keys(process.env)) delete process.env[name];
    Object.assign(process.env, this.#before.env);
  }

  getVmContext() {
    return null;
  }
};
