import { CuttingProxy, type Loss } from './cutting-proxy.js';
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

/** What becomes of a number's setting when the change of it, or its undoing, breaks off at each of its writes. */
export function describeBrokenOff(carrier: RoutedCarrier, cases: RoutingCase[], losses: readonly Loss[]): void {
  const { startAccount, writesOf } = carrier;
  const { withRouting, plan, apply, undo } = carrier.tools;
  const startProxy = (apiUrl: string, cut: { at: number; loss: Loss; isForGood: boolean }) =>
    CuttingProxy.listen(new URL(apiUrl).origin, cut);
  const through = (proxy: CuttingProxy, apiUrl: string) => `${proxy.url}${new URL(apiUrl).pathname}`;

  describe.each(cases)('pointing %s at us', (_title: string, number: string) => {
    const writes = writesOf(number);

    describe.each(losses)('and being killed where the %s of a write is lost', (loss) => {
      test('is undone by a new client, wherever that was', async () => {
        let cuts = 0;
        for (let at = 1; ; at += 1) {
          await using account = await startAccount();
          const { apiUrl } = account;
          const before = await account.dump();
          const change = await plan(account, targetOf(number));
          await using proxy = await startProxy(apiUrl, { at, loss, isForGood: true });
          const dying = withRouting(through(proxy, apiUrl), async (routing) => {
            await routing.apply(change);
            await routing.apply(movedTo(change, MOVED_URLS));
          });
          if (!(await settles(dying))) cuts += 1;
          if (!proxy.hasCut) break;
          const outcome = await undo(account, movedTo(change, MOVED_URLS));
          expect(['restored', 'unchanged']).toContain(outcome);
          expect(await account.dump()).toBe(before);
        }
        expect(cuts).toBe(writes.apply);
      });

      test('while it is undone, is undone by the next', async () => {
        let cuts = 0;
        for (let at = 1; ; at += 1) {
          await using account = await startAccount();
          const { apiUrl } = account;
          const before = await account.dump();
          const change = await plan(account, targetOf(number));
          await apply(account, change);
          await using proxy = await startProxy(apiUrl, { at, loss, isForGood: true });
          if (!(await settles(withRouting(through(proxy, apiUrl), (routing) => routing.undo(change))))) cuts += 1;
          if (!proxy.hasCut) break;
          expect(['restored', 'unchanged']).toContain(await undo(account, change));
          expect(await account.dump()).toBe(before);
        }
        expect(cuts).toBe(writes.undo);
      });

      test('but going on, makes up for it', async () => {
        for (let at = 1; ; at += 1) {
          await using account = await startAccount();
          const { apiUrl } = account;
          const before = await account.dump();
          const change = await plan(account, targetOf(number));
          await using proxy = await startProxy(apiUrl, { at, loss, isForGood: false });
          await withRouting(through(proxy, apiUrl), async (routing) => {
            await routing.apply(change);
            expect(await routing.verify(change)).toBeUndefined();
            const pointed = await account.dump();
            await apply(account, change);
            expect(await account.dump()).toBe(pointed); // nothing was made twice
            // The end of the first attempt to delete may have been carried out.
            expect(['restored', 'unchanged']).toContain(await routing.undo(change));
          });
          expect(await account.dump()).toBe(before);
          if (!proxy.hasCut) break;
        }
      });
    });
  });
}
