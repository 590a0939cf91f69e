import { setTimeout as delay } from 'node:timers/promises';
import { createOpenAI } from '@ai-sdk/openai';
import { deepgram, defineBot } from '../../src/bot/api/index.js';
import { CartesiaTTS } from '../../src/bot/services/tts/cartesia-tts.js';
import { ElevenLabsTTS } from '../../src/bot/services/tts/elevenlabs-tts.js';
import { FakeCartesia } from '../../src/lab/kit/fake-cartesia.js';
import { FakeElevenLabs } from '../../src/lab/kit/fake-elevenlabs.js';
import type { FakeModelReply } from '../../src/lab/kit/fake-model-reply.js';
import { buzz } from '../../src/lab/kit/fake-speech.js';
import type { FakeVoiceServer } from '../../src/lab/kit/fake-voice-server.js';
import { FakeDeepgram, FakeLanguageModel, FakePhone } from '../../src/lab/kit/index.js';
import { toneWords } from '../../test/bot/services/tts/tone-words.js';
import { serveBakery } from './bakery.js';
import { ALL, ANNOUNCED, ANSWER, GREETING, type Heard, judged, Listener } from './heard.js';

/** What fails, how, and when. */
export interface Failure {
  readonly what: 'model' | 'voice';
  /** `broken`: the connection, once; the vendor takes another. Undefined: nothing fails, and the same is listened to. */
  readonly how: 'killed' | 'hung' | '429' | '503' | 'broken' | undefined;
  readonly when: 'greeting' | 'first word' | 'mid-word' | 'function' | 'transfer';
  readonly hasSecond: boolean;
}

/** What vendors take for their first sound or word, and between two pieces, in milliseconds. */
export const OWN = { firstAudioMs: 150, firstWordMs: 200, chunkMs: 15, tokenMs: 15 };
/** A voice that is to break in mid-word must not have sent all of it by then: 400 bytes are 50 ms of its sound. */
const REAL_TIME_MS = 40;
/** So much of an answer is there when it is cut, in milliseconds of sound. */
const CUT_MS = 1_000;
const CALLER_MS = 1_000;

let calls = 0;

/** One call with a bot of two models and two voices, or of one of each, where one fails. */
export async function failingCall(failure: Failure): Promise<Heard> {
  const { hasSecond, how } = failure;
  calls += 1; // the health of a service is that of all calls of the process
  const id = calls;
  const audio = toneWords(ALL);
  const isVoiceCut = failure.what === 'voice' && failure.when === 'mid-word';
  const speech = {
    audio,
    firstByteMs: OWN.firstAudioMs,
    betweenChunksMs: isVoiceCut ? REAL_TIME_MS : OWN.chunkMs,
    chunkBytes: 400,
  };
  const voice = await FakeCartesia.start(speech);
  const otherVoice = await FakeElevenLabs.start(speech);
  const hearing = await FakeDeepgram.start({ texts: ['When does it open on Saturdays?'] });
  const is = (what: Failure['what'], ...whens: Failure['when'][]) =>
    how !== undefined && failure.what === what && whens.includes(failure.when);
  const reply = (hasResult: boolean): FakeModelReply => {
    const timing = { delayMs: OWN.firstWordMs, tokenDelayMs: OWN.tokenMs };
    const answer: FakeModelReply = { ...timing, text: ANSWER };
    if (failure.when === 'function' && !hasResult) return { ...timing, toolCalls: [{ name: 'hours', input: {} }] };
    if (failure.when === 'transfer') return { ...timing, toolCalls: [{ name: 'colleague', input: {} }] };
    return answer;
  };
  const model = await FakeLanguageModel.start({
    replies: (messages) => {
      const hasResult = messages.some(({ role }) => role === 'tool');
      const whole = reply(hasResult);
      if (is('model', 'greeting', 'first word') || (is('model', 'function') && hasResult)) {
        return { ...whole, ...brokenReply(how) };
      }
      return is('model', 'mid-word') ? cutReply(whole, how) : whole;
    },
  });
  const otherModel = await FakeLanguageModel.start({
    replies: (messages) => {
      const said = messages.findLast(({ role }) => role === 'assistant')?.text ?? '';
      const whole = reply(messages.some(({ role }) => role === 'tool'));
      // a model that goes on says what has not been said
      return typeof whole.text === 'string' && said !== '' && ANSWER.startsWith(said)
        ? { ...whole, text: ANSWER.slice(said.length) }
        : whole;
    },
  });
  const llms = [model, otherModel].map(({ url }, at) =>
    createOpenAI({ apiKey: 'test', baseURL: url }).chat(`model-${id}-${at}`),
  );
  const key = { apiKey: 'test', cache: false } as const;
  const voices = [
    () => new CartesiaTTS({ ...key, baseUrl: voiceUrl, model: `voice-${id}` }),
    () => new ElevenLabsTTS({ ...key, baseUrl: otherVoiceUrl, model: `voice-${id}` }),
  ];
  const [voiceUrl, otherVoiceUrl] = [voice.url, otherVoice.url];
  if (is('model', 'greeting', 'first word') && how === 'killed') await model.close();
  if (is('voice', 'greeting')) await breakVoice(voice, how);
  const bot = defineBot({
    stt: deepgram({ apiKey: 'test', baseUrl: hearing.url }),
    llm: hasSecond ? llms : llms.slice(0, 1),
    tts: hasSecond ? voices : voices.slice(0, 1),
    onCall: (call) =>
      serveBakery(call, audio, async () => {
        if (is('voice', 'function')) await breakVoice(voice, how);
        if (is('model', 'function') && how === 'killed') await model.close();
      }),
  });
  const phone = await FakePhone.call(bot, { transfer: () => 'answered' });
  try {
    return await listen(phone, failure, voice);
  } finally {
    for (const one of [phone, hearing, model, otherModel, voice, otherVoice]) await one[Symbol.asyncDispose]();
  }
}

async function listen(phone: FakePhone, { what, when, how }: Failure, voice: FakeVoiceServer): Promise<Heard> {
  const listener = new Listener(phone);
  let [spokenAt, from] = [0, 0];
  let said = GREETING;
  await listener.hears(GREETING, 0);
  if (!(what === 'voice' && when === 'greeting')) {
    await phone.hearsSilence({ forMs: 500 }).catch(() => {});
    if (what === 'voice' && (when === 'first word' || when === 'transfer')) await breakVoice(voice, how);
    spokenAt = phone.heard.length / 80; // on a busy machine the phone hears less meanwhile than the caller says
    phone.say(buzz(CALLER_MS, 8_000));
    from = spokenAt + CALLER_MS / 10;
    said = when === 'transfer' ? ANNOUNCED : ANSWER;
    if (what === 'voice' && when === 'mid-word') {
      await listener.until((frames) => frames.slice(from).filter(({ word }) => word).length * 10 >= CUT_MS);
      await breakVoice(voice, how);
    }
  }
  await listener.hears(said, spokenAt);
  await listener.until(() => !phone.isHearing);
  const reason = await Promise.race([phone.ended.then((end) => end.reason), delay(1_000, 'goes on')]);
  const firstWord = listener.frames.findIndex(({ word }, at) => at >= spokenAt && word);
  const heard = listener.frames.slice(firstWord < 0 ? from : Math.min(from, firstWord));
  const isWithin = when === 'mid-word'; // the wait before it is none of the failure's
  return judged(isWithin ? heard.slice(heard.findIndex(({ word }) => word)) : heard, said, reason);
}

async function breakVoice(voice: FakeVoiceServer, how: Failure['how'] | undefined): Promise<void> {
  if (how === undefined) return;
  if (how === 'killed') return voice.close();
  if (how === 'broken') {
    voice.dropConnections();
    return;
  }
  if (how === 'hung') {
    voice.fallSilent();
    // what is on its way stays there
    const { connected } = voice as unknown as { readonly connected: ReadonlySet<{ cork(): void }> };
    for (const socket of connected) socket.cork();
    return;
  }
  voice.refuse(Number(how), 'Overloaded');
  voice.dropConnections();
}

function brokenReply(how: Failure['how']): FakeModelReply {
  if (how === 'hung') return { text: [], hang: true };
  if (how === 'killed' || how === 'broken') return { breakOffAfter: 0 };
  return { delayMs: 0, status: Number(how), error: 'Overloaded' };
}

/** Cut behind four words. */
function cutReply(whole: FakeModelReply, how: Failure['how']): FakeModelReply {
  const text = (String(whole.text).match(/\s*\S+/g) ?? []).slice(0, 4);
  if (how === 'hung') return { ...whole, text, hang: true };
  return how === 'killed' || how === 'broken'
    ? { ...whole, breakOffAfter: 4 }
    : { ...whole, text, error: `${how} Overloaded` };
}
