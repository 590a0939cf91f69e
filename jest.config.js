/** @type {import('jest').Config} */
export default {
  testEnvironment: 'node',
  roots: ['<rootDir>/test'],
  extensionsToTreatAsEsm: ['.ts'],
  transform: {
    '^.+\\.ts$': [
      '@swc/jest',
      { jsc: { parser: { syntax: 'typescript' }, target: 'es2022' }, module: { type: 'es6' } },
    ],
  },
  moduleNameMapper: {
    '^voicebot$': '<rootDir>/src/index.ts',
    '^voicebot/testing$': '<rootDir>/src/testing/index.ts',
    '^(\\.{1,2}/.*)(?<!\\.json)\\.js$': '$1',
  },
  testTimeout: 15_000,
};
