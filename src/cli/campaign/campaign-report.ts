import { amountText, moneyText } from '../../base/money.js';
import { costText, microsOfCost } from '../../call/call-cost.js';
import { type CampaignOutcome, type CampaignProgress, waitWords } from '../../call/campaign-progress.js';
import { outcomeWords } from '../../call/end-text.js';
import type { Output } from '../../terminal/output.js';
import type { StopSignal } from '../../terminal/signals.js';

const BAR_CHARACTERS = 20;
/** Where no line can be written again, the progress is told at most so often, in milliseconds. */
const NEWS_EVERY_MS = 5_000;

/** Tells a person and a program how far a campaign is: a line that is written again on a terminal, lines elsewhere. */
export class CampaignReport {
  #told = '';
  #toldAt = Number.NEGATIVE_INFINITY;

  constructor(private readonly output: Output) {}

  begun(campaign: CampaignProgress, skipped: number, server: string): void {
    const { id, name, rows } = campaign;
    this.output.event('campaign_begun', { id, name, rows, skipped, server });
    const without = skipped > 0 ? `, ${skipped} left out` : '';
    this.output.line(`Calling ${this.output.paint.bold(`${rows}`)} of ${name}${without} (campaign ${id})`);
  }

  changed(campaign: CampaignProgress): void {
    const { dialledPerMinute: _, expectedEndAt: __, ...told } = campaign; // these change all the time
    const text = JSON.stringify(told);
    this.#show(campaign);
    if (text === this.#told) return;
    this.#told = text;
    this.output.event('campaign', { campaign });
    if (this.output.canRewrite || performance.now() - this.#toldAt < NEWS_EVERY_MS) return;
    this.#toldAt = performance.now();
    this.output.line(progressLine(campaign));
  }

  over(campaign: CampaignProgress, results: string): void {
    this.close();
    const { id, condition, outcomes, faults, done, rows, cost } = campaign;
    this.output.event('campaign_ended', { id, condition, rows, done, outcomes, faults, cost, results });
    const word = condition === 'cancelled' ? 'Cancelled' : 'Done';
    this.output.line(`${word}: ${done} of ${rows} called to the end${outcomesOf(outcomes)}`);
    for (const told of costOf(campaign)) this.output.line(`${told[0]?.toUpperCase()}${told.slice(1)}`);
    this.output.line(`Results: ${results}`);
  }

  leaving(signal: StopSignal, id: string | undefined, isOwnRun: boolean): void {
    this.close();
    this.output.event('stopping', { signal, id });
    if (id === undefined) return;
    this.output.line(
      isOwnRun
        ? 'The campaign stops here, and goes on when a runner with this bot is started again.'
        : 'The campaign goes on in the runner.',
    );
    this.output.line(`  See how far it is: npx voicebot campaign status ${id}`);
    this.output.line(`  Make no new calls: npx voicebot campaign cancel ${id}`);
  }

  /** Takes the line away that is written again. */
  close(): void {
    this.output.rewrite(undefined);
  }

  #show(campaign: CampaignProgress): void {
    const asItIs = (text: string) => text;
    const paint = { head: asItIs, upcoming: asItIs };
    this.output.rewrite({ head: progressLine(campaign), heard: '', upcoming: '', paint });
  }
}

/** `[=====     ] 12 of 40  3 on the line  2 busy …`, in one line: why nothing moves comes before what can be cut off. */
export function progressLine(campaign: CampaignProgress): string {
  const { rows, done, running, waiting, outcomes, condition, waitingUntil, waitingFor, expectedEndAt, problem } =
    campaign;
  const full = Math.floor((done / Math.max(1, rows)) * BAR_CHARACTERS);
  const bar = `[${'='.repeat(full)}${' '.repeat(BAR_CHARACTERS - full)}]`;
  const reason = waitingFor === undefined ? '' : `: ${waitingFor}`;
  const parts = [
    `${bar} ${done} of ${rows}`,
    ...(condition === 'running' ? [] : [condition]),
    ...(problem === undefined ? [] : [`waits: ${problem}`]),
    ...(running > 0 ? [`${running} on the line`] : []),
    ...(waitingUntil !== undefined
      ? [`${waitWords(waiting)} (next at ${moment(waitingUntil, 'with seconds')}${reason})`]
      : []),
    ...(expectedEndAt !== undefined ? [`over about ${moment(expectedEndAt)}`] : []),
    ...Object.entries(outcomes).map(([outcome, count]) => `${outcomeWords(outcome)}: ${count}`),
    ...costOf(campaign),
  ];
  return parts.join('  ');
}

/** `cost $1.20, $0.03 a call` */
function costOf({ cost }: Pick<CampaignProgress, 'cost'>): string[] {
  if (!cost || cost.calls === 0) return [];
  const { currency, calls } = cost;
  const each = amountText(Math.round(microsOfCost(cost) / calls));
  return [`cost ${costText(cost)}, ${moneyText(currency, each)} a call`];
}

function outcomesOf(outcomes: Readonly<Partial<Record<CampaignOutcome, number>>>): string {
  const all = Object.entries(outcomes).map(([outcome, count]) => `${outcomeWords(outcome)}: ${count}`);
  return all.length === 0 ? '' : ` (${all.join(', ')})`;
}

/** The time of day, with the day where it is another one. */
function moment(at: number, precision?: 'with seconds'): string {
  const date = new Date(at);
  const time = date.toTimeString().slice(0, precision ? 8 : 5);
  // In Swedish a date is written as in ISO 8601, here of the local day.
  return date.toDateString() === new Date().toDateString() ? time : `${date.toLocaleDateString('sv')} ${time}`;
}
