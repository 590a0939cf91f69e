import { deferred } from '../../../../src/base/async/deferred.js';
import { VoicebotError } from '../../../../src/base/errors.js';
import type { RoomCall } from '../../../../src/bot/transports/room/room-call.js';
import { RoomTransfer } from '../../../../src/bot/transports/room/room-transfer.js';

test('when the destination fails before the provider has answered the request, the transfer is first told as accepted', async () => {
  const told: string[] = [];
  const call = { knows: () => false, discard: () => {} } as unknown as RoomCall;
  const leg = { sessionId: 'caller', kind: 'dial-in' } as const;
  const requested = deferred<void>();
  const transfer = new RoomTransfer(leg, '+12025550102', call, {
    isLegThere: () => true,
    checkTarget: async (to) => to,
    request: () => {
      requested.resolve();
      return new Promise(() => {});
    },
    accepted: ({ destination }) => told.push(`accepted ${destination}`),
    answered: () => told.push('answered'),
    over: (outcome) => told.push(`over ${outcome?.status}`),
  });
  const outcome = transfer.run();
  await requested.promise;
  transfer.hear('destination', { type: 'failed', errorMsg: 'busy' });
  expect((await outcome).status).toBe('busy');
  expect(told).toEqual(['accepted destination', 'over busy']);
});

test('a transfer of a caller whose coming was never told is refused as others are, and the caller is still there', async () => {
  const call = { knows: () => false, discard: () => {} } as unknown as RoomCall;
  const transfer = new RoomTransfer({ sessionId: 'caller', kind: 'dial-in' }, '+12025550102', call, {
    isLegThere: () => false,
    checkTarget: async () => {
      throw new VoicebotError('VB_TARGET_REFUSED', 'too far away');
    },
    request: async () => {},
    accepted: () => {},
    answered: () => {},
    over: () => {},
  });
  await expect(transfer.run()).rejects.toMatchObject({ code: 'VB_TARGET_REFUSED' });
});
