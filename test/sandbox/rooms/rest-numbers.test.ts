import { startRoomProvider } from './room-provider-under-test.js';

test('lists the numbers of the account, newest first', async () => {
  await using provider = await startRoomProvider();
  const { status, body } = await provider.get('/purchased-phone-numbers');
  expect(status).toBe(200);
  expect(body.total_count).toBe(10);
  expect(body.data.at(-1)).toEqual({
    name: null,
    id: provider.account.numbers[0]?.id,
    created_date: 'Thu, 01 Jan 2026 00:00:00 +0000',
    type: 'purchased_phone_number',
    number: '+12025550100',
    status: 'verified',
    verified: true,
  });
  const numbers = async (query: string) => (await provider.get(`/purchased-phone-numbers?${query}`)).body;
  expect(await numbers('filter_number=0112')).toMatchObject({ total_count: 1, data: [{ number: '+12025550112' }] });
  expect(await numbers('filter_name=front')).toEqual({ total_count: 0, data: [] });
  expect(await numbers('limit=2')).toMatchObject({ total_count: 10, data: [{ number: '+12025550119' }, {}] });
  expect(await numbers(`starting_after=${body.data[8].id}`)).toMatchObject({ data: [{ number: '+12025550100' }] });
});

test('neither sells nor takes back numbers', async () => {
  await using provider = await startRoomProvider();
  expect(await provider.get('/list-available-numbers?areacode=202')).toEqual({
    status: 200,
    body: { total_count: 0, data: [] },
  });
  const refused = (info: string) => ({ status: 400, body: { error: 'invalid-request-error', info } });
  expect(await provider.post('/buy-phone-number', {})).toEqual(refused(expect.stringContaining('sells no numbers')));
  const [{ id } = { id: '' }] = provider.account.numbers;
  expect(await provider.delete(`/release-phone-number/${id}`)).toEqual(
    refused('Failed to release new number, try again in 14 days'),
  );
  expect((await provider.delete('/release-phone-number/+12025550100')).status).toBe(404);
});
