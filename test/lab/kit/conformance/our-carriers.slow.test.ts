import { carrierConformance } from '../../../../src/lab/kit/conformance/carrier-conformance.js';
import { BUILT_IN_CARRIERS } from '../../../../src/providers/registry/carrier-names.js';
import { ours } from './our-carriers.js';

for (const name of BUILT_IN_CARRIERS) {
  carrierConformance({ ...ours(name), test: (title, play) => test(title, play, 60_000) });
}
