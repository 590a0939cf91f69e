import { abilityTable } from '../../src/bot/services/vendor-abilities.js';
import { read } from './repository.js';

test('the table of what each vendor can do is that of the code', () => {
  expect(read('docs/services.md')).toContain(`\n${abilityTable()}\n`);
});
