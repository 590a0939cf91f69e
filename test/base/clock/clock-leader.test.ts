import { inThread } from './thread.js';

test('time goes no further here than the farthest behind has told, and 120 ms', async () => {
  const gone = await inThread(`
    const leader = clocks.ClockLeader.start(100);
    const began = Date.now();
    let lease;
    const member = leader.join((given) => { lease = given; });
    await machineSleep(50);
    const stuck = Date.now() - began;
    member.reported({ reachedMs: began + 1_000, isWorking: false });
    await new Promise((done) => setTimeout(done, 800));
    const after = Date.now() - began;
    member.leave();
    await new Promise((done) => setTimeout(done, 10_000));
    return { stuck, isFarther: after > 700, after, own: lease };`);
  const { stuck, after } = gone as { stuck: number; after: number };
  expect(gone).toMatchObject({ isFarther: true, own: { speed: 1 } });
  expect(gone).not.toHaveProperty('own.untilMs');
  expect(stuck).toBeLessThanOrEqual(245); // where it began is where the other was, or half a window ahead of it
  expect(after).toBeLessThanOrEqual(1_125);
});

test('while somebody works, here or there, time goes no faster than by the machine', async () => {
  const runs = await inThread(`
    const leader = clocks.ClockLeader.start(1_000);
    const measured = async () => {
      const [began, machineBegan] = [Date.now(), clocks.machineNow()];
      await machineSleep(60);
      return Date.now() - began - (clocks.machineNow() - machineBegan);
    };
    const done = clocks.beginWork();
    await machineSleep(30);
    const own = await measured();
    done();
    let isWorking = true;
    const member = leader.join(({ untilMs }) => {
      if (untilMs) setImmediate(() => member.reported({ reachedMs: untilMs, isWorking }));
    });
    await machineSleep(30);
    const others = await measured();
    isWorking = false;
    const before = Date.now();
    while (Date.now() - before < 10_000) await machineSleep(5);
    leader.stop();
    return { own, others };`);
  const { own, others } = runs as { own: number; others: number };
  expect(own).toBeLessThanOrEqual(121);
  expect(others).toBeLessThanOrEqual(121);
});

test('a process that joins begins where the others are, and goes at its own pace when it has left or the leader stops', async () => {
  const leases = await inThread(`
    const leader = clocks.ClockLeader.start(50);
    const given = [];
    const first = leader.join((lease) => given.push(['first', lease]));
    const second = leader.join((lease) => given.push(['second', lease]));
    first.leave();
    first.leave();
    leader.stop();
    second.leave();
    return given.map(([name, { untilMs, speed }]) => [name, untilMs === undefined ? 'free' : 'leased', speed]);`);
  expect(leases).toEqual([
    ['first', 'leased', 50],
    ['second', 'leased', 50],
    ['first', 'free', 1],
    ['second', 'free', 1],
  ]);
});
