import { readPhoneNumber } from './phone-number.js';

/** An unassigned number: it exists in the sandbox only. */
export const DEMO_OPERATOR = '+12025550101';
/** Likewise, of one who takes a warm transfer with the key 1. */
const DEMO_COLLEAGUE = '+12025550120';

/**
 * Where a bot transfers its callers unless it says otherwise: `OPERATOR_NUMBER`, else the sandbox's operator, who for a warm transfer is one who
 * takes the call when briefed.
 */
export function operatorNumber({ isWarm = false }: { readonly isWarm?: boolean | undefined } = {}): string {
  return ownOperator() ?? (isWarm ? DEMO_COLLEAGUE : DEMO_OPERATOR);
}

/** What `OPERATOR_NUMBER` is set to in this process. */
export const ownOperator = (): string | undefined => process.env.OPERATOR_NUMBER || undefined;

/** What is told of a transfer that came to nothing: the provider's words, and what is known besides. */
export const explained = (detail: string, reason: string | undefined) => (reason ? `${detail}: ${reason}` : detail);

/**
 * Why no person can answer at `to`: it is the sandbox's operator, outside the sandbox.
 * @param operator the number that is set as `OPERATOR_NUMBER`
 * @returns undefined where that is not so
 */
export function whyNobodyAnswers(to: string, operator: string | undefined): string | undefined {
  const written = readPhoneNumber(to);
  if (operator || !('number' in written) || ![DEMO_OPERATOR, DEMO_COLLEAGUE].includes(written.number)) return undefined;
  return `OPERATOR_NUMBER is not set to a real number, and ${written.number} is unassigned outside the sandbox`;
}
