/** The names of the rooms that the provider has for an account. */
export async function openRooms(apiUrl: string, apiKey: string): Promise<string[]> {
  const response = await fetch(`${apiUrl}/rooms`, { headers: { authorization: `Bearer ${apiKey}` } });
  const { data } = (await response.json()) as { data: { name: string }[] };
  return data.map(({ name }) => name);
}
