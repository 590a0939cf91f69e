import { type Fault, placeOf } from '../../base/fault/fault.js';
import './fault.css';

/** Where a bot's code has thrown, with the lines around it. */
export function FaultNote({ fault }: { fault: Fault }) {
  const { frame = [], calls = [], hint } = fault;
  const place = placeOf(fault);
  if (!place) return null;
  return (
    <div class="fault">
      <p>
        <code>{place}</code>
      </p>
      {frame.length > 0 && (
        // biome-ignore lint/a11y/noNoninteractiveTabindex: a region that scrolls is reached by the keyboard
        <pre tabIndex={0} role="region" aria-label={`The code at ${place}`}>
          {frame.map((line) => (
            <span key={line} class={line.startsWith('>') ? 'failing' : line.endsWith('^') ? 'caret' : ''}>
              {`${line}\n`}
            </span>
          ))}
        </pre>
      )}
      {calls.length > 0 && (
        <ul>
          {calls.map((call) => (
            <li key={call}>
              at <code>{call}</code>
            </li>
          ))}
        </ul>
      )}
      {hint && <p>{hint}</p>}
    </div>
  );
}
