import { useId } from 'preact/hooks';
import { type NotedNumber, readPhoneNumber } from '../../call/phone-number.js';

export interface NumberInputProps {
  readonly label: string;
  readonly value: string;
  readonly setValue: (value: string) => void;
  readonly known: readonly NotedNumber[];
  /** The user has tried to go on with what stands here. */
  readonly isChecked: boolean;
  readonly placeholder?: string;
}

/** The telephone number that the user has written, as E.164; undefined when it is none. */
export function numberIn(value: string): string | undefined {
  const read = readPhoneNumber(value);
  return 'number' in read ? read.number : undefined;
}

/** Takes a telephone number, offers some, and says what is known of the one that stands there. */
export function NumberInput({ label, value, setValue, known, isChecked, placeholder }: NumberInputProps) {
  const id = useId();
  const read = readPhoneNumber(value);
  const isWrong = isChecked && 'problem' in read;
  const note = known.find(({ number }) => number === numberIn(value))?.note;
  return (
    <div class="field">
      <label for={id}>{label}</label>
      <input
        id={id}
        type="tel"
        autocomplete="off"
        list={`${id}-known`}
        value={value}
        placeholder={placeholder}
        aria-invalid={isWrong}
        aria-describedby={`${id}-note`}
        onInput={({ currentTarget }) => setValue(currentTarget.value)}
      />
      <datalist id={`${id}-known`}>
        {known.map(({ number, note: what }) => (
          <option key={number} value={number}>
            {what}
          </option>
        ))}
      </datalist>
      <p id={`${id}-note`} class={isWrong ? 'wrong' : 'quiet'}>
        {isWrong ? `Write a telephone number with its country, such as +12025550100: this one ${read.problem}.` : note}
      </p>
    </div>
  );
}
