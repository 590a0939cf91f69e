import {
  closeSync,
  constants,
  fstatSync,
  mkdirSync,
  openSync,
  readSync,
  renameSync,
  rmSync,
  writeFileSync,
  writeSync,
} from 'node:fs';
import { dirname } from 'node:path';
import { type AudioJob, type DiskJob, type EventsJob, type PageJob, pageBytes } from './disk-job.js';
import { blocksIn, headerOf, tellBlocks, WAV_BLOCK_BYTES, WAV_HEADER_BYTES } from './wav-header.js';

interface Audio extends AudioJob {
  /** Undefined before the first page. */
  fd?: number;
  readonly header: Buffer;
  /** What it tells of. */
  toldBlocks: number;
}

/** The files of call folders that a process writes to. Everything waits for the disk: lives in the thread that writes. */
export class OpenFiles {
  readonly #audio = new Map<number, Audio>();
  readonly #events = new Map<number, number>();
  /** The left sample in the lower and the right one in the upper half, as the file has them. */
  #blocks = new Int32Array();

  /** @throws the system's error; a part may have been written then */
  carryOut(job: DiskJob): void {
    if (job.do === 'write_page') this.#writePage(job);
    else if (job.do === 'append') this.#append(job);
    else if (job.do === 'open_audio') this.#open(job);
    else if (job.do === 'replace') replaceFile(job.path, job.text);
    else this.#close(job.file);
  }

  #open(job: AudioJob): void {
    this.#audio.set(job.file, { ...job, header: headerOf(0, job.sampleRate), toldBlocks: 0 });
  }

  #writePage({ file, page, at, blocks }: PageJob): void {
    const audio = this.#audio.get(file);
    if (!audio) throw new Error('the file is closed');
    const fd = audio.fd ?? openAudio(audio);
    writeAll(fd, this.#interleaved(audio, page, blocks), WAV_HEADER_BYTES + at * WAV_BLOCK_BYTES);
    if (at + blocks <= audio.toldBlocks) return;
    audio.toldBlocks = at + blocks;
    tellBlocks(audio.header, audio.toldBlocks);
    writeAll(fd, audio.header, 0);
  }

  /** Until the next time. */
  #interleaved({ pages, pageLength }: Audio, page: number, blocks: number): Uint8Array {
    if (this.#blocks.length < blocks) this.#blocks = new Int32Array(pageLength);
    const both = new Int16Array(pages, page * pageBytes(pageLength), 2 * pageLength);
    for (let i = 0; i < blocks; i += 1) {
      this.#blocks[i] = ((both[i] as number) & 0xffff) | ((both[pageLength + i] as number) << 16);
    }
    return new Uint8Array(this.#blocks.buffer, 0, blocks * WAV_BLOCK_BYTES);
  }

  #append({ file, path, text, mayBeCut }: EventsJob): void {
    const fd = this.#events.get(file) ?? openEvents(path);
    this.#events.set(file, fd);
    const isCut = mayBeCut && isCutOff(fd);
    writeAll(fd, Buffer.from(isCut ? `\n${text}` : text), null);
  }

  #close(file: number): void {
    const fd = this.#audio.get(file)?.fd ?? this.#events.get(file);
    this.#audio.delete(file);
    this.#events.delete(file);
    if (fd !== undefined) closeSync(fd);
  }
}

function openEvents(path: string): number {
  makeFolder(dirname(path));
  return openSync(path, 'a+', 0o600);
}

/** An earlier bot of the call may have written to it. */
function openAudio(audio: Audio): number {
  const { path, sampleRate } = audio;
  makeFolder(dirname(path));
  const fd = openSync(path, constants.O_RDWR | constants.O_CREAT, 0o600);
  audio.fd = fd;
  const header = Buffer.alloc(WAV_HEADER_BYTES);
  const hasHeader =
    readSync(fd, header, 0, WAV_HEADER_BYTES, 0) === WAV_HEADER_BYTES && header.toString('latin1', 0, 4) === 'RIFF';
  const rate = hasHeader ? header.readUInt32LE(24) : sampleRate;
  if (rate !== sampleRate) throw new Error(`${path} has ${rate} Hz, and not ${sampleRate} Hz`);
  audio.toldBlocks = blocksIn(fstatSync(fd).size);
  return fd;
}

/** Whether it does not end with the end of a line. */
function isCutOff(fd: number): boolean {
  const { size } = fstatSync(fd);
  if (size === 0) return false;
  const last = Buffer.alloc(1);
  readSync(fd, last, 0, 1, size - 1);
  return last.toString() !== '\n';
}

/** @param position in the file; null: where it ends, for a file opened to append */
function writeAll(fd: number, bytes: Uint8Array, position: number | null): void {
  for (let done = 0; done < bytes.length; ) {
    done += writeSync(fd, bytes, done, bytes.length - done, position === null ? null : position + done);
  }
}

/** What was there stays when it cannot be replaced. */
function replaceFile(path: string, text: string): void {
  const draft = `${path}.${process.pid}.draft`;
  makeFolder(dirname(path));
  try {
    writeFileSync(draft, text, { mode: 0o600 });
    renameSync(draft, path);
  } catch (error) {
    rmSync(draft, { force: true });
    throw error;
  }
}

/** Makes a folder for this user alone, and those above it, unless it is there. */
function makeFolder(path: string): void {
  // To make all at once says of a read-only disk that there is no such folder.
  try {
    mkdirSync(path, { mode: 0o700 });
  } catch (error) {
    const { code } = error as NodeJS.ErrnoException;
    if (code === 'EEXIST') return;
    if (code !== 'ENOENT') throw error;
    mkdirSync(dirname(path), { recursive: true, mode: 0o700 });
    makeFolder(path);
  }
}
