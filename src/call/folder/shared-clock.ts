const [seconds, nanoseconds] = process.hrtime();
const offset = seconds * 1_000 + nanoseconds / 1e6 - performance.now();

/** Monotonic milliseconds, for all threads of the process the same. */
export const sharedNow = (): number => performance.now() + offset;
