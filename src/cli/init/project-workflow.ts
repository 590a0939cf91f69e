import { RECOMMENDED_MAJOR } from '../../base/process/node-lines.js';

/** Where GitHub looks for it, from the project's folder. */
export const WORKFLOW_PATH = '.github/workflows/test.yml';

/** The workflow of a new project: its types, and its scenarios. It stands in docs/testing.md too. */
export const projectWorkflow =
  (): string => `# Checks every push: the types, and the scenarios as real calls on the offline phone network. It needs no key and no account.
name: test
on: [push, pull_request]
permissions:
  contents: read
jobs:
  test:
    runs-on: ubuntu-latest
    timeout-minutes: 30
    steps:
      - uses: actions/checkout@v5
      - uses: actions/setup-node@v5
        with:
          node-version: ${RECOMMENDED_MAJOR}
          cache: npm
      - run: npm ci
      - run: npm run check
      - uses: actions/cache/restore@v4 # the results so far, which the page shows as a trend
        with:
          path: test-results/results.jsonl
          key: results-\${{ github.run_id }}
          restore-keys: results-
      - run: npx voicebot test --output test-results
      - uses: actions/cache/save@v4
        if: always()
        with:
          path: test-results/results.jsonl
          key: results-\${{ github.run_id }}
      - uses: actions/upload-artifact@v5 # its index.html opens from the archive, with the sound of each call
        if: always()
        with:
          name: test-results
          path: test-results
          if-no-files-found: ignore
`;
