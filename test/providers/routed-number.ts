import type { NumberRouting, RouteChange, RouteTarget, RouteUrls } from '../../src/call/number-routing.js';

export const LEASE_ID = 'lease0001';

export const urlsAt = (origin: string): RouteUrls => ({ answerUrl: `${origin}/answer`, hangupUrl: `${origin}/hangup` });
export const URLS = urlsAt('http://127.0.0.1:2');
export const MOVED_URLS = urlsAt('http://127.0.0.1:3');

export const targetOf = (number: string, target: Partial<RouteTarget> = {}): RouteTarget => ({
  number,
  urls: URLS,
  leaseId: LEASE_ID,
  isOldAddress: () => false,
  ...target,
});

export const movedTo = (change: RouteChange, urls: RouteUrls): RouteChange => ({
  ...change,
  urls: [...change.urls, urls],
});

/** As another process reads it from disk. */
const written = (change: RouteChange): RouteChange => JSON.parse(JSON.stringify(change));

interface Api {
  readonly apiUrl: string;
}

/** What is done with the numbers of an account, each time by a client of its own. */
export function routingTools(create: (apiUrl: string) => Promise<NumberRouting>) {
  async function withRouting<T>(apiUrl: string, use: (routing: NumberRouting) => Promise<T>): Promise<T> {
    const routing = await create(apiUrl);
    return use(routing).finally(() => routing.close());
  }
  return {
    withRouting,
    plan: ({ apiUrl }: Api, target: RouteTarget) =>
      withRouting(apiUrl, (routing) => routing.plan(target)).then(({ change }) => change),
    apply: ({ apiUrl }: Api, change: RouteChange) => withRouting(apiUrl, (routing) => routing.apply(written(change))),
    verify: ({ apiUrl }: Api, change: RouteChange) => withRouting(apiUrl, (routing) => routing.verify(written(change))),
    undo: ({ apiUrl }: Api, change: RouteChange) => withRouting(apiUrl, (routing) => routing.undo(written(change))),
  };
}
