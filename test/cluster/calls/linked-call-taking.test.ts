import type { CallRecord } from '../../../src/call/call-record.js';
import { goesToOther, type LinkedCallTaking } from '../../../src/cluster/calls/linked-call-taking.js';
import type { Member } from '../../../src/cluster/members/cluster-members.js';

beforeEach(() => jest.useFakeTimers());
afterEach(() => jest.useRealTimers());

const GONE = 'runner-gone';
const OTHER = { id: 'runner-2' } as Member;

/** @param owners of the other call, one look after the other; the last one stays */
function cluster(owners: ReadonlyArray<string | undefined>, { live = [] as string[] } = {}) {
  const asked: unknown[] = [];
  let looks = 0;
  const taking = {
    directory: {
      kept: async () => ({ record: { linkedTo: 'call-1' } as unknown as CallRecord, life: {} }),
      ownerOf: async () => owners[Math.min(looks++, owners.length - 1)],
    },
    peers: { ask: async (...request: unknown[]) => void asked.push(request) },
    members: { ownId: 'runner-1', find: async (id: string) => (id === OTHER.id ? OTHER : undefined) },
    isLive: (id: string) => live.includes(id),
  } as unknown as LinkedCallTaking;
  return { taking, asked, looks: () => looks };
}

async function given(...built: Parameters<typeof cluster>) {
  const { taking, asked, looks } = cluster(...built);
  const going = goesToOther(taking, 'leg-1', GONE);
  await jest.advanceTimersByTimeAsync(10_000);
  return { isElsewhere: await going, asked, looks: looks() };
}

test('a call that was dialled beside another one goes to the runner that has taken the other', async () => {
  const path = '/cluster/calls/leg-1/take';
  expect(await given([OTHER.id])).toMatchObject({ isElsewhere: true, asked: [[OTHER, path, { from: GONE }]] });
});

test('also when that runner takes the other one a moment later', async () => {
  expect(await given([GONE, GONE, OTHER.id])).toMatchObject({ isElsewhere: true, looks: 3 });
});

test.each<[string, Parameters<typeof cluster>]>([
  ['this runner has the other one', [[OTHER.id], { live: ['call-1'] }]],
  ['this runner is named as its owner', [['runner-1']]],
  ['the other one is over', [[undefined]]],
  ['no runner takes the other one', [[GONE]]],
])('it may be taken here when %s', async (_when, built) => {
  expect(await given(...built)).toMatchObject({ isElsewhere: false, asked: [] });
});
