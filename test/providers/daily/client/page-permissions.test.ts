import { EventEmitter } from 'node:events';
import { PagePermissions } from '../../../../src/providers/daily/client/page/permissions.js';

/** The provider's client, as far as permissions go: what it is asked is kept, and shown when the test says so. */
class PlayedCall {
  readonly asked: object[] = [];
  readonly people: Record<string, { session_id: string; permissions: { canReceive: object } }> = {
    local: { session_id: 'me', permissions: { canReceive: { base: true } } },
    leg: { session_id: 'leg', permissions: { canReceive: { base: true } } },
  };
  readonly #events = new EventEmitter();

  participants = () => this.people;
  on = (name: string, listener: () => void) => this.#events.on(name, listener);
  off = (name: string, listener: () => void) => this.#events.off(name, listener);
  updateParticipants = (updates: object) => this.asked.push(updates);

  shows(id: string, canReceive: object): void {
    Object.assign(this.people[id] as object, { permissions: { canReceive } });
    this.#events.emit('participant-updated', {});
  }

  get listeners(): number {
    return this.#events.listenerCount('participant-updated');
  }
}

const ONLY_BOT = { base: false, byUserId: { voicebot: true }, byParticipantId: {} };

function begun(data: object) {
  const call = new PlayedCall();
  const outcome = new PagePermissions(call as never).update({ data } as never);
  let isDone = false;
  void outcome.then(
    () => {
      isDone = true;
    },
    () => {},
  );
  return { call, outcome, isDone: () => isDone };
}

test('a permission holds when the room shows it, in whichever form', async () => {
  const { call, outcome, isDone } = begun({ leg: { canReceive: ONLY_BOT } });
  expect(call.asked).toEqual([{ leg: { updatePermissions: { canReceive: ONLY_BOT } } }]);
  call.shows('leg', { base: true, byUserId: { voicebot: true } }); // of something else
  call.shows('leg', { ...ONLY_BOT, byParticipantId: { colleague: true } }); // of what was before
  await new Promise(setImmediate);
  expect(isDone()).toBe(false);
  call.shows('leg', { base: { audio: false, video: true }, byUserId: { voicebot: { audio: true } } });
  await outcome;
  expect(call.listeners).toBe(0);
});

test('one’s own is that of the local participant', async () => {
  const { call, outcome } = begun({ me: { canReceive: { base: false } } });
  call.shows('local', { base: false });
  await outcome;
});

test('a participant who is not there is told as that, and nothing is asked', async () => {
  const { call, outcome } = begun({ stranger: { canReceive: ONLY_BOT } });
  await expect(outcome).rejects.toThrow('no such participant');
  expect(call.asked).toEqual([]);
  expect(call.listeners).toBe(0);
});
