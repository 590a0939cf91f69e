import { randomUUID } from 'node:crypto';
import { once } from 'node:events';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { deferred } from '../../base/async/deferred.js';
import type { DtmfDigit } from '../../base/audio/dtmf-digit.js';
import { type OptionNames, refuseUnknownOptions } from '../../base/names/option-names.js';
import type { CallDirection, EndReason } from '../../call/call.js';
import { callerNumber } from '../../call/caller-number.js';
import type { BotFunction } from '../../call/runner-arguments.js';
import { daily } from '../../providers/daily/provider.js';
import { simulateRoom } from '../../providers/rooms/simulated-rooms.js';
import { BotHost } from '../../runner/bots/bot-host.js';
import type { MessageFromBot } from '../../runner/bots/messages.js';
import { SimulatedRoom } from './simulated-room.js';
import { onceDialled, TestPhone } from './test-phone.js';
import { type DecideTransfer, TransferStage } from './transfer-stage.js';

/** Who is in the room of a test, and what becomes of calls out of it. */
export interface FakeRoomOptions {
  /** The phone's own number, E.164: who calls the bot, or who the bot is to call. Default `+12025550199`. */
  from?: string;
  /** `outbound`: the bot is to call the phone out of its room. Default `inbound`: the phone is held until the bot fetches it. */
  direction?: CallDirection;
  /** Custom data of a call that goes out. Default `{}`. */
  body?: Record<string, unknown>;
  /** What becomes of a call that the bot dials. Default: it is answered. */
  dialout?: DecideTransfer;
  /**
   * Says what becomes of a transfer to the number `to`, and refuses it by throwing. On `answered` the caller talks to
   * a destination that says nothing until the phone hangs up; otherwise the provider has taken the caller away and hangs them up.
   * Default: every transfer is refused with VB_TRANSFER_FAILED.
   */
  transfer?: DecideTransfer;
}

const OPTIONS: OptionNames<FakeRoomOptions> = {
  from: true,
  direction: true,
  body: true,
  dialout: true,
  transfer: true,
};

/** The bot's own number. */
const BOT_NUMBER = '+12025550100';
/** No test takes longer, in milliseconds. */
const LIMIT_MS = 24 * 60 * 60 * 1_000;
/** How long the phone may ring, in milliseconds. */
const RING_LIMIT_MS = 120_000;
/** How long a bot may take to see that its phone is gone before it is told, in milliseconds. */
const NOTICE_MS = 2_000;
/** How long a caller is held for a bot that does not fetch them, in milliseconds. */
const HOLD_LIMIT_MS = 30_000;

/**
 * A telephone in a media room with a bot, in a test: what a room provider and a runner do, on this machine, in real time,
 * with no account and no browser. Dispose of it to hang up and close everything.
 *
 * ```ts
 * await using phone = await FakeRoom.call(bot);
 * await phone.hears();
 * phone.press('9');
 * await phone.ended;
 * ```
 */
export class FakeRoom extends TestPhone {
  #room: SimulatedRoom | undefined;

  /**
   * Calls the bot, or has it call the phone. Resolves when the two are connected, or will not be.
   * @param bot what a bot file exports
   * @throws VoicebotError VB_CONFIG_INVALID naming every option that is not known
   */
  static override async call(bot: BotFunction, options: FakeRoomOptions = {}): Promise<FakeRoom> {
    refuseUnknownOptions(options, OPTIONS);
    const phone = new FakeRoom();
    return onceDialled(phone, phone.#dial(bot, options));
  }

  override press(digit: DtmfDigit): void {
    this.#room?.press(digit);
  }

  /** The words of what the phone has just said: a bot hears them that has the provider transcribe its room. */
  spoke(words: string): void {
    this.#room?.spoke(words);
  }

  override hangUp(): void {
    this.#room?.hangUp();
  }

  async #dial(
    bot: BotFunction,
    { from = '+12025550199', direction = 'inbound', body = {}, dialout = () => 'answered', transfer }: FakeRoomOptions,
  ): Promise<void> {
    await daily.preload?.(); // or the caller would be held for as long as it takes to load
    const callId = randomUUID();
    const room_url = `http://room.test/${callId}`;
    let botError: Error | undefined;
    let reason: EndReason | undefined;
    let answeredAt: number | undefined;
    const there = deferred();
    let notice: NodeJS.Timeout | undefined;
    let hold: NodeJS.Timeout | undefined;
    const room = new SimulatedRoom({
      dialout,
      stage: new TransferStage(transfer),
      exchange: (heard) => this.exchange(heard),
      answered: () => {
        clearTimeout(hold);
        answeredAt = performance.now();
        there.resolve();
      },
      pressed: (keys) => this.notePressed(keys),
      over: () => {
        notice = setTimeout(() => host.receive({ type: 'call_over', callId }), NOTICE_MS);
        if (reason === 'transferred') end();
      },
    });
    this.#room = room;
    const end = () => {
      clearTimeout(notice);
      clearTimeout(hold);
      room.close();
      const durationMs = answeredAt === undefined ? 0 : performance.now() - answeredAt;
      const endReason = botError ? 'bot_crashed' : (reason ?? 'bot_ended');
      this.settleEnd({ durationMs, reason: endReason, ...(botError && { botError }) });
      there.resolve();
    };
    const onMessage = (message: MessageFromBot) => {
      if (message.type === 'check_target') {
        const { requestId, to } = message;
        host.receive({ type: 'target_answer', callId, requestId, to });
      }
      if (message.type === 'room_news' && message.news.type === 'over') reason ??= message.news.reason;
      if (message.type === 'call_done' && (reason !== 'transferred' || botError)) end();
    };
    const host = new BotHost(async (args) => {
      try {
        await bot(args);
      } catch (thrown) {
        botError = thrown instanceof Error ? thrown : new Error(String(thrown));
      }
    }, onMessage);
    this.closeLater(simulateRoom(room_url, room.join));
    const isInbound = direction === 'inbound';
    const caller = callerNumber(from, false);
    const api = isInbound ? await serveForwarding(() => room.admitCaller(from)) : undefined;
    if (api) this.closeLater(api.close);
    const dialin = { call_id: callId, call_domain: 'test', From: caller ?? '', To: BOT_NUMBER };
    host.receive({
      type: 'serve_room',
      callId,
      call: {
        id: callId,
        direction,
        from: isInbound ? caller : BOT_NUMBER,
        isWithheld: isInbound && caller === undefined,
        to: isInbound ? BOT_NUMBER : from,
        attempt: 1,
      },
      room_url,
      token: 'test',
      body: api ? { dialin_settings: dialin, daily_api_key: 'test', daily_api_url: api.url } : body,
      ...(!isInbound && { phone_number: from }),
      past: { isForwarded: false, dialout: undefined },
      silenceMs: 0,
      ringMs: RING_LIMIT_MS,
      limitMs: LIMIT_MS,
    });
    this.closeLater(async () => {
      room.hangUp();
      host.receive({ type: 'call_over', callId });
      await this.ended;
    });
    if (isInbound) {
      hold = setTimeout(() => {
        reason ??= 'not_connected';
        host.receive({ type: 'call_over', callId });
      }, HOLD_LIMIT_MS);
    }
    await there.promise;
  }
}

/** The one operation of a room provider's REST API that a bot needs: it fetches the held caller. */
async function serveForwarding(forward: () => void): Promise<{ url: string; close: () => Promise<void> }> {
  const server = createServer((request, response) => {
    request.resume().once('end', () => {
      const isForwarding = request.url?.endsWith('/dialin/pinlessCallUpdate');
      response.writeHead(isForwarding ? 200 : 404, { 'content-type': 'application/json' }).end('{}');
      if (isForwarding) forward();
    });
  });
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}/v1`,
    close: async () => {
      server.closeAllConnections();
      await new Promise((resolve) => server.close(resolve));
    },
  };
}
