import { readFileSync } from 'node:fs';
import { decodeWav } from '../../../base/audio/wav.js';
import type { TimedWord } from '../../pipeline/frames/index.js';
import { alignSounds, type VoiceSound } from './align-sounds.js';

/** The voices of the program that say any text: `kal` at 8000 Hz, the others at 16000 Hz. */
export const FLITE_VOICES = ['slt', 'rms', 'awb', 'kal16', 'kal'] as const;

export type FliteVoiceName = (typeof FLITE_VOICES)[number];

export const DEFAULT_FLITE_VOICE: FliteVoiceName = 'slt';

/** The program begins with about 200 ms of silence, which the caller need not hear: this much is left, in milliseconds. */
const LEAD_MS = 20;
const QUIET = 200;

/** What is used of it; the types of Node 20 leave it out. */
declare const WebAssembly: {
  readonly Module: new (bytes: Uint8Array) => FliteProgram;
  readonly Instance: new (
    program: FliteProgram,
    imports: { readonly wasi_snapshot_preview1: Readonly<Record<string, (...values: number[]) => number>> },
  ) => { readonly exports: { readonly memory: { readonly buffer: ArrayBuffer }; _start(): void } };
};

/** The program, compiled. */
export type FliteProgram = object;

/** What the program may ask of a system, as WASI numbers it. */
const [OK, BAD_FILE, DIRECTORY, FILE] = [0, 8, 3, 4];
/** Its numbers: three are the standard streams. */
const [STANDARD_OUTPUT, FOLDER_NUMBER, FILE_NUMBER] = [1, 3, 4];
const ALL_RIGHTS = 0xffff_ffff_ffff_ffffn;
/** Where the samples of a WAV file begin that is not complete: one without any. */
const WAV_HEADER_BYTES = 44;

/** @param file path of `flite.wasm` */
export const compileFlite = (file: string): FliteProgram => new WebAssembly.Module(readFileSync(file));

/**
 * Has the program flite, compiled to WASI, say one text. It is given one folder, with the one file that it writes: both are memory.
 * @returns what it has said, from the first sound on, and when its words are spoken; no samples for a text of which it can say nothing
 * @throws what WebAssembly throws when the program fails
 * @see https://github.com/festvox/flite and https://github.com/WebAssembly/WASI snapshot preview 1
 */
export function runFlite(
  program: FliteProgram,
  voice: FliteVoiceName,
  text: string,
): { pcm: Int16Array; sampleRate: number; words: TimedWord[] } {
  const { written, printed } = runProgram(program, [
    'flite',
    ...['-voice', voice, '-psdur', '-t', inAscii(text), '-o', '/speech.wav'],
  ]);
  if (written.length <= WAV_HEADER_BYTES) return { pcm: new Int16Array(0), sampleRate: 16_000, words: [] };
  const { channels, sampleRate } = decodeWav(written);
  const [pcm] = channels;
  const firstAudible = pcm.findIndex((sample) => Math.abs(sample) > QUIET);
  const start = firstAudible < 0 ? pcm.length : Math.max(0, firstAudible - (LEAD_MS * sampleRate) / 1_000);
  const startMs = (start * 1_000) / sampleRate;
  const after = (ms: number) => Math.max(0, ms - startMs);
  const words = alignSounds(text, soundsIn(printed)).map((word) => ({
    text: word.text,
    startMs: after(word.startMs),
    endMs: after(word.endMs),
  }));
  return { pcm: pcm.subarray(start), sampleRate, words };
}

/** With `-psdur` the program prints each sound and when it ends, in seconds: `pau:0.205 hh:0.280`. */
const soundsIn = (printed: string): VoiceSound[] =>
  [...printed.matchAll(/([a-z]+):(\d+(?:\.\d+)?)/g)].map(([, name = '', ends]) => ({
    name,
    endMs: Number(ends) * 1_000,
  }));

/** @returns what the program writes to its file, and what it prints */
function runProgram(program: FliteProgram, words: readonly string[]): { written: Uint8Array; printed: string } {
  const written: Uint8Array[] = [];
  const printed: Uint8Array[] = [];
  const texts = words.map((word) => Buffer.from(`${word}\0`));
  const view = () => new DataView(memory.buffer);
  const bytesAt = (at: number, length: number) => new Uint8Array(memory.buffer, at, length);
  const setNumber = (at: number, value: number) => {
    view().setUint32(at, value, true);
    return OK;
  };
  const system = {
    args_sizes_get: (count: number, size: number) => setNumber(count, texts.length) || setNumber(size, sizeOf(texts)),
    args_get: (pointers: number, start: number) => {
      for (const [index, text] of texts.entries()) {
        setNumber(pointers + 4 * index, start);
        bytesAt(start, text.length).set(text);
        start += text.length;
      }
      return OK;
    },
    clock_time_get: () => OK,
    fd_close: () => OK,
    fd_fdstat_set_flags: () => OK,
    fd_fdstat_get: (file: number, stat: number) => {
      bytesAt(stat, 24).fill(0);
      view().setUint8(stat, file === FOLDER_NUMBER ? DIRECTORY : FILE);
      for (const rights of [8, 16]) view().setBigUint64(stat + rights, ALL_RIGHTS, true);
      return OK;
    },
    fd_prestat_get: (file: number, stat: number) =>
      file === FOLDER_NUMBER ? setNumber(stat, 0) || setNumber(stat + 4, 1) : BAD_FILE,
    fd_prestat_dir_name: (_file: number, name: number) => {
      view().setUint8(name, '/'.charCodeAt(0));
      return OK;
    },
    path_open: (...[, , , , , , , , file]: number[]) => setNumber(file as number, FILE_NUMBER),
    fd_read: () => BAD_FILE,
    fd_seek: () => BAD_FILE,
    fd_write: (file: number, pieces: number, count: number, size: number) => {
      const bytes = Array.from({ length: count }, (_, index) => {
        const piece = pieces + 8 * index;
        return bytesAt(view().getUint32(piece, true), view().getUint32(piece + 4, true)).slice();
      });
      if (file === FILE_NUMBER) written.push(...bytes);
      if (file === STANDARD_OUTPUT) printed.push(...bytes);
      return setNumber(size, sizeOf(bytes));
    },
    proc_exit: (code: number) => {
      throw new Error(`flite ended with ${code}`);
    },
  };
  const { exports } = new WebAssembly.Instance(program, { wasi_snapshot_preview1: system });
  const { memory } = exports;
  exports._start();
  return { written: Buffer.concat(written), printed: Buffer.concat(printed).toString() };
}

const sizeOf = (texts: readonly Uint8Array[]) => texts.reduce((sum, { length }) => sum + length, 0);

/** The program reads English letters only: accents are left out, and typographic marks are written with plain ones. */
const inAscii = (text: string) =>
  text
    .normalize('NFKD')
    .replace(/[\p{M}\0]/gu, '')
    .replace(/[‘’]/g, "'")
    .replace(/[“”„«»]/g, '"')
    .replace(/ [–—] /g, ', ');
