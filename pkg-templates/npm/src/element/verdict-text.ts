/** Verdicts in words that page and element share. Pure. */

export function uncheckedText(ran: number): string {
  return `${ran} step${ran === 1 ? '' : 's'} ran, none has an expected reply`;
}
