/** What identifies the bundled model, for those who keep its vectors without loading it. */

/** Changes with anything that changes vectors (weights, precision, pooling): vectors of two models are never compared. */
export const MODEL = 'all-MiniLM-L6-v2/int8-1';
export const DIMENSIONS = 384;
