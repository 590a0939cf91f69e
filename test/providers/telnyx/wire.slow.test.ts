import { checkDamaged } from './damaged.js';

test('20,000 mutated messages neither throw nor end a call that goes on', () => checkDamaged(20_000));
