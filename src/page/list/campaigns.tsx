import './campaigns.css';
import { useState } from 'preact/hooks';
import { costText } from '../../call/call-cost.js';
import { type CampaignOrder, type CampaignProgress, waitWords } from '../../call/campaign-progress.js';
import { outcomeWords } from '../../call/end-text.js';
import { moment } from '../parts/format.js';
import { postToRunner } from '../phone/post-to-runner.js';

const SHOWN = 5;
/** Those that are over are shown for so long, in milliseconds. */
const LOOKED_BACK_MS = 24 * 60 * 60 * 1_000;

/** How far the campaigns of the runner are, newest first; nothing where there is none. */
export function Campaigns({ campaigns, token }: { campaigns: readonly CampaignProgress[]; token: string | undefined }) {
  const isShown = ({ endedAt }: CampaignProgress) => endedAt === undefined || endedAt > Date.now() - LOOKED_BACK_MS;
  const shown = campaigns.filter(isShown).slice(0, SHOWN);
  if (shown.length === 0) return null;
  return (
    <section aria-labelledby="campaigns-title">
      <div class="bar">
        <h2 id="campaigns-title">Campaigns</h2>
      </div>
      {shown.map((campaign) => (
        <Campaign key={campaign.id} campaign={campaign} token={token} />
      ))}
    </section>
  );
}

function Campaign({ campaign, token }: { campaign: CampaignProgress; token: string | undefined }) {
  const { id, name, condition, rows, done, running, faults, outcomes, endedAt, problem, cost } = campaign;
  return (
    <article class="campaign" aria-label={`Campaign ${name}`}>
      <div class="bar">
        <strong>{name}</strong>
        <span class={`chip ${TONES[condition]}`}>{condition}</span>
        {endedAt === undefined && condition !== 'cancelled' && <Orders id={id} condition={condition} token={token} />}
      </div>
      <progress max={rows} value={done} aria-label={`${done} of ${rows} rows done`} />
      <p class="counts">
        <span>
          {done} of {rows}
        </span>
        {running > 0 && <span>{running} on the line</span>}
        {when(campaign) !== undefined && <span>{when(campaign)}</span>}
        {Object.entries(outcomes).map(([outcome, count]) => (
          <span key={outcome} class="quiet">
            {outcomeWords(outcome)}: {count}
          </span>
        ))}
        {cost && <span class="quiet">cost {costText(cost)}</span>}
        {faults > 0 && <span class="faults">{faults} went wrong</span>}
      </p>
      {problem !== undefined && <p class="quiet">Waits: {problem}</p>}
    </article>
  );
}

const TONES = { running: 'live', paused: 'warn', cancelled: 'bad', done: 'good' } as const;

function when({ endedAt, waiting, waitingUntil, waitingFor, expectedEndAt }: CampaignProgress): string | undefined {
  if (endedAt !== undefined) return `over since ${moment(endedAt)}`;
  if (waitingUntil !== undefined) {
    const reason = waitingFor === undefined ? '' : `: ${waitingFor}`;
    return `${waitWords(waiting)} (next at ${moment(waitingUntil)}${reason})`;
  }
  return expectedEndAt === undefined ? undefined : `over about ${moment(expectedEndAt)}`;
}

interface OrdersProps {
  readonly id: string;
  readonly condition: CampaignProgress['condition'];
  readonly token: string | undefined;
}

/** What comes of an order shows in the campaign; why there comes nothing stands here. */
function Orders({ id, condition, token }: OrdersProps) {
  const [problem, setProblem] = useState<string>();
  const [isBusy, setBusy] = useState(false);
  const order = (word: CampaignOrder) => (event: MouseEvent) => {
    // The second of a double click would meet the button that stands there then: it takes back what the first has ordered.
    if (event.detail > 1) return;
    setProblem(undefined);
    setBusy(true);
    postToRunner(`/campaigns/${encodeURIComponent(id)}/${word}`, {}, token)
      .catch((error: Error) => setProblem(error.message))
      .finally(() => setBusy(false));
  };
  return (
    <span class="orders">
      {problem !== undefined && <span role="alert">{problem}</span>}
      {condition === 'paused' ? (
        <button type="button" disabled={isBusy} onClick={order('resume')}>
          Resume
        </button>
      ) : (
        <button type="button" disabled={isBusy} onClick={order('pause')}>
          Pause
        </button>
      )}
      <button type="button" disabled={isBusy} onClick={order('cancel')}>
        Cancel
      </button>
    </span>
  );
}
