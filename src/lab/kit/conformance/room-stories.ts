import assert from 'node:assert/strict';
import { FRAME_MS } from '../../../base/audio/frame.js';
import { TestTone } from '../../../base/audio/test-tone.js';
import { asProviderCallId } from '../../../call/call-id.js';
import { isRoomClosed } from '../../../providers/rooms/room-refusal.js';
import { AnsweringApi } from './answering-api.js';
import { type ConformanceStory, closing } from './carrier-fixtures.js';
import { CuttingProxy } from './cutting-proxy.js';
import type { TriedRooms } from './room-fixtures.js';
import { eventOf, inTime, openRoomStage, type RoomStage, StoryPhone, ToneEar } from './room-stage.js';

const SECRET = Buffer.from('what signs the webhooks of a story').toString('base64');
const CALLER = '+12025550199';
/** A number of the sandbox that is answered. */
const CALLEE = '+12025550101';
/** Of the caller's voice and the bot's, in hertz. */
const [CALLER_TONE, BOT_TONE] = [700, 1_100];

/** Rooms of the account on the sandbox, and calls into and out of them. */
export function roomStories({
  extension: { rooms },
  fixtures: { apiKey, joinsSandbox },
}: TriedRooms): ConformanceStory[] {
  const staged = (play: (stage: RoomStage) => Promise<void>) =>
    closing(openRoomStage(rooms, apiKey, joinsSandbox), play);
  return [
    {
      title: 'a room is occupied while it has a participant, and gone once it is deleted',
      play: () =>
        staged(async ({ client, room, join }) => {
          assert.equal(room.allowsDialout, true);
          assert.match(room.url, /^https?:\/\/.*\/story$/, "a room's address must end in its name");
          assert.equal(await client.isOccupied(room.name), false);
          const endpoints = await client.sipEndpoints(room.name);
          assert.ok(endpoints.length > 0 && endpoints.every((one) => one.startsWith('sip:')), String(endpoints));
          const connection = await join();
          connection.start(() => {});
          assert.equal(await client.isOccupied(room.name), true);
          const left = eventOf(connection, 'left');
          assert.equal(await client.deleteRoom(room.name), 'deleted');
          assert.ok(isRoomClosed((await left).error), 'who is in the room is not told that it is gone');
          assert.equal(await client.deleteRoom(room.name), 'no_such_room');
          assert.equal(await client.isOccupied(room.name), false);
          assert.deepEqual(await client.sipEndpoints(room.name), []);
          assert.equal(await client.eject(room.name, 'bot'), undefined);
        }),
    },
    {
      title: 'a participant is removed by the name in its token, and no other one is',
      play: () =>
        staged(async ({ client, room, join }) => {
          const [guest, bot] = [await join('guest'), await join('bot')];
          for (const one of [guest, bot]) one.start(() => {});
          const left = eventOf(guest, 'left');
          assert.deepEqual(await client.eject(room.name, 'guest'), [guest.sessionId]);
          await left;
          assert.deepEqual(await client.eject(room.name, 'stranger'), []);
          assert.equal(await client.isOccupied(room.name), true);
        }),
    },
    {
      title: 'a caller is held, told, forwarded into a room, hears and is heard, and hangs up',
      play: () =>
        staged(async ({ client, sandbox, join }) => {
          await closing(AnsweringApi.listen({ status: 200 }), async (webhooks) => {
            const routing = await rooms.createNumberRouting({ apiKey, apiUrl: sandbox.roomsApiUrl });
            const answerUrl = `${webhooks.origin}/rooms-dialin-webhook`;
            const { change } = await routing.plan({
              number: sandbox.number,
              urls: { answerUrl, hangupUrl: '' },
              leaseId: 'lease0001',
              secret: SECRET,
              isOldAddress: () => false,
            });
            await routing.apply(change).finally(() => routing.close());
            const secrets = await client.dialinSecrets();
            assert.ok(
              secrets.some(({ webhookUrl, secret }) => webhookUrl === answerUrl && secret === SECRET),
              'the account does not show what signs its webhooks',
            );
            const bot = await join();
            const ready = eventOf(bot, 'dialin_ready');
            const botEar = new ToneEar(CALLER_TONE, 16_000);
            bot.start((pcm) => botEar.hear(pcm));
            const { sipEndpoint } = await ready;
            const told = webhooks.next((asked) => {
              if (!rooms.verifyWebhook(asked, SECRET, Date.now())) return undefined;
              const webhook = rooms.parseWebhook(asked.body);
              return webhook.kind === 'call' ? webhook : undefined;
            });
            await closing(StoryPhone.attach(sandbox, CALLER_TONE, BOT_TONE), async (phone) => {
              phone.dial(CALLER, sandbox.number);
              const { from, to, providerCallId, callDomain } = await inTime(
                told,
                'no signed webhook has told of the caller',
              );
              assert.deepEqual([from, to], [CALLER, sandbox.number]);
              const forward = { providerCallId, callDomain, sipUri: sipEndpoint };
              const unheld = { ...forward, providerCallId: asProviderCallId('no-call') };
              assert.equal(await client.forwardCaller(unheld), 'no_such_call');
              const came = eventOf(bot, 'participant_joined');
              assert.equal(await client.forwardCaller(forward), 'forwarded');
              assert.equal((await came).kind, 'dial-in');
              const { frame } = new TestTone(BOT_TONE, 16_000);
              const saying = setInterval(() => bot.say(frame), FRAME_MS);
              await Promise.all([botEar.heard, phone.heard]).finally(() => clearInterval(saying));
              const left = eventOf(bot, 'participant_left');
              phone.hangUp();
              await left;
              assert.equal(await client.forwardCaller(forward), 'no_such_call');
            });
          });
        }),
    },
    {
      title: 'a room whose answer is lost is there all the same, once',
      play: () =>
        staged(({ sandbox: { roomsApiUrl } }) =>
          closing(CuttingProxy.listen(new URL(roomsApiUrl).origin), async (proxy) => {
            proxy.cut({ at: 1, loss: 'answer', isForGood: false });
            const client = await rooms.createRestClient({
              apiKey,
              apiUrl: `${proxy.url}${new URL(roomsApiUrl).pathname}`,
            });
            const expiresAt = Math.floor(Date.now() / 1_000) + 600;
            const request = { name: 'lost', expiresAt, dialin: { displayName: 'caller' }, allowsDialout: true };
            try {
              assert.match((await client.createRoom({ ...request, idleSeconds: 60 })).url, /\/lost$/);
              assert.equal(await client.deleteRoom('lost'), 'deleted');
            } finally {
              await client.close();
            }
          }),
        ),
    },
    {
      title: 'a number is dialled out of a room, and hung up once',
      play: () =>
        staged(async ({ client, room, join }) => {
          const bot = await join();
          bot.start(() => {});
          const answered = eventOf(bot, 'dialout_answered');
          const { sessionId } = await bot.startDialout({ phoneNumber: CALLEE });
          await answered;
          const stopped = eventOf(bot, 'dialout_stopped');
          assert.equal(await client.stopDialout(room.name, sessionId), 'stopped');
          await stopped;
          assert.equal(await client.stopDialout(room.name, sessionId), 'no_such_leg');
        }),
    },
  ];
}
