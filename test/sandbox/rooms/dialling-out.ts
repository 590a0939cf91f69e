import { startLiveRooms } from './live-rooms-under-test.js';

/** A room whose owner has asked for a number to be dialled. */
export async function dialled(phoneNumber: string, params: object = {}, tickMs = 2) {
  const live = await startLiveRooms({ timing: { tickMs } });
  const room = await live.room();
  const owner = await live.owner(room);
  const answer = await owner.request('startDialOut', { phoneNumber, ...params });
  return {
    live,
    room,
    owner,
    sessionId: answer.result?.sessionId as string,
    async [Symbol.asyncDispose]() {
      await owner[Symbol.asyncDispose]();
      await live[Symbol.asyncDispose]();
    },
  };
}

export async function tellsWhyUnanswered(number: string, action: string, errorMsg: string | undefined): Promise<void> {
  await using call = await dialled(number, {}, 0.5);
  const { owner, sessionId } = call;
  const event = await owner.event(action, 10_000);
  expect(event.sessionId).toBe(sessionId);
  expect(event.errorMsg).toBe(errorMsg);
  const actions = owner.events.all.map((each) => each.action);
  expect(actions.includes('dialout-connected')).toBe(errorMsg !== 'Busy');
  expect(actions).not.toContain('dialout-answered');
  expect(actions).not.toContain('participant-joined');
}
