import { asCallId, asProviderCallId, type CallId, type ProviderCallId } from '../../src/call/call-id.js';

test("the compiler tells the runner's identifier of a call from the provider's, and both are strings", () => {
  const ours: CallId = asCallId('out_1');
  const theirs: ProviderCallId = asProviderCallId('CA1');
  // @ts-expect-error: an inbound call goes by its provider's identifier only where that is said
  const swapped: CallId = theirs;
  // @ts-expect-error: a REST API knows nothing of our identifiers
  const sent: ProviderCallId = ours;
  const texts: string[] = [swapped, sent];
  expect(texts).toEqual(['CA1', 'out_1']);
});
