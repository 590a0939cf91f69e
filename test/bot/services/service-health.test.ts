import { ProviderError } from '../../../src/base/provider-error.js';
import { ServiceHealth, type ServiceState } from '../../../src/bot/services/service-health.js';

const NAME = { does: 'speech_to_text', provider: 'Deepgram', model: 'nova-3' } as const;
const OTHER = { does: 'speech_to_text', provider: 'ElevenLabs' } as const;
const ERROR = new ProviderError('Deepgram', 'VB_PROVIDER_FAILED', '503');

beforeEach(() => {
  jest.useFakeTimers();
});
afterEach(() => jest.useRealTimers());

function watched() {
  const health = new ServiceHealth();
  const changes: ServiceState[] = [];
  health.on('changed', (state) => changes.push(state));
  return { health, changes };
}

test('a service that has failed is asked last, and told once, until a probe succeeds', async () => {
  const { health, changes } = watched();
  const probes: boolean[] = [false, false, true];
  const probe = jest.fn(async () => {
    if (!probes.shift()) throw ERROR;
  });
  health.failed(NAME, ERROR, probe);
  health.failed(NAME, ERROR, probe);
  expect(health.inOrder([NAME, OTHER], (name) => name)).toEqual([OTHER, NAME]);
  expect(health.failing).toMatchObject([{ ...NAME, isWell: false, why: ERROR.message, since: Date.now() }]);
  for (const [ms, times] of [
    [4_999, 0],
    [1, 1],
    [9_999, 1],
    [1, 2],
    [20_000, 3],
  ] as const) {
    await jest.advanceTimersByTimeAsync(ms);
    expect([ms, probe.mock.calls.length]).toEqual([ms, times]);
  }
  expect(health.inOrder([NAME, OTHER], (name) => name)).toEqual([NAME, OTHER]);
  expect(changes.map(({ isWell }) => isWell)).toEqual([false, true]);
  await jest.advanceTimersByTimeAsync(300_000);
  expect(probe).toHaveBeenCalledTimes(3);
});

test('a vendor that asks for time is not asked before, and for ten minutes at most', async () => {
  const { health } = watched();
  const probe = jest.fn(async () => {});
  health.failed(NAME, ERROR, probe, 30_000);
  health.failed(OTHER, ERROR, probe, 24 * 60 * 60_000);
  await jest.advanceTimersByTimeAsync(29_999);
  expect(probe).not.toHaveBeenCalled();
  await jest.advanceTimersByTimeAsync(1);
  expect(health.failing).toMatchObject([OTHER]);
  await jest.advanceTimersByTimeAsync(10 * 60_000);
  expect(health.failing).toEqual([]);
});

test('the latest time that a vendor asks for counts, whoever was told it', async () => {
  const { health, changes } = watched();
  const probe = jest.fn(async () => {
    throw new ProviderError('Deepgram', 'VB_PROVIDER_FAILED', '429', { retryAfterMs: 100_000 });
  });
  health.failed(NAME, ERROR, probe);
  health.failed(NAME, ERROR, undefined, 20_000);
  expect(changes.map(({ notBefore }) => notBefore)).toEqual([undefined, Date.now() + 20_000]);
  await jest.advanceTimersByTimeAsync(19_999);
  expect(probe).not.toHaveBeenCalled();
  await jest.advanceTimersByTimeAsync(1);
  expect(probe).toHaveBeenCalledTimes(1);
  health.learn({ ...NAME, isWell: false, notBefore: Date.now() + 200_000 }, false);
  await jest.advanceTimersByTimeAsync(199_999);
  expect(probe).toHaveBeenCalledTimes(1);
  await jest.advanceTimersByTimeAsync(1);
  expect(probe).toHaveBeenCalledTimes(2);
});

test('a service that is never well is tried at growing distances, one that refuses the key every ten minutes', async () => {
  const { health } = watched();
  const probe = jest.fn(async () => {
    throw ERROR;
  });
  const refused = jest.fn(async () => {
    throw new ProviderError('ElevenLabs', 'VB_CREDENTIALS_REFUSED', '401');
  });
  health.failed(NAME, ERROR, probe);
  health.failed(OTHER, new ProviderError('ElevenLabs', 'VB_CREDENTIALS_REFUSED', '401'), refused);
  await jest.advanceTimersByTimeAsync(60 * 60_000);
  expect([probe.mock.calls.length, refused.mock.calls.length]).toEqual([12, 6]);
});

test('a service without a probe is well again when a call has found that out, and not before', async () => {
  const { health, changes } = watched();
  health.failed(NAME, ERROR);
  await jest.advanceTimersByTimeAsync(60 * 60_000);
  expect([health.isWell(NAME), changes.length]).toEqual([false, 1]);
  health.works(NAME);
  expect(changes.map(({ isWell }) => isWell)).toEqual([false, true]);
});

test('what another process has found out counts here, and is tried again only where that is wanted', async () => {
  const { health, changes } = watched();
  const probe = jest.fn(async () => {});
  health.probeWith(NAME, probe);
  health.learn({ ...NAME, isWell: false, since: 1, why: '503' }, false);
  await jest.advanceTimersByTimeAsync(600_000);
  expect(health.isWell(NAME)).toBe(false);
  health.learn({ ...NAME, isWell: false, since: 1, why: '503' }, true);
  await jest.advanceTimersByTimeAsync(5_000);
  expect(probe).toHaveBeenCalledTimes(1);
  expect(changes).toEqual([{ ...NAME, isWell: true }]);
  health.learn({ ...NAME, isWell: false }, false);
  health.learn({ ...NAME, isWell: true }, false);
  expect(health.isWell(NAME)).toBe(true);
  expect(changes).toHaveLength(1);
});

test('a service that was asked all the same and answered is well again', () => {
  const { health, changes } = watched();
  health.failed(NAME, ERROR, async () => {});
  health.works(NAME);
  health.works(NAME);
  expect(changes.map(({ isWell }) => isWell)).toEqual([false, true]);
  expect(jest.getTimerCount()).toBe(0);
});
