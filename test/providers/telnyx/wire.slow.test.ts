import { checkDamaged } from './damaged.js';

test('100,000 mutated messages neither throw nor end a call that goes on', () => checkDamaged(100_000), 120_000);
