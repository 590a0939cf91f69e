/** Nobody's number: it exists in the sandbox only. */
const DEMO_OPERATOR = '+12025550101';

/** Where a bot transfers its callers unless it says otherwise: `OPERATOR_NUMBER`, else the sandbox's operator. */
export function operatorNumber(): string {
  return process.env.OPERATOR_NUMBER || DEMO_OPERATOR;
}
