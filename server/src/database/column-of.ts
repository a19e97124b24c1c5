/** Returns the function that lists the values of one member of all rows, as an argument of unnest(). */
export const columnOf =
  <Row>(rows: readonly Row[]) =>
  <Key extends keyof Row>(key: Key): Row[Key][] =>
    rows.map((row) => row[key]);
