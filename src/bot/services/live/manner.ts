import type { ToolResult } from '../../pipeline/frames/index.js';
import type { LiveConfig } from './realtime-model.js';

/** Mono audio of a session: mu-law at 8000 Hz, or 16-bit samples. */
export interface LiveFormat {
  readonly encoding: 'PCMU' | 'L16';
  /** In hertz. */
  readonly sampleRate: number;
}

/** What a session is made with, before it is written in a vendor's way. */
export interface LiveSettings {
  readonly instructions: string;
  readonly tools: NonNullable<LiveConfig['tools']>;
  readonly voice: string | undefined;
  readonly transcription: { readonly model?: string | undefined; readonly language?: string | undefined };
  readonly input: LiveFormat;
  readonly output: LiveFormat;
}

/** How a vendor of turn-based sessions does what the contract leaves open. Messages are those of its own wire. */
export interface LiveManner {
  /** @param sampleRate of the pipeline, in hertz @returns which of the formats that the vendor has come nearest */
  formats(sampleRate: number): { readonly input: LiveFormat; readonly output: LiveFormat };
  config(settings: LiveSettings): LiveConfig;
  /** Whether instructions and functions may change while a session lasts. */
  readonly isChangeable: boolean;
  /**
   * How the caller's sound becomes a turn: the vendor's detector cuts it into items, and decides nothing; or we send what is speech, and
   * say when it is to count; or we say when it begins and ends.
   */
  readonly hearing: 'detected' | 'committed' | 'bracketed';
  /** Messages around the caller's speech; of those that bracket it only. */
  readonly brackets?: { readonly start: unknown; readonly end: unknown };
  /** Takes back what the caller has not heard; otherwise the model is told. */
  readonly truncates: boolean;
  /** Makes the model forget an item; undefined where that cannot be done. */
  forget?(itemId: string): unknown;
  /** What the bot or the caller has said in writing, for the model to know. @param id our name of it, where it may be forgotten */
  text(role: 'user' | 'assistant', text: string, id?: string): unknown;
  /** Asks for an answer to what was written; undefined: `response-create` does. */
  readonly askForText?: unknown;
  /** Has a text said word for word; undefined: `response-create` with instructions does. */
  say?(text: string): unknown;
  /** The functions whose results the model does not want any more, of an event that the contract does not know. */
  cancelledOf?(raw: unknown): readonly string[];
  /** The answer with functions is over as soon as they are told, and goes on by itself when it has their results. */
  readonly goesOnWithResults: boolean;
  /** All sound of an answer has come, though it is not over; of an event that the contract does not know. */
  readonly soundIsWhole?: string;
  /** Transcripts grow from event to event; otherwise each is whole. */
  readonly transcriptsGrow: boolean;
  /** Further text of a transcript that may change, of an event that the contract does not know. */
  interimOf?(raw: unknown): { readonly itemId: string; readonly delta: string } | undefined;
  /** The session ends soon, and another is to take its place; of an event that the contract does not know. */
  readonly farewells: readonly string[];
  /** Codes of errors that mean nothing: what was asked for was done before. */
  readonly harmless: readonly string[];
  /** Each message is given a name that errors tell: its type, and a number. */
  readonly namesMessages: boolean;
  /** Names of messages whose errors mean nothing; of those that have names. */
  readonly mayFail?: RegExp;
  /** Codes of errors that end the session. */
  readonly endings: readonly string[];
  /** Kinds of events that the contract does not know and that need nothing done. */
  readonly passedOver: RegExp;
}

/** What has come of functions, as every vendor takes it. */
export const resultText = ({ output, isError }: ToolResult): string =>
  JSON.stringify(isError ? { error: output } : output);
