import { type AcceptedTransferOutcome, type TransferOutcome, transferRefusal } from '../../call/transfer-outcome.js';
import type { CallPipeline } from './call-pipeline.js';
import type { CallTransport } from './open-transport.js';
import type { Sound } from './sound.js';
import type { CallTransferOptions } from './transfer-options.js';

export interface TransferScene {
  readonly transport: CallTransport;
  readonly pipeline: Pick<CallPipeline, 'mute' | 'isOver' | 'endsFor'>;
  say(text: string): Promise<boolean>;
  /** What became of one. */
  tell(outcome: TransferOutcome & { readonly to: string }): void;
}

/** Connects the caller of one call with other people. */
export class CallTransfers {
  constructor(private readonly scene: TransferScene) {}

  /** As `Call.transfer`, but for leaving the call when the destination has answered. */
  async transfer(to: string, { announce }: CallTransferOptions): Promise<TransferOutcome> {
    const { pipeline, say } = this.scene;
    if (pipeline.isOver) return { status: 'caller_left' };
    const unmute = pipeline.mute();
    try {
      if (typeof announce === 'string') await say(announce);
      const recorded = typeof announce === 'string' ? undefined : announce;
      return await this.connect(to, recorded && { announce: recorded }).catch(transferRefusal);
    } finally {
      unmute();
    }
  }

  /** @throws VoicebotError when the transfer is refused */
  async connect(to: string, options?: { announce?: Sound }): Promise<AcceptedTransferOutcome> {
    const { transport, pipeline, tell } = this.scene;
    try {
      const outcome = await transport.transfer(to, options);
      if (outcome.status === 'answered') pipeline.endsFor('transferred');
      tell({ ...outcome, to });
      return outcome;
    } catch (error) {
      tell({ ...transferRefusal(error), to });
      throw error;
    }
  }
}
