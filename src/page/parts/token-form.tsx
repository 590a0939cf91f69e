import { useState } from 'preact/hooks';

/** Asks for the runner's token. */
export function TokenForm({ onToken }: { onToken: (token: string) => void }) {
  const [token, setToken] = useState('');
  return (
    <form
      class="panel token"
      onSubmit={(event) => {
        event.preventDefault();
        if (token !== '') onToken(token);
      }}
    >
      <h1>The runner wants its token</h1>
      <p>
        It was started with <code>VOICEBOT_TOKEN</code>. This page keeps the token until its tab is closed.
      </p>
      <label>
        Token
        <input
          type="password"
          autocomplete="off"
          value={token}
          onInput={({ currentTarget }) => setToken(currentTarget.value.trim())}
        />
      </label>
      <button type="submit">Show the calls</button>
    </form>
  );
}
