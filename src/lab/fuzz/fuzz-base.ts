import { type CallerStep, leafSteps } from '../scenario/caller-steps.js';
import { durationOf } from '../scenario/fields.js';
import { type PlacedScenario, placeScenario } from '../scenario/placed-scenario.js';
import type { ModelRule, PlayedFunctionOptions, ScenarioOptions } from '../scenario/scenario-options.js';
import type { CheckedRule } from '../scenario/scenario-schema.js';
import { stepOptionsOf, wordsOf } from '../scenario/step-options.js';
import { type AlwaysHolds, expectationsOf } from './always-holds.js';
import type { CallerMaterial, RandomCall } from './random-caller.js';

/** Where no rule of the scenario answers what a random caller has said. */
const OTHERWISE = { say: 'All right.' } as const;

/** A scenario whose bot random callers call: it gives what they say and press, and what the model and the functions answer. */
export class FuzzBase {
  readonly material: CallerMaterial;
  readonly holds: AlwaysHolds;

  /** @param silenceMs the longest that neither side may be heard; 0: any */
  constructor(
    readonly scenario: PlacedScenario,
    silenceMs: number,
  ) {
    const { caller, expect, dialout } = scenario;
    const own = Array.isArray(caller) ? caller : [];
    const steps = leafSteps(own);
    const end = own.findIndex(isLast);
    const { to, body, rings } = dialout ?? {};
    this.material = {
      sentences: [...new Set(steps.flatMap((step) => (step.kind === 'say' ? [step.words] : [])))],
      keys: [
        ...new Set(
          steps.flatMap((step) => (step.kind === 'press' ? [step.keys.map(({ digit }) => digit).join('')] : [])),
        ),
      ],
      steps: (end < 0 ? own : own.slice(0, end)).map(stepOptionsOf),
      dialout: dialout && { ...(to && { to }), ...(body && { body }), rings: `${rings ?? 1_000}ms` },
    };
    const arranged = Object.entries(scenario.tools).flatMap(([name, { fails }]) => (fails === undefined ? [] : [name]));
    this.holds = {
      silenceMs,
      secrets: expect.nowhere,
      arranged: new Set(arranged),
      isReal: scenario.services === 'real',
    };
  }

  /**
   * The call of a random caller as a scenario in a file has it, but for bot and wire; a model in code is left out.
   * @param shows the field of the mistake that it is to show; undefined: every one
   * @param called functions that the call has called: others need not be played. Default: all
   */
  optionsOf(call: RandomCall, name: string, shows?: string, called?: ReadonlySet<string>): ScenarioOptions {
    const { from, environment, services, tools, model } = this.scenario;
    const played = Object.entries(tools).filter(([of]) => called?.has(of) ?? true);
    return {
      name,
      from,
      ...(Object.keys(environment).length > 0 && { environment }),
      ...(services === 'real' && { services }),
      ...call,
      ...(Array.isArray(model) && services !== 'real' && { model: [...model.map(ruleOf), OTHERWISE] }),
      ...(played.length > 0 && { tools: Object.fromEntries(played.map(playedOf)) }),
      expect: expectationsOf(this.holds, shows),
    };
  }

  /** The same, to be run. */
  placed(call: RandomCall, name: string): PlacedScenario {
    const { file, bot, services, model } = this.scenario;
    const placed = placeScenario(this.optionsOf(call, name), file, () => undefined);
    if (Array.isArray(placed)) throw new Error(placed.map(({ field, message }) => `${field} ${message}`).join('; '));
    return {
      ...placed,
      ...(bot !== undefined && { bot }),
      ...(services && { services }),
      ...(typeof model === 'function' && { model }),
    };
  }
}

/** Behind it a caller does nothing else. */
const isLast = (step: CallerStep): boolean =>
  step.kind === 'hang_up' || (step.kind === 'repeat' && step.times === undefined);

function ruleOf({ when, after, say, call, thinks, once }: CheckedRule): ModelRule {
  return {
    ...(when && { when: wordsOf(when) }),
    ...(after !== undefined && { after }),
    ...(say !== undefined && { say }),
    ...(call && { call }),
    ...(thinks !== undefined && { thinks: durationOf(thinks) }),
    ...(once && { once }),
  };
}

const playedOf = ([name, { takes, ...gives }]: [string, PlacedScenario['tools'][string]]) =>
  [name, { ...gives, ...(takes !== undefined && { takes: durationOf(takes) }) } as PlayedFunctionOptions] as const;
