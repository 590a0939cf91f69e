import { levelDb } from '../../../../src/base/audio/level.js';
import { ProviderError } from '../../../../src/base/provider-error.js';
import { LineFrame, recordedLine } from '../../../../src/bot/pipeline/recorded-lines.js';
import { PiecewiseVoice } from '../../../../src/bot/services/tts/piecewise-voice.js';
import {
  CallerJoinedFrame,
  CancelFrame,
  Conversation,
  OutputAudioFrame,
  StartFrame,
  TTSSpeakFrame,
} from '../../../../src/doors/pipeline.js';
import {
  CartesiaTTS,
  TtsService,
  type TtsServiceOptions,
  type Voice,
  type VoiceListener,
} from '../../../../src/doors/services.js';
import {
  type BotFunction,
  CarrierFrameSerializer,
  EndFrame,
  Pipeline,
  PipelineTask,
  parseTelephonyWebSocket,
  WebSocketTransport,
} from '../../../../src/index.js';
import { FakeCartesia, FakePhone } from '../../../../src/lab/kit/index.js';
import { Speaking } from './speaking.js';

/** A voice of this machine whose program is not there. */
class MissingTTS extends TtsService {
  protected override get needsKey(): boolean {
    return false;
  }

  protected override get voiceKey(): string {
    return 'missing';
  }

  protected override createVoice(sampleRate: number, listener: VoiceListener): Voice {
    const error = new ProviderError('missing', 'VB_PROVIDER_FAILED', 'it is not installed', { isFinal: true });
    return new PiecewiseVoice((_text, { over }) => failSoon(() => over(error)), sampleRate, listener);
  }
}

function failSoon(fail: () => void): () => void {
  const soon = setImmediate(fail);
  return () => clearImmediate(soon);
}

const missing = (options: TtsServiceOptions = {}) => new MissingTTS({ cache: false, ...options });
const reasons = (speaking: Speaking) => speaking.after.of(EndFrame).map(({ reason }) => reason);
const audio = (speaking: Speaking) => speaking.after.of(OutputAudioFrame);

describe('a voice that cannot speak, without a conversation', () => {
  test('apologises and ends the call, whatever the bot wants next', async () => {
    using speaking = new Speaking(missing());
    const hello = new TTSSpeakFrame('Hello there.');
    speaking.queue(hello, new EndFrame());
    await hello.synthesised;
    await speaking.speak('Are you there?');
    expect(audio(speaking)).toEqual([recordedLine('apology')]);
    expect(reasons(speaking)).toEqual(['provider_error', 'bot_ended']);
    expect(speaking.errors[0]).toMatchObject({ isFinal: true });
  });

  test('does so for an answer of the model, too', async () => {
    using speaking = new Speaking(missing());
    speaking.answer('At seven. ');
    await speaking.said();
    expect(audio(speaking)).toHaveLength(1);
    expect(reasons(speaking)).toEqual(['provider_error']);
  });

  test('says nothing while nothing is to be said', async () => {
    using speaking = new Speaking(missing());
    await speaking.speak(' ');
    speaking.end();
    expect([audio(speaking), reasons(speaking)]).toEqual([[], ['bot_ended']]);
  });

  test('plays another apology, or leaves everything to the bot', async () => {
    const apology = new OutputAudioFrame(new Int16Array(160), 8_000);
    using other = new Speaking(missing({ apology }));
    using none = new Speaking(missing({ apology: false }));
    await Promise.all([other.speak('Hello.'), none.speak('Hello.')]);
    expect(audio(other)).toEqual([new LineFrame(apology, 'apology')]);
    expect([audio(none), reasons(none)]).toEqual([[], []]);
  });
});

test('a voice of a conversation leaves it to that', async () => {
  const tts = missing();
  const conversation = new Conversation({ log: () => {}, holdAfterMs: 0 });
  using speaking = new Speaking(tts);
  speaking.before.link(conversation.user());
  conversation.user().link(tts);
  speaking.before.receive(new StartFrame(8_000, 8_000), 'downstream');
  await speaking.speak('Hello there.');
  expect([audio(speaking), reasons(speaking)]).toEqual([[], []]); // there is no caller yet who could hear it
  speaking.queue(new CallerJoinedFrame(), new CancelFrame());
});

test.each(['ends', 'waits'])('a caller of a bot that %s hears the apology when the key is refused', async (then) => {
  await using cartesia = await FakeCartesia.start();
  cartesia.refuse(401, 'Who is this?');
  const bot: BotFunction = async (args) => {
    if (args.transport !== 'carrier') throw new Error('expected a carrier call');
    const [, { stream_id: streamId, call_id: callId }] = await parseTelephonyWebSocket(args.websocket);
    const serializer = new CarrierFrameSerializer({ streamId, callId });
    const transport = new WebSocketTransport(args.websocket, { serializer });
    const tts = new CartesiaTTS({ apiKey: 'key', baseUrl: cartesia.url, cache: false });
    const task = new PipelineTask(new Pipeline([transport.input(), tts, transport.output()]));
    task.on('problem', () => {});
    task.queueFrame(new TTSSpeakFrame('Hello there.'));
    if (then === 'ends') task.queueFrame(new EndFrame());
    await task.run();
  };
  await using phone = await FakePhone.call(bot);
  expect(await phone.ended).toMatchObject({ reason: 'provider_error' });
  expect(phone.heard.length).toBeGreaterThan(recordedLine('apology').pcm.length / 4);
  expect(levelDb(phone.heard)).toBeGreaterThan(-40);
});
