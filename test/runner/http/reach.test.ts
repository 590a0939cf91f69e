import { deferred } from '../../../src/base/async/deferred.js';
import { Reach } from '../../../src/runner/http/reach.js';
import { WebhookAddresses } from '../../../src/runner/http/webhook-addresses.js';

const FIRST = 'https://first.example.com';
const SECOND = 'https://second.example.com';

const never = new AbortController().signal;

test('tells once that the tunnel is gone, and every time that it is back and whether elsewhere', () => {
  const addresses = new WebhookAddresses(FIRST);
  const reach = new Reach(addresses);
  const told: unknown[] = [];
  reach.on('lost', () => told.push('lost')).on('back', (hasMoved) => told.push(hasMoved));
  reach.lost();
  reach.lost();
  expect(reach.isUp).toBe(false);
  reach.back(FIRST);
  reach.back(SECOND);
  expect(reach.isUp).toBe(true);
  expect(told).toEqual(['lost', false, true]);
  expect(addresses.publicUrl).toBe(SECOND);
});

test('is open as told when there is nothing to look with', async () => {
  const reach = new Reach(new WebhookAddresses(FIRST), { isUp: false });
  expect(await reach.isOpen()).toBe(false);
  reach.back(FIRST);
  expect(await reach.isOpen()).toBe(true);
});

test('looks once for all who ask at the same time, and again for the next', async () => {
  const looks: string[] = [];
  const look = deferred();
  const probe = (url: string) => {
    looks.push(url);
    return look.promise;
  };
  const reach = new Reach(new WebhookAddresses(FIRST), { probe });
  const asked = [reach.isOpen(), reach.isOpen(), reach.isOpen()];
  look.resolve();
  expect(await Promise.all(asked)).toEqual([true, true, true]);
  expect(looks).toEqual([FIRST]);
  await reach.isOpen();
  expect(looks).toHaveLength(2);
});

test('is not open when its name has changed, or the tunnel gone, while it looked', async () => {
  const reach = new Reach(new WebhookAddresses(FIRST), { probe: async () => {} });
  const moving = reach.isOpen();
  reach.back(SECOND);
  expect(await moving).toBe(false);
  const losing = reach.isOpen();
  reach.lost();
  expect(await losing).toBe(false);
});

test('waits until a look succeeds, without being told', async () => {
  let failures = 2;
  const probe = async () => {
    failures -= 1;
    if (failures >= 0) throw new Error('nothing is there');
  };
  await new Reach(new WebhookAddresses(FIRST), { probe }).opened(never);
  expect(failures).toBe(-1);
});

test('waits no longer than it is wanted', async () => {
  const reach = new Reach(new WebhookAddresses(FIRST), { isUp: false });
  const unwanted = new AbortController();
  const waiting = reach.opened(unwanted.signal);
  unwanted.abort(new Error('enough'));
  await expect(waiting).rejects.toThrow('enough');
  await expect(reach.opened(unwanted.signal)).rejects.toThrow('enough');
  expect(reach.listenerCount('back')).toBe(0);
});
