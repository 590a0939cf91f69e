import { expectNotReplaced, expectReplacedTwice } from './failing-bots.js';
import { CONNECTED } from './runner-on-rooms.js';

afterEach(() => jest.useRealTimers());

test.each(['throws', 'ends its process', 'hangs'] as const)(
  'a bot that %s before it has joined is replaced twice in the same room; then the call is over',
  (failure) => expectReplacedTwice(failure, []),
);

test.each(['throws', 'ends its process'] as const)(
  'a bot that %s while it talks is replaced twice in the same room; then the call is over',
  (failure) => expectReplacedTwice(failure, CONNECTED),
);

test.each(['throws', 'ends its process', 'hangs'] as const)(
  'a bot that %s after it has said how the call ended is not replaced',
  expectNotReplaced,
);
