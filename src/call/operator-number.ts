import { readPhoneNumber } from './phone-number.js';

/** An unassigned number: it exists in the sandbox only. */
export const DEMO_OPERATOR = '+12025550101';

/** Where a bot transfers its callers unless it says otherwise: `OPERATOR_NUMBER`, else the sandbox's operator. */
export function operatorNumber(): string {
  return ownOperator() ?? DEMO_OPERATOR;
}

/** What `OPERATOR_NUMBER` is set to in this process. A runner on the sandbox sets it for its bots. */
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
  if (operator || !('number' in written) || written.number !== DEMO_OPERATOR) return undefined;
  return `OPERATOR_NUMBER is not set to a real number, and ${DEMO_OPERATOR} is unassigned outside the sandbox`;
}
