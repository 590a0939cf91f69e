import { encodeMulaw } from '../../../src/base/audio/mulaw.js';
import { SilenceWatch } from '../../../src/call/silence-watch.js';
import type { Carrier } from '../../../src/providers/carrier.js';
import { plivo } from '../../../src/providers/plivo/provider.js';
import { StreamActivity } from '../../../src/runner/bots/stream-activity.js';
import { gain, noise, sine } from '../../base/audio/signals.js';
import { recordedMessage } from '../../providers/plivo/recorded-messages.js';

const LIMIT_MS = 10_000;
const FRAME_MS = 20;
const FRAMES_PER_S = 1_000 / FRAME_MS;
/** Nothing is missed for longer than this: every message is 20 ms of audio, and one in 25 is listened to. */
const LOOK_MS = 500;

const DIGITAL_SILENCE = new Int16Array(160);
/** Noise of full scale is at -4.8 dBFS. */
const COMFORT_NOISE = gain(noise(160, 32_767), -50);
const SPEECH = sine(400, 8_000, 160, 3_000);

let connection: { bytesWritten: number };
let watch: SilenceWatch;
let activity: StreamActivity;
/** When silence was reported, in milliseconds since the stream began. */
let reports: number[];
let elapsedMs: number;
let decoded: number;
let sequence: number;
beforeEach(() => {
  jest.useFakeTimers();
  connection = { bytesWritten: 0 };
  [reports, elapsedMs, decoded, sequence] = [[], 0, 0, 0];
  const createCodec: Carrier['createCodec'] = (streamId, format) => {
    const codec = plivo.createCodec(streamId, format);
    const decode = (text: string | Buffer) => {
      decoded += 1;
      return codec.decode(text);
    };
    return { ...codec, decode };
  };
  watch = new SilenceWatch({ limitMs: LIMIT_MS, onSilence: () => reports.push(elapsedMs) });
  activity = new StreamActivity({ ...plivo, createCodec }, connection, watch);
  watch.start();
});
afterEach(() => {
  watch.stop();
  jest.useRealTimers();
});

const hear = (message: string) => activity.hear(Buffer.from(message));
function media(pcm: Int16Array, more: object = {}): string {
  sequence += 1;
  const message = JSON.parse(recordedMessage('plivo/messages/media'));
  message.sequenceNumber = sequence;
  message.media.chunk = sequence;
  message.media.payload = Buffer.from(encodeMulaw(pcm)).toString('base64');
  return JSON.stringify({ ...message, ...more });
}
/** Time goes on frame by frame; `each` is what else happens in each. */
function pass(
  seconds: number,
  pcm: Int16Array | undefined = DIGITAL_SILENCE,
  each: (frame: number) => void = () => {},
) {
  for (let frame = 0; frame < seconds * FRAMES_PER_S; frame += 1) {
    if (pcm.length > 0) hear(media(pcm));
    each(frame);
    elapsedMs += FRAME_MS;
    jest.advanceTimersByTime(FRAME_MS);
  }
}
const NO_AUDIO = new Int16Array(0);
/** The bot sends, with the four bytes of a WebSocket frame's head. */
const botSends = (message: string) => {
  connection.bytesWritten += message.length + 4;
};
const codec = plivo.createCodec('e1d2c3b4-a596-4788-8697-a6b5c4d3e2f1');
const botSpeaks = () => botSends(codec.encodeAudio(encodeMulaw(SPEECH)));
const botMarks = () => botSends(codec.encodeMark('utterance-17'));

describe('silence is', () => {
  test.each([
    ['nothing at all', NO_AUDIO],
    ['digital silence', DIGITAL_SILENCE],
    ['comfort noise at -55 dBFS', COMFORT_NOISE],
  ])('%s', (_, pcm) => {
    pass(9.98, pcm);
    expect(reports).toEqual([]);
    pass(0.02, pcm);
    expect(reports).toEqual([LIMIT_MS]);
  });

  test('marks that the bot sets and the carrier acknowledges', () => {
    pass(10, DIGITAL_SILENCE, (frame) => {
      if (frame % FRAMES_PER_S !== 0) return;
      botMarks();
      hear(recordedMessage('plivo/messages/played_stream'));
    });
    expect(reports).toEqual([LIMIT_MS]);
  });

  test('what the carrier says about the stream, and what is no message at all', () => {
    const texts = ['start', 'cleared_audio', 'error', 'unknown_event'].map((name) =>
      recordedMessage(`plivo/messages/${name}`),
    );
    const noise = ['', 'null', '[]', '{', '{"event":"dtmf"}', '\0'.repeat(500), 'x'.repeat(60_000)];
    pass(10, DIGITAL_SILENCE, (frame) => {
      const text = [...texts, ...noise][frame % (texts.length + noise.length)];
      hear(text ?? '');
    });
    expect(reports).toEqual([LIMIT_MS]);
  });

  test('the pings of a stream and the words the bot has for it', () => {
    pass(10, DIGITAL_SILENCE, (frame) => {
      if (frame % FRAMES_PER_S === 0) botSends(codec.encodeClear());
    });
    expect(reports).toEqual([LIMIT_MS]);
  });
});

describe('a call goes on while', () => {
  test('the caller speaks, and for the limit after', () => {
    pass(60, SPEECH);
    expect(reports).toEqual([]);
    pass(10 - LOOK_MS / 1_000);
    expect(reports).toEqual([]);
    pass(LOOK_MS / 1_000);
    expect(reports).toHaveLength(1);
  });

  test('the caller says a word of half a second every nine seconds', () => {
    for (const _ of [1, 2, 3, 4, 5]) {
      pass(0.5, SPEECH);
      pass(8.5, COMFORT_NOISE);
    }
    expect(reports).toEqual([]);
  });

  test('the caller speaks quietly, at -40 dBFS', () => {
    pass(30, gain(noise(160, 32_767), -35));
    expect(reports).toEqual([]);
  });

  test('a caller speaks whose audio comes in messages of other lengths', () => {
    for (const samples of [80, 240, 400, 800]) pass(12, sine(400, 8_000, samples, 3_000));
    expect(reports).toEqual([]);
  });

  test('the bot speaks', () => {
    pass(60, DIGITAL_SILENCE, botSpeaks);
    expect(reports).toEqual([]);
    pass(10.1);
    expect(reports).toHaveLength(1);
  });

  test('the bot speaks in a burst', () => {
    for (const _ of [1, 2, 3]) {
      for (let frame = 0; frame < 50; frame += 1) botSpeaks();
      pass(9);
    }
    expect(reports).toEqual([]);
  });

  test('the bot speaks and sets a mark at every frame, each of which the carrier acknowledges', () => {
    pass(30, DIGITAL_SILENCE, () => {
      botSpeaks();
      botMarks();
      hear(recordedMessage('plivo/messages/played_stream'));
    });
    expect(reports).toEqual([]);
  });

  test('the bot speaks to a caller whose silence the carrier does not send', () => {
    pass(30, NO_AUDIO, (frame) => {
      botSpeaks();
      if (frame % FRAMES_PER_S === 0) hear(recordedMessage('plivo/messages/played_stream'));
    });
    expect(reports).toEqual([]);
  });

  test.each([
    ['recorded', {}],
    ['with custom data on every message', { extra_headers: 'X-PH-Team=blue,X-PH-Account=0123456789,X-PH-Queue=sales' }],
    ['with much of it', { extra_headers: 'x'.repeat(512) }],
  ])('keys are pressed, at whatever moment: %s', (_, more) => {
    const key = JSON.stringify({ ...JSON.parse(recordedMessage('plivo/messages/dtmf')), ...more });
    for (let moment = 0; moment < 25; moment += 1) {
      pass(9.02, NO_AUDIO, () => hear(media(DIGITAL_SILENCE, more)));
      hear(key);
      expect(reports).toEqual([]);
    }
  });
});

describe('a stream that carries L16 at 16000 Hz', () => {
  const begin = () => {
    const start = JSON.parse(recordedMessage('plivo/messages/start'));
    start.start.mediaFormat = { encoding: 'audio/x-l16', sampleRate: 16_000 };
    hear(JSON.stringify(start));
  };
  const wide = (pcm: Int16Array) => {
    const message = JSON.parse(media(DIGITAL_SILENCE));
    message.media.payload = Buffer.from(new Uint8Array(pcm.buffer)).toString('base64');
    return JSON.stringify(message);
  };

  test.each([
    ['goes on while the caller speaks', sine(400, 16_000, 320, 3_000), 0],
    ['is silent in comfort noise at -55 dBFS', gain(noise(320, 32_767), -50), 1],
  ])('%s', (_, pcm, times) => {
    begin();
    pass(20, NO_AUDIO, () => hear(wide(pcm)));
    expect(reports).toHaveLength(times);
  });
});

test('audio that a codec holds back for its turn is not read more often than other audio', () => {
  const held = { ...plivo.createCodec(''), decode: () => ({ type: 'held' }) as const };
  let codecs = 0;
  const createCodec = () => {
    codecs += 1;
    return held;
  };
  const other = new StreamActivity({ ...plivo, createCodec }, connection, watch);
  for (let n = 0; n < 250; n += 1) other.hear(Buffer.alloc(300));
  expect(codecs).toBeLessThanOrEqual(11);
});

test('reports silence once, though somebody speaks after it and is silent again', () => {
  pass(10);
  pass(5, SPEECH);
  hear(recordedMessage('plivo/messages/dtmf'));
  pass(60);
  expect(reports).toEqual([LIMIT_MS]);
});

test('reports nothing once stopped, whatever is heard', () => {
  pass(5);
  watch.stop();
  pass(5, SPEECH);
  pass(30);
  watch.stop();
  expect(reports).toEqual([]);
});

test('looks at two messages of audio in a second', () => {
  pass(60, SPEECH);
  expect(decoded).toBeLessThanOrEqual(2 * 60 + 5);
});
