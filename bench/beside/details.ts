import type { CallRecord, CallScript, ModelRequest } from './call-script.js';

const BLOCK_MS = 20;
/** A silence in the bot's speech that is shown. */
const SHOWN_GAP_MS = 60;

/** A line for each turn that counts: what was said when, what was asked when, what was heard when; in milliseconds of the turn. */
export function detailsOf(
  { callId, turns, heard, endedAt }: CallRecord,
  script: CallScript,
  requests: readonly ModelRequest[],
): string[] {
  return turns.flatMap(({ row, stretches }, index) => {
    const from = stretches[0]?.[0] ?? 0;
    const until = turns[index + 1]?.stretches[0]?.[0] ?? endedAt;
    if (row === undefined) return [];
    const ms = (at: number) => Math.round(at - from);
    const said = stretches.map(
      ([begin, end], n) => `${ms(begin)}–${ms(end)} "${script.turns[index]?.stretches[n]?.text}"`,
    );
    const asked = requests.filter(({ at }) => at >= from && at < until).map(({ at, answer }) => `#${answer} ${ms(at)}`);
    const runs: Array<{ answer: number; begin: number; end: number }> = [];
    for (const { at, answer } of heard) {
      const last = runs.at(-1);
      if (last && last.answer === answer && at - last.end <= SHOWN_GAP_MS) last.end = at + BLOCK_MS;
      else runs.push({ answer, begin: at, end: at + BLOCK_MS });
    }
    const bot = runs
      .filter(({ begin, end }) => end > from && begin < until)
      .map(({ answer, begin, end }) => `#${answer} ${ms(begin)}–${ms(end)}`);
    return [
      `${callId.slice(0, 8)} ${row}: caller ${said.join(', ')}; asked ${asked.join(', ')}; bot ${bot.join(', ')}`,
    ];
  });
}
