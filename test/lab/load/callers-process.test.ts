import { CallersProcess } from '../../../src/lab/load/callers-process.js';

test('callers whose process was killed while nobody asked it are told to be gone, also to those who ask later', async () => {
  const callers = await CallersProcess.start(process.env, { carrier: 'plivo' });
  const order = { calls: 0, everyMs: 0, lengthMs: undefined, words: 'Hello', stays: true };
  const begun = callers.begin(order);
  await begun.dialled;

  process.kill(callers.pid ?? 0, 'SIGKILL');

  const gone = { code: 'VB_SANDBOX_FAILED', message: expect.stringContaining('has ended (signal SIGKILL)') };
  await expect(callers.lost).rejects.toMatchObject(gone);
  await expect(begun.over).rejects.toMatchObject(gone);
  await expect(callers.count()).rejects.toMatchObject(gone);
  await expect(callers.resize(1, 0)).rejects.toMatchObject(gone);
  await expect(callers.begin(order).dialled).rejects.toMatchObject(gone);
});
