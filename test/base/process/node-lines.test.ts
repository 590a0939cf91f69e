import { nodeProblem } from '../../../src/base/process/node-lines.js';

const TODAY = new Date('2026-11-26T12:00:00Z');
const DOWNLOAD = 'https://nodejs.org/en/download';

test.each(['22.23.4', '22.24.0', '24.22.1', '24.22.2', '24.100.0', '26.12.1', '26.13.0'])(
  '%s has the security fixes of its line',
  (version) => {
    expect(nodeProblem(version, TODAY)).toBeUndefined();
  },
);

test.each(['27.0.0', '28.0.0', '30.1.2', '27.0.0-nightly20261120abcdef0123'])(
  'nothing is known of %s, so nothing is said',
  (version) => {
    expect(nodeProblem(version, TODAY)).toBeUndefined();
  },
);

test.each([
  ['22.12.0', '22.23.4'],
  ['22.23.3', '22.23.4'],
  ['24.9.0', '24.22.1'],
  ['24.21.0', '24.22.1'],
  ['26.12.0', '26.12.1'],
  ['26.12.1-rc.1', '26.12.1'],
  ['24.22.0-nightly20261001abcdef0123', '24.22.1'],
])('%s lacks the fixes of %s', (version, fixed) => {
  expect(nodeProblem(version, TODAY)).toEqual({
    message: `${version} lacks the security fixes of ${fixed}`,
    fix: `Install Node.js ${fixed} or newer: ${DOWNLOAD}`,
  });
});

test.each(['18.20.8', '20.18.1', '20.20.2', '21.7.3', '23.11.1', '25.9.0', '25.0.0-rc.2'])(
  'the line of %s gets no fixes any more',
  (version) => {
    expect(nodeProblem(version, TODAY)).toEqual({
      message: `${version} gets no security fixes any more`,
      fix: `Install Node.js 24, 24.22.1 or newer (or 22.23.4 or 26.12.1): ${DOWNLOAD}`,
    });
  },
);

test.each([
  ['2027-04-30T23:59:59Z', '22.99.0', undefined],
  ['2027-05-01T00:00:00Z', '22.99.0', 'Install Node.js 24, 24.22.1 or newer (or 26.12.1)'],
  ['2028-05-01T00:00:00Z', '24.99.0', 'Install Node.js 26, 26.12.1 or newer'],
  ['2029-05-01T00:00:00Z', '26.99.0', 'Install a version of Node.js that gets fixes'],
])('on %s, what to install in place of %s is %j', (day, version, fix) => {
  expect(nodeProblem(version, new Date(day))?.fix).toBe(fix && `${fix}: ${DOWNLOAD}`);
});

test.each(['', 'unknown', '24', '24.1', 'v24'])('what is no version, such as %j, is no problem of ours', (version) => {
  expect(nodeProblem(version, TODAY)).toBeUndefined();
});
