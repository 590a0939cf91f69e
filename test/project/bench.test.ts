import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { PACKAGE_ROOT } from '../cli/voicebot.js';
import { filesIn, read } from './repository.js';

const processes = filesIn('bench', '.ts').flatMap((file) =>
  [...read(file).matchAll(/new BenchProcess(?:<\w+>)?\(\s*'([^']+)'/g)].map(([, path = '']) => ({ file, path })),
);

test('the bench starts processes', () => expect(processes.length).toBeGreaterThan(20));

test.each(processes)('$file starts $path, which is compiled for it', ({ path }) => {
  expect(existsSync(join(PACKAGE_ROOT, 'bench', `${path}.ts`))).toBe(true);
  expect(JSON.parse(read('bench/tsconfig.json')).include).toContain(path.split('/')[0]);
});
