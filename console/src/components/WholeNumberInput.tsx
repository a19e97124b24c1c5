import { TextInput, type TextInputProps } from '@mantine/core';
import { useState } from 'react';
import { formatNumber } from './format';
import { parseWholeNumber } from './whole-number';

interface WholeNumberInputProps extends Omit<TextInputProps, 'value' | 'onChange'> {
  value?: number | string;
  onChange?: (value: number | string) => void;
}

/** A whole number. What is typed stays as it is, and a text that is not a whole number is the value of the field. */
export function WholeNumberInput({ value = '', onChange, onFocus, onBlur, ...props }: WholeNumberInputProps) {
  const [typed, setTyped] = useState<string>();
  const shown = typeof value === 'number' ? formatNumber(value) : value;
  return (
    <TextInput
      inputMode="numeric"
      autoComplete="off"
      {...props}
      value={typed ?? shown}
      onFocus={(event) => {
        // A digit that is appended to 60,000 would make its groups wrong.
        setTyped(String(value));
        onFocus?.(event);
      }}
      onChange={({ currentTarget }) => {
        setTyped(currentTarget.value);
        onChange?.(parseWholeNumber(currentTarget.value));
      }}
      onBlur={(event) => {
        setTyped(undefined);
        onBlur?.(event);
      }}
    />
  );
}
