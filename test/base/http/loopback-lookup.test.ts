import type { LookupAddress, LookupOptions } from 'node:dns';
import { loopbackLookup } from '../../../src/base/http/loopback-lookup.js';

const look = (name: string, options: LookupOptions = {}) =>
  new Promise<string | LookupAddress[]>((resolve, reject) => {
    loopbackLookup(name, options, (error, address) => (error ? reject(error) : resolve(address)));
  });

test.each(['localhost', 'LocalHost', 'brave-owl-12.localhost', 'a.b.localhost', 'localhost.'])(
  '%s is this machine',
  async (name) => {
    expect(await look(name)).toBe('127.0.0.1');
    expect(await look(name, { family: 6 })).toBe('::1');
    expect(await look(name, { all: true })).toEqual([
      { address: '127.0.0.1', family: 4 },
      { address: '::1', family: 6 },
    ]);
    expect(await look(name, { all: true, family: 4 })).toEqual([{ address: '127.0.0.1', family: 4 }]);
  },
);

test('other names are looked up as ever', async () => {
  expect(await look('127.0.0.1')).toBe('127.0.0.1');
  await expect(look('localhost.invalid')).rejects.toMatchObject({ syscall: 'getaddrinfo' });
  await expect(look('notlocalhost.invalid')).rejects.toMatchObject({ syscall: 'getaddrinfo' });
});

test('the answer never comes before the question has been put', async () => {
  let isAsked = false;
  const answered = new Promise<boolean>((resolve) => loopbackLookup('localhost', {}, () => resolve(isAsked)));
  isAsked = true;
  expect(await answered).toBe(true);
});
