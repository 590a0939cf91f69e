import { inThread } from './thread.js';

/** A clock a thousand times as fast: a timer of a minute takes 60 ms. */
const FAST = `
  const clock = clocks.followClock({ nowMs: Date.UTC(2026, 0, 2) });
  clock.allow(0, Infinity, 1000);`;

test('Date, performance.now and process.hrtime tell the time of the clock', async () => {
  const told = await inThread(`${FAST}
    const before = [Date.now(), performance.now(), Number(process.hrtime.bigint()) / 1e6, process.hrtime()];
    await machineSleep(20);
    const [seconds, nanoseconds] = process.hrtime(before[3]);
    return {
      passed: [Date.now() - before[0], performance.now() - before[1], Number(process.hrtime.bigint()) / 1e6 - before[2],
        seconds * 1e3 + nanoseconds / 1e6].every((ms) => ms >= 15_000), // timers may end a little early
      year: new Date().getUTCFullYear(),
      given: new Date(5).getTime(),
      text: typeof Date(),
      isDate: new Date() instanceof Date && new Date().constructor === Date && Date.UTC(2026, 0) > 0,
      same: Math.abs(performance.timeOrigin + performance.now() - Date.now()) < 5_000,
    };`);
  expect(told).toEqual({ passed: true, year: 2026, given: 5, text: 'string', isDate: true, same: true });
});

const WAITS: Readonly<Record<string, string>> = {
  setTimeout: 'new Promise((done) => setTimeout(done, 60_000))',
  'setTimeout as it was imported before': 'new Promise((done) => importedTimeout(done, 60_000))',
  'setTimeout of node:timers': 'new Promise((done) => timers.setTimeout(done, 60_000))',
  'setTimeout made a promise': 'promisify(setTimeout)(60_000)',
  'setTimeout of node:timers/promises': 'sleep(60_000)',
  'scheduler.wait': 'scheduler.wait(60_000)',
  'AbortSignal.timeout': "new Promise((done) => AbortSignal.timeout(60_000).addEventListener('abort', done))",
  setInterval:
    'new Promise((done) => { let n = 0; const t = setInterval(() => { if (++n === 3) { clearInterval(t); done(); } }, 20_000); })',
  'setInterval of node:timers/promises':
    '(async () => { let n = 0; for await (const _ of sleeps(20_000)) if (++n === 3) return; })()',
};

test('every timer of Node waits by the clock, no less than it should', async () => {
  const measured = Object.entries(WAITS).map(
    ([name, waits]) => `${JSON.stringify(name)}: await measured(() => ${waits}),`,
  );
  const waited = await inThread(`${FAST}
    const alive = setInterval(() => {}, 3_600_000); // a signal keeps no thread
    const measured = async (wait) => { const before = Date.now(); await wait(); return Date.now() - before >= 59_900; };
    return { ${measured.join('\n')} };`);
  expect(waited).toEqual(Object.fromEntries(Object.keys(WAITS).map((name) => [name, true])));
});

test('timers are ended, begun anew and told apart as those of Node are', async () => {
  const done = await inThread(`${FAST}
    const begin = clock.now();
    const upTo = (ms) => clock.allow(0, begin + ms, 1000); // however late the thread is
    upTo(0);
    const fired = [];
    const ended = [setTimeout(() => fired.push('cleared'), 5_000), setInterval(() => fired.push('interval'), 5_000)];
    ended.forEach((one) => clearTimeout(one));
    const later = setTimeout(() => fired.push('refreshed'), 30_000);
    setTimeout((...args) => fired.push(args.join(' ')), 20_000, 'with', 'arguments');
    const soon = sleep(25_000);
    upTo(25_500);
    await soon;
    later.refresh();
    const refs = [later.hasRef(), later.unref().hasRef(), later.ref().hasRef()];
    const next = sleep(25_000);
    upTo(51_000);
    await next;
    const early = [...fired];
    upTo(Infinity);
    await sleep(35_000);
    const stop = new AbortController();
    const waits = sleep(60_000, 'value', { signal: stop.signal }).catch(({ name, code, cause }) => [name, code, cause]);
    stop.abort('enough');
    return { early, fired, refs, value: await sleep(10, 'value'), stopped: await waits,
      late: await sleep(1, 0, { signal: AbortSignal.abort() }).catch(({ name }) => name) };`);
  expect(done).toEqual({
    early: ['with arguments'],
    fired: ['with arguments', 'refreshed'],
    refs: [true, false, true],
    value: 'value',
    stopped: ['AbortError', 'ABORT_ERR', 'enough'],
    late: 'AbortError',
  });
});

test('a timer runs in the context of the code that has started it', async () => {
  const code = `${FAST} const store = new AsyncLocalStorage();
    return await new Promise((done) => store.run('mine', () => setTimeout(() => done(store.getStore()), 5_000)));`;
  expect(await inThread(code)).toBe('mine');
});

test('no timer fires while the clock stands still; it does when time goes on', async () => {
  const fired = await inThread(`${FAST}
    clock.allow(0, clock.now() + 50, 1000);
    let isOver = false;
    const over = new Promise((done) => setTimeout(() => { isOver = true; done(); }, 100));
    await machineSleep(30);
    const early = isOver;
    clock.allow(0, Infinity, 1000);
    await over;
    return { early, isOver };`);
  expect(fired).toEqual({ early: false, isOver: true });
});

test('what waits for work of the machine waits by the machine, and so does everything once the clock is left', async () => {
  const passed = await inThread(`
    const began = performance.now();
    ${FAST}
    await machineSleep(20);
    const signal = clocks.machineSignal(60_000);
    await sleep(120_000);
    const pending = sleep(1_000_000);
    clocks.leaveClock();
    await machineSleep(20);
    return { signal: signal.aborted, year: new Date().getUTCFullYear(), native: setTimeout === timers.setTimeout,
      ms: performance.now() - began };`);
  expect(passed).toMatchObject({ signal: false, native: true });
  expect((passed as { year: number }).year).toBe(new Date().getUTCFullYear());
  expect((passed as { ms: number }).ms).toBeGreaterThanOrEqual(40);
});
