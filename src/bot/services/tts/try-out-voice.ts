import { encodeWav } from '../../../base/audio/wav.js';
import { VoicebotError } from '../../../base/errors.js';
import { askingFailure } from '../ai-failure.js';
import { describeModel } from '../model-kind.js';
import { withFetch } from '../model-vendor.js';
import { askedAudio } from './ai-voice-vendors.js';
import { type AskedSpeechModel, generateOptions, type SpeechManner } from './ask-speech-model.js';

/** Options of a project that a model may not take. */
const GIVEN: readonly (keyof SpeechManner)[] = ['voice', 'speed', 'instructions', 'language'];

/**
 * Asks a model for speech without a network: what it refuses, and what it would make otherwise than it was asked, it says by itself.
 * @returns what is wrong; undefined too for a model that hides how it connects
 */
export async function tryOutVoice(
  model: AskedSpeechModel,
  manner: SpeechManner,
  settingsName: string,
): Promise<VoicebotError | undefined> {
  let hasAsked = false;
  const offline = withFetch(model, async () => {
    hasAsked = true;
    const body = encodeWav({ encoding: 'L16', sampleRate: 8_000, channels: [new Int16Array(8)] });
    return new Response(body as Uint8Array<ArrayBuffer>, { headers: { 'content-type': 'audio/wav' } });
  });
  if (!offline) return undefined;
  const audio = askedAudio(model, 8_000, manner.outputFormat);
  try {
    const { warnings } = await offline.doGenerate(generateOptions('Hello.', manner, audio, settingsName));
    return refusalOf(model, manner, warnings);
  } catch (error) {
    // behind the request it has only failed to read what was given in place of the answer
    return hasAsked ? undefined : askingFailure('tts', model, error as Error);
  }
}

type Warnings = Awaited<ReturnType<AskedSpeechModel['doGenerate']>>['warnings'];

function refusalOf(model: AskedSpeechModel, manner: SpeechManner, warnings: Warnings): VoicebotError | undefined {
  const features = warnings.flatMap((warning) => (warning.type === 'unsupported' ? [warning.feature] : []));
  const problems = GIVEN.filter((name) => manner[name] !== undefined && features.includes(name)).map(
    (name) => `${name} is not taken by ${describeModel(model)}: leave it out`,
  );
  if (features.includes('outputFormat')) {
    problems.push(
      `outputFormat is not what ${describeModel(model)} gives: ask for one of its formats of wav, pcm and mulaw`,
    );
  }
  return problems.length > 0 ? new VoicebotError('VB_CONFIG_INVALID', `tts: ${problems.join('; ')}`) : undefined;
}
