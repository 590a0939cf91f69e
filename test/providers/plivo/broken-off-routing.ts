import type { RouteTarget } from '../../../src/call/number-routing.js';
import { CuttingProxy, type Loss } from './cutting-proxy.js';
import {
  apply,
  BARE,
  type CASES,
  MOVED_URLS,
  movedTo,
  plan,
  startAccount,
  targetOf,
  undo,
  withRouting,
} from './routed-account.js';

const settles = (promise: Promise<unknown>): Promise<boolean> =>
  promise.then(
    () => true,
    () => false,
  );

/** What becomes of a number's setting when the change of it, or its undoing, breaks off at each of its writes. */
export function describeBrokenOff(cases: typeof CASES, losses: readonly Loss[]): void {
  describe.each(cases)('pointing %s at us', (_title: string, number: string, target: Partial<RouteTarget>) => {
    const isInPlace = target.isInPlace === true;

    describe.each(losses)('and being killed where the %s of a write is lost', (loss) => {
      test('is undone by a new client, wherever that was', async () => {
        let cuts = 0;
        for (let at = 1; ; at += 1) {
          await using account = await startAccount();
          const { sandbox } = account;
          const before = await account.dump();
          const change = await plan(sandbox, targetOf(number, target));
          await using proxy = await CuttingProxy.listen(sandbox.url, { at, loss, isForGood: true });
          const dying = withRouting(`${proxy.url}/v1`, async (routing) => {
            await routing.apply(change);
            await routing.apply(movedTo(change, MOVED_URLS));
          });
          if (!(await settles(dying))) cuts += 1;
          if (!proxy.hasCut) break;
          const outcome = await undo(sandbox, movedTo(change, MOVED_URLS));
          expect(['restored', 'unchanged']).toContain(outcome);
          expect(await account.dump()).toBe(before);
        }
        // Own: create, attach, change. In place: change, change.
        expect(cuts).toBe(isInPlace ? 2 : 3);
      });

      test('while it is undone, is undone by the next', async () => {
        let cuts = 0;
        for (let at = 1; ; at += 1) {
          await using account = await startAccount();
          const { sandbox } = account;
          const before = await account.dump();
          const change = await plan(sandbox, targetOf(number, target));
          await apply(sandbox, change);
          await using proxy = await CuttingProxy.listen(sandbox.url, { at, loss, isForGood: true });
          if (!(await settles(withRouting(`${proxy.url}/v1`, (routing) => routing.undo(change))))) cuts += 1;
          if (!proxy.hasCut) break;
          expect(['restored', 'unchanged']).toContain(await undo(sandbox, change));
          expect(await account.dump()).toBe(before);
        }
        // Own: attach to what it had, delete ours. In place: put back.
        expect(cuts).toBe(isInPlace || number === BARE ? 1 : 2);
      });

      test('but going on, makes up for it', async () => {
        for (let at = 1; ; at += 1) {
          await using account = await startAccount();
          const { sandbox } = account;
          const before = await account.dump();
          const change = await plan(sandbox, targetOf(number, target));
          await using proxy = await CuttingProxy.listen(sandbox.url, { at, loss, isForGood: false });
          await withRouting(`${proxy.url}/v1`, async (routing) => {
            await routing.apply(change);
            expect(await routing.verify(change)).toBeUndefined();
            expect(await account.ours()).toHaveLength(isInPlace ? 0 : 1);
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
