/** Webhooks: how they do, and another try for what they did not take. */
import { webhookList, webhookRetry } from './webhooks.ts';

export const operations = [webhookList, webhookRetry];
