import { Worker } from 'node:worker_threads';
import { PACKAGE_ROOT } from '../../cli/voicebot.js';

/**
 * Runs code in a thread of its own, whose clock and timers it may change: those of jest stay as they are.
 * @param code of an asynchronous function that has `process-clock`, `clock-leader` and `clock-member` as `clocks`
 * @returns what it gives
 */
export async function inThread(code: string): Promise<unknown> {
  const modules = ['process-clock', 'clock-leader', 'clock-member'].map(
    (name) => `file://${PACKAGE_ROOT}dist/base/clock/${name}.js`,
  );
  const script = `
    import { parentPort } from 'node:worker_threads';
    import timers, { setTimeout as importedTimeout } from 'node:timers';
    import { setTimeout as sleep, setInterval as sleeps, scheduler } from 'node:timers/promises';
    import { AsyncLocalStorage } from 'node:async_hooks';
    import { promisify } from 'node:util';
    ${modules.map((url, at) => `import * as part${at} from ${JSON.stringify(url)};`).join('\n')}
    const clocks = { ...part0, ...part1, ...part2 };
    const machineSleep = (ms) => new Promise((done) => clocks.machineTimeout(done, ms));
    const run = async () => {${code}};
    run().then((value) => parentPort.postMessage({ value }), (error) => parentPort.postMessage({ error: String(error.stack) }));`;
  const worker = new Worker(new URL(`data:text/javascript,${encodeURIComponent(script)}`));
  try {
    return await new Promise((resolve, reject) => {
      worker.once('error', reject);
      worker.once('message', ({ value, error }) => (error === undefined ? resolve(value) : reject(new Error(error))));
    });
  } finally {
    await worker.terminate();
  }
}
