import { claimsOfPermissions, permissionsOfClaims } from '../../../src/sandbox/rooms/permission-claims.js';
import { ParticipantPermissions } from '../../../src/sandbox/rooms/permissions.js';

const ada = { sessionId: 'ada', userId: 'u-ada' };
const bob = { sessionId: 'bob', userId: undefined };

test('a participant hears everybody and sends everything; an owner administers everything', () => {
  const guest = new ParticipantPermissions(false);
  expect([guest.hears(ada), guest.mayBeHeard, guest.mayAdminister('participants')]).toEqual([true, true, false]);
  expect(guest.wire).toEqual({ hasPresence: true, canSend: true, canReceive: { base: true }, canAdmin: false });
  expect(new ParticipantPermissions(true).mayAdminister('participants')).toBe(true);
});

test('the more special word counts: of the participant, of the user, of all', () => {
  const guest = new ParticipantPermissions(false, { canReceive: { base: false } });
  expect([guest.hears(ada), guest.hears(bob)]).toEqual([false, false]);
  guest.change({ canReceive: { byUserId: { 'u-ada': true } } });
  expect([guest.hears(ada), guest.hears(bob)]).toEqual([true, false]);
  guest.change({ canReceive: { byParticipantId: { ada: false, bob: true } } });
  expect([guest.hears(ada), guest.hears(bob)]).toEqual([false, true]);
  guest.change({ canReceive: { byParticipantId: { ada: { video: true } } } });
  expect([guest.hears(ada), guest.hears(bob)]).toEqual([true, false]); // nothing is said of its audio, and what was said of bob is over
  guest.change({ canReceive: { byUserId: {}, base: { ...NO_MEDIA, audio: true } } });
  expect([guest.hears(ada), guest.hears(bob)]).toEqual([true, true]);
});

test('a participant without a user id has its session id as one', () => {
  expect(new ParticipantPermissions(false, { canReceive: { base: false, byUserId: { bob: true } } }).hears(bob)).toBe(
    true,
  );
});

test('names of objects mean nobody', () => {
  const guest = new ParticipantPermissions(false, { canReceive: { base: true, byParticipantId: {} } });
  expect(guest.hears({ sessionId: 'constructor', userId: '__proto__' })).toBe(true);
});

test('the token wins over the room, and neither counts for an owner', () => {
  const room = { canReceive: { base: false }, canSend: false } as const;
  const token = { canReceive: { base: true }, canAdmin: ['participants' as const] };
  const guest = new ParticipantPermissions(false, room, token);
  expect(guest.wire).toEqual({
    hasPresence: true,
    canSend: false,
    canReceive: { base: true },
    canAdmin: ['participants'],
  });
  expect([guest.mayBeHeard, guest.mayAdminister('participants'), guest.mayAdminister('transcription')]).toEqual([
    false,
    true,
    false,
  ]);
  expect(new ParticipantPermissions(true, room, token).wire).toMatchObject({ canSend: true, canAdmin: true });
});

test('what is sent may be named kind by kind', () => {
  expect(new ParticipantPermissions(false, { canSend: ['video'] }).mayBeHeard).toBe(false);
  expect(new ParticipantPermissions(false, { canSend: ['video', 'audio'] }).mayBeHeard).toBe(true);
});

test('permissions survive the short form that tokens have', () => {
  const permissions = {
    hasPresence: false,
    canSend: ['video', 'customAudio'] as ('video' | 'customAudio')[],
    canReceive: {
      base: { ...NO_MEDIA, audio: true },
      byUserId: { bot: true, ada: { screenAudio: false } },
      byParticipantId: { leg: false },
    },
    canAdmin: ['participants' as const],
  };
  const claims = claimsOfPermissions(permissions);
  expect(claims).toMatchObject({ hp: false, cs: 'v,ca', cr: { u: { bot: true, ada: { sa: false } } }, ca: 'p' });
  expect(permissionsOfClaims(JSON.parse(JSON.stringify(claims)))).toEqual(permissions);
  expect(claimsOfPermissions(undefined)).toBeUndefined();
  expect(permissionsOfClaims({ cr: { b: 5 } })).toBeUndefined();
});

const NO_MEDIA = {
  video: false,
  audio: false,
  screenVideo: false,
  screenAudio: false,
  customVideo: { '*': false },
  customAudio: { '*': false },
};
