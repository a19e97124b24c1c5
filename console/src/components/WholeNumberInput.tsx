import { NumberInput, type NumberInputProps } from '@mantine/core';

/** A whole number. A point or a comma between its digits groups them: 60.000 is sixty thousand. */
export function WholeNumberInput(props: NumberInputProps) {
  return (
    <NumberInput
      min={1}
      allowDecimal={false}
      allowNegative={false}
      thousandSeparator=","
      // With a point, a pasted 60.000 becomes 60.
      decimalSeparator="_"
      {...props}
    />
  );
}
