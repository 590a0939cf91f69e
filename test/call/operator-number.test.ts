import { DEMO_OPERATOR, operatorNumber, ownOperator, whyNobodyAnswers } from '../../src/call/operator-number.js';

const before = process.env.OPERATOR_NUMBER;
afterEach(() => {
  if (before === undefined) delete process.env.OPERATOR_NUMBER;
  else process.env.OPERATOR_NUMBER = before;
});

test("is what OPERATOR_NUMBER says, else the sandbox's operator", () => {
  process.env.OPERATOR_NUMBER = '+4930123456';
  expect([operatorNumber(), ownOperator()]).toEqual(['+4930123456', '+4930123456']);
  process.env.OPERATOR_NUMBER = '';
  expect([operatorNumber(), ownOperator()]).toEqual(['+12025550101', undefined]);
});

test("nobody answers at the sandbox's operator, unless the configuration names it", () => {
  expect(whyNobodyAnswers(DEMO_OPERATOR, undefined)).toContain('OPERATOR_NUMBER is not set');
  expect(whyNobodyAnswers('+1 (202) 555-0101', undefined)).toContain('OPERATOR_NUMBER is not set');
  expect(whyNobodyAnswers(DEMO_OPERATOR, DEMO_OPERATOR)).toBeUndefined();
  expect(whyNobodyAnswers('+12025550102', undefined)).toBeUndefined();
  expect(whyNobodyAnswers('sip:operator@example.com', undefined)).toBeUndefined();
});
