import { mannerOf } from './live/manners.js';
import type { LiveModel } from './live/realtime-model.js';
import { earVendorOf } from './stt/ai-ear-vendors.js';
import { FluxDialect } from './stt/deepgram-flux.js';
import { DeepgramDialect } from './stt/deepgram-stt.js';
import type { SttDialect } from './stt/stt-dialect.js';
import { askedAudio } from './tts/ai-voice-vendors.js';
import { cartesiaDialect } from './tts/cartesia-tts.js';
import { deepgramDialect } from './tts/deepgram-tts.js';
import { elevenLabsDialect } from './tts/elevenlabs-tts.js';
import type { TtsDialect } from './tts/tts-dialect.js';
import { VENDORS, type Vendor, type VendorAccount } from './vendor.js';

/** What a service of a vendor can do, as the table of docs/services.md tells it. `undefined`: it does not apply. */
export interface VendorAbilities {
  /** The vendor, and its family of models where there are several. */
  readonly vendor: string;
  readonly does: 'ears' | 'model' | 'voice' | 'live';
  /** How a bot file gives it, such as `deepgram()`. */
  readonly given: string;
  /** Whether audio or text comes while it is made, or when all of it is there. */
  readonly comes: 'streams' | 'whole';
  /** Whether the vendor tells the times of words, or voicebot estimates them. */
  readonly wordTimes?: 'told' | 'estimated' | undefined;
  /** Encodings and rates of the audio, in hertz. */
  readonly audio?: string | undefined;
  /** How the end of the caller's turn is known. */
  readonly endOfTurn?: string | undefined;
  /** How speech that is not wanted is stopped. */
  readonly cancel?: string | undefined;
  /** What keeps a connection on which nothing is sent. */
  readonly keepAlive?: string | undefined;
}

/** Rates of a pipeline, in hertz. */
const RATES = [8_000, 16_000, 24_000, 48_000];

const accountOf = (provider: Vendor): VendorAccount => ({ provider, apiKey: 'none', baseUrl: provider.defaultUrl });

/** What a service is sent, or sends, at the rates of a pipeline: `mu-law 8000, 16 bits 16000 to 48000`. */
function audioOf(format: (sampleRate: number) => { encoding: 'PCMU' | 'L16'; sampleRate: number }): string {
  const formats = RATES.map(format);
  const isMulaw = formats.some(({ encoding }) => encoding === 'PCMU');
  const rates = [...new Set(formats.filter(({ encoding }) => encoding === 'L16').map(({ sampleRate }) => sampleRate))];
  const linear = [...new Set([rates[0], rates.at(-1)])].join(' to ');
  return [...(isMulaw ? ['mu-law 8000'] : []), `16 bits ${linear}`].join(', ');
}

/** A message of a vendor by its name: its `type`, or what it is where it has none. */
function keptBy(keepAlive: { readonly message?: string } | undefined, everyMs: number | undefined): string {
  if (keepAlive === undefined || everyMs === undefined) return 'not needed';
  const { type } = JSON.parse(keepAlive.message ?? '{"type":"ping"}');
  return `${type ?? 'an empty text'} each ${everyMs / 1_000} s`;
}

function ears(vendor: string, given: string, dialect: SttDialect, endOfTurn: string): VendorAbilities {
  const { keepAlive } = dialect;
  const audio = audioOf((sampleRate) => dialect.format(sampleRate));
  return {
    vendor,
    does: 'ears',
    given,
    comes: 'streams',
    audio,
    endOfTurn,
    keepAlive: keptBy(keepAlive, keepAlive?.afterMs),
  };
}

function voice(
  vendor: string,
  given: string,
  dialect: (sampleRate: number) => TtsDialect,
  has: Required<Pick<VendorAbilities, 'wordTimes' | 'cancel'>>,
): VendorAbilities {
  const { keepAlive } = dialect(8_000);
  const audio = audioOf((sampleRate) => dialect(sampleRate).format);
  return {
    vendor,
    does: 'voice',
    given,
    comes: 'streams',
    audio,
    ...has,
    keepAlive: keptBy(keepAlive, keepAlive?.everyMs),
  };
}

/** A model as far as it is needed to know whose it is. */
const modelOf = (name: string) => ({ specificationVersion: 'v4', provider: `${name}.model`, modelId: '' });

function earsOfAi(vendor: string, given: string, name: string): VendorAbilities {
  const { format, endsByUs } = earVendorOf(modelOf(name));
  const endOfTurn = endsByUs ? 'a silence that voicebot hears' : 'a silence';
  return { vendor, does: 'ears', given, comes: 'streams', audio: audioOf(format), endOfTurn };
}

function voiceOfAi(vendor: string, given: string, name: string): VendorAbilities {
  const audio = audioOf((sampleRate) => askedAudio(modelOf(name), sampleRate, undefined).raw ?? WAV);
  const has = { wordTimes: 'estimated', cancel: 'the request is aborted' } as const;
  return { vendor, does: 'voice', given, comes: 'whole', audio, ...has };
}

function live(vendor: string, given: string, name: string): VendorAbilities {
  const { formats, truncates } = mannerOf(modelOf(name) as unknown as LiveModel);
  const audio = audioOf((sampleRate) => formats(sampleRate).input);
  const cancel = truncates ? 'truncated to what was heard' : 'told which words were heard';
  return {
    vendor,
    does: 'live',
    given,
    comes: 'streams',
    wordTimes: 'estimated',
    audio,
    endOfTurn: 'by the conversation',
    cancel,
  };
}

/** What a header tells. */
const WAV = { encoding: 'L16', sampleRate: 24_000 } as const;

const { deepgram, cartesia, elevenlabs } = VENDORS;
const apiKey = 'none';

/** Every service there is a way to, in the order of the table. */
export function vendorAbilities(): VendorAbilities[] {
  return [
    ears('Deepgram Nova', '`deepgram()`', new DeepgramDialect({ apiKey }), 'a silence'),
    ears(
      'Deepgram Flux',
      "`deepgram({ model: 'flux-general-en' })`",
      new FluxDialect({ apiKey, model: 'flux-general-en' }),
      'told: likely, taken back, certain',
    ),
    earsOfAi('ElevenLabs Scribe', "`elevenLabs.transcription('scribe_v2_realtime')`", 'elevenlabs'),
    earsOfAi('OpenAI', "`openai.transcription('gpt-realtime-whisper')`", 'openai'),
    earsOfAi('xAI', '`xai.transcription()`', 'xai'),
    earsOfAi('Google', "`google.transcription('…-live')`", 'google'),
    voice(
      'Cartesia',
      '`cartesia()`',
      (rate) =>
        cartesiaDialect(
          accountOf(cartesia),
          { voice: '', model: '', language: '', speed: undefined, volume: undefined },
          rate,
        ),
      { wordTimes: 'told', cancel: 'of a context' },
    ),
    voice(
      'ElevenLabs',
      '`elevenlabs()`',
      (rate) => elevenLabsDialect(accountOf(elevenlabs), { voice: '', model: '' }, rate),
      { wordTimes: 'told', cancel: 'by closing a context' },
    ),
    voice('Deepgram Aura', '`deepgramVoice()`', (rate) => deepgramDialect(accountOf(deepgram), '', rate), {
      wordTimes: 'estimated',
      cancel: 'of all that waits',
    }),
    voiceOfAi('OpenAI', "`openai.speech('gpt-4o-mini-tts')`", 'openai'),
    voiceOfAi('xAI', '`xai.speech()`', 'xai'),
    {
      vendor: 'Flite',
      does: 'voice',
      given: '`flite()`',
      comes: 'whole',
      audio: '16 bits, resampled',
      wordTimes: 'estimated',
      cancel: 'in the process',
    },
    {
      vendor: 'Any of the `ai` package',
      does: 'model',
      given: "`openai('…')`",
      comes: 'streams',
      cancel: 'the request is aborted',
    },
    live('OpenAI Realtime', "`openai.experimental_realtime('gpt-realtime-2.1')`", 'openai'),
    live('xAI', "`xai.experimental_realtime('…')`", 'xai'),
    live('Gemini Live', "`google.experimental_realtime('…')`", 'google'),
    {
      vendor: 'GPT-Live',
      does: 'live',
      given: "`openai.experimental_realtime('gpt-live-1')`",
      comes: 'streams',
      wordTimes: 'told',
      audio: audioOf((sampleRate) => mannerOf(modelOf('openai') as unknown as LiveModel).formats(sampleRate).input),
      endOfTurn: 'by the model',
      cancel: 'told which words were heard',
    },
  ];
}

/** Heads of the columns, and what stands below. */
const COLUMNS: ReadonlyArray<[head: string, name: keyof VendorAbilities]> = [
  ['Vendor', 'vendor'],
  ['Does', 'does'],
  ['Given as', 'given'],
  ['Comes', 'comes'],
  ['Times of words', 'wordTimes'],
  ['Audio, in hertz', 'audio'],
  ['End of a turn', 'endOfTurn'],
  ['Cancel', 'cancel'],
  ['Keep-alive', 'keepAlive'],
];

/** The table of docs/services.md, in Markdown. */
export function abilityTable(): string {
  const row = (cells: readonly string[]) => `| ${cells.join(' | ')} |`;
  const rows = vendorAbilities().map((one) => row(COLUMNS.map(([, name]) => one[name] ?? '-')));
  return [row(COLUMNS.map(([head]) => head)), `|${'---|'.repeat(COLUMNS.length)}`, ...rows].join('\n');
}
