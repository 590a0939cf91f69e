import { type Exception, frameLineKind, placeOf } from '../../base/exception/exception.js';
import './exception.css';

/** Where a bot's code has thrown, with the lines around it. */
export function ExceptionNote({ exception }: { exception: Exception }) {
  const { frame = [], calls = [], hint } = exception;
  const place = placeOf(exception);
  if (!place) return null;
  return (
    <div class="exception">
      <p>
        <code>{place}</code>
      </p>
      {frame.length > 0 && (
        <pre>
          {frame.map((line) => (
            <span key={line} class={frameLineKind(line)}>
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
