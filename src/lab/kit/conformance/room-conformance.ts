import { VoicebotError } from '../../../base/errors.js';
import { daily } from '../../../providers/daily/provider.js';
import type { VoicebotExtension } from '../../../providers/registry/extensions.js';
import { using } from './carrier-conformance.js';
import { numberStories } from './number-stories.js';
import { roomClientStories } from './room-client-stories.js';
import type { RoomFixtures, TriedRooms } from './room-fixtures.js';
import { roomNumbers } from './room-numbers.js';
import { roomRestStories } from './room-rest-stories.js';
import { roomStories } from './room-stories.js';
import { roomWebhookStories } from './room-webhook-stories.js';

/** Which room provider is tried, and by whose tests. */
export interface RoomConformanceOptions {
  /** What the package exports. */
  readonly extension: VoicebotExtension;
  readonly fixtures: RoomFixtures;
  /** Registers a test: `test` of `node:test`, of Jest, of Vitest. */
  readonly test: (title: string, play: () => Promise<void>) => unknown;
}

/**
 * Registers the tests that every room provider has to pass. Those that need rooms are there where the extension brings `roomsSandbox`. They use
 * `node:assert`, so any test runner will do.
 * @returns how many there are
 * @throws VoicebotError VB_CONFIG_INVALID for an extension that brings no room provider
 */
export function roomConformance({ extension, fixtures, test }: RoomConformanceOptions): number {
  const { rooms, roomsSandbox } = extension;
  if (!rooms) throw new VoicebotError('VB_CONFIG_INVALID', 'the extension brings no rooms: see carrierConformance');
  const isOurs = rooms === daily;
  const tried: TriedRooms = { extension: { ...extension, rooms }, fixtures };
  const stories = [
    ...roomWebhookStories(tried),
    ...roomRestStories(tried),
    ...roomClientStories(tried),
    ...(isOurs || roomsSandbox ? [...numberStories(roomNumbers(tried)), ...roomStories(tried)] : []),
  ];
  for (const { title, play } of stories) test(`${rooms.name}: ${title}`, () => using(extension, isOurs, play));
  return stories.length;
}
