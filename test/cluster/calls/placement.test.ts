import { Placement } from '../../../src/cluster/calls/placement.js';
import type { Member } from '../../../src/cluster/members/cluster-members.js';

const memberOf = (id: string, more: Partial<Member> = {}): Member => ({
  id,
  machine: 'here',
  pid: 1,
  version: '1.0.0',
  peerUrl: 'http://127.0.0.1:1',
  startedAt: 0,
  calls: 0,
  warm: 1,
  lateMs: 0,
  isDraining: false,
  ...more,
});

const OWN = memberOf('own');
const choose = (own: Partial<Member>, others: readonly Member[]) =>
  new Placement().choose({ ...OWN, ...own }, others)?.id;

test('a call stays with the runner that was asked, while another has not clearly fewer', () => {
  expect(choose({}, [])).toBeUndefined();
  expect(choose({ calls: 2 }, [memberOf('a')])).toBeUndefined();
  expect(choose({ calls: 3 }, [memberOf('a')])).toBe('a');
  expect(choose({ calls: 100 }, [memberOf('a', { calls: 90 })])).toBeUndefined();
  expect(choose({ calls: 100 }, [memberOf('a', { calls: 89 })])).toBe('a');
});

test('one without a bot that waits, or whose event loop is late, gives it away, and is given none', () => {
  expect(choose({ warm: 0 }, [memberOf('a', { calls: 9 })])).toBe('a');
  expect(choose({ lateMs: 100 }, [memberOf('a', { calls: 9 })])).toBe('a');
  expect(choose({ calls: 9 }, [memberOf('a', { warm: 0 }), memberOf('b', { lateMs: 100 })])).toBeUndefined();
  expect(choose({ warm: 0 }, [memberOf('a', { warm: 0 })])).toBeUndefined();
});

test('one that leaves gives all away, also to one that is not ready, and never to one that leaves as well', () => {
  const leaving = { isDraining: true };
  expect(choose(leaving, [memberOf('a', { warm: 0 }), memberOf('b', { calls: 9 })])).toBe('b');
  expect(choose(leaving, [memberOf('a', { warm: 0 })])).toBe('a');
  expect(choose(leaving, [memberOf('a', leaving)])).toBeUndefined();
  expect(choose({ calls: 9 }, [memberOf('a', leaving)])).toBeUndefined();
});

test('calls that were given away a moment ago count, so that a burst is spread', () => {
  const placement = new Placement();
  const others = [memberOf('a'), memberOf('b'), memberOf('c')];
  const chosen = Array.from({ length: 9 }, () => placement.choose({ ...OWN, warm: 0 }, others)?.id);
  for (const { id } of others) expect(chosen.filter((one) => one === id)).toHaveLength(3);
});

test('a second later they count as what the runner says of itself', () => {
  const now = jest.spyOn(performance, 'now').mockReturnValue(5_000);
  const placement = new Placement();
  const others = [memberOf('a'), memberOf('b', { calls: 1 })];
  const chosen = () => placement.choose({ ...OWN, warm: 0 }, others)?.id;
  expect([chosen(), chosen(), chosen()]).toEqual(['a', 'a', 'b']);
  now.mockReturnValue(6_001);
  expect(chosen()).toBe('a');
  now.mockRestore();
});
