import { EndFrame } from '../../../../src/bot/pipeline/frames/index.js';
import { Pipeline } from '../../../../src/bot/pipeline/pipeline.js';
import { PipelineTask } from '../../../../src/bot/pipeline/pipeline-task.js';
import { RoomsTransport } from '../../../../src/bot/transports/room/rooms-transport.js';
import { linkRunner } from '../../../../src/call/runner-link.js';
import type { AcceptedTransferOutcome } from '../../../../src/call/transfer-outcome.js';
import type { RoomEventFault } from '../../../../src/sandbox/rooms/event-faults.js';
import { FakeCaller } from '../../../sandbox/fake-caller.js';
import { API_KEY, hum } from '../../../sandbox/rooms/live-rooms-under-test.js';
import { HandRoomLink } from '../start-room.js';
import { isBot, playedRoom } from './played-call.js';

/** What the destination of a transfer does. */
export type DestinationActs = 'talks' | 'is busy';

export interface TransferResult {
  outcome: AcceptedTransferOutcome | undefined;
  /** Whether the caller and the destination have heard each other for a second. */
  areTalking: boolean;
  /** What the runner was told. */
  news: string[];
}

const DESTINATION = '+12025550167';
const CALLER_HZ = 1_500;
const DESTINATION_HZ = 1_900;
const LIMIT_MS = 20_000;

/** Transfers a caller in the order that the provider documents, over a sandbox with faults; the destination hangs up soon after the two talk. */
export async function playTransfer(
  destination: DestinationActs,
  faults: readonly RoomEventFault[],
): Promise<TransferResult> {
  await using played = await playedRoom(faults);
  const { sandbox, room, token, webhook } = played;
  await using caller = await FakeCaller.attach(sandbox);
  const acts = destination === 'talks' ? { ringMs: 1_200 } : { outcome: 'busy' as const };
  await using callee = await FakeCaller.attending(sandbox, DESTINATION, acts);
  caller.says = hum(CALLER_HZ);
  const result: TransferResult = { outcome: undefined, areTalking: false, news: [] };
  const hears = ({ heard }: FakeCaller, hz: number) => isBot(heard.all.slice(-50), hz);
  const say = hum(DESTINATION_HZ);
  let frames = 0;
  callee.says = (frame) => {
    frames += 1;
    if (frames % 10 === 0 && !result.areTalking && hears(caller, DESTINATION_HZ) && hears(callee, CALLER_HZ)) {
      result.areTalking = true;
      callee.client.hangUp();
    }
    return say(frame);
  };
  caller.dial(sandbox);
  const { body } = await webhook.received.next(({ body: { callId } }) => callId !== undefined);
  const link = new HandRoomLink({ isForwarded: false, dialout: undefined }, 0, 30_000);
  linkRunner({ roomUrl: room.url, token }, link);
  const transport = new RoomsTransport(room.url, token, 'bot', {
    apiKey: API_KEY,
    apiUrl: sandbox.roomsApiUrl,
    dialinSettings: { callId: body.callId, callDomain: body.callDomain },
  });
  const task = new PipelineTask(new Pipeline([transport.input(), transport.output()]));
  transport.once('first_participant_joined', () => {
    void transport.sipCallTransfer({ toEndPoint: DESTINATION }).then((outcome) => {
      result.outcome = outcome;
      if (outcome.status === 'answered') task.queueFrame(new EndFrame());
    });
  });
  const over = caller.events.next(({ type }) => type === 'ended', LIMIT_MS);
  const late = setTimeout(() => void task.cancel(), LIMIT_MS + 5_000);
  await Promise.all([task.run(), over]);
  clearTimeout(late);
  result.news = link.types;
  return result;
}
