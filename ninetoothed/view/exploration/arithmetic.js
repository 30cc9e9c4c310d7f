// Integer division as index expressions mean it: rounded towards minus infinity, as in Python, and
// the remainder has the divisor's sign. Numbers are exact while all are below 2**53 in magnitude:
// then a quotient is at least 1 / b away from the next integer, which is more than its rounding.
// A divisor of 0 is the size of an empty tensor, of which no element is looked for: 0.

const floordiv = (a, b) => (b === 0 ? 0 : Math.floor(a / b));
const mod = (a, b) => {
  const rest = b === 0 ? 0 : a % b;
  return rest !== 0 && rest < 0 !== b < 0 ? rest + b : rest;
};
const ceildiv = (a, b) => (b === 0 ? 0 : -Math.floor(-a / b));
