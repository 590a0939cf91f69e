import assert from 'node:assert/strict';
import type { NumberRoute, NumberRouting, RouteChange, RouteTarget, RouteUrls } from '../../../call/number-routing.js';
import { type Sandbox, startSandbox } from '../../../sandbox/sandbox.js';
import { type ConformanceStory, closing, type Tried } from './carrier-fixtures.js';
import { CuttingProxy } from './cutting-proxy.js';

/** Where a provider has its numbers in the sandbox. */
export interface NumberStage extends AsyncDisposable {
  readonly proxy: CuttingProxy;
  readonly routed: <T>(use: (routing: NumberRouting) => Promise<T>) => Promise<T>;
  readonly throughProxy: <T>(use: (routing: NumberRouting) => Promise<T>) => Promise<T>;
  /** Where every number points. */
  readonly dump: () => Promise<readonly NumberRoute[]>;
}

/** Whose numbers they are. */
export interface NumbersTried {
  /** A sandbox in which the first of {@link NUMBERS} points at {@link FORMER}, and the other nowhere. */
  readonly stage: () => Promise<NumberStage>;
  /** The addresses of a runner. */
  readonly urlsAt: (origin: string) => RouteUrls;
  /** Signs the webhooks, base64, where the provider is told what signs them. */
  readonly secret?: string;
}

export const FORMER = 'http://127.0.0.1:1/front-desk';
/** A number that another server answers, and one that none does. */
const NUMBERS = ['+12025550100', '+12025550119'] as const;

/** As another process reads it from disk. */
const written = (change: RouteChange): RouteChange => JSON.parse(JSON.stringify(change));

/** The numbers of a carrier. */
export function carrierNumbers({ extension: { carrier }, sandbox: side }: Tried): NumbersTried {
  return {
    urlsAt: (origin) => ({ answerUrl: `${origin}/answer`, hangupUrl: `${origin}/hangup` }),
    async stage() {
      const { publicKey, ...account } = (await (side as NonNullable<typeof side>)()).newAccount();
      const sandbox = await startSandbox({ carrier: carrier.name, ...account, answerUrl: FORMER });
      return numberStage(sandbox, sandbox.apiUrl, (apiUrl) =>
        carrier.createNumberRouting({ ...account, publicKey, apiUrl }),
      );
    },
  };
}

/** @param sandbox closed with the stage */
export async function numberStage(
  sandbox: Sandbox,
  apiUrl: string,
  open: (apiUrl: string) => Promise<NumberRouting>,
): Promise<NumberStage> {
  const { origin, pathname } = new URL(apiUrl);
  const proxy = await CuttingProxy.listen(origin);
  const routed = async <T>(use: (routing: NumberRouting) => Promise<T>, at = apiUrl): Promise<T> => {
    const routing = await open(at);
    return use(routing).finally(() => routing.close());
  };
  return {
    proxy,
    routed,
    throughProxy: (use) => routed(use, `${proxy.url}${pathname}`),
    dump: () => routed((routing) => routing.list()),
    async [Symbol.asyncDispose]() {
      await proxy[Symbol.asyncDispose]();
      await sandbox.close();
    },
  };
}

/** What is asked of where numbers point, on the sandbox. */
export function numberStories({ stage, urlsAt, secret }: NumbersTried): ConformanceStory[] {
  const MOVED = urlsAt('http://127.0.0.1:3');
  const moved = (change: RouteChange): RouteChange => ({ ...change, urls: [...change.urls, MOVED] });
  const targetOf = (number: string): RouteTarget => ({
    number,
    urls: urlsAt('http://127.0.0.1:2'),
    leaseId: 'lease0001',
    secret,
    isOldAddress: () => false,
  });
  const everyNumber = async (play: (number: string, on: NumberStage) => Promise<void>) => {
    for (const number of NUMBERS) await closing(stage(), (on) => play(number, on));
  };
  return [
    {
      title: 'a number is pointed at a runner, moved with it, and given back as it was',
      play: () =>
        everyNumber((number, { routed, dump }) =>
          routed(async (routing) => {
            const before = await dump();
            const { change, route } = await routing.plan(targetOf(number));
            assert.deepEqual(await dump(), before, 'plan changes nothing');
            assert.equal(route.webhookUrl, number === NUMBERS[0] ? FORMER : undefined);
            await routing.apply(written(change));
            assert.equal(await routing.verify(written(change)), undefined);
            await routing.apply(written(change)); // twice does no harm
            await routing.apply(written(moved(change)));
            assert.equal(await routing.verify(written(moved(change))), undefined);
            assert.notEqual(await routing.verify(written(change)), undefined);
            const pointed = (await dump()).find((one) => one.number === number);
            assert.equal(pointed?.webhookUrl, MOVED.answerUrl);
            assert.equal(pointed?.isOurs, true);
            assert.equal(await routing.undo(written(moved(change))), 'restored');
            assert.deepEqual(await dump(), before);
            assert.equal(await routing.undo(written(moved(change))), 'unchanged');
          }),
        ),
    },
    {
      title: 'a number is given back wherever pointing it broke off',
      play: () =>
        everyNumber(async (number, { routed, throughProxy, proxy, dump }) => {
          const before = await dump();
          for (let at = 1; at === 1 || proxy.hasCut; at += 1) {
            const { change } = await routed((routing) => routing.plan(targetOf(number)));
            await brokenOff(proxy, at, (signal) =>
              throughProxy(async (routing) => {
                await routing.apply(written(change), signal);
                await routing.apply(written(moved(change)), signal);
              }),
            );
            await routed((routing) => routing.undo(written(moved(change))));
            assert.deepEqual(await dump(), before, `after ${at} writes`);
          }
        }),
    },
    {
      title: 'a number is given back wherever giving it back broke off',
      play: () =>
        everyNumber(async (number, { routed, throughProxy, proxy, dump }) => {
          const before = await dump();
          for (let at = 1; at === 1 || proxy.hasCut; at += 1) {
            const { change } = await routed((routing) => routing.plan(targetOf(number)));
            await routed((routing) => routing.apply(written(change)));
            await brokenOff(proxy, at, (signal) => throughProxy((routing) => routing.undo(written(change), signal)));
            await routed((routing) => routing.undo(written(change)));
            assert.deepEqual(await dump(), before, `after ${at} writes`);
          }
        }),
    },
    {
      title: 'what another person has set meanwhile stays',
      play: () =>
        everyNumber(async (number, { routed, dump }) => {
          const { change } = await routed((routing) => routing.plan(targetOf(number)));
          await routed((routing) => routing.apply(written(change)));
          const other = { ...targetOf(number), leaseId: 'lease0002', urls: urlsAt('http://127.0.0.1:4') };
          const { change: theirs } = await routed((routing) => routing.plan(other));
          await routed((routing) => routing.apply(written(theirs)));
          assert.equal(await routed((routing) => routing.undo(written(change))), 'foreign');
          assert.equal((await dump()).find((one) => one.number === number)?.webhookUrl, other.urls.answerUrl);
        }),
    },
    {
      title: 'a number that the account does not have is told with those that it has',
      play: () =>
        closing(stage(), ({ routed }) =>
          assert.rejects(
            routed((routing) => routing.plan(targetOf('+12025550999'))),
            { code: 'VB_NUMBER_UNKNOWN', message: /\+12025550100/ },
          ),
        ),
    },
  ];
}

/** As when its process is killed with the write of this number, whose answer it does not hear. */
async function brokenOff(
  proxy: CuttingProxy,
  at: number,
  change: (signal: AbortSignal) => Promise<unknown>,
): Promise<void> {
  const killed = new AbortController();
  proxy.cut({ at, loss: 'answer', isForGood: true, onLost: () => killed.abort() });
  await change(killed.signal).catch((error: unknown) => {
    if (!proxy.hasCut) throw error;
  });
}
