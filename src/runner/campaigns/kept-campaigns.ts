import { EventEmitter } from 'node:events';
import type { Campaign } from './campaign.js';
import { type CampaignFiles, KEPT_MS } from './campaign-files.js';
import type { CampaignQueueEvents } from './campaign-queue.js';
import { CampaignState } from './campaign-state.js';

/** The campaigns of a queue, in memory and in files of this runner. */
export abstract class KeptCampaigns extends EventEmitter<CampaignQueueEvents> {
  readonly states = new Map<string, CampaignState>();
  protected abstract readonly files: CampaignFiles;
  readonly #adding = new Map<string, Promise<CampaignState>>();

  /** Nothing is done for a campaign before it is on the disk of this runner. One that is known already stays as it is. */
  protected add(campaign: Campaign): Promise<CampaignState> {
    const { id } = campaign;
    const known = this.states.get(id);
    if (known) return Promise.resolve(known);
    const adding = this.#adding.get(id) ?? this.#keep(campaign).finally(() => this.#adding.delete(id));
    this.#adding.set(id, adding);
    return adding;
  }

  /** Takes up what is in the files and belongs to no other process; what is over for long is removed. @returns identifiers */
  protected async takeUp(now: number): Promise<string[]> {
    const taken: string[] = [];
    for (const { campaign, entries } of await this.files.take()) {
      const state = new CampaignState(campaign);
      for (const entry of entries) state.apply(entry);
      if (state.isOver && now - this.files.writtenAt(campaign.id) > KEPT_MS) {
        await this.files.remove(campaign.id);
        continue;
      }
      this.states.set(campaign.id, state);
      taken.push(campaign.id);
    }
    return taken;
  }

  async #keep(campaign: Campaign): Promise<CampaignState> {
    await this.files.create(campaign);
    const state = new CampaignState(campaign);
    this.states.set(campaign.id, state);
    this.emit('change', campaign.id);
    return state;
  }
}
