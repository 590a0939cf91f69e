import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { COMPARED_STEPS } from '../../../src/lab/certify/tour/tour-steps.js';
import { PACKAGE_ROOT } from '../../cli/voicebot.js';

const FOLDER = join(PACKAGE_ROOT, 'assets/certify');

test.each(readdirSync(FOLDER))('what %s says is read somewhere is read in a file that is there', (name) => {
  const { steps, uses } = JSON.parse(readFileSync(join(FOLDER, name), 'utf8')) as {
    steps: Record<string, { items: object }>;
    uses: Record<string, Record<string, string[]>>;
  };
  expect(Object.keys(steps)).toEqual(COMPARED_STEPS); // what is not there is compared with nothing
  const places = Object.values(uses).flatMap((fields) => Object.values(fields).flat());
  const files = [...new Set(places.map((place) => place.replace(/:\d+$/, '')))];
  expect(files.length).toBeGreaterThan(3);
  expect(files.filter((file) => !existsSync(join(PACKAGE_ROOT, file)))).toEqual([]);
});
