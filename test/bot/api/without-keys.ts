/** Each test of the file begins without these variables of the environment, and leaves them as they were. */
export function withoutKeys(...names: readonly string[]): void {
  const before = new Map(names.map((name) => [name, process.env[name]]));

  beforeEach(() => {
    for (const name of names) delete process.env[name];
  });

  afterEach(() => {
    for (const [name, value] of before) {
      if (value === undefined) delete process.env[name];
      else process.env[name] = value;
    }
  });
}
