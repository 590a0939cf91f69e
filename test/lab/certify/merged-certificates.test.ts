import { type Certificate, mergedWith, type StepResult } from '../../../src/lab/certify/certificate.js';

const certificate = (day: string, steps: Readonly<Record<string, StepResult['state']>>): Certificate => ({
  version: 1,
  voicebot: '1.0.0',
  provider: 'plivo',
  isSandbox: false,
  day,
  steps: Object.entries(steps).map(([name, state]) => ({ name, state })),
  differences: Object.keys(steps).map((step) => ({
    step,
    kind: 'other word',
    where: day,
    expected: 'a',
    seen: 'b',
    matters: false,
    why: 'voicebot does not read it',
    restsOn: [],
  })),
});
const statesOf = ({ steps }: Certificate) => Object.fromEntries(steps.map(({ name, state }) => [name, state]));

test('of each step the newest result counts, with what was different then', () => {
  const before = certificate('Monday', { 'call-in': 'done', transfer: 'failed' });
  const merged = mergedWith(before, certificate('Tuesday', { transfer: 'done', 'call-out': 'done' }), [
    'transfer',
    'call-out',
  ]);
  expect(statesOf(merged)).toEqual({ 'call-in': 'done', transfer: 'done', 'call-out': 'done' });
  expect(merged.differences.map(({ step, where }) => [step, where])).toEqual([
    ['call-in', 'Monday'],
    ['transfer', 'Tuesday'],
    ['call-out', 'Tuesday'],
  ]);
});

test('what an older folder has of a step is not newer for being gone on with', () => {
  const kept = certificate('Tuesday', { 'call-in': 'done', transfer: 'failed' });
  const olderFolder = certificate('Wednesday', { 'call-in': 'done', transfer: 'done' });
  const merged = mergedWith(kept, olderFolder, ['call-in']);
  expect(statesOf(merged)).toEqual({ 'call-in': 'done', transfer: 'failed' });
  expect(merged.differences.map(({ step, where }) => [step, where])).toEqual([
    ['transfer', 'Tuesday'],
    ['call-in', 'Wednesday'],
  ]);
});

test('one of another version gives way as a whole', () => {
  const other = { ...certificate('Monday', { transfer: 'failed' }), voicebot: '0.9.0' };
  const now = certificate('Tuesday', { 'call-in': 'done' });
  expect(mergedWith(other, now, ['call-in'])).toEqual(now);
});
