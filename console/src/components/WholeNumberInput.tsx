import { TextInput, type TextInputProps } from '@mantine/core';
import { useState } from 'react';
import { formatNumber } from './format';
import { editWholeNumber } from './whole-number';

interface WholeNumberInputProps extends Omit<TextInputProps, 'value' | 'onChange'> {
  value?: number | string;
  onChange?: (value: number | string) => void;
}

/** A whole number. What is typed stays as it is, and a text that is not a whole number is the value of the field. */
export function WholeNumberInput({ value = '', onChange, onBlur, ...props }: WholeNumberInputProps) {
  const [typed, setTyped] = useState<string>();
  const shown = typeof value === 'number' ? formatNumber(value) : value;
  return (
    <TextInput
      inputMode="numeric"
      autoComplete="off"
      {...props}
      value={typed ?? shown}
      onChange={({ currentTarget }) => {
        setTyped(currentTarget.value);
        onChange?.(editWholeNumber(value, typed ?? shown, currentTarget.value));
      }}
      onBlur={(event) => {
        setTyped(undefined);
        onBlur?.(event);
      }}
    />
  );
}
