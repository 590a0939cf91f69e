import { EventEmitter } from 'node:events';
import { followTunnel } from '../../src/assembly/public-side.js';
import { VoicebotError } from '../../src/base/errors.js';
import type { RouteUrls } from '../../src/call/number-routing.js';
import { Reach } from '../../src/runner/http/reach.js';
import { WebhookAddresses } from '../../src/runner/http/webhook-addresses.js';
import type { TunnelEvents } from '../../src/runner/tunnel/tunnel.js';
import { until } from '../e2e/processes.js';
import { withoutPauses } from './without-pauses.js';

const FIRST = 'https://first.example';
const SECOND = 'https://second.example';
const THIRD = 'https://third.example';
const unreachable = () => new VoicebotError('VB_CARRIER_UNREACHABLE', 'a test');

class FakeTunnel extends EventEmitter<TunnelEvents> {
  isUp = true;
  url = FIRST;

  lose(): void {
    this.isUp = false;
    this.emit('lost', 'a test');
  }

  comeBack(url: string): void {
    const isNew = url !== this.url;
    this.isUp = true;
    this.url = url;
    this.emit('back', url, isNew);
  }
}

/** A number that follows a tunnel. */
class Following implements Disposable {
  readonly tunnel = new FakeTunnel();
  /** Where the number was pointed at, in vain too. */
  readonly moves: string[] = [];
  readonly problems: string[] = [];
  readonly back: Array<[url: string, hasMoved: boolean]> = [];
  /** Called for each move. */
  provider: () => Promise<void> | void = () => {};
  [Symbol.dispose] = () => {};

  start(): this {
    const addresses = new WebhookAddresses(FIRST);
    this[Symbol.dispose] = followTunnel({
      runner: { addresses, reach: new Reach(addresses) },
      tunnel: this.tunnel,
      transport: 'carrier',
      held: {
        move: async ({ answerUrl }: RouteUrls) => {
          this.moves.push(new URL(answerUrl).origin);
          await this.provider();
        },
      },
      onLost: () => {},
      onBack: (url, hasMoved) => this.back.push([url, hasMoved]),
      onProblem: (message) => this.problems.push(message),
    });
    return this;
  }
}

test.each([
  ['to one name follows to the next', THIRD],
  ['does when the same name is back', SECOND],
])('a number that could not follow %s', async (_title, name) => {
  using following = new Following().start();
  following.provider = () => {
    throw new VoicebotError('VB_REGISTRATION_FAILED', 'a test');
  };
  following.tunnel.lose();
  following.tunnel.comeBack(SECOND);
  await until(() => following.problems.length === 1, 'it is said');
  following.provider = () => {};
  following.tunnel.lose();
  following.tunnel.comeBack(name);
  await until(() => following.back.length === 1, 'the number follows');
  expect(following).toMatchObject({ moves: [SECOND, name], back: [[name, true]] });
  expect(following.problems).toHaveLength(1);
});

test('a provider that is not there is said once and tried again; another name does not wait for the next try', async () => {
  using following = new Following().start();
  following.provider = () => {
    throw unreachable();
  };
  await withoutPauses(async () => {
    following.tunnel.lose();
    following.tunnel.comeBack(SECOND);
    await until(() => following.moves.length >= 3, 'it is tried again');
  });
  expect(following.problems).toEqual([expect.stringContaining('the number does not follow the tunnel: ')]);
  following.provider = () => {};
  following.tunnel.lose();
  following.tunnel.comeBack(THIRD);
  await until(() => following.back.length === 1, 'the number follows');
  expect(following.moves.at(-1)).toBe(THIRD);
  expect(following.back).toEqual([[THIRD, true]]);
  expect(following.problems).toHaveLength(1);
});

test('a tunnel that moved and was lost before anybody listened takes the number along when it is back', async () => {
  using following = new Following();
  following.tunnel.comeBack(SECOND);
  following.tunnel.lose();
  following.start();
  following.tunnel.comeBack(SECOND);
  await until(() => following.back.length === 1, 'the number follows');
  expect(following).toMatchObject({ moves: [SECOND], back: [[SECOND, true]] });
});

test('a name that comes back moves nothing', async () => {
  using following = new Following().start();
  following.tunnel.lose();
  following.tunnel.comeBack(FIRST);
  await until(() => following.back.length === 1, 'the number follows');
  expect(following).toMatchObject({ moves: [], back: [[FIRST, false]], problems: [] });
});

test('nothing is moved after the end', async () => {
  const following = new Following().start();
  following.tunnel.lose();
  following.tunnel.comeBack(SECOND);
  following[Symbol.dispose]();
  following.tunnel.comeBack(THIRD);
  await new Promise(setImmediate);
  expect(following).toMatchObject({ moves: [], back: [], problems: [] });
});
