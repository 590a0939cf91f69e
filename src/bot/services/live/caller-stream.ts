import type { Turn } from '../../pipeline/frames/index.js';
import { CallerItems, type CallerItemsListener } from './caller-items.js';
import { CallerSound } from './caller-sound.js';
import type { LiveLink } from './live-link.js';
import type { LiveFormat, LiveManner } from './manner.js';
import type { LiveServerEvent } from './realtime-model.js';

/** A voice as long as this is worth a turn, in milliseconds: vendors that are told when speech begins must answer it. */
const SPEECH_MS = 300;

/** The caller's sound on its way to a session, in the vendor's way of making turns of it, and their words on the way back. */
export class CallerStream {
  readonly #sound: CallerSound;
  readonly #items: CallerItems;
  #isMuted = false;
  #isReady = false;
  /** How long the caller's voice has been heard since it began; undefined while they are silent. */
  #voiceMs: number | undefined;
  /** Sound is on its way that counts: of those that stream speech only. */
  #isOpen = false;
  /** The vendor hears speech that it has not made an item of, or ought to. */
  #isPieceOpen = false;

  /** @param sampleRate of what is written, in hertz */
  constructor(
    private readonly sampleRate: number,
    private readonly manner: LiveManner,
    format: LiveFormat,
    private readonly link: LiveLink,
    listener: CallerItemsListener,
    /** Whether speech may begin for the session now: it would break off what it is saying. */
    private readonly mayBegin: () => boolean,
  ) {
    this.#sound = new CallerSound(sampleRate, format);
    this.#items = new CallerItems(manner.transcriptsGrow, listener);
  }

  /** The caller's next samples. */
  write(pcm: Int16Array): void {
    if (this.#isMuted) return;
    this.#sound.write(pcm);
    if (this.#voiceMs !== undefined) this.#voiceMs += (pcm.length * 1_000) / this.sampleRate;
    const isSpeech = (this.#voiceMs ?? 0) >= SPEECH_MS;
    if (!this.#isOpen && isSpeech && this.#sound.isTurn && this.mayBegin()) this.#begin();
    this.#flush();
  }

  /** @returns whether the session answers what was said before all the same */
  mute(isMuted: boolean): boolean {
    if (this.#isMuted === isMuted) return false;
    this.#isMuted = isMuted;
    if (!isMuted) return false;
    this.#voiceMs = undefined;
    if (this.manner.hearing === 'detected') this.#clear();
    const isAnswered = this.passOver();
    this.#sound.forget();
    return isAnswered;
  }

  /** The caller begins to speak. */
  begin(): void {
    if (this.#isMuted) return;
    this.#items.begin();
    this.#sound.begin();
    this.#voiceMs = 0;
    this.#isPieceOpen = true;
  }

  /** The caller has fallen silent. */
  stop(): void {
    this.#voiceMs = undefined;
  }

  /** What was said is not answered. @returns whether the session answers it all the same */
  passOver(): boolean {
    const isBracketed = this.#isOpen && this.#isReady && this.manner.hearing === 'bracketed';
    if (isBracketed) this.link.sendRaw(this.manner.brackets?.end);
    else if (this.#isOpen) this.#clear();
    this.#forget(this.#items.passOver());
    this.#isOpen = false;
    this.#isPieceOpen = false;
    this.#sound.end();
    return isBracketed;
  }

  /** Whether the caller has said something that no turn has answered. */
  get isTurn(): boolean {
    return this.#sound.isTurn;
  }

  /** What the caller has said is to be answered by this turn: all of it is on its way to the session, as a turn of theirs. */
  endTurn(turn: Turn): void {
    const { hearing, brackets } = this.manner;
    this.#items.answer(turn);
    if (!this.#isOpen) this.#begin();
    this.#flush();
    if (hearing === 'bracketed') this.link.sendRaw(brackets?.end);
    else if (hearing === 'committed' || this.#isPieceOpen) this.link.send({ type: 'input-audio-commit' });
    this.#isOpen = false;
    this.#isPieceOpen = false;
  }

  /** The session's names of what a turn answers, as far as they are known. */
  itemsOf(turn: Turn): readonly string[] {
    return this.#items.idsOf(turn);
  }

  /** The session answers what the caller has said: another need not hear it again. */
  answered(): void {
    if (this.#voiceMs === undefined && !this.#isOpen) this.#sound.end();
  }

  /** The turn's words are all there. */
  settle(): void {
    this.#items.settle();
  }

  /** There is no session. */
  lost(): void {
    this.#isReady = false;
    this.#isOpen = false;
    this.#items.clear(this.#sound.isTurn);
    this.#sound.rewind();
  }

  /** There is a session, which has heard nothing. */
  ready(): void {
    this.#isReady = true;
    this.#isPieceOpen = this.#sound.isTurn;
    if (this.#isOpen) this.#begin();
    this.#flush();
  }

  see(event: LiveServerEvent): void {
    if (event.type === 'speech-started') this.#isPieceOpen = true;
    else if (event.type === 'audio-committed') {
      this.#isPieceOpen = false;
      if (event.itemId !== undefined) this.#items.add(event.itemId);
    } else if (event.type === 'input-transcription-completed') {
      this.#items.addTranscript(event.itemId, event.transcript);
      this.#forget(this.#items.takeEmpty());
    } else if (event.type === 'custom') {
      const interim = this.manner.interimOf?.(event.raw);
      if (interim) this.#items.addInterim(interim.itemId, interim.delta);
    }
  }

  /** What is kept goes out, and what follows. */
  #begin(): void {
    this.#isOpen = true;
    if (this.#isReady && this.manner.hearing === 'bracketed') this.link.sendRaw(this.manner.brackets?.start);
  }

  #flush(): void {
    if (!this.#isReady || !(this.#isOpen || this.manner.hearing === 'detected')) return;
    for (const audio of this.#sound.takeUnsent()) this.link.send({ type: 'input-audio-append', audio });
  }

  #forget(ids: readonly string[]): void {
    for (const id of ids) this.link.sendRaw(this.manner.forget?.(id));
  }

  #clear(): void {
    this.link.send({ type: 'input-audio-clear' });
  }
}
