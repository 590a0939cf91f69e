import { expectAllKeysNamed } from './missing-keys.js';

test.each([
  ['carrier-dialin', 'carrier'],
  ['carrier-dialout', 'carrier'],
  ['rooms-dialin', 'rooms'],
  ['rooms-dialout', 'rooms'],
])('%s without any key: exit 3, naming each variable and where to get its key', expectAllKeysNamed, 30_000);
