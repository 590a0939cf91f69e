const { once } = require('node:events');
const { createServer } = require('node:http');
const { ModernFakeTimers } = require('@jest/fake-timers');
const { ModuleMocker } = require('jest-mock');
const undici = require('undici');
const { handlesClosed, openHandles } = require('./open-handles.cjs');

/**
 * undici and Node's `fetch` each start one timer for all their timeouts, at the first request of the process, and keep it. This request
 * has them do so before a test makes timers fake: nothing would time out in the files after that one.
 */
async function startTimersOfClients() {
  const server = createServer((_request, response) => response.end()).listen(0, '127.0.0.1');
  await once(server, 'listening');
  const url = `http://127.0.0.1:${server.address().port}`;
  await (await fetch(url)).text();
  await (await undici.request(url)).body.dump();
  server.closeAllConnections();
  await once(server.close(), 'close');
  await new Promise(setImmediate); // the clients note that their connections are gone
}

let timersOfClients;

/** A package that a file has loaded may listen to them, and would end the process when a later file plays one. */
const SIGNALS = ['SIGINT', 'SIGTERM', 'SIGHUP'];

/**
 * Runs test files in the context of their worker process, where a module that one file has loaded is loaded for the next one too.
 * What a file changes of the process itself is put back after it: the environment variables, timers, listeners to signals, and
 * `process.exit`. A file that leaves something open fails.
 */
module.exports = class SharedEnvironment {
  global = globalThis;
  moduleMocker = new ModuleMocker(globalThis);
  #openBefore;
  #failures = [];
  #before = { env: { ...process.env }, exit: process.exit, console };
  #listening = SIGNALS.map((signal) => process.listeners(signal));

  constructor({ projectConfig }) {
    this.fakeTimersModern = new ModernFakeTimers({ config: projectConfig, global: globalThis });
  }

  async setup() {
    timersOfClients ??= startTimersOfClients();
    await timersOfClients;
    this.#openBefore = openHandles();
    Error.prepareStackTrace = undefined; // Jest's reads its own source maps; Node reads those of the loader
    // What jest-circus keeps there belongs to the file before: its event handlers, and what it gave to `jest.setTimeout`.
    delete globalThis[Symbol.for('EVENT_HANDLERS')];
    delete globalThis[Symbol.for('TEST_TIMEOUT_SYMBOL')];
  }

  /** Jest shows nothing of the tests of a file whose environment throws. */
  handleTestEvent({ name, test }) {
    if (name === 'test_fn_failure' || name === 'hook_failure') this.#showFakeTimers();
    if (name !== 'test_done') return;
    for (const error of test.errors) this.#failures.push(`${test.name}: ${[error].flat()[0]?.message ?? error}`);
  }

  /** A test that counts the timers says only how many are left. */
  #showFakeTimers() {
    const { _fakingTime: isFaking, _clock: clock } = this.fakeTimersModern;
    if (!isFaking) return;
    for (const { type, delay, func } of [...(clock.timers?.values() ?? []), ...(clock.jobs ?? [])])
      process.stderr.write(`  left on the fake clock: ${type ?? 'job'} ${delay ?? ''}: ${func}\n`);
  }

  async teardown() {
    this.fakeTimersModern.dispose();
    await handlesClosed(this.#openBefore).catch((error) => {
      throw new Error([error.message, ...this.#failures].join('\n'), { cause: error });
    });
    for (const [at, signal] of SIGNALS.entries()) {
      const added = process.listeners(signal).filter((listener) => !this.#listening[at].includes(listener));
      for (const listener of added) process.off(signal, listener);
    }
    // Which services fail is known to all files of a process.
    const health = globalThis[Symbol.for('voicebot.serviceHealth')];
    for (const service of health?.failing ?? []) health.works(service);
    process.exit = this.#before.exit;
    globalThis.console = this.#before.console;
    for (const name of Object.keys(process.env)) delete process.env[name];
    Object.assign(process.env, this.#before.env);
  }

  getVmContext() {
    return null;
  }
};
