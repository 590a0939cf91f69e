import { unlessAborted } from '../../../src/base/async/deadline.js';

describe('a promise that counts unless a signal aborts', () => {
  const never = () => new Promise<never>(() => {});

  test('settles as it does', async () => {
    const { signal } = new AbortController();
    expect(await unlessAborted(Promise.resolve(1), signal)).toBe(1);
    await expect(unlessAborted(Promise.reject(new Error('no')), signal)).rejects.toThrow('no');
  });

  test('rejects with the reason of the signal, whatever the promise does', async () => {
    const controller = new AbortController();
    const waiting = unlessAborted(never(), controller.signal);
    controller.abort(new Error('stopped'));
    await expect(waiting).rejects.toThrow('stopped');
    await expect(unlessAborted(never(), controller.signal)).rejects.toThrow('stopped');
  });

  test('takes care of a promise that rejects as well where the signal had aborted before', async () => {
    const unhandled = jest.fn();
    process.on('unhandledRejection', unhandled);
    const signal = AbortSignal.abort(new Error('stopped'));
    await expect(unlessAborted(Promise.reject(new Error('late')), signal)).rejects.toThrow();
    await new Promise((resolve) => setImmediate(resolve));
    process.off('unhandledRejection', unhandled);
    expect(unhandled).not.toHaveBeenCalled();
  });
});
