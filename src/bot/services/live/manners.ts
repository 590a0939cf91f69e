import type { LiveFormat, LiveManner, LiveSettings } from './manner.js';
import type { LiveConfig, LiveModel } from './realtime-model.js';

const PHONE = { encoding: 'PCMU', sampleRate: 8_000 } as const;
const WIDE = { encoding: 'L16', sampleRate: 24_000 } as const;
/** How the contract and the vendors write a format. */
export const formatOf = ({ encoding, sampleRate }: LiveFormat) => ({
  type: encoding === 'PCMU' ? 'audio/pcmu' : 'audio/pcm',
  rate: sampleRate,
});
/** Silence after which OpenAI's detector takes a piece of speech for whole, in milliseconds: its words come sooner than with the vendor's 500. */
const PIECE_SILENCE_MS = 400;
/** What writes down what a caller says to a model of OpenAI, unless the bot names another. */
export const OPENAI_EARS = 'gpt-realtime-whisper';

/** What tells a model to say a text word for word, where instructions of an answer do. */
export const sayInstructions = (text: string) =>
  `Say the following to the caller, word for word, and nothing else:\n\n${text}`;

const transcriptionOf = ({ model, language }: LiveSettings['transcription']) => ({
  ...(model !== undefined && { model }),
  ...(language !== undefined && { language }),
});

/** What every vendor is told alike. */
const common = ({ instructions, tools, voice, transcription, input, output }: LiveSettings): LiveConfig => ({
  instructions,
  tools,
  ...(voice !== undefined && { voice }),
  outputModalities: ['audio'],
  inputAudioFormat: formatOf(input),
  outputAudioFormat: formatOf(output),
  inputAudioTranscription: transcriptionOf(transcription),
  outputAudioTranscription: {},
});

/** Which of OpenAI's formats comes nearest. @param sampleRate of the pipeline, in hertz */
export const openaiFormatFor = (sampleRate: number): LiveFormat => (sampleRate <= 8_000 ? PHONE : WIDE);

/** OpenAI knows the rate of telephones' formats, and takes none there. */
const openaiFormat = (format: LiveFormat) => (format.encoding === 'PCMU' ? { type: 'audio/pcmu' } : formatOf(format));

/** The Realtime API of OpenAI, and those that speak its wire. */
const OPENAI: LiveManner = {
  formats: (sampleRate) => {
    const format = openaiFormatFor(sampleRate);
    return { input: format, output: format };
  },
  config: (settings) => {
    const { voice, transcription, input, output } = settings;
    const { inputAudioTranscription: _, ...config } = common(settings);
    return {
      ...config,
      providerOptions: {
        // what decides about turns is not in the contract, and `audio` is taken as a whole
        audio: {
          input: {
            format: openaiFormat(input),
            transcription: { model: OPENAI_EARS, ...transcriptionOf(transcription) },
            turn_detection: {
              type: 'server_vad',
              silence_duration_ms: PIECE_SILENCE_MS,
              create_response: false,
              interrupt_response: false,
            },
          },
          output: { format: openaiFormat(output), ...(voice !== undefined && { voice }) },
        },
      },
    };
  },
  isChangeable: true,
  hearing: 'detected',
  truncates: true,
  forget: (item_id) => ({ type: 'conversation.item.delete', item_id }),
  text: (role, text, id) => ({
    type: 'conversation.item.create',
    item: {
      ...(id && { id }),
      type: 'message',
      role,
      content: [{ type: role === 'user' ? 'input_text' : 'output_text', text }],
    },
  }),
  goesOnWithResults: false,
  transcriptsGrow: false,
  interimOf: (raw) => {
    const { type, item_id, delta } = raw as { type?: string; item_id?: string; delta?: string };
    const isInterim = type === 'conversation.item.input_audio_transcription.delta';
    return isInterim && item_id !== undefined && delta ? { itemId: item_id, delta } : undefined;
  },
  farewells: [],
  harmless: [
    'input_audio_buffer_commit_empty',
    'response_cancel_not_active',
    'item_truncate_invalid_item_id',
    'item_delete_invalid_item_id',
  ],
  namesMessages: true,
  // what was said ends where it is cut already, or was cut before
  mayFail: /^conversation\.item\.truncate#/,
  endings: ['session_expired'],
  passedOver:
    /^(conversation\.(created|item\.(created|added|done|truncated|deleted|retrieved|input_audio_transcription\.(delta|segment|failed)))|rate_limits\.updated|input_audio_buffer\.(cleared|timeout_triggered)|response\.(output_item|content_part|output_audio)\..*)$/,
};

/** xAI's, which answers by itself where it detects speech, and has no truncation. */
const { forget: _, ...SAME_WIRE } = OPENAI;
const XAI: LiveManner = {
  ...SAME_WIRE,
  config: (settings) => ({ ...common(settings), turnDetection: { type: 'disabled' } }),
  hearing: 'committed',
  truncates: false,
  namesMessages: false,
  text: (role, text) =>
    OPENAI.text('user', role === 'user' ? text : `<system>You have said to the caller: ${text}</system>`),
};

/** Google's Gemini Live. */
const GOOGLE: LiveManner = {
  formats: () => ({ input: { encoding: 'L16', sampleRate: 16_000 }, output: WIDE }),
  config: (settings) => ({
    ...common(settings),
    providerOptions: { realtimeInputConfig: { automaticActivityDetection: { disabled: true } } },
  }),
  isChangeable: false,
  hearing: 'bracketed',
  brackets: { start: { realtimeInput: { activityStart: {} } }, end: { realtimeInput: { activityEnd: {} } } },
  truncates: false,
  text: (role, text) => ({
    clientContent: {
      turns: [{ role: role === 'user' ? 'user' : 'model', parts: [{ text }] }],
      turnComplete: false,
    },
  }),
  askForText: { clientContent: { turnComplete: true } },
  say: (text) => ({
    clientContent: {
      turns: [{ role: 'user', parts: [{ text: `<system>${sayInstructions(text)}</system>` }] }],
      turnComplete: true,
    },
  }),
  cancelledOf: (raw) => (raw as { toolCallCancellation?: { ids?: string[] } }).toolCallCancellation?.ids ?? [],
  goesOnWithResults: true,
  soundIsWhole: 'generationComplete',
  transcriptsGrow: true,
  farewells: ['goAway'],
  harmless: [],
  namesMessages: false,
  endings: [],
  passedOver:
    /^(generationComplete|interactionStatus|waitingForInput|sessionResumptionUpdate|toolCallCancellation|usageMetadata|serverContent|goAway)$/,
};

/** By whose wire a model's session is. What speaks neither Google's nor xAI's is taken to speak OpenAI's. */
export function mannerOf({ provider }: LiveModel): LiveManner {
  const name = provider.split('.', 1)[0];
  if (name === 'google' || name === 'vertex') return GOOGLE;
  return name === 'xai' ? XAI : OPENAI;
}
