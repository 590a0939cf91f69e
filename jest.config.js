const common = {
  roots: ['<rootDir>/test'],
  runtime: '<rootDir>/test/jest/runtime.cjs',
  testEnvironment: '<rootDir>/test/jest/environment.cjs',
  // Node's own parts and jest's worker run in the same context: what they do next must not wait for the fake clock, nor be counted there.
  fakeTimers: { doNotFake: ['nextTick', 'queueMicrotask', 'setImmediate'] },
  transform: {},
};

/**
 * `x.test.ts` runs beside others. Only `npm run test:all` runs the rest: `x.slow.test.ts`, beside others too; `x.slow.paced.test.ts`, which
 * makes calls in real time, one per core; `x.slow.serial.test.ts` alone, since what it measures needs the processor for itself.
 * @type {import('jest').Config}
 */
export default {
  projects: [
    { ...common, displayName: 'quick', testRegex: ['/[^.]+\\.test\\.ts$'] },
    { ...common, displayName: 'slow', testRegex: ['\\.slow\\.test\\.ts$'] },
    { ...common, displayName: 'slow paced', testRegex: ['\\.slow\\.paced\\.test\\.ts$'] },
    { ...common, displayName: 'slow serial', testRegex: ['\\.slow\\.serial\\.test\\.ts$'] },
  ],
  testTimeout: 30_000,
  // With a limit, jest uses workers even for a single file. In its own process, a file that makes timers fake would stop jest's as well.
  // One that has used more ends after its file: with a byte, each file has a process of its own.
  workerIdleMemoryLimit: process.env.TEST_FILES_APART ? 1 : '4GB',
  // A worker that has nothing open (the environment sees to that) may still have to wait for a busy processor before it can end: longer
  // than jest's own 500 ms, after which it would tell of leaks.
  workerGracefulExitTimeout: 5_000,
};
