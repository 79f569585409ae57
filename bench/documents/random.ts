/** Numbers that look random and are the same in every run. Pure. */

/** From 0 up to, not including, 1. */
export type Random = () => number;

/** Steps by a fixed odd number and stirs the bits of each place. */
export function randomFrom(seed: number): Random {
  let place = seed | 0;
  return () => {
    place = (place + 0x9e3779b9) | 0;
    let bits = Math.imul(place ^ (place >>> 16), 0x21f0aaad);
    bits = Math.imul(bits ^ (bits >>> 15), 0x735a2d97);
    return ((bits ^ (bits >>> 15)) >>> 0) / 2 ** 32;
  };
}

export function below(random: Random, limit: number): number {
  return Math.floor(random() * limit);
}
