import type { TranscriptionMethod, WireEvent } from '../../providers/rooms/client-messages.js';
import type { PhoneCall } from '../network/call.js';
import { readParams, StartTranscription, StopTranscription, UpdateTranscription } from './control-params.js';

/** What a transcription without an end of utterances ends them with, in milliseconds. */
const ENDPOINTING_MS = 10;

interface Transcription {
  readonly instanceId: string;
  /** Undefined: everybody. */
  participants: readonly string[] | undefined;
  readonly endpointingMs: number;
  readonly tellsInterims: boolean;
  readonly tellsRaw: boolean;
}

/** Who asks for something about a transcription, and whether they may. */
export interface TranscriptionAsker {
  readonly sessionId: string;
  /** Whether its token is an owner's, or has `transcription` among what it may administer. */
  readonly isTranscriptionAdmin: boolean;
  /** Whether the account has transcription. */
  readonly isOnPlan: boolean;
}

/**
 * The transcriptions of one session. Nothing here recognises speech: telephones tell the words of what they have said.
 * @see rooms reference 8.3
 */
export class RoomTranscripts {
  readonly #running = new Map<string, Transcription>();

  constructor(private readonly broadcast: (event: WireEvent) => void) {}

  /** Asks for something: what becomes of it, events tell. @throws RoomRefusal for parameters that are none */
  perform(method: TranscriptionMethod, params: Readonly<Record<string, unknown>>, asker: TranscriptionAsker): void {
    if (method === 'startTranscription') this.#start(params, asker);
    else if (method === 'updateTranscription') {
      const { instanceId, participants } = readParams(UpdateTranscription, params);
      const running = this.#find(instanceId);
      if (running && asker.isTranscriptionAdmin) running.participants = participants;
    } else {
      const running = this.#find(readParams(StopTranscription, params).instanceId);
      if (!running || !asker.isTranscriptionAdmin) return;
      this.#running.delete(running.instanceId);
      const { instanceId } = running;
      this.broadcast({ action: 'transcription-stopped', instanceId, updatedBy: asker.sessionId });
    }
  }

  /** Has the transcriptions tell what a participant has just said. @param call its silence ends the utterance */
  spoke(participantId: string, text: string, call: PhoneCall): void {
    for (const running of this.#running.values()) {
      const { instanceId, participants, endpointingMs, tellsInterims } = running;
      if (participants && !participants.includes(participantId)) continue;
      if (tellsInterims) this.#tell(running, participantId, text, false);
      void call.wait(endpointingMs).then(() => {
        if (this.#running.has(instanceId) && !call.isOver) this.#tell(running, participantId, text, true);
      });
    }
  }

  #start(params: Readonly<Record<string, unknown>>, { sessionId, isTranscriptionAdmin, isOnPlan }: TranscriptionAsker) {
    const { instanceId, participants, endpointing, includeRawResponse, extra, ...others } = readParams(
      StartTranscription,
      params,
    );
    const refuse = (errorMsg: string) => this.broadcast({ action: 'transcription-error', instanceId, errorMsg });
    if (!isTranscriptionAdmin)
      return refuse('unable to start transcription (are you a room owner or transcription admin?)');
    if (!isOnPlan) return refuse('transcription is not enabled for this domain');
    if (this.#running.has(instanceId)) return refuse('transcription already started');
    this.#running.set(instanceId, {
      instanceId,
      participants,
      endpointingMs: typeof endpointing === 'number' ? endpointing : ENDPOINTING_MS,
      tellsInterims: extra.interim_results === true,
      tellsRaw: includeRawResponse,
    });
    const { language = 'en', model = 'general' } = others;
    this.broadcast({ action: 'transcription-started', instanceId, language, model, startedBy: sessionId });
  }

  /** Without a name it is the only one. */
  #find(instanceId: string | undefined): Transcription | undefined {
    return instanceId === undefined ? [...this.#running.values()][0] : this.#running.get(instanceId);
  }

  #tell({ instanceId, tellsRaw }: Transcription, participantId: string, text: string, isFinal: boolean): void {
    const rawResponse = {
      type: 'Results',
      is_final: isFinal,
      speech_final: isFinal,
      channel: { alternatives: [{ transcript: text, confidence: 1 }] },
    };
    this.broadcast({
      action: 'transcription-message',
      instanceId,
      participantId,
      trackType: 'cam-audio',
      text,
      timestamp: new Date().toISOString(),
      ...(tellsRaw && { rawResponse }),
    });
  }
}
