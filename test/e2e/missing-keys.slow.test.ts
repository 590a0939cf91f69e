import { expectAllKeysNamed } from './missing-keys.js';

test.each([
  ['answer', 'rooms'],
  ['dial', 'carrier'],
])('%s on %s without any key: exit 3, naming each variable and where to get its key', expectAllKeysNamed, 30_000);
