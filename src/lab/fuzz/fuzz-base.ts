import { leafSteps } from '../scenario/caller-steps.js';
import { durationOf } from '../scenario/fields.js';
import { type PlacedScenario, placeScenario } from '../scenario/placed-scenario.js';
import type { ModelRule, PlayedFunctionOptions, ScenarioOptions } from '../scenario/scenario-options.js';
import type { CheckedRule } from '../scenario/scenario-schema.js';
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
    const steps = Array.isArray(caller) ? leafSteps(caller) : [];
    const { to, body, rings } = dialout ?? {};
    this.material = {
      sentences: [...new Set(steps.flatMap((step) => (step.kind === 'say' ? [step.words] : [])))],
      keys: [
        ...new Set(
          steps.flatMap((step) => (step.kind === 'press' ? [step.keys.map(({ digit }) => digit).join('')] : [])),
        ),
      ],
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
   * The call of a random caller as a scenario in a file has it; a model in code is left out.
   * @param shows the field of the mistake that it is to show; undefined: every one
   * @param called functions that the call has called: others need not be played. Default: all
   */
  optionsOf(call: RandomCall, name: string, shows?: string, called?: ReadonlySet<string>): ScenarioOptions {
    const { transport, carrier, environment, services, tools, model } = this.scenario;
    const played = Object.entries(tools).filter(([of]) => called?.has(of) ?? true);
    return {
      name,
      ...(transport && { transport }),
      ...(carrier && { carrier }),
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
    const { file, bot, from, services, model } = this.scenario;
    const placed = placeScenario(this.optionsOf(call, name), file, () => undefined);
    if (Array.isArray(placed)) throw new Error(placed.map(({ field, message }) => `${field} ${message}`).join('; '));
    return {
      ...placed,
      from,
      ...(bot !== undefined && { bot }),
      ...(services && { services }),
      ...(typeof model === 'function' && { model }),
    };
  }
}

function ruleOf({ when, after, say, call, thinks, once }: CheckedRule): ModelRule {
  return {
    ...(when && { when: typeof when.words === 'string' ? when.words : String(when.words) }),
    ...(after !== undefined && { after }),
    ...(say !== undefined && { say }),
    ...(call && { call }),
    ...(thinks !== undefined && { thinks: durationOf(thinks) }),
    ...(once && { once }),
  };
}

const playedOf = ([name, { takes, ...gives }]: [string, PlacedScenario['tools'][string]]) =>
  [name, { ...gives, ...(takes !== undefined && { takes: durationOf(takes) }) } as PlayedFunctionOptions] as const;
