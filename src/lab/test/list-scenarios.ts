import type { Output } from '../../terminal/output.js';
import { aligned } from '../../terminal/table.js';
import type { PlacedScenario } from '../scenario/placed-scenario.js';
import type { Wire } from '../scenario/scenario-result.js';
import type { Chosen } from './choose-scenarios.js';
import { shownPlace } from './shown-path.js';

/** A scenario, with the wires that its calls go over. */
interface Listed {
  readonly scenario: PlacedScenario;
  readonly wires: Wire[];
  /** On each wire. */
  readonly runs: number;
}

/** Shows the scenarios that would be run, and makes no call. @param directory the working directory */
export function listScenarios({ plan, skipped, notes }: Chosen, output: Output, directory: string): void {
  const listed = new Map<PlacedScenario, Listed>();
  for (const { scenario, wire, runs } of plan) {
    const one = listed.get(scenario) ?? { scenario, wires: [], runs };
    one.wires.push(wire);
    listed.set(scenario, one);
  }
  const all = [...listed.values()];
  const left = new Map(skipped.map(({ scenario, why }) => [scenario, why]));
  output.event('scenarios', {
    scenarios: all.map(({ scenario: { name, file, line, tags }, wires, runs }) => ({
      name,
      file,
      line,
      tags,
      wires,
      runs,
    })),
    skipped: [...left].map(([{ name, file, line, tags }, why]) => ({
      name,
      file,
      line,
      tags,
      reason: why || undefined,
    })),
  });
  for (const note of notes) output.warn(note);
  const rows = all.map(({ scenario, wires, runs }) => [
    shownPlace(scenario, directory),
    scenario.name,
    scenario.tags.map((tag) => `#${tag}`).join(' '),
    wires.join(', '),
    runs === 1 ? '' : `${runs} runs`,
  ]);
  for (const row of aligned(rows)) output.result(row);
  const calls = plan.reduce((sum, { runs }) => sum + runs, 0);
  const more = left.size > 0 ? `; skipped: ${left.size}` : '';
  output.line(`${all.length} ${all.length === 1 ? 'scenario' : 'scenarios'}, calls: ${calls}${more}`);
}
