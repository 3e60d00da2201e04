import { useEffect, useRef, useState } from 'preact/hooks';

interface TypedFieldProps {
  readonly label: string;
  readonly type: 'date' | 'datetime-local' | 'number';
  readonly value: string | number;
  readonly min?: string | number | undefined;
  readonly max?: number;
  readonly step?: number | 'any';
  readonly required?: boolean;
  /** Gets what was typed once it is complete; it is invalid outside `min` and `max`. */
  readonly onValue: (value: string, isValid: boolean) => void;
}

/** A field that keeps what is being typed, also half a date, when the view is drawn again meanwhile. */
export function TypedField({ label, value, onValue, ...attributes }: TypedFieldProps) {
  const input = useRef<HTMLInputElement>(null);
  const [typed, setTyped] = useState<string>();
  // biome-ignore lint/correctness/useExhaustiveDependencies: another value takes the place of what was typed earlier
  useEffect(() => {
    if (document.activeElement !== input.current) setTyped(undefined);
  }, [value]);
  return (
    <label class="field">
      {label}
      <input
        {...attributes}
        ref={input}
        value={typed ?? value}
        onInput={({ currentTarget }) => setTyped(currentTarget.value)}
        onChange={({ currentTarget }) => {
          const { valid, badInput, valueMissing } = currentTarget.validity;
          if (badInput || valueMissing) return;
          if (valid) setTyped(undefined);
          onValue(currentTarget.value, valid);
        }}
        onBlur={({ currentTarget }) => {
          if (currentTarget.validity.valid) setTyped(undefined);
        }}
      />
    </label>
  );
}
