/** The names of the rooms that the provider has for an account; undefined where it was asked too often. */
export async function openRooms(apiUrl: string, apiKey: string): Promise<string[] | undefined> {
  const response = await fetch(`${apiUrl}/rooms`, { headers: { authorization: `Bearer ${apiKey}` } });
  if (response.status === 429) return undefined;
  const { data } = (await response.json()) as { data: { name: string }[] };
  return data.map(({ name }) => name);
}
