/** A decimal number: `digits` divided by `scale`, a power of ten. */
export interface Decimal {
  readonly digits: bigint;
  readonly scale: bigint;
}

/** Exactly the number in a text such as `0.25`. */
export function decimal(text: string): Decimal {
  const [whole = '', fraction = ''] = text.split('.');
  return { digits: BigInt(whole + fraction), scale: 10n ** BigInt(fraction.length) };
}

/** The quotient of two numbers of 0 or more as a whole number, rounded half to even. */
export function dividedToEven(dividend: bigint, divisor: bigint): bigint {
  const quotient = dividend / divisor;
  const twice = (dividend % divisor) * 2n;
  const isUp = twice > divisor || (twice === divisor && quotient % 2n === 1n);
  return isUp ? quotient + 1n : quotient;
}
