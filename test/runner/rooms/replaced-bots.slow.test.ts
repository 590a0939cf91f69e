import { expectNotReplaced, expectReplacedTwice } from './failing-bots.js';
import { CONNECTED } from './runner-on-rooms.js';

/** Every test starts several processes, and other tests run beside these. */
jest.setTimeout(60_000);

afterEach(() => jest.useRealTimers());

test.each(['throws', 'ends its process', 'is killed', 'hangs'] as const)(
  'a bot that %s before it has joined is replaced twice in the same room; then the call is over',
  (failure) => expectReplacedTwice(failure, []),
);

test.each(['throws', 'ends its process'] as const)(
  'a bot that %s while it talks is replaced twice in the same room; then the call is over',
  (failure) => expectReplacedTwice(failure, CONNECTED),
);

test.each(['ends its process', 'is killed', 'hangs'] as const)(
  'a bot that %s after it has said how the call ended is not replaced',
  (failure) => expectNotReplaced(failure),
);
