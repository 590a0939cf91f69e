import fc from 'fast-check';
import { DueRows } from '../../../src/runner/campaigns/due-rows.js';

test('rows come by their time, and of the same time by their place in the list', () => {
  const row = fc.record({ at: fc.nat(20), row: fc.nat(1_000), attempt: fc.constant(1) });
  fc.assert(
    fc.property(fc.array(row), (rows) => {
      const due = new DueRows();
      for (const one of rows) due.add(one);
      const taken = rows.map(() => due.take());
      expect(taken).toEqual(rows.toSorted((a, b) => a.at - b.at || a.row - b.row));
      expect(due.take()).toBeUndefined();
    }),
  );
});
