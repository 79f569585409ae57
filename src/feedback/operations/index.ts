/** Feedback about Cairn and its content (S1's six tools), kept in a store of its own: no mutation switch needed. */
import { feedbackSubmit, feedbackUpdate } from './change.ts';
import { feedbackGet, feedbackHealth, feedbackList, feedbackStats } from './view.ts';

export const operations = [feedbackSubmit, feedbackUpdate, feedbackList, feedbackGet, feedbackStats, feedbackHealth];
