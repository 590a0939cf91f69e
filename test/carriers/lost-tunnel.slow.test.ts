import { until } from '../e2e/processes.js';
import { LoopbackTunnel } from '../runner/loopback-tunnel.js';
import { PATIENCE_MS } from './conformance/caller.js';
import { CARRIERS, type PlayedCarrier } from './conformance/carriers.js';
import { pointNumber } from './conformance/point-number.js';
import { Rig } from './conformance/rig.js';
import { greeted } from './conformance/story.js';

jest.setTimeout(90_000);

/** A runner that its carrier reaches through a tunnel. */
class Tunnelled implements AsyncDisposable {
  static async start(played: PlayedCarrier): Promise<Tunnelled> {
    const rig = await Rig.start(played, { isTunnelled: true, warm: 2 });
    const line = new Tunnelled(rig, await LoopbackTunnel.open(Number(new URL(rig.tap.url).port)));
    await line.#register();
    return line;
  }

  private constructor(
    readonly rig: Rig,
    private readonly tunnel: LoopbackTunnel,
  ) {}

  /** The tunnel is gone; its loss is told at once, or not at all. */
  async breakDown({ isTold = true } = {}): Promise<void> {
    await this.tunnel.breakDown();
    if (isTold) this.rig.served.runner.reach.lost();
  }

  async comeBack(as: 'moved' | 'same'): Promise<void> {
    await this.tunnel.comeBack(as);
    await this.#register();
  }

  /** How many bots have greeted the caller so far. */
  async greetings(id: string, count: number): Promise<void> {
    const greetings = () => this.rig.told.filter((told) => told.id === id && told.event === 'greeted').length;
    await until(() => greetings() === count, `${count} greetings`, PATIENCE_MS);
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.rig[Symbol.asyncDispose]();
    await this.tunnel[Symbol.asyncDispose]();
  }

  async #register(): Promise<void> {
    const { played, sandbox, served } = this.rig;
    served.runner.reach.back(this.tunnel.url);
    await pointNumber(played, sandbox, served.runner.addresses);
  }
}

const LOSSES = [
  { isTold: true, as: 'moved' },
  { isTold: true, as: 'same' },
  { isTold: false, as: 'moved' },
] as const;

describe.each(CARRIERS)('at $name', (played: PlayedCarrier) => {
  test('a lost tunnel that comes back, told or not, under its name or another, brings the caller back to a bot', async () => {
    await using on = await Tunnelled.start(played);
    const { line, id } = await greeted(on.rig, '+12025550121');
    const timesAsked = () => JSON.stringify(line.phone.events.all).split('speaking: One moment, please.').length - 1;
    for (const [before, { isTold, as }] of LOSSES.entries()) {
      await on.breakDown({ isTold });
      await until(() => timesAsked() === before + 1, `the caller is asked to wait, loss ${before + 1}`, PATIENCE_MS);
      await on.comeBack(as);
      await on.greetings(id, before + 2);
    }
    line.press('1');
    expect(await on.rig.over(id)).toMatchObject({ attempt: 1, reconnects: LOSSES.length, endReason: 'bot_ended' });
    await until(() => on.rig.sandbox.liveCalls === 0, 'no call is left at the carrier', PATIENCE_MS);
  });

  test('a caller who hangs up while the tunnel is gone has hung up', async () => {
    await using on = await Tunnelled.start(played);
    const { line, id } = await greeted(on.rig, '+12025550122');
    await on.breakDown();
    await on.rig.hears(id, 'over');
    line.hangUp();
    await line.ended();
    await on.comeBack('moved');
    expect(await on.rig.over(id)).toMatchObject({ attempt: 1, endReason: 'caller_hung_up' });
  });
});
