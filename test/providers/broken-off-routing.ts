import type { NumberRouting } from '../../src/call/number-routing.js';
import { type Cut, CuttingProxy, type Loss } from '../../src/lab/kit/conformance/cutting-proxy.js';
import { MOVED_URLS, movedTo, type routingTools, targetOf } from './routed-number.js';

/** Which number. */
export type RoutingCase = [title: string, number: string];

/** A carrier's account on loopback. */
export interface RoutedAccount extends AsyncDisposable {
  readonly apiUrl: string;
  /** Every stored byte that a lease could change. */
  dump(): Promise<string>;
}

export interface RoutedCarrier {
  readonly tools: ReturnType<typeof routingTools>;
  startAccount(): Promise<RoutedAccount>;
  /** Writes that pointing the number at us and then elsewhere takes, and giving it back. */
  writesOf(number: string): { readonly apply: number; readonly undo: number };
}

const settles = (promise: Promise<unknown>): Promise<boolean> =>
  promise.then(
    () => true,
    () => false,
  );

/** What becomes of a number's setting when the process is killed that changes it, or undoes that, after each of its writes. */
export function describeKilled(carrier: RoutedCarrier, cases: readonly RoutingCase[]): void {
  const { plan, apply, undo } = carrier.tools;

  describe.each(cases)('pointing %s at us and being killed', (_title: string, number: string) => {
    const writes = carrier.writesOf(number);
    const of = useAccount(carrier);

    test('is undone by a new client, wherever that was', async () => {
      const { account, proxy, throughProxy, before } = of();
      let cuts = 0;
      for (let done = 0; done === 0 || proxy.hasCut; done += 1) {
        const change = await plan(account, targetOf(number));
        proxy.cut(killedAfter(done));
        const dying = throughProxy(async (routing) => {
          await routing.apply(change);
          await routing.apply(movedTo(change, MOVED_URLS));
        });
        if (!(await settles(dying))) cuts += 1;
        const outcome = await undo(account, movedTo(change, MOVED_URLS));
        expect(['restored', 'unchanged']).toContain(outcome);
        expect(await account.dump()).toBe(before);
      }
      expect(cuts).toBe(1 + writes.apply);
    });

    test('while it is undone, is undone by the next', async () => {
      const { account, proxy, throughProxy, before } = of();
      let cuts = 0;
      for (let done = 0; done === 0 || proxy.hasCut; done += 1) {
        const change = await plan(account, targetOf(number));
        await apply(account, change);
        proxy.cut(killedAfter(done));
        if (!(await settles(throughProxy((routing) => routing.undo(change))))) cuts += 1;
        expect(['restored', 'unchanged']).toContain(await undo(account, change));
        expect(await account.dump()).toBe(before);
      }
      expect(cuts).toBe(1 + writes.undo);
    });
  });
}

/** The same, when each of the writes is lost and the process goes on. */
export function describeGoingOn(carrier: RoutedCarrier, cases: readonly RoutingCase[], losses: readonly Loss[]): void {
  const { plan, apply } = carrier.tools;

  describe.each(cases)('pointing %s at us and going on', (_title: string, number: string) => {
    const of = useAccount(carrier);

    test.each(losses)('makes up for a write whose %s is lost', async (loss) => {
      const { account, proxy, throughProxy, before } = of();
      for (let at = 1; at === 1 || proxy.hasCut; at += 1) {
        const change = await plan(account, targetOf(number));
        proxy.cut({ at, loss, isForGood: false });
        await throughProxy(async (routing) => {
          await routing.apply(change);
          expect(await routing.verify(change)).toBeUndefined();
          const pointed = await account.dump();
          await apply(account, change);
          expect(await account.dump()).toBe(pointed); // nothing was made twice
          // The end of the first attempt to delete may have been carried out.
          expect(['restored', 'unchanged']).toContain(await routing.undo(change));
        });
        expect(await account.dump()).toBe(before);
      }
    });
  });
}

/** An account, and a proxy before it, for all tests of a block: every round leaves the account as it was `before`. */
function useAccount({ startAccount, tools }: RoutedCarrier) {
  let account: RoutedAccount;
  let proxy: CuttingProxy;
  let before: string;
  beforeAll(async () => {
    account = await startAccount();
    proxy = await CuttingProxy.listen(new URL(account.apiUrl).origin);
    before = await account.dump();
  });
  afterAll(async () => {
    await proxy[Symbol.asyncDispose]();
    await account[Symbol.asyncDispose]();
  });
  const throughProxy = <T>(use: (routing: NumberRouting) => Promise<T>) =>
    tools.withRouting(`${proxy.url}${new URL(account.apiUrl).pathname}`, use);
  return () => ({ account, proxy, before, throughProxy });
}

/** A process that has written so often. It has not heard of the last write, which makes no difference to those that come after it. */
function killedAfter(done: number): Cut {
  return done === 0 ? { at: 1, loss: 'request', isForGood: true } : { at: done, loss: 'answer', isForGood: true };
}
