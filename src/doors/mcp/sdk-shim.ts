/**
 * Stands in for the SDK's platform shim in the bundle (see scripts/build.mjs). The SDK's own brings Ajv, 150 kB that every
 * start would pay for, to check the answers to questions a server asks its client. Cairn asks none.
 */
export { default as process } from 'node:process';

export class DefaultJsonSchemaValidator {
  getValidator(): never {
    throw new Error('Cairn asks its clients no questions, so there is no answer to check.');
  }
}
