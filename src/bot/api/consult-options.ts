import { type OptionNames, refuseProblems, unknownOptions } from '../../base/names/option-names.js';

/** How `Call.consult` goes about it. */
export interface ConsultOptions {
  /** How long it may ring, in whole seconds, 5 to 120. Default 30. */
  ringSeconds?: number | undefined;
}

const CONSULT_OPTIONS: OptionNames<ConsultOptions> = { ringSeconds: true };

/** @throws VoicebotError VB_REQUEST_INVALID naming every option that is out of range or not known */
export function checkedConsult(options: ConsultOptions): { readonly ringSeconds: number } {
  const { ringSeconds = 30 } = options;
  const isWhole =
    typeof ringSeconds === 'number' && Number.isInteger(ringSeconds) && ringSeconds >= 5 && ringSeconds <= 120;
  const ring = isWhole ? [] : [`ringSeconds must be a whole number from 5 to 120, got ${String(ringSeconds)}`];
  refuseProblems([...unknownOptions(options, CONSULT_OPTIONS), ...ring], 'VB_REQUEST_INVALID');
  return { ringSeconds };
}
